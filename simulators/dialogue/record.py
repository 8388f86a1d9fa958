"""A simulated conversation as it is kept: plain data."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Literal

from pydantic import Field

from ...domains import Value
from ..fidelity import failure_in
from .ledger import Ledger
from .turn_taking import StopReason

__all__ = ["Dialogue", "TranscriptMessage", "unheard"]


class TranscriptMessage(Value):
    """One message, as both sides and a judge see it."""

    role: Literal["user", "assistant"]
    content: str


class Dialogue(Value):
    """A finished simulated conversation: plain data.

    Stop reasons: ``answered`` (the assistant gave its answer), ``turns_done`` (the person's further turns were taken),
    ``turn_cap`` (the most assistant turns were taken), ``user_ended``, ``goodbye`` (the person said goodbye, or both
    sides only exchanged courtesies), ``empty_user`` (the person had nothing more to say), ``role_swap`` (the simulated
    person spoke as the assistant), ``unusable_user`` (their message was empty, a refusal, far too long or the prompt;
    see ``faults``), ``failed`` (only in ``DialogueFailed.partial``).

    Where the person left before the assistant had answered, its answer, if it could still give one
    (``ConcludingSession``), stands in the place of the question that they did not wait for; the ledger keeps that it
    was asked. Where they fell silent, it follows an empty message of theirs. The stop reason is that of the person.
    """

    transcript: tuple[TranscriptMessage, ...] = ()
    answers: tuple[str, ...] = Field(
        default=(), description="The assistant's messages from its first answer on; none if it gave no answer."
    )
    answer: str | None = Field(
        default=None, description="Its last message that was an answer: a question is never judged as one."
    )
    ledger: Ledger = Ledger()
    known: dict[str, str] = Field(default_factory=dict, description="What the assistant knew or was told at the end.")
    given: dict[str, str] = Field(default_factory=dict, description="What the person was to tell, lies included.")
    told: dict[str, str] = Field(default_factory=dict, description="What their text tells of it.")
    due: tuple[str, ...] = Field(default=(), description="Attributes that a model was to tell of, opening apart.")
    asked: tuple[str, ...] = Field(default=(), description="Attributes asked for, in order.")
    stop_reason: StopReason
    agent_reason: str | None = Field(default=None, description="Why the assistant stopped asking, in its own words.")
    crisis_turn: int | None = Field(
        default=None,
        description="Assistant turn after which the person disclosed imminent risk, as their behaviour says.",
    )
    faults: tuple[str, ...] = Field(default=(), description="Faults of the simulator, in order; see ``UserTurn``.")
    notes: tuple[str, ...] = Field(default=(), description="Fallbacks that the assistant reported.")

    @property
    def agent_turns(self) -> int:
        """Number of messages of the assistant."""
        return sum(m.role == "assistant" for m in self.transcript)

    @property
    def simulator_failure(self) -> str | None:
        """The first fault that shows that the simulated person was not the person, None if there is none."""
        return "role_swap" if self.stop_reason == "role_swap" else failure_in(self.faults)

    @property
    def only_unclear(self) -> bool:
        """Whether nothing but too many unclear values speaks against the person: a second opinion may settle them."""
        others = tuple(f for f in self.faults if f != "omitted")
        return self.stop_reason != "role_swap" and failure_in(others) is None and "omitted" in self.faults

    def with_second_opinion(self, ledger: Ledger, told: Mapping[str, str], faults: Iterable[str]) -> Dialogue:
        """This conversation with what a model made of it; whether enough was told is counted anew."""
        every = (*(f for f in self.faults if f != "omitted"), *faults)
        return self.model_copy(
            update={
                "ledger": ledger,
                "told": dict(told),
                "faults": tuple(dict.fromkeys((*every, *unheard(self.due, ledger.told)))),
            }
        )

    @property
    def disqualified_by(self) -> str | None:
        """Why this conversation may not be judged, None if it may: it can then never pass."""
        if self.stop_reason == "failed":
            return "failed"
        return self.simulator_failure or (None if self.answer is not None else "no answer")


def unheard(due: Iterable[str], told: Container[str]) -> tuple[str, ...]:
    """The fault ``omitted`` where less than half of the values that a model was ``due`` to tell was told: a reply may
    be worded in a way that code does not know, but hardly most of them."""
    due = tuple(due)
    return ("omitted",) if sum(a in told for a in due) * 2 < len(due) else ()
