"""Our own agent as an assistant under test."""

from __future__ import annotations

from collections.abc import Mapping

from ..graphs import AnswerReply, QuestionReply, RaiseAgent, RaiseComponents, RaiseSettings
from ..simulators import AgentTurn

__all__ = ["RaiseAssistant"]


class RaiseAssistant:
    """Runs conversations of the state machine for an evaluation; forgets each when it ends.

    Args:
        name: the model behind it, as it stands in the records.
        components, settings: as for ``RaiseAgent``.
    """

    def __init__(self, name: str, components: RaiseComponents, settings: RaiseSettings) -> None:
        self._name = name
        self._agent = RaiseAgent(components, settings)

    @property
    def name(self) -> str:
        return self._name

    def start(self, *, scenario_id: str, seed: int, granted: Mapping[str, str], country: str | None) -> _RaiseSession:
        """A fresh conversation. Nothing is granted: what it knows, it was told."""
        del granted
        return _RaiseSession(self._agent, f"{scenario_id}/{seed}", country)


class _RaiseSession:
    def __init__(self, agent: RaiseAgent, thread_id: str, country: str | None) -> None:
        self._agent, self._thread_id, self._country = agent, thread_id, country
        self._started = False

    async def reply(self, message: str) -> AgentTurn:
        if self._started:
            reply = await self._agent.areply(self._thread_id, message)
        else:
            self._started = True
            reply = await self._agent.astart(message, thread_id=self._thread_id, country=self._country)
        return _turn(reply)

    async def aclose(self) -> None:
        if self._started:
            await self._agent.aforget(self._thread_id)


def _turn(reply: QuestionReply | AnswerReply) -> AgentTurn:
    if isinstance(reply, QuestionReply):
        return AgentTurn(text=reply.question, kind="question", attribute=reply.attribute, notes=tuple(reply.notes))
    return AgentTurn(
        text=reply.text,
        kind="answer",
        stop_reason=reply.stop_reason,
        used=tuple(reply.known),
        known=dict(reply.known),
        notes=tuple(reply.notes),
    )
