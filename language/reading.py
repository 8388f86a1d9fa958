"""What one message of a person says: how much danger is in it, what it does, and which facts it tells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, get_args, runtime_checkable

from pydantic import Field

from ..domains import Value

__all__ = [
    "ACTS",
    "FAULTS",
    "KINDS",
    "LEVELS",
    "Act",
    "Fault",
    "MessageReader",
    "MessageReading",
    "RiskKind",
    "RiskLevel",
    "RiskReading",
    "ToldValue",
    "Turn",
    "higher",
]

RiskLevel = Literal["none", "concern", "imminent"]
RiskKind = Literal[
    "suicide",
    "self_harm",
    "overdose",
    "eating",
    "harmed_by_others",
    "harm_to_others",
    "medical",
    "third_person",
]
Act = Literal[
    "answers",
    "declines",
    "does_not_know",
    "asks_why",
    "asks_back",
    "off_topic",
    "corrects",
    "takes_back",
    "wants_to_stop",
    "command",
]
Fault = Literal["role_swap", "fourth_wall"]

LEVELS: tuple[RiskLevel, ...] = get_args(RiskLevel)
"""From no danger to danger now."""
KINDS: tuple[RiskKind, ...] = get_args(RiskKind)
ACTS: tuple[Act, ...] = get_args(Act)
FAULTS: tuple[Fault, ...] = get_args(Fault)


class Turn(Value):
    """One earlier message of the conversation."""

    role: Literal["user", "assistant"]
    text: str


class RiskReading(Value):
    """How much danger a message shows.

    * ``imminent``: somebody should act now.
    * ``concern``: a careful person would ask about it, gently and directly, before going on.
    """

    level: RiskLevel = "none"
    kind: RiskKind | None = Field(default=None, description="The main kind of danger; None if there is none.")
    sentence: str = Field(default="", description="The exact words of the message that show it most.")
    probability: float = Field(
        default=0.0, ge=0, le=1, description="Calibrated: that the message shows danger at all; 1 if the floor fired."
    )
    source: Literal["model", "floor", "opinion"] = Field(
        default="model", description="Who saw it: the learned reader, a rule of the floor, or a language model."
    )


class ToldValue(Value):
    """A fact that the writer tells of themselves."""

    attribute: str
    fact: str = Field(description="The fact in short.")
    quote: str = Field(min_length=1, description="The exact words of the message; nothing of them is cut.")


class MessageReading(Value):
    """Everything that one message says. Holds the person's words: it lives where values may live, and nowhere else."""

    risk: RiskReading = RiskReading()
    acts: tuple[Act, ...] = ()
    values: tuple[ToldValue, ...] = ()
    injected: bool = Field(default=False, description="It holds an instruction to the system, or data made to look so.")
    faults: tuple[Fault, ...] = Field(default=(), description="Of a model that plays a person; people have none.")


@runtime_checkable
class MessageReader(Protocol):
    """Reads what people write. The same for the agent, simulated people and evaluations."""

    def read(self, message: str, *, asked: str | None = None, before: Sequence[Turn] = ()) -> MessageReading:
        """What ``message`` says.

        Args:
            asked: attribute id, where the message replies to a question about it.
            before: the conversation so far, oldest first, the question that it replies to last.
        """


def higher(*readings: RiskReading) -> RiskReading:
    """The reading with the highest level; of equals the first. No reader lowers what another one saw."""
    return max(readings, key=lambda reading: LEVELS.index(reading.level))
