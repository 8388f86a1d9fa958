"""``ChatModel`` on top of LangChain: limits, retries, usage and typed errors around one endpoint's runnables.

Nothing but the model endpoint is contacted: callbacks are cut off and LangSmith tracing is switched off for the time of
each call, whatever the environment says.
"""

from __future__ import annotations

import asyncio
import logging
import random
import warnings
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AsyncExitStack, aclosing
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pydantic import BaseModel

from ..chat import Completion, Message, Sampling
from ..errors import AuthenticationFailed, EmptyCompletion, ModelError, ModelRefused, ModelRequestRejected, ServerFailed
from ..fence_marks import FenceMarks
from ..limits import Gate, Limits, Retrier
from ..safe_text import safe_text
from ..structured_output import Method, ReasoningFilter, StructuredOutput, visible_text
from ..tracing import unobserved
from ..usage import UsageMeter, active_meters, record_usage
from .langchain_reply import Reply, StreamTally, is_cut, reply_of
from .stream_end import EndWatch
from .translate import quotes, translate_error

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, BaseMessage
    from langchain_core.runnables import Runnable, RunnableConfig

__all__ = ["Endpoint", "LangChainChat"]

T = TypeVar("T", bound=BaseModel)


_LOG = logging.getLogger(__name__)


class Endpoint(Protocol):
    """Where the requests go, and how this kind of endpoint is asked."""

    @property
    def name(self) -> str:
        """Name of the model, such as ``openai:gpt-4o-mini``."""

    @property
    def address(self) -> str:
        """What stands in error messages: the base URL, or a description."""

    @property
    def tells_end(self) -> bool:
        """Whether every whole stream says that it is whole: one that does not say so was broken off."""

    async def runnable(
        self, sampling: Sampling | None, output: tuple[Method, type[BaseModel]] | None
    ) -> Runnable[Any, Any]:
        """What takes messages and gives an ``AIMessage`` (or a dict with one under ``raw``), in the running loop.

        Raises ``NotImplementedError`` where the endpoint cannot be asked for ``output`` this way.
        """

    def recover(self, error: Exception) -> AIMessage | None:
        """The reply that an exception of the client library carries, if it does."""

    def adapt(self, rejected: ModelRequestRejected) -> bool:
        """Leave out the parameter that the server objects to, from now on. False: it is none that can be left out."""


class LangChainChat:
    """A ``ChatModel``. May be used from several event loops and threads at once.

    Args:
        endpoint: where the requests go.
        limits: timeout, retries, concurrency.
        sampling: used where a call brings none; None leaves everything to the endpoint.
        rng: draws the jitter between retries.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        limits: Limits,
        sampling: Sampling | None,
        rng: random.Random | None = None,
    ) -> None:
        # langchain-openai prints it when a server refuses a schema; the fallback takes care of that.
        warnings.filterwarnings("ignore", message=".*OpenAI's structured output feature", category=UserWarning)
        self._endpoint, self._limits, self._sampling = endpoint, limits, sampling
        self._gate = Gate(limits.concurrency)
        self._retrier = Retrier(limits, rng=rng)
        self._structured = StructuredOutput(endpoint.name, self._ask)
        self._streams = True

    @property
    def name(self) -> str:
        return self._endpoint.name

    async def complete(self, messages: Sequence[Message], *, sampling: Sampling | None = None) -> Completion:
        reply = await self._request(messages, sampling, None)
        marks = FenceMarks(messages)
        text = _visible(marks.cut(reply.text), reply.finish_reason, self.name)
        return Completion(
            text=text,
            usage=reply.usage,
            model=reply.model or self.name,
            finish_reason=reply.finish_reason,
            echoes_prompt=marks.found,
        )

    async def stream(self, messages: Sequence[Message], *, sampling: Sampling | None = None) -> AsyncIterator[str]:
        meters = active_meters()

        async def attempt() -> _OpenStream:
            return await self._open(messages, sampling, meters)

        async with await self._retrier.run(attempt) as opened:
            yield opened.first
            async for piece in opened.rest:
                yield piece

    async def structured(self, schema: type[T], messages: Sequence[Message], *, sampling: Sampling | None = None) -> T:
        return await self._structured.get(schema, messages, sampling)

    async def _ask(
        self, messages: Sequence[Message], method: Method, schema: type[BaseModel], sampling: Sampling | None
    ) -> str:
        reply = await self._request(messages, sampling, (method, schema))
        if reply.tool_arguments:
            return reply.tool_arguments
        if not reply.text.strip():
            raise _empty(self.name, reply.finish_reason)
        return reply.text

    async def _request(
        self, messages: Sequence[Message], sampling: Sampling | None, output: tuple[Method, type[BaseModel]] | None
    ) -> Reply:
        async def attempt() -> Reply:
            async with self._gate.slot():
                return await self._send(messages, sampling or self._sampling, output)

        return await self._retrier.run(attempt)

    async def _send(
        self, messages: Sequence[Message], sampling: Sampling | None, output: tuple[Method, type[BaseModel]] | None
    ) -> Reply:
        adapted: set[str | None] = set()
        while True:
            try:
                message = await self._invoke(messages, sampling, output)
            except ModelRequestRejected as rejected:
                if rejected.param in adapted or not self._endpoint.adapt(rejected):
                    raise
                adapted.add(rejected.param)
                continue
            reply = reply_of(message)
            record_usage(reply.usage, cut=is_cut(reply.finish_reason))
            if reply.refused:
                raise ModelRefused(self.name, "the model declined, or a content filter stopped it")
            return reply

    async def _invoke(
        self, messages: Sequence[Message], sampling: Sampling | None, output: tuple[Method, type[BaseModel]] | None
    ) -> AIMessage:
        try:
            runnable = await self._endpoint.runnable(sampling, output)
            async with asyncio.timeout(self._limits.timeout):
                with unobserved():
                    result = await runnable.ainvoke(_to_langchain(messages), _config())
        except Exception as error:  # noqa: BLE001 - libraries raise what they like; all of it becomes a typed error
            recovered = self._endpoint.recover(error)
            if recovered is None:
                translated = self._translated(error, messages)
                raise translated from _cause(error, translated, messages)
            result = recovered
        message: AIMessage = result["raw"] if isinstance(result, dict) else result
        return message

    async def _open(
        self, messages: Sequence[Message], sampling: Sampling | None, meters: Sequence[UsageMeter]
    ) -> _OpenStream:
        """A stream that has given its first piece: up to there a failure may be retried."""
        adapted: set[str | None] = set()
        while True:
            async with AsyncExitStack() as stack:
                await stack.enter_async_context(self._gate.slot())
                pieces = self._pieces(messages, sampling or self._sampling, meters)
                await stack.enter_async_context(aclosing(pieces))
                try:
                    first = await anext(pieces)
                except ModelRequestRejected as rejected:
                    if rejected.param in adapted or not self._endpoint.adapt(rejected):
                        raise
                    adapted.add(rejected.param)
                    continue
                return _OpenStream(first, pieces, stack.pop_all())

    async def _pieces(
        self, messages: Sequence[Message], sampling: Sampling | None, meters: Sequence[UsageMeter]
    ) -> AsyncGenerator[str, None]:
        if not self._streams:
            yield await self._whole(messages, sampling)
            return
        tally, end = StreamTally(), EndWatch()
        marks, reasoning = FenceMarks(messages), ReasoningFilter()
        said_something = False
        try:
            async with aclosing(self._chunks(messages, sampling, end)) as chunks:
                async for chunk in chunks:
                    tally.add(chunk)
                    if piece := reasoning.feed(marks.feed(safe_text(str(chunk.text)))):
                        said_something = True
                        yield piece
            if end.plain and not tally.started:
                _LOG.warning("%s does not stream: asked for whole replies from now on", self.name)
                self._streams, tally.started = False, True
                yield await self._whole(messages, sampling)
                return
            tally.started = True  # a stream without any chunk is a reply too
        finally:
            if tally.started:
                record_usage(tally.usage, meters, cut=tally.cut)
        if tally.refused:
            raise ModelRefused(self.name, "the model declined, or a content filter stopped it")
        if self._endpoint.tells_end and not (tally.ended or end.seen):
            raise ServerFailed(self.name, f"{self._endpoint.address} broke off the reply before its end")
        if piece := reasoning.feed(marks.close()) + reasoning.close():
            said_something = True
            yield piece
        if not said_something:
            raise _empty(self.name, tally.finish_reason)

    async def _whole(self, messages: Sequence[Message], sampling: Sampling | None) -> str:
        """The text of a reply that comes in one piece, from a server that does not stream."""
        reply = await self._send(messages, sampling, None)
        return _visible(FenceMarks(messages).cut(reply.text), reply.finish_reason, self.name)

    async def _chunks(
        self, messages: Sequence[Message], sampling: Sampling | None, end: EndWatch
    ) -> AsyncGenerator[Any, None]:
        try:
            runnable = await self._endpoint.runnable(sampling, None)
            chunks = runnable.astream(_to_langchain(messages), _config())
            async with aclosing(chunks):  # type: ignore[type-var]
                while True:
                    async with asyncio.timeout(self._limits.timeout):
                        with unobserved(), end.watching():
                            chunk = await anext(chunks, None)
                    if chunk is None:
                        return
                    yield chunk
        except Exception as error:  # noqa: BLE001 - as in _invoke
            if isinstance(error, ValueError) and "No generation chunks" in str(error):
                return  # LangChain's word for an empty stream
            translated = self._translated(error, messages)
            raise translated from _cause(error, translated, messages)

    def _translated(self, error: Exception, messages: Sequence[Message]) -> ModelError:
        if isinstance(error, NotImplementedError):  # the object knows no tools, or no schemas
            return ModelRequestRejected(self.name, "the model object cannot be asked this way", status=501)
        return translate_error(
            error,
            model=self.name,
            endpoint=self._endpoint.address,
            timeout=self._limits.timeout,
            messages=messages,
        )


class _OpenStream:
    def __init__(self, first: str, rest: AsyncIterator[str], stack: AsyncExitStack) -> None:
        self.first, self.rest, self._stack = first, rest, stack

    async def __aenter__(self) -> _OpenStream:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()


def _visible(text: str, finish_reason: str | None, model: str) -> str:
    visible = visible_text(text)
    if not visible:
        raise _empty(model, finish_reason, reasoned=bool(text.strip()))
    return visible


def _empty(model: str, finish_reason: str | None, *, reasoned: bool = False) -> EmptyCompletion:
    why = "nothing but reasoning" if reasoned else "no text"
    hint = "; allow longer ones (--reply-tokens, in Python max_tokens)" if finish_reason == "length" else ""
    return EmptyCompletion(
        model, f"the reply holds {why} (finish reason {finish_reason or 'not told'}){hint}", finish_reason=finish_reason
    )


def _cause(error: Exception, translated: ModelError, messages: Sequence[Message]) -> Exception | None:
    """What to chain the typed error to: tracebacks go into logs, so nothing that repeats what was written, or a key."""
    if isinstance(translated, AuthenticationFailed):
        return None
    return None if quotes(str(error), messages) else error


def _to_langchain(messages: Sequence[Message]) -> list[BaseMessage]:
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

    kinds: dict[str, type[BaseMessage]] = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}
    return [kinds[message.role](content=message.content) for message in messages]


def _config() -> RunnableConfig:
    return {"callbacks": []}
