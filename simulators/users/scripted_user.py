"""A simulated person without a language model: the same profile, behaviour and seed say the same words."""

from __future__ import annotations

import random
from collections.abc import Sequence

from ...domains import Attribute, DomainPack
from ..dialogue import AgentTurn, UserTurn
from ..fidelity import Said, head_of, measure
from .asked_attributes import asked_in
from .conversation_policy import Conduct, Move
from .disclosure import Reveal
from .persona import Persona

__all__ = ["ScriptedUser"]

_LEADS = ("", "Sure.", "", "Of course.", "OK.", "", "All right.")
_GRAVE_LEADS = ("", "", "", "Hm.")  # before health, mind and feelings


class ScriptedUser:
    """Answers from the profile, in the pack's wording and as the persona's behaviour says.

    The opening is the query, word for word. To a question it answers for what is asked: the attribute that the
    assistant names, else those whose cues stand in the question. After an answer it reacts ``turns`` times (or as
    long as its behaviour has something new to say), then thanks and ends the conversation.

    Args:
        persona: who speaks, what they tell and how they behave.
        pack: the wording of the answers and the cues of the questions.
        seed: chooses among phrasings, together with the scenario's id; no phrasing comes twice running.
        turns: how often the person reacts to an answer before they end.
    """

    def __init__(self, persona: Persona, pack: DomainPack, *, seed: int = 0, turns: int = 0) -> None:
        self.persona, self.pack = persona, pack
        self._conduct = Conduct(persona, pack, seed=seed, turns=turns)
        self._rng = random.Random(f"{seed}:{persona.scenario_id}")
        self._reacted: set[str] = set()
        self._last: dict[Sequence[str], str] = {}

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes of the pack."""
        return self.pack.attribute_ids

    async def opening(self) -> UserTurn:
        """The query, word for word."""
        return self._conduct.opening()

    async def reply(self, agent: AgentTurn) -> UserTurn:
        """The answer to a question, or the reaction to an answer."""
        move = self._conduct.next(agent, asked_in(agent, self.pack))
        if move.crisis is not None:
            return move.turn(move.crisis, {})
        if move.reaction in ("follow_up", "doubt") and not self._left_to_say():
            move = move.model_copy(update={"reaction": None, "ends": True})
        text = self.persona.behaviour.speech.rewritten(self._words(move))
        # Code put the words there; a rewrite may have made them strange to the check, which is no fault.
        said: dict[str, Said] = {
            a: "told" if s == "told" else "unclear" for a, s in measure(text, move.tell, self.pack).items()
        }
        return move.turn(text, said)

    def _words(self, move: Move) -> str:
        speech, phrases = self.persona.behaviour.speech, self.persona.behaviour.speech.phrases
        if move.ends:
            return self._pick(phrases.thanks)
        if move.off_topic is not None:
            return move.off_topic
        if move.reaction == "confirm":
            return self._pick(phrases.confirm)
        if move.reaction == "detail":
            said = " ".join(self._said(a, v, asked=False) for a, v in move.may.tell.items())
            return self._filled(self._pick(phrases.detail), said=said)
        parts = [self._answer(move.may, move.asked)] + [self._changed(a, v) for a, v in move.changed.items()]
        if move.reaction is not None:
            left = self._left_to_say()
            wanted = phrases.follow_up if move.reaction == "follow_up" else phrases.doubt
            phrase = self._rng.choice([p for p in left if p in wanted] or left)
            self._reacted.add(phrase)
            parts.append(phrase)
        elif move.tell and speech.adds:
            parts.append(self._pick(speech.adds))
        return " ".join(part for part in parts if part) or self._pick(phrases.puzzled)

    def _left_to_say(self) -> list[str]:
        """Reactions to an answer that were not said yet: nobody reacts twice in the same words."""
        phrases = self.persona.behaviour.speech.phrases
        return [p for p in (*phrases.follow_up, *phrases.doubt) if p not in self._reacted]

    def _answer(self, may: Reveal, asked: Sequence[str]) -> str:
        speech, phrases = self.persona.behaviour.speech, self.persona.behaviour.speech.phrases
        alone = len(may.tell) == 1
        said = [self._said(a, value, asked=a in asked, alone=alone) for a, value in may.tell.items()]
        if said and speech.leads:
            grave = any(self.pack.attribute(a).group != "demographic" for a in may.tell)
            said.insert(0, self._pick(_GRAVE_LEADS if grave else _LEADS))
        if may.decline:
            said.append(self._pick(phrases.decline))
        if may.put_off:
            said.append(self._pick(phrases.put_off))
        if may.unknown:
            said.append(self._pick(phrases.unknown))
        return " ".join(part for part in said if part)

    def _changed(self, attribute: str, value: str) -> str:
        phrase = self._pick(self.persona.behaviour.speech.phrases.change)
        said = self._said(attribute, value, asked=False)
        return self._filled(phrase, label=_called(self.pack.attribute(attribute)), said=said)

    def _said(self, attribute: str, value: str, *, asked: bool, alone: bool = False) -> str:
        """A value in the pack's words. Who is asked one thing says just that: "Money-wise: tight" is how forms speak.
        Unasked it needs the whole sentence: nobody understands "Yes, last year."."""
        entry = self.pack.attribute(attribute)
        if not asked:
            return entry.volunteered(value)
        bare = self.persona.behaviour.speech.form == "bare" or (alone and ": {value}" in entry.answer)
        if not bare or head_of(value).casefold() == "none":
            return entry.said(value)
        head, _, detail = value.partition(",")
        said = detail.strip() if head.casefold() == "other" and detail.strip() else value
        return f"{said[:1].upper()}{said[1:].rstrip('.')}."

    @staticmethod
    def _filled(phrase: str, **texts: str) -> str:
        for name, text in texts.items():
            phrase = phrase.replace(f"{{{name}}}", text)
        return phrase

    def _pick(self, phrases: Sequence[str]) -> str:
        phrase = self._rng.choice([p for p in phrases if not p or p != self._last.get(phrases)] or list(phrases))
        self._last[phrases] = phrase
        return phrase


def _called(attribute: Attribute) -> str:
    """What people call it behind "my": "money situation", "mental health"."""
    if attribute.mention.startswith("your "):
        return attribute.mention.removeprefix("your ")
    return attribute.label.lower().removesuffix(" status").removeprefix("past ")
