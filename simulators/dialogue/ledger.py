"""What became of each attribute in a conversation: what was asked, what was given to tell, and what was said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from pydantic import Field

from ...domains import Value
from .turns import AgentTurn, UserTurn

__all__ = ["Ledger", "LedgerEntry", "LedgerState", "build_ledger", "settled"]

LedgerState = Literal[
    "asked",
    "volunteered",
    "declined",
    "does_not_know",
    "lied_about",
    "changed",
    "unclear",
    "omitted",
    "never_came_up",
]
"""``asked``: asked for; whether it was told stands in ``told_turn``. ``unclear`` and ``omitted``: the person was to say
something of it, and code cannot see that they did, or sees that they did not."""


class LedgerEntry(Value):
    """One attribute. Turns are counted by the assistant's messages, from 1; 0 is the person's opening. Each turn is the
    first of its kind."""

    state: LedgerState = "never_came_up"
    asked_turn: int | None = Field(default=None, description="Assistant turn that asked for it.")
    given_turn: int | None = Field(default=None, description="Turn in which the person was to tell a value, or did.")
    told_turn: int | None = Field(default=None, description="Turn whose text tells a value, true or false.")
    lied_turn: int | None = Field(default=None, description="Turn whose text tells a false value.")
    changed_turn: int | None = Field(default=None, description="Turn that takes the value back and gives another.")
    declined_turn: int | None = Field(default=None, description="Turn whose text refuses it.")
    unknown_turn: int | None = Field(default=None, description="Turn whose text says that they do not know.")
    put_off_turn: int | None = Field(default=None, description="Turn in which it was not told for want of trust.")
    unclear_turn: int | None = Field(default=None, description="Turn of which code cannot see what it says of it.")
    omitted_turn: int | None = Field(default=None, description="Turn that was to say something of it, and does not.")
    value: str | None = Field(default=None, description="What was told last; a false value too. None if nothing was.")
    leaked: bool = Field(default=False, description="The simulated person said it though it was not to be told.")
    used: bool | None = Field(
        default=None,
        description="Whether the answer used it. In a dialogue: whether the assistant says that its answer had it, "
        "None if it does not say. In the records of a run: whether the text of the answer shows it.",
    )


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
        """Attributes of which a value was told."""
        return tuple(a for a, e in self.entries.items() if e.told_turn is not None)


def build_ledger(attributes: Iterable[str], turns: Sequence[AgentTurn | UserTurn]) -> Ledger:
    """The ledger of a conversation, read from the tags of its turns.

    An attribute is asked for when the person took a message to ask for it, or the assistant names it in a question and
    the person never replied. It is volunteered when it was told before it was asked for. A refusal outweighs both, a
    value taken back that, a lie all. What an assistant merely believes to know is no evidence that it was told.
    """
    kept: dict[str, dict[str, object]] = {a: {} for a in attributes}
    number = 0
    pending: str | None = None

    def first(key: str, names: Iterable[str]) -> None:
        for name in names:
            if name in kept:
                kept[name].setdefault(key, number)

    for turn in turns:
        if isinstance(turn, AgentTurn):
            number += 1
            pending = turn.attribute if turn.kind == "question" else None
            if "used" in turn.model_fields_set:
                for name, entry in kept.items():
                    entry["used"] = name in turn.used
            continue
        first("asked_turn", turn.asked or ((pending,) if pending and "asked" not in turn.model_fields_set else ()))
        pending = None
        first("given_turn", (*turn.values, *turn.disclosed))
        for key, field in _SEEN.items():
            first(key, getattr(turn, field))
        _note_values(turn, kept)
    first("asked_turn", (pending,) if pending else ())
    entries = {a: LedgerEntry.model_validate(found) for a, found in kept.items()}
    return Ledger(entries={a: e.model_copy(update={"state": _state(e)}) for a, e in entries.items()})


_SEEN = {
    "told_turn": "disclosed",
    "lied_turn": "lied",
    "changed_turn": "changed",
    "declined_turn": "declined",
    "unknown_turn": "unknown",
    "put_off_turn": "put_off",
    "unclear_turn": "unclear",
    "omitted_turn": "omitted",
}
"""Field of an entry -> the tag of a person's turn that it is the first turn of."""


def _note_values(turn: UserTurn, kept: dict[str, dict[str, object]]) -> None:
    for name in turn.disclosed:
        if name in kept and name in turn.values:
            kept[name]["value"] = turn.values[name]
    for fault in turn.faults:
        kind, _, name = fault.partition(":")
        if kind == "leak" and name in kept:
            kept[name]["leaked"] = True


def settled(entry: LedgerEntry, *, told: str | None, turn: int | None = None) -> LedgerEntry:
    """``entry``, of which code could not see whether its value was told, with a second opinion.

    Args:
        told: the value that was told, None if it was not.
        turn: the turn that tells it; None: the one that was unclear.
    """
    if told is None:
        made = entry.model_copy(update={"omitted_turn": entry.unclear_turn, "unclear_turn": None})
    else:
        when = turn if turn is not None else entry.unclear_turn
        made = entry.model_copy(update={"told_turn": when, "value": told, "unclear_turn": None})
    return made.model_copy(update={"state": _state(made)})


def _state(entry: LedgerEntry) -> LedgerState:
    if entry.lied_turn is not None:
        return "lied_about"
    if entry.changed_turn is not None:
        return "changed"
    if entry.declined_turn is not None:
        return "declined"
    if entry.told_turn is not None:
        before = entry.asked_turn is None or entry.told_turn < entry.asked_turn
        return "volunteered" if before else "asked"
    if entry.unknown_turn is not None:
        return "does_not_know"
    if entry.unclear_turn is not None:
        return "unclear"
    if entry.omitted_turn is not None:
        return "omitted"
    return "asked" if entry.asked_turn is not None else "never_came_up"
