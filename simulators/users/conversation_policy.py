"""What one person does in one conversation, message by message: decided by code, for scripted and model users alike."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from pydantic import Field

from ...domains import DomainPack, Value
from ..dialogue import AgentTurn, UserTurn, offers_more
from ..fidelity import Said, is_harmless, is_none
from .asked_attributes import told_in_opening
from .behaviour import Reaction, other_value, riskiness
from .disclosure import Reveal
from .persona import Persona
from .rapport import shows_understanding

__all__ = ["Conduct", "Move"]


class Move(Value):
    """What the person's next message does. One of ``crisis``, ``off_topic``, ``reaction``, ``ends`` is set, or none."""

    may: Reveal = Reveal()
    asked: tuple[str, ...] = Field(default=(), description="Attributes that the assistant is taken to ask for.")
    changed: dict[str, str] = Field(default_factory=dict, description="Told before, and now told differently.")
    crisis: str | None = Field(default=None, description="The whole message, word for word.")
    off_topic: str | None = Field(default=None, description="What is talked of instead of an answer.")
    reaction: Reaction | Literal["confirm"] | None = Field(
        default=None, description="How the person reacts to an answer; 'confirm': they accept the offer to go on."
    )
    ends: bool = Field(default=False, description="The person thanks and leaves.")

    @property
    def tell(self) -> dict[str, str]:
        """Everything that this message tells."""
        return {**self.may.tell, **self.changed}

    def turn(
        self,
        text: str,
        said: Mapping[str, Said],
        *,
        ended: bool = False,
        faults: Sequence[str] = (),
        measured: bool = False,
    ) -> UserTurn:
        """The message ``text`` with its tags.

        Args:
            said: attribute -> whether ``text`` says what this move has of it (``tell``, ``may.decline``,
                ``may.unknown``); missing: "told".
            measured: a language model wrote the text.
        """

        def told(names: Iterable[str]) -> tuple[str, ...]:
            return tuple(a for a in names if said.get(a, "told") == "told")

        return UserTurn(
            text=text,
            asked=self.asked,
            values=self.tell,
            disclosed=told(self.tell),
            unclear=tuple(a for a, s in said.items() if s == "unclear"),
            omitted=tuple(a for a, s in said.items() if s == "omitted"),
            declined=told(self.may.decline),
            unknown=told(self.may.unknown),
            put_off=self.may.put_off,
            lied=told(self.may.lied),
            changed=told(self.changed),
            crisis=self.crisis is not None,
            ended=ended or self.ends,
            verbatim=True,
            measured=measured,
            faults=tuple(faults),
        )


class Conduct:
    """Keeps what was told, and decides what may be told next.

    Args:
        persona: who speaks, and how they behave.
        pack: the attributes.
        seed: of what the behaviour leaves to chance.
        turns: how often the person reacts to an answer before they thank and leave.
    """

    def __init__(self, persona: Persona, pack: DomainPack, *, seed: int = 0, turns: int = 0) -> None:
        self.persona, self.pack = persona, pack
        self.told: dict[str, str] = {}
        self._truths: set[str] = set()
        self._rng = random.Random(f"conduct:{seed}:{persona.scenario_id}")
        self._turns = turns
        self._reacted = 0
        self._number = 0
        self._strayed = 0
        self._trusted = self._confirmed = False
        self._waiting: list[str] = []
        self._change: tuple[str, str, int] | None = None
        self._changed = False
        self._in_crisis = False

    def opening(self) -> UserTurn:
        """The query, word for word, tagged with what it already tells."""
        turn = told_in_opening(self.persona.query, self.pack, self.persona.profile)
        self.told.update(turn.values)
        self._truths.update(turn.values)
        return turn

    def next(self, agent: AgentTurn, asked: Iterable[str]) -> Move:
        """The move in reply to ``agent``, who asks for ``asked``. Counts as said: call it once a message."""
        self._number += 1
        behaviour, asked = self.persona.behaviour, tuple(asked)
        self._trusted = self._trusted or shows_understanding(agent.text)
        if behaviour.crisis is not None and behaviour.crisis.turn == self._number:
            self._in_crisis = True
            return Move(asked=asked, crisis=behaviour.crisis.text)
        if not asked and not self._confirmed and (self._turns or agent.kind == "question") and offers_more(agent.text):
            self._confirmed = True
            return Move(reaction="confirm")
        if agent.kind == "answer":
            return self._keep(self._react())
        straying = behaviour.off_topic
        # Nobody tells the same aside twice: when all have been told, the person keeps to the point.
        if straying is not None and self._number in straying.turns and self._strayed < len(straying.texts):
            self._strayed += 1
            return Move(asked=asked, off_topic=straying.texts[self._strayed - 1])
        may = self._with_changes(self._reveal(asked))
        return self._keep(Move(asked=asked, may=may, changed=self._due_change()))

    def hidden(self) -> dict[str, str]:
        """Attribute id -> what of its true value must not stand in the message whose move was made last."""
        hidden: dict[str, str] = {}
        for attribute, value in self.persona.profile.items():
            if self._changed and self._change is not None and attribute == self._change[0]:
                continue  # it was told, and may be named to take it back
            if attribute in self._truths:
                # Told in part: the rest stays hidden.
                told = self.told.get(attribute, "")
                rest = value.partition(told)[2] if told and self.persona.disclosure.detail == "head" else ""
                if rest.strip(" ,."):
                    hidden[attribute] = rest.strip(" ,.")
            else:
                hidden[attribute] = value
        return hidden

    def expected(self) -> dict[str, str]:
        """Attribute id -> the value that this person stands by: what was told, else the truth."""
        false = {a: v for a, v in self.told.items() if a not in self._truths}
        return {**self.persona.profile.values, **false}

    def _reveal(self, asked: Iterable[str]) -> Reveal:
        """What may be told now. Who has disclosed a crisis does not call themselves well right after: of health, mind
        and feelings, what carries no risk by the pack's rules is held back, as if they did not trust enough yet."""
        asked = tuple(asked)
        may = self.persona.reveal(asked, self.told, trusted=self._trusted, waiting=self._waiting)
        held = [a for a, v in may.tell.items() if self._denies_crisis(a, v)]
        if not held:
            return may
        return may.model_copy(
            update={
                "tell": {a: v for a, v in may.tell.items() if a not in held},
                "put_off": (*may.put_off, *(a for a in held if a in asked)),
                "lied": tuple(a for a in may.lied if a not in held),
            }
        )

    def _denies_crisis(self, attribute: str, value: str) -> bool:
        if not self._in_crisis or attribute in self.told or self.pack.attribute(attribute).group == "demographic":
            return False
        return is_harmless(value) or not riskiness(self.pack, attribute, value)

    def _react(self) -> Move:
        if self._reacted >= self._turns:
            return Move(ends=True)
        kinds = self.persona.behaviour.reactions
        kind = kinds[self._reacted % len(kinds)]
        self._reacted += 1
        may = self._reveal(())
        changed = self._due_change()
        if kind != "detail":
            return Move(reaction=kind, may=may, changed=changed)
        if not may.tell and not changed and (attribute := self._next_detail()) is not None:
            may = self._reveal((attribute,))
        other: Reaction = next((k for k in kinds if k != "detail"), "follow_up")
        return Move(reaction="detail" if may.tell else other, may=may, changed=changed)

    def _next_detail(self) -> str | None:
        """The most telling thing not told yet that the person would tell if asked for it."""
        for attribute in self.pack.by_sensitivity():
            stance = self.persona.disclosure.stance(attribute)
            willing = stance in ("volunteers", "if_asked") or (stance == "if_trusted" and self._trusted)
            value = self.persona.profile.get(attribute)
            fresh = value is not None and not is_none(value) and not self._denies_crisis(attribute, value)
            if willing and fresh and attribute not in self.told:
                return attribute
        return None

    def _with_changes(self, may: Reveal) -> Reveal:
        """``may`` with what was changed before: the person stays with the new value."""
        if not self._changed or self._change is None or self._change[0] not in may.tell:
            return may
        attribute, value, _ = self._change
        return may.model_copy(update={"tell": {**may.tell, attribute: value}})

    def _due_change(self) -> dict[str, str]:
        if self._change is None or self._changed or self._number < self._change[2]:
            return {}
        self._changed = True
        return {self._change[0]: self._change[1]}

    def _keep(self, move: Move) -> Move:
        profile, full = self.persona.profile, self.persona.disclosure
        for attribute, value in move.may.tell.items():
            self.told[attribute] = value
            if value == full.told_value(profile.get(attribute) or ""):
                self._truths.add(attribute)
        self.told.update(move.changed)
        self._truths.difference_update(move.changed)
        self._waiting = [a for a in dict.fromkeys((*self._waiting, *move.may.put_off)) if a not in self.told]
        self._plan_change(move.may)
        return move

    def _plan_change(self, may: Reveal) -> None:
        changes = self.persona.behaviour.changes
        if changes is None or self._change is not None:
            return
        for attribute, value in may.tell.items():
            if attribute in may.lied:
                continue
            other = other_value(self.pack, attribute, value, self._rng)
            if other is not None:
                self._change = (attribute, other, self._number + changes.after)
                return
