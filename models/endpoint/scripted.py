"""The shipped doubles of ``ChatModel``: one that replies from a script, one that must not be called."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel

from ..chat import Completion, Message, Sampling
from ..errors import EmptyCompletion, InvalidStructuredOutput
from ..fence_marks import FenceMarks
from ..structured_output import Method, StructuredOutput, visible_text
from ..usage import Usage, record_usage

__all__ = ["ForbiddenChatModel", "Reply", "ScriptedChatModel"]

T = TypeVar("T", bound=BaseModel)

Plain = str | BaseModel | Mapping[str, Any] | Exception | type[Exception]
Reply = Plain | Callable[[Sequence[Message]], Plain]


class ScriptedChatModel:
    """A model that gives the scripted replies in order, and treats them as a real one's are treated.

    Reasoning blocks and fence marks are stripped, an empty reply raises ``EmptyCompletion``, a structured reply is read
    and validated, and one that does not fit costs a second reply of the script (where the script ends,
    ``InvalidStructuredOutput`` is raised at once). Usage: one call each, tokens counted as words.

    Args:
        replies: a list of replies, or one callable that makes all of them. A reply is text; a pydantic object or a
            mapping (becomes JSON text); an exception (is raised); or a callable that gets the messages and gives one of
            these.
        name: the model's name.

    Attributes:
        calls: the messages of each call, in order.
        samplings: the ``sampling`` of each call.
    """

    def __init__(self, replies: Sequence[Reply] | Callable[[Sequence[Message]], Plain], name: str = "scripted") -> None:
        self._always = replies if callable(replies) else None
        self._left: list[Reply] = [] if callable(replies) else _as_list(replies)
        self._name = name
        self.calls: list[list[Message]] = []
        self.samplings: list[Sampling | None] = []

    @property
    def name(self) -> str:
        return self._name

    async def complete(self, messages: Sequence[Message], *, sampling: Sampling | None = None) -> Completion:
        text, usage = self._next(messages, sampling)
        marks = FenceMarks(messages)
        visible = _visible(marks.cut(text), self._name)
        return Completion(text=visible, usage=usage, model=self._name, finish_reason="stop", echoes_prompt=marks.found)

    async def stream(self, messages: Sequence[Message], *, sampling: Sampling | None = None) -> AsyncIterator[str]:
        text, _ = self._next(messages, sampling)
        words = _visible(FenceMarks(messages).cut(text), self._name).split(" ")
        for index, word in enumerate(words):
            piece = word if index == 0 else f" {word}"
            if piece:
                yield piece

    async def structured(self, schema: type[T], messages: Sequence[Message], *, sampling: Sampling | None = None) -> T:
        asked = 0

        async def ask(
            messages: Sequence[Message], _method: Method, schema: type[BaseModel], sampling: Sampling | None
        ) -> str:
            nonlocal asked
            asked += 1
            if asked > 1 and self._always is None and not self._left:
                raise InvalidStructuredOutput(
                    self._name,
                    "the scripted reply does not fit, and the script has no second one",
                    schema=schema.__name__,
                )
            text, _ = self._next(messages, sampling)
            if not text.strip():
                raise EmptyCompletion(self._name, "the scripted reply is empty", finish_reason="stop")
            return text

        # As a server that enforces schemas, so that the messages arrive as they were given.
        return await StructuredOutput(self._name, ask, (Method.JSON_SCHEMA,)).get(schema, messages, sampling)

    def _next(self, messages: Sequence[Message], sampling: Sampling | None) -> tuple[str, Usage]:
        self.calls.append(list(messages))
        self.samplings.append(sampling)
        if self._always is not None:
            reply: Reply = self._always
        elif self._left:
            reply = self._left.pop(0)
        else:
            raise AssertionError(f"the script of {self._name!r} has no reply for call {len(self.calls)}")
        text = _text_of(reply, messages)
        usage = Usage(
            calls=1,
            input_tokens=sum(len(message.content.split()) for message in messages),
            output_tokens=len(text.split()),
        )
        record_usage(usage)
        return text, usage


class ForbiddenChatModel:
    """A model that nothing may call: every call raises ``AssertionError``."""

    def __init__(self, name: str = "forbidden") -> None:
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    async def complete(self, messages: Sequence[Message], *, sampling: Sampling | None = None) -> Completion:
        self._forbid()

    async def stream(self, messages: Sequence[Message], *, sampling: Sampling | None = None) -> AsyncIterator[str]:
        yield self._forbid()

    async def structured(self, schema: type[T], messages: Sequence[Message], *, sampling: Sampling | None = None) -> T:
        self._forbid()

    def _forbid(self) -> NoReturn:
        raise AssertionError(f"the model {self._name!r} was called, but nothing may call it")


def _as_list(replies: Sequence[Reply]) -> list[Reply]:
    if isinstance(replies, str):
        raise TypeError("replies must be a list; for one reply, write [reply]")
    return list(replies)


def _text_of(reply: Reply, messages: Sequence[Message]) -> str:
    made = reply(messages) if callable(reply) and not isinstance(reply, type) else reply
    if isinstance(made, BaseModel):
        return made.model_dump_json()
    if isinstance(made, Mapping):
        return json.dumps(dict(made), ensure_ascii=False)
    if isinstance(made, str):
        return made
    raise made


def _visible(text: str, model: str) -> str:
    visible = visible_text(text)
    if not visible:
        raise EmptyCompletion(model, "the scripted reply holds no text", finish_reason="stop")
    return visible
