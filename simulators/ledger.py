"""What became of each attribute in a conversation: asked, volunteered, declined, lied about, or never came up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from pydantic import Field

from ..domains.value import Value
from .turns import AgentTurn, UserTurn

__all__ = ["Ledger", "LedgerEntry", "LedgerState", "build_ledger"]

LedgerState = Literal["asked", "volunteered", "declined", "lied_about", "never_came_up"]


class LedgerEntry(Value):
    """One attribute. Turns are counted by the assistant's messages, from 1; 0 is the person's opening."""

    state: LedgerState = "never_came_up"
    asked_turn: int | None = Field(default=None, description="Assistant turn that asked for it first.")
    told_turn: int | None = Field(default=None, description="Turn in which the person told it first, true or false.")
    declined_turn: int | None = Field(default=None, description="Turn in which the person refused it first.")
    put_off_turn: int | None = Field(default=None, description="Turn in which it was first not told for want of trust.")
    leaked: bool = Field(default=False, description="The simulated person said it though it was not to be told.")
    used: bool | None = Field(default=None, description="Whether the answer used it; None: the assistant did not say.")


class Ledger(Value):
    """One entry per attribute, in the order of the person's attributes."""

    entries: dict[str, LedgerEntry] = Field(default_factory=dict)

    @property
    def states(self) -> dict[str, LedgerState]:
        """Attribute id -> state: the ``ledger`` of a conversation record."""
        return {a: e.state for a, e in self.entries.items()}

    @property
    def asked(self) -> tuple[str, ...]:
        """Attributes that were asked for, in the order of asking."""
        turns = [(e.asked_turn, a) for a, e in self.entries.items() if e.asked_turn is not None]
        return tuple(a for _, a in sorted(turns, key=lambda t: t[0]))

    @property
    def told(self) -> tuple[str, ...]:
        """Attributes for which the person told a value."""
        return tuple(a for a, e in self.entries.items() if e.told_turn is not None)


def build_ledger(attributes: Iterable[str], turns: Sequence[AgentTurn | UserTurn]) -> Ledger:
    """The ledger of a conversation, read from the tags of its turns.

    An attribute is asked for when the assistant names it in a question or the person took a message to ask for it. It
    is volunteered when the person told it before it was asked for. A refusal outweighs both, a lie all. What an
    assistant merely believes to know is no evidence that it was told.
    """
    asked: dict[str, int] = {}
    told: dict[str, int] = {}
    declined: dict[str, int] = {}
    put_off: dict[str, int] = {}
    lied: set[str] = set()
    leaked: set[str] = set()
    used: tuple[str, ...] | None = None
    number = 0
    for turn in turns:
        if isinstance(turn, AgentTurn):
            number += 1
            if turn.kind == "question" and turn.attribute is not None:
                asked.setdefault(turn.attribute, number)
            if "used" in turn.model_fields_set:
                used = turn.used
            continue
        for attribute in turn.asked:
            asked.setdefault(attribute, number)
        for attribute in turn.disclosed:
            told.setdefault(attribute, number)
        for attribute in turn.declined:
            declined.setdefault(attribute, number)
        for attribute in turn.put_off:
            put_off.setdefault(attribute, number)
        lied.update(turn.lied)
        leaked.update(f.removeprefix("leak:") for f in turn.faults if f.startswith("leak:"))

    def state(attribute: str) -> LedgerState:
        if attribute in lied:
            return "lied_about"
        if attribute in declined:
            return "declined"
        if attribute in told and told[attribute] < asked.get(attribute, number + 1):
            return "volunteered"
        return "asked" if attribute in asked else "never_came_up"

    return Ledger(
        entries={
            a: LedgerEntry(
                state=state(a),
                asked_turn=asked.get(a),
                told_turn=told.get(a),
                declined_turn=declined.get(a),
                put_off_turn=put_off.get(a),
                leaked=a in leaked,
                used=None if used is None else a in used,
            )
            for a in attributes
        }
    )
