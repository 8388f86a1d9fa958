"""What the two sides of a simulated conversation promise each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol, runtime_checkable

from pydantic import Field

from ...domains import Value

__all__ = ["AgentSession", "AgentTurn", "ConcludingSession", "SimulatedUser", "UserTurn"]


class AgentTurn(Value):
    """One message of the assistant under test."""

    text: str
    kind: Literal["question", "answer"] = Field(description="Whether it waits for the person or is its answer.")
    attribute: str | None = Field(default=None, description="Attribute asked about, if the assistant says.")
    stop_reason: str | None = Field(default=None, description="Why it stopped asking (answers of our agent).")
    used: tuple[str, ...] = Field(default=(), description="Attributes the answer was given, if told.")
    known: Mapping[str, str] = Field(default_factory=dict, description="What the assistant believes it was told.")
    notes: tuple[str, ...] = Field(default=(), description="Fallbacks and degradations, never a person's values.")


class UserTurn(Value):
    """One message of the simulated person."""

    text: str
    asked: tuple[str, ...] = Field(default=(), description="Attributes that it took the assistant to ask for.")
    values: Mapping[str, str] = Field(
        default_factory=dict, description="What it was given to tell, by attribute; lies and changes included."
    )
    disclosed: tuple[str, ...] = Field(default=(), description="Attributes whose value the text tells.")
    unclear: tuple[str, ...] = Field(
        default=(), description="Attributes that it was to tell or refuse; code cannot see whether the text does."
    )
    omitted: tuple[str, ...] = Field(default=(), description="Attributes that it was to tell or refuse, and does not.")
    declined: tuple[str, ...] = Field(default=(), description="Attributes that it refuses to tell.")
    unknown: tuple[str, ...] = Field(default=(), description="Attributes of which it says that it does not know.")
    put_off: tuple[str, ...] = Field(default=(), description="Attributes that it does not tell yet, for want of trust.")
    lied: tuple[str, ...] = Field(default=(), description="Attributes for which it tells a false value.")
    changed: tuple[str, ...] = Field(
        default=(), description="Attributes told before, of which it takes the value back."
    )
    measured: bool = Field(
        default=False, description="A language model wrote the text, and code measured what it tells of ``values``."
    )
    crisis: bool = Field(default=False, description="The person discloses imminent risk with this message.")
    ended: bool = Field(default=False, description="The person ends the conversation with this message.")
    verbatim: bool = Field(
        default=False,
        description="The text stands as it is: it is the person's data, or was cleaned. Otherwise a model may have "
        "written it, and stop tokens are cut out of it.",
    )
    faults: tuple[str, ...] = Field(
        default=(),
        description="Faults of the simulator, as in ``checks.FAULTS`` ('role_swap', 'leak:<attribute>', ...), "
        "and what was repaired: 'cleaned:<what>' (cut out of the reply), 'redrawn:<why>' (a first draft was thrown "
        "away).",
    )


@runtime_checkable
class AgentSession(Protocol):
    """One conversation with an assistant."""

    async def reply(self, message: str) -> AgentTurn:
        """The assistant's next message. Raises when the assistant fails: an error is never an answer."""

    async def aclose(self) -> None: ...


@runtime_checkable
class ConcludingSession(AgentSession, Protocol):
    """A conversation whose assistant can answer when the person has fallen silent."""

    async def conclude(self) -> AgentTurn:
        """The answer from what is known, for a person who says no more. What was asked last counts as skipped.

        Called at most once, and only before the first answer. Raises when the assistant fails.
        """


@runtime_checkable
class SimulatedUser(Protocol):
    """One person, seeded from a profile."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """Every attribute that the person could be asked about: the ledger has one entry for each."""

    async def opening(self) -> UserTurn: ...

    async def reply(self, agent: AgentTurn) -> UserTurn: ...
