"""The crisis screen: sees imminent risk, and holds the fixed answer that then takes the place of every other one."""

from __future__ import annotations

import random
import re

from pydantic import BaseModel, Field

from ..domains.pack import CrisisResource, DomainPack
from ..models import ChatModel, ModelError, Prompt, fence, new_nonce
from .context import AgentContext, CrisisSignal
from .crisis_rules import load_crisis_rules
from .heuristics import plain, sentences

__all__ = ["ModelCrisisScreen", "PackCrisisScreen"]


class PackCrisisScreen:
    """Rules and fixed text, no model. The rules read English; ``agents/crisis_rules.yaml`` is their table."""

    def __init__(self, pack: DomainPack) -> None:
        self._resources = pack.resources
        self._table = load_crisis_rules()

    def rules(self, message: str) -> CrisisSignal | None:
        """The first rule that sees imminent risk in ``message``, None if none does."""
        for reading in _readings(message):
            for sentence in sentences(reading):
                if rule := self._table.first(sentence):
                    return CrisisSignal(source="rule", rule=rule.name)
        return None

    async def model(self, message: str, context: AgentContext) -> CrisisSignal | None:
        """None: there is no model here."""
        return None

    def answer(self, country: str | None) -> str:
        """The fixed answer: opening, emergency number, services of ``country``, closing.

        Args:
            country: ISO 3166-1 alpha-2, in any case; None or one without entries gets the international ones.
        """
        code = _country(country)
        number = self._resources.emergency_numbers.get(code) if code else None
        emergency = _EMERGENCY.format(number=number) if number else self._resources.emergency
        services = "\n".join(_line(s) for s in self._resources.for_country(code))
        parts = (
            self._resources.opening,
            emergency,
            f"You can also talk to someone:\n{services}",
            self._resources.closing,
        )
        return "\n\n".join(part.strip() for part in parts)


class ModelCrisisScreen:
    """The rules, and beside them a model's opinion. The model may add a signal, never remove one."""

    def __init__(self, model: ChatModel, pack: DomainPack, *, rng: random.Random | None = None) -> None:
        self._model = model
        self._pack = pack
        self._rules = PackCrisisScreen(pack)
        self._rng = rng
        self._prompt = Prompt.load(package="askfirst.agents", name="crisis")

    def rules(self, message: str) -> CrisisSignal | None:
        """As ``PackCrisisScreen.rules``: decided without the model."""
        return self._rules.rules(message)

    async def model(self, message: str, context: AgentContext) -> CrisisSignal | None:
        """The model's opinion on ``message``; None if it sees no imminent risk or fails."""
        nonce = new_nonce(self._rng)
        asked = (
            self._pack.attribute(context.asked[-1]).question if context.asked else "(none: this opens the conversation)"
        )
        messages = self._prompt.messages(question=asked, message=fence(message, "message", nonce))
        try:
            opinion = await self._model.structured(_Opinion, messages)
        except ModelError:
            return None
        return CrisisSignal(source="model", rule="model") if opinion.imminent else None

    def answer(self, country: str | None) -> str:
        """As ``PackCrisisScreen.answer``: no model writes it."""
        return self._rules.answer(country)


class _Opinion(BaseModel):
    imminent: bool = Field(description="Whether someone is in immediate danger of death or serious harm.")


_EMERGENCY = "If you or someone else is in danger right now, or badly hurt, please call {number} now."
_ALSO_CALLED = {"UK": "GB"}


def _country(country: str | None) -> str | None:
    code = (country or "").strip().upper()
    return _ALSO_CALLED.get(code, code) or None


def _line(service: CrisisResource) -> str:
    hours = f" ({service.availability})" if service.availability else ""
    return f"- {service.name}: {service.contact}{hours}"


_LEET = str.maketrans({"0": "o", "1": "i", "3": "e", "@": "a", "$": "s", "!": "i"})


def _readings(message: str) -> tuple[str, ...]:
    """``message`` as written, and as meant where letters are stretched ("diiiie") or swapped ("k1ll", "su!cide")."""
    text = plain(message)
    undone = re.sub(r"(?<=[^\W\d_])[013@$!](?=[^\W\d_])", lambda m: m.group().translate(_LEET), text)
    once = re.sub(r"([^\W\d_])\1{2,}", r"\1", undone)
    twice = re.sub(r"([^\W\d_])\1{2,}", r"\1\1", undone)
    return tuple(dict.fromkeys((text, undone, once, twice)))
