"""The short way in: one object that holds conversations. Questions and answers go in and out as values."""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, TypeAlias, cast

from pydantic import Field

from ..domains import Value
from ..models import LoopThread, no_tracing
from .checkpoints import open_checkpointer
from .components import RaiseComponents, RaiseSettings, country_of
from .errors import (
    ConversationBusyError,
    ConversationFinishedError,
    EmptyQueryError,
    ThreadExistsError,
    TurnUnfinishedError,
    UnknownThreadError,
)
from .raise_graph import compile_raise_graph
from .replies import clean_text, read_query, read_reply
from .routing import AgentStopReason
from .state import RaiseState

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.types import Command, StateSnapshot

__all__ = ["AnswerReply", "QuestionReply", "RaiseAgent", "StreamItem"]


class QuestionReply(Value):
    """The agent asks. Reply with text, or with None to skip the question."""

    kind: Literal["question"] = "question"
    thread_id: str
    attribute: str = Field(description="Attribute that the question is about.")
    question: str
    asked: int = Field(ge=1, description="Which question this is, from 1.")
    budget: int = Field(ge=1, description="Most questions that may be asked.")
    skippable: bool = True
    notes: tuple[str, ...] = Field(default=(), description="Fallbacks and degradations, never a person's words.")


class AnswerReply(Value):
    """The agent answers, and the conversation is over."""

    kind: Literal["answer"] = "answer"
    thread_id: str
    text: str
    stop_reason: AgentStopReason
    known: dict[str, str] = Field(description="Attribute id -> value, all that the answer was given.")
    asked: tuple[str, ...] = Field(description="Attribute ids, in the order in which they were asked.")
    declined: tuple[str, ...] = ()
    crisis: bool = Field(default=False, description="The answer is the fixed crisis text.")
    notes: tuple[str, ...] = Field(default=(), description="Fallbacks and degradations, never a person's words.")


StreamItem: TypeAlias = str | QuestionReply | AnswerReply


class _Step(NamedTuple):
    """What to give the graph; ``run`` False: nothing, only read where the conversation stands."""

    run: bool
    payload: dict[str, Any] | Command[Any] | None = None


class RaiseAgent:
    """Conversations with RAISE's online agent (5.3), one per thread id.

    The async methods run on the caller's loop. The sync ones run on a loop in a thread of the agent, and so also work
    where a loop is already running (notebooks); contexts and checkpoints are the same for both. Many conversations may
    run at once, from many threads and tasks; two calls on one conversation may not.

    A failing model raises its own error, with a note that names the thread. The conversation then stands at the failed
    step: ``resume`` continues it, and so does the same ``reply`` again. Where it is not known whether a reply was taken
    (a lost connection, a killed process), ``resume`` first: it tells which question waits.

    Args:
        components: the parts; ``offline_components(pack, store)`` gives those that need no model.
        settings: budget, retrieval and defaults.
        checkpointer: ``"memory"``, ``"sqlite:PATH"``, a path, or a LangGraph checkpointer, which stays the caller's to
            close.
        new_id: makes the ids of conversations that are started without one.

    Raises:
        CheckpointError, UnknownNameError: the checkpointer or ``settings.domain`` cannot be used.
    """

    def __init__(
        self,
        components: RaiseComponents,
        settings: RaiseSettings | None = None,
        checkpointer: str | os.PathLike[str] | BaseCheckpointSaver[Any] = "memory",
        *,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
    ) -> None:
        self._pack = components.pack
        self._new_id = new_id
        self._owns_saver = isinstance(checkpointer, str | os.PathLike)
        self._saver = open_checkpointer(checkpointer) if isinstance(checkpointer, str | os.PathLike) else checkpointer
        self._graph = compile_raise_graph(components, settings, self._saver)
        self._background = LoopThread("askfirst-agent", closed="the agent is closed")
        self._lock = threading.Lock()
        self._busy: set[str] = set()

    async def astart(
        self, query: str, *, thread_id: str | None = None, country: str | None = None, domain: str | None = None
    ) -> QuestionReply | AnswerReply:
        """Begin a conversation with the person's opening message.

        Raises:
            EmptyQueryError, InvalidQueryError, MessageTooLongError: the message is blank, no text, or too long.
            SettingsError, UnknownNameError: country or domain are not known.
            ThreadExistsError: there is a conversation with that id.
        """
        return await _last(self.astream(query, thread_id=thread_id, country=country, domain=domain))

    async def areply(self, thread_id: str, text: str | None) -> QuestionReply | AnswerReply:
        """Reply to the question that the conversation waits with; None skips it, for good.

        Raises:
            InvalidReplyError, MessageTooLongError: the reply is no text, or too long.
            UnknownThreadError, ConversationFinishedError, ConversationBusyError, TurnUnfinishedError: see there.
        """
        return await _last(self.astream_reply(thread_id, text))

    async def aresume(self, thread_id: str) -> QuestionReply | AnswerReply:
        """Where the conversation stands, after finishing a turn that failed or was killed half-way.

        Costs nothing when the conversation waits with a question or is finished.
        """

        def move(snapshot: StateSnapshot) -> _Step:
            waits = bool(_existing(thread_id, snapshot).interrupts)
            return _Step(run=not waits and not _finished(snapshot))

        return await _last(self._run(thread_id, move))

    async def astream(
        self, query: str, *, thread_id: str | None = None, country: str | None = None, domain: str | None = None
    ) -> AsyncGenerator[StreamItem, None]:
        """Like ``astart``: pieces of the answer as they are written, if it answers, then the reply as the last item."""
        thread = self._new_id() if thread_id is None else thread_id
        opening = self._opening(query, country, domain)

        def move(snapshot: StateSnapshot) -> _Step:
            if snapshot.created_at is not None:
                raise ThreadExistsError(thread)
            return _Step(run=True, payload=opening)

        async with aclosing(self._run(thread, move)) as items:
            async for item in items:
                yield item

    async def astream_reply(self, thread_id: str, text: str | None) -> AsyncGenerator[StreamItem, None]:
        """Like ``areply``: pieces of the answer as they are written, if it answers, then the reply as the last item."""
        reply = read_reply(text)

        def move(snapshot: StateSnapshot) -> _Step:
            from langgraph.types import Command

            if _existing(thread_id, snapshot).interrupts:
                return _Step(run=True, payload=Command(resume={"text": None if text is None else clean_text(text)}))
            if _finished(snapshot):
                raise ConversationFinishedError(thread_id)
            if _last_reply(snapshot) != reply.text:
                raise TurnUnfinishedError(thread_id)
            return _Step(run=True)

        async with aclosing(self._run(thread_id, move)) as items:
            async for item in items:
                yield item

    async def aforget(self, thread_id: str) -> None:
        """Delete every checkpoint of a conversation. One that does not exist is forgotten already."""
        with self._working_on(thread_id):
            await self._saver.adelete_thread(thread_id)

    async def astate(self, thread_id: str) -> RaiseState:
        """The conversation's state as its last checkpoint has it. Raises ``UnknownThreadError``."""
        snapshot = await self._graph.aget_state(_config(thread_id))
        return cast("RaiseState", dict(_existing(thread_id, snapshot).values))

    def start(
        self, query: str, *, thread_id: str | None = None, country: str | None = None, domain: str | None = None
    ) -> QuestionReply | AnswerReply:
        """``astart`` for sync code."""
        return self._background.run(self.astart(query, thread_id=thread_id, country=country, domain=domain))

    def reply(self, thread_id: str, text: str | None) -> QuestionReply | AnswerReply:
        """``areply`` for sync code."""
        return self._background.run(self.areply(thread_id, text))

    def resume(self, thread_id: str) -> QuestionReply | AnswerReply:
        """``aresume`` for sync code."""
        return self._background.run(self.aresume(thread_id))

    def stream(
        self, query: str, *, thread_id: str | None = None, country: str | None = None, domain: str | None = None
    ) -> Iterator[StreamItem]:
        """``astream`` for sync code."""
        return self._background.iterate(self.astream(query, thread_id=thread_id, country=country, domain=domain))

    def stream_reply(self, thread_id: str, text: str | None) -> Iterator[StreamItem]:
        """``astream_reply`` for sync code."""
        return self._background.iterate(self.astream_reply(thread_id, text))

    def forget(self, thread_id: str) -> None:
        """``aforget`` for sync code."""
        self._background.run(self.aforget(thread_id))

    def state(self, thread_id: str) -> RaiseState:
        """``astate`` for sync code."""
        return self._background.run(self.astate(thread_id))

    def close(self) -> None:
        """End the agent's thread, and close the checkpoint file if the agent opened it. Closing twice does nothing."""
        self._background.close()
        close = getattr(self._saver, "close", None)
        if self._owns_saver and close is not None:
            close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _opening(self, query: str, country: str | None, domain: str | None) -> dict[str, Any]:
        text = read_query(query)
        if not text:
            raise EmptyQueryError
        name = None if domain is None else self._pack.domain(domain).name
        return {"query": text, "country": country_of(country), "domain": name}

    async def _run(self, thread_id: str, decide: Callable[[StateSnapshot], _Step]) -> AsyncGenerator[StreamItem, None]:
        config = _config(thread_id)
        with self._working_on(thread_id):
            move = decide(await self._graph.aget_state(config))
            if move.run:
                try:
                    async with aclosing(self._tokens(move, config)) as tokens:
                        async for token in tokens:
                            yield token
                except Exception as error:
                    error.add_note(f"conversation {thread_id!r} stopped at the failed step; resume() continues it")
                    raise
            yield _reply(thread_id, await self._graph.aget_state(config))

    async def _tokens(self, move: _Step, config: RunnableConfig) -> AsyncGenerator[str, None]:
        # Each step is on disk before the next begins: a process that is killed loses no reply that it had taken.
        stream = self._graph.astream(cast("Any", move.payload), config, stream_mode="custom", durability="sync")
        chunks = cast("AsyncGenerator[Any, None]", stream)
        async with aclosing(chunks):
            while True:
                # LangGraph would send the whole state to a tracing service if the environment names one. Each step is
                # wrapped by itself, so that the caller's own tracing goes on between the pieces.
                with no_tracing():
                    chunk = await anext(chunks, None)
                if chunk is None:
                    return
                yield str(chunk["text"])

    @contextmanager
    def _working_on(self, thread_id: str) -> Iterator[None]:
        with self._lock:
            if thread_id in self._busy:
                raise ConversationBusyError(thread_id)
            self._busy.add(thread_id)
        try:
            yield
        finally:
            with self._lock:
                self._busy.discard(thread_id)


def _config(thread_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id}}


def _existing(thread_id: str, snapshot: StateSnapshot) -> StateSnapshot:
    if snapshot.created_at is None:
        raise UnknownThreadError(thread_id)
    return snapshot


def _finished(snapshot: StateSnapshot) -> bool:
    # ``next`` alone does not tell: it is empty too where a step has ended and its checkpoint was not written any more.
    return not snapshot.next and not snapshot.interrupts and snapshot.values.get("answer") is not None


def _last_reply(snapshot: StateSnapshot) -> str | None:
    """The last reply that was taken, be it in the checkpoint or in the outcome of a step that ended after it."""
    outcomes = [task.result for task in snapshot.tasks if isinstance(task.result, dict)]
    replies = [outcome["last_reply"] for outcome in outcomes if "last_reply" in outcome]
    return cast("str | None", replies[0] if replies else snapshot.values.get("last_reply"))


def _reply(thread_id: str, snapshot: StateSnapshot) -> QuestionReply | AnswerReply:
    state = cast("RaiseState", snapshot.values)
    if snapshot.interrupts:
        asks = snapshot.interrupts[0].value
        return QuestionReply(
            thread_id=thread_id,
            attribute=asks["attribute"],
            question=asks["question"],
            asked=asks["asked"],
            budget=asks["budget"],
            skippable=asks["skippable"],
            notes=tuple(state["notes"]),
        )
    return AnswerReply(
        thread_id=thread_id,
        text=state["answer"] or "",
        stop_reason=cast("AgentStopReason", state["stop_reason"]),
        known=state["known"],
        asked=tuple(state["asked"]),
        declined=tuple(state["declined"]),
        crisis=state["crisis"] is not None,
        notes=tuple(state["notes"]),
    )


async def _last(items: AsyncGenerator[StreamItem, None]) -> QuestionReply | AnswerReply:
    """Run to the end; the last item is always the reply."""
    reply: StreamItem = ""
    async with aclosing(items):
        async for item in items:
            reply = item
    if isinstance(reply, str):
        raise AssertionError("a turn ended without a reply")
    return reply
