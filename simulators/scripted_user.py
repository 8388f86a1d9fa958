"""A simulated person without a language model: the same profile and seed say the same words."""

from __future__ import annotations

import random

from ..domains.pack import DomainPack
from .asking import asked_in, told_in_opening
from .disclosure import Reveal
from .persona import Persona
from .turns import AgentTurn, UserTurn

__all__ = ["ScriptedUser"]

_LEADS = ("", "Sure.", "", "Of course.", "OK.", "", "All right.")
_GRAVE_LEADS = ("", "", "", "Hm.")  # before health, mind and feelings
_DECLINES = ("I'd rather not say.", "I'd prefer not to say.", "I'd rather keep that to myself.")
_UNKNOWN = ("I don't know, sorry.", "I'm not sure, to be honest.", "Honestly, I don't know.")
_PUZZLED = ("I'm not sure what you mean.", "I don't know what to say to that.", "I'm not sure how to answer that.")
_THANKS = ("Thank you.", "Thanks, that helps.", "OK, thank you.")


class ScriptedUser:
    """Answers from the profile, in the pack's wording.

    The opening is the query, word for word. To a question it answers for what is asked: the attribute that the
    assistant names, else those whose cues stand in the question. It ends the conversation after an answer.

    Args:
        persona: who speaks, and what they tell.
        pack: the wording of the answers and the cues of the questions.
        seed: chooses among phrasings, together with the scenario's id; no phrasing comes twice running.
    """

    def __init__(self, persona: Persona, pack: DomainPack, *, seed: int = 0) -> None:
        self.persona, self.pack = persona, pack
        self._rng = random.Random(f"{seed}:{persona.scenario_id}")
        self._last: dict[tuple[str, ...], str] = {}
        self._told: set[str] = set()

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes of the pack."""
        return self.pack.attribute_ids

    async def opening(self) -> UserTurn:
        """The query, word for word."""
        turn = told_in_opening(self.persona.query, self.pack)
        self._told.update(turn.disclosed)
        return turn

    async def reply(self, agent: AgentTurn) -> UserTurn:
        """The answer to a question; a thank-you, and the end, after an answer."""
        if agent.kind == "answer":
            return UserTurn(text=self._pick(_THANKS), ended=True)
        asked = asked_in(agent, self.pack)
        may = self.persona.reveal(asked, self._told)
        self._told.update(may.tell)
        return UserTurn(
            text=self._words(may) or self._pick(_PUZZLED),
            asked=asked,
            disclosed=tuple(may.tell),
            values=may.tell,
            declined=may.decline,
            lied=may.lied,
        )

    def _words(self, may: Reveal) -> str:
        said = [self.pack.attribute(a).said(value) for a, value in may.tell.items()]
        if said:
            grave = any(self.pack.attribute(a).group != "demographic" for a in may.tell)
            said.insert(0, self._pick(_GRAVE_LEADS if grave else _LEADS))
        if may.decline:
            said.append(self._pick(_DECLINES))
        if may.unknown:
            said.append(self._pick(_UNKNOWN))
        return " ".join(part for part in said if part)

    def _pick(self, phrases: tuple[str, ...]) -> str:
        phrase = self._rng.choice([p for p in phrases if not p or p != self._last.get(phrases)])
        self._last[phrases] = phrase
        return phrase
