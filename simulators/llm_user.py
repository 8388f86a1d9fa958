"""A simulated person played by a language model that knows only what this person may tell."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from pydantic import BaseModel, Field

from ..domains.pack import DomainPack
from ..models import (
    ChatModel,
    EmptyCompletion,
    InvalidStructuredOutput,
    Message,
    Prompt,
    Sampling,
    fence,
    new_nonce,
)
from .asking import asked_in, told_in_opening
from .cleaning import Cleaned, clean_reply
from .disclosure import Reveal
from .fidelity import leaks
from .persona import Persona
from .turns import AgentTurn, UserTurn

__all__ = ["LlmUser"]

_CORRECTIONS = {
    "role_swap": "Your last draft spoke as the assistant. Write only what the person says, in the first person.",
    "reasoning": "Your last draft was unfinished reasoning. Write only the message itself.",
    "empty": "Your last draft was empty. Write the message.",
}


class AskedFor(BaseModel):
    """What a message asks a person to tell."""

    attributes: list[str] = Field(description="Ids of the facts that the message asks for; empty if none.")


class LlmUser:
    """Plays ``persona`` with ``model``.

    The opening is the query, word for word. For every reply, code decides what may be told; the model is handed the
    query, the style, those values and the values told before, and the visible conversation. Values that are not to be
    told, rubrics and the assistant's prompts are never in its prompt. Replies are cleaned; an unusable one is drawn
    once more.

    Args:
        persona: who speaks, and what they tell.
        model: plays the person; also tells what a question asks for where neither the assistant nor the pack's cues do.
        pack: labels and cues of the attributes.
        sampling: how replies are drawn; None: the model's own settings. The redraw uses the next seed, if there is one.
        seed: of the nonces that fence other people's text in prompts.
    """

    def __init__(
        self,
        persona: Persona,
        model: ChatModel,
        pack: DomainPack,
        *,
        sampling: Sampling | None = None,
        seed: int = 0,
    ) -> None:
        self.persona, self.model, self.pack = persona, model, pack
        self._sampling = sampling
        self._rng = random.Random(f"{seed}:{persona.scenario_id}")
        self._reply_prompt = Prompt.load(package="askfirst.simulators", name="user")
        self._asked_prompt = Prompt.load(package="askfirst.simulators", name="asked")
        self._told: dict[str, str] = {}
        self._said: list[tuple[str, str]] = []

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes of the pack."""
        return self.pack.attribute_ids

    async def opening(self) -> UserTurn:
        """The query, word for word; no model is asked."""
        turn = told_in_opening(self.persona.query, self.pack)
        self._told.update(turn.values)
        return turn

    async def reply(self, agent: AgentTurn) -> UserTurn:
        """The person's next message. Raises the ``ModelError`` of a failing model.

        With fault "role_swap" or "empty" the text is empty and the conversation over.
        """
        if agent.kind == "answer":
            return UserTurn(text="Thank you.", ended=True)
        asked = asked_in(agent, self.pack) or await self._ask_model(agent)
        may = self.persona.reveal(asked, self._told)
        drawn, faults = await self._draw(agent, may)
        if drawn.problem:
            return UserTurn(text="", asked=asked, ended=True, faults=(*faults, drawn.problem))
        if not drawn.text:
            return UserTurn(text="", asked=asked, ended=True, faults=faults)
        leaked = leaks(drawn.text, self._hidden(may), self.pack, heard=self._heard(agent))
        self._told.update(may.tell)
        self._said.append((agent.text, drawn.text))
        return UserTurn(
            text=drawn.text,
            asked=asked,
            disclosed=tuple(may.tell),
            values=may.tell,
            declined=may.decline,
            lied=may.lied,
            ended=drawn.ended,
            faults=(*faults, *(f"leak:{a}" for a in leaked)),
        )

    async def _draw(self, agent: AgentTurn, may: Reveal) -> tuple[Cleaned, tuple[str, ...]]:
        """A usable reply, or the last unusable one; and what had to be done to get it."""
        cleaned = clean_reply(await self._complete(agent, may), to=agent.text)
        redrawn: tuple[str, ...] = ()
        if cleaned.problem:
            redrawn = (f"redrawn:{cleaned.problem}",)
            again = await self._complete(agent, may, correction=_CORRECTIONS[cleaned.problem])
            cleaned = clean_reply(again, to=agent.text)
        if cleaned.problem == "reasoning":  # what stood before it is the message, if anything did
            cleaned = cleaned.model_copy(update={"problem": None if cleaned.text else "empty"})
        return cleaned, (*redrawn, *(f"cleaned:{what}" for what in cleaned.removed))

    async def _complete(self, agent: AgentTurn, may: Reveal, correction: str = "") -> str:
        sampling = self._sampling
        if correction and sampling is not None and sampling.seed is not None:
            sampling = sampling.model_copy(update={"seed": sampling.seed + 1})
        try:
            return (await self.model.complete(self._messages(agent, may, correction), sampling=sampling)).text
        except EmptyCompletion:
            return ""

    def _messages(self, agent: AgentTurn, may: Reveal, correction: str) -> list[Message]:
        nonce = new_nonce(self._rng)
        lines = [line for q, a in self._said for line in (f"Assistant: {q}", f"Person: {a}")]
        talk = "\n\n".join([*lines, f"Assistant: {agent.text}"])
        earlier = {a: v for a, v in self._told.items() if a not in may.tell}
        return self._reply_prompt.messages(
            style=self.persona.style,
            query=fence(self.persona.query, "first message", nonce),
            told=self._lines(earlier),
            tell=self._lines(may.tell),
            decline=self._labels(may.decline),
            unknown=self._labels(may.unknown),
            conversation=fence(talk, "conversation", nonce),
            correction=correction,
        )

    async def _ask_model(self, agent: AgentTurn) -> tuple[str, ...]:
        """What a question asks for, by the model's reading; nothing where it gives no valid reading."""
        lines = [f"{a.id}: {a.label}. {a.description}" for a in self.pack.attributes]
        message = fence(agent.text, "message", new_nonce(self._rng))
        try:
            read = await self.model.structured(
                AskedFor, self._asked_prompt.messages(attributes=lines, message=message), sampling=self._sampling
            )
        except InvalidStructuredOutput:
            return ()
        return tuple(a for a in self.pack.attribute_ids if a in read.attributes)

    def _hidden(self, may: Reveal) -> dict[str, str]:
        return {a: v for a, v in self.persona.profile.items() if a not in self._told and may.tell.get(a) != v}

    def _heard(self, agent: AgentTurn) -> str:
        """Everything that the model was shown: a value that stands there was no secret."""
        return "\n".join([self.persona.query, agent.text, *(text for pair in self._said for text in pair)])

    def _lines(self, values: Mapping[str, str]) -> list[str]:
        return [f"{self.pack.attribute(a).label}: {v}" for a, v in values.items()]

    def _labels(self, attributes: Sequence[str]) -> list[str]:
        return [self.pack.attribute(a).label for a in attributes]
