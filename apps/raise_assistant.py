"""Our own agent as an assistant under test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..agents import AgentContext, CrisisSignal, Extracted
from ..graphs import AnswerReply, QuestionReply, RaiseAgent, RaiseComponents, RaiseSettings
from ..models import CUT_NOTE, collect_usage, together
from ..simulators.dialogue import AgentTurn

__all__ = ["RaiseAssistant"]


class RaiseAssistant:
    """Runs conversations of the state machine for an evaluation; forgets each when it ends.

    The state machine ends with its answer. To what the person writes after it, the same parts reply: the crisis screen
    looks at every message, the extraction reads it, and the responder answers with the conversation so far. A
    conversation that was in crisis stays there: no ordinary advice follows.

    Args:
        name: the model behind it, as it stands in the records.
        components, settings: as for ``RaiseAgent``.
    """

    def __init__(self, name: str, components: RaiseComponents, settings: RaiseSettings) -> None:
        self._name = name
        self._parts, self._settings = components, settings
        self._agent = RaiseAgent(components, settings)

    @property
    def name(self) -> str:
        return self._name

    def start(self, *, scenario_id: str, seed: int, granted: Mapping[str, str], country: str | None) -> _RaiseSession:
        """A fresh conversation. Nothing is granted: what it knows, it was told."""
        del granted
        return _RaiseSession(self._agent, self._parts, f"{scenario_id}/{seed}", country or self._settings.country)


@dataclass
class _RaiseSession:
    agent: RaiseAgent
    parts: RaiseComponents
    thread_id: str
    country: str | None
    query: str | None = None
    pending: str | None = None
    exchanges: list[tuple[str, str]] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    followed_up: list[str] = field(default_factory=list)
    context: AgentContext | None = None
    crisis: bool = False

    async def reply(self, message: str) -> AgentTurn:
        if self.context is not None:
            return await self._follow_up(self.context, message)
        if self.query is None:
            self.query = message
            reply = await self.agent.astart(message, thread_id=self.thread_id, country=self.country)
        else:
            if self.pending is not None:
                self.exchanges.append((self.pending, message))
            reply = await self.agent.areply(self.thread_id, message)
        if isinstance(reply, QuestionReply):
            self.pending = reply.question
        else:
            self._ended_with(self.query, reply)
        return _turn(reply)

    async def conclude(self) -> AgentTurn:
        """The answer now: the question that waits is skipped, and no other follows."""
        reply = await self.agent.areply(self.thread_id, "/skip all")
        if isinstance(reply, AnswerReply) and self.query is not None:
            self._ended_with(self.query, reply)
        return _turn(reply)

    async def aclose(self) -> None:
        if self.query is not None:
            await self.agent.aforget(self.thread_id)

    def _ended_with(self, query: str, reply: AnswerReply) -> None:
        self.crisis = reply.crisis
        self.answers.append(reply.text)
        self.context = AgentContext(
            query=query,
            known=dict(reply.known),
            declined=reply.declined,
            asked=reply.asked,
            country=self.country,
            exchanges=tuple(self.exchanges),
        )

    async def _follow_up(self, context: AgentContext, message: str) -> AgentTurn:
        self.followed_up.append(message)
        follow_ups = tuple(zip(self.answers, self.followed_up, strict=True))
        context = context.model_copy(update={"follow_ups": follow_ups})
        already = self.crisis
        notes: tuple[str, ...] = ()
        if not self.crisis and self.parts.crisis.rules(message) is None:
            signal, told = await self._read(message, context)
            if signal is None:
                self.context = context = _learned(context, told)
                notes = (f"extraction: {told.fallback}",) if told.fallback else ()
                with collect_usage() as meter:
                    text = await self.parts.responder.answer(context)
                notes = (*notes, CUT_NOTE) if meter.cut else notes
                self.answers.append(text)
                return AgentTurn(
                    text=text, kind="answer", used=tuple(context.known), known=dict(context.known), notes=notes
                )
        self.crisis, self.context = True, context
        crisis = self.parts.crisis
        text = crisis.follow_up(self.country, message, said=self.answers) if already else crisis.answer(self.country)
        self.answers.append(text)
        return AgentTurn(text=text, kind="answer", stop_reason="crisis", known=dict(context.known))

    async def _read(self, message: str, context: AgentContext) -> tuple[CrisisSignal | None, Extracted]:
        """The model's opinion on risk beside the reading of the message."""
        return await together(
            (
                self.parts.crisis.model(message, context),
                self.parts.extraction.extract(message, asked=None, context=context),
            )
        )


def _learned(context: AgentContext, told: Extracted) -> AgentContext:
    """What is told now corrects what was told before; what is declined now is no longer used."""
    kept = {a: v for a, v in context.known.items() if a not in told.withdrawn}
    known = {a: v for a, v in {**kept, **told.values}.items() if a not in told.declined}
    declined = tuple(dict.fromkeys((*(a for a in context.declined if a not in told.values), *told.declined)))
    return context.model_copy(update={"known": known, "declined": declined})


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
