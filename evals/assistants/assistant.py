"""What an assistant must offer to be evaluated. It sees one conversation, never the scenario behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from ...simulators.dialogue import AgentSession

__all__ = ["Answerer", "Assistant", "Extract"]


@runtime_checkable
class Assistant(Protocol):
    """An assistant under test. One object serves many conversations, several at a time."""

    @property
    def name(self) -> str:
        """What stands in the records as ``model``, such as ``"openai:gpt-4o-mini"``."""

    def start(self, *, scenario_id: str, seed: int, granted: Mapping[str, str], country: str | None) -> AgentSession:
        """A fresh conversation.

        Args:
            scenario_id: for thread names and logs; says nothing about the person.
            seed: differs for every conversation, also between repeats of one scenario.
            granted: attribute id -> value that the condition gives beforehand; empty but in ``context_rich``.
            country: ISO 3166-1 alpha-2 code, as a deployment would know it from the locale.
        """


class Answerer(Protocol):
    """Writes an answer to ``query`` from exactly ``known``. Raises when it fails: an error is never an answer.

    ``follow_ups`` is given only where the conversation went on: (an answer, what the person then wrote), in order; the
    last message is to be answered.
    """

    async def __call__(
        self,
        query: str,
        known: Mapping[str, str],
        *,
        country: str | None,
        seed: int,
        follow_ups: Sequence[tuple[str, str]] = (),
    ) -> str: ...


class Extract(Protocol):
    """Reads the person's reply to a question about ``asked``: attribute id -> value for all that it tells.

    ``asked`` is None for a message after the answer.
    """

    async def __call__(self, query: str, message: str, *, asked: str | None) -> Mapping[str, str]: ...
