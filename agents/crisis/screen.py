"""The crisis screen: sees imminent risk, and holds the fixed answer that then takes the place of every other one."""

from __future__ import annotations

import random
from collections.abc import Sequence

from pydantic import BaseModel, Field

from ...domains import CrisisResource, DomainPack, known_country, plain
from ...models import ChatModel, ModelError, Prompt, fence, new_nonce
from ..context import AgentContext, CrisisSignal
from ..prompt_context import question_before
from .disguises import passages, readings
from .rules import load_crisis_rules

__all__ = ["LlmCrisisScreen", "PackCrisisScreen"]


class PackCrisisScreen:
    """Rules and fixed text, no model. ``agents/crisis/rules.yaml`` is their table.

    The rules read English. Of Spanish, German, French and Portuguese they know but the plainest statements ("Quiero
    morir"); nothing else is read in another language. The answer is in English.
    """

    def __init__(self, pack: DomainPack) -> None:
        self._resources = pack.resources
        self._table = load_crisis_rules()

    def rules(self, message: str, *, asked: str | None = None) -> CrisisSignal | None:
        """The first rule that sees imminent risk in ``message``, None if none does.

        Args:
            asked: attribute id, where ``message`` replies to a question about it: "Yes, last night" is then understood.
        """
        texts = readings(message)
        for text in dict.fromkeys(passage for reading in texts for passage in passages(reading)):
            if rule := self._table.first(text, asked=asked):
                return CrisisSignal(source="rule", rule=rule.name)
        for text in dict.fromkeys(line for reading in texts for line in passages(reading, whole=True)):
            if rule := self._table.first(text, whole=True, asked=asked):
                return CrisisSignal(source="rule", rule=rule.name)
        return None

    async def model(self, message: str, context: AgentContext) -> CrisisSignal | None:
        """None: there is no model here."""
        return None

    def answer(self, country: str | None, *, again: bool = False) -> str:
        """The fixed answer: opening, emergency number, services of ``country``, closing.

        Args:
            country: ISO 3166-1 alpha-2, in any case; None or one without entries gets the international ones.
            again: the person wrote on after a crisis answer.
        """
        code = known_country(country)
        number = self._resources.emergency_numbers.get(code) if code else None
        emergency = _EMERGENCY.format(number=number) if number else self._resources.emergency
        services = "\n".join(_line(s) for s in self._resources.for_country(code))
        parts = (
            self._resources.again if again else self._resources.opening,
            emergency,
            f"You can also talk to someone:\n{services}",
            self._resources.closing,
        )
        return "\n\n".join(part.strip() for part in parts)

    def follow_up(self, country: str | None, message: str, *, said: Sequence[str] = ()) -> str:
        """What the pack answers to ``message`` after a crisis answer, and the ways to reach help in short.

        Danger that is told anew gets the whole answer once more.
        """
        if self.rules(message) is not None and (whole := self.answer(country, again=True)) not in said[-1:]:
            return whole
        text, replies = plain(message), self._resources.replies
        fits = [" ".join(r.text.split()) for r in replies if r.fits(text)]
        any_time = [" ".join(r.text.split()) for r in replies if not r.matches] or [self._resources.again.strip()]
        # What answers this message, unless it has been said; then what was said least often.
        words = next((t for t in fits if not any(t in s for s in said)), None)
        words = words or min(any_time, key=lambda t: sum(t in s for s in said))
        answer = f"{words}\n\n{self._in_short(country)}"
        return f"{answer}\n\n{self._resources.closing.strip()}" if answer in said[-1:] else answer

    def _in_short(self, country: str | None) -> str:
        code = known_country(country)
        number = self._resources.emergency_numbers.get(code) if code else None
        services = "; ".join(f"{_FOR[s.about]}{s.name} ({s.contact})" for s in self._resources.for_country(code))
        return f"{_REACH} {services}. {_NOW.format(number=number) if number else _NOW_ANYWHERE}"


class LlmCrisisScreen:
    """The rules, and beside them a model's opinion. The model may add a signal, never remove one."""

    def __init__(self, model: ChatModel, pack: DomainPack, *, rng: random.Random | None = None) -> None:
        self._model = model
        self._pack = pack
        self._rules = PackCrisisScreen(pack)
        self._rng = rng
        self._prompt = Prompt.load(package="askfirst.agents", name="crisis")

    def rules(self, message: str, *, asked: str | None = None) -> CrisisSignal | None:
        """As ``PackCrisisScreen.rules``: decided without the model."""
        return self._rules.rules(message, asked=asked)

    async def model(self, message: str, context: AgentContext) -> CrisisSignal | None:
        """The model's opinion on ``message``; None if it sees no imminent risk or fails."""
        nonce = new_nonce(self._rng)
        asked = context.asked[-1] if context.asked else None
        messages = self._prompt.messages(
            question=question_before(self._pack, context, message, asked, nonce),
            message=fence(message, "message", nonce),
        )
        try:
            opinion = await self._model.structured(_Opinion, messages)
        except ModelError:
            return None
        return CrisisSignal(source="model", rule="model") if opinion.imminent else None

    def answer(self, country: str | None, *, again: bool = False) -> str:
        """As ``PackCrisisScreen.answer``: no model writes it."""
        return self._rules.answer(country, again=again)

    def follow_up(self, country: str | None, message: str, *, said: Sequence[str] = ()) -> str:
        """As ``PackCrisisScreen.follow_up``."""
        return self._rules.follow_up(country, message, said=said)


class _Opinion(BaseModel):
    imminent: bool = Field(description="Whether someone is in immediate danger of death or serious harm.")


_EMERGENCY = "If you or someone else is in danger right now, or badly hurt, please call {number} now."
_REACH = "There for you now:"
_FOR = {None: "", "violence": "if somebody hurts or threatens you, "}
_NOW = "In danger right now: call {number}."
_NOW_ANYWHERE = "In danger right now: call the emergency number of the country you are in."


def _line(service: CrisisResource) -> str:
    hours = f" ({service.availability})" if service.availability else ""
    return f"- {_FOR[service.about].capitalize()}{service.name}: {service.contact}{hours}"
