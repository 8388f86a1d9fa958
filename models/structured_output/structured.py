"""Structured output: a reply as a validated pydantic object, from servers that support very different things.

Three methods are tried in order: the server enforces the JSON schema (``response_format``), the model calls a tool
whose arguments are the object, the model is told in plain text to send JSON. A server that refuses one is not asked for
it again: what worked is remembered in this object, which serves one endpoint (base URL and model).
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from enum import IntEnum
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ..chat import Message, Sampling
from ..errors import EmptyCompletion, InvalidStructuredOutput, ModelRequestRejected
from ..fence_marks import holds_fence
from .json_reading import UnreadableJson, read_objects

__all__ = ["Ask", "Method", "StructuredOutput", "validate_reply"]

T = TypeVar("T", bound=BaseModel)


class Method(IntEnum):
    """How the object is asked for, best first."""

    JSON_SCHEMA = 0
    TOOL_CALL = 1
    TEXT = 2


Ask = Callable[[Sequence[Message], Method, type[BaseModel], Sampling | None], Awaitable[str]]
"""Sends one request and gives the text that should hold the object. Raises the errors of ``models.errors``."""

_UNSUPPORTED = frozenset({400, 404, 405, 415, 422, 501, None})
"""Statuses that may mean "not this way". 404 among them: routers answer so when no backend takes tools or schemas."""

_TOO_LONG = ("context_length_exceeded", "exceed_context_size_error")
_SHOWN_REPLY = 4000


class StructuredOutput:
    """Asks one endpoint for structured replies, and remembers which method it takes.

    Args:
        model: name for error messages.
        ask: sends one request.
        methods: the methods that make sense for this endpoint, in order.
    """

    def __init__(self, model: str, ask: Ask, methods: Sequence[Method] = tuple(Method)) -> None:
        self._model, self._ask, self._methods = model, ask, tuple(methods)
        self._memory = _Memory()

    async def get(self, schema: type[T], messages: Sequence[Message], sampling: Sampling | None = None) -> T:
        """One object. Raises ``InvalidStructuredOutput`` when also the retry does not fit the schema."""
        start = self._memory.start(schema)
        position, first = await self._attempt(start, schema, messages, sampling)
        if isinstance(first, BaseModel):
            self._memory.worked(position)
            return first
        # No JSON at all: the server most likely ignored the schema, so the model has never seen it.
        again = self._methods.index(Method.TEXT) if first.no_json and Method.TEXT in self._methods else position
        used, second = await self._attempt(again, schema, _with_complaint(messages, schema, first), sampling)
        if isinstance(second, BaseModel):
            self._memory.ignored(schema, position, used)
            return second
        if second.empty is not None:
            raise second.empty
        raise InvalidStructuredOutput(
            self._model,
            f"the reply does not fit {schema.__name__}, also after one retry: {second.summary}",
            schema=schema.__name__,
        )

    async def _attempt(
        self, position: int, schema: type[T], messages: Sequence[Message], sampling: Sampling | None
    ) -> tuple[int, T | _Misfit]:
        """One reply, through the first method from ``position`` on that the endpoint takes, and which one that was."""
        start = position
        while True:
            method = self._methods[position]
            asked = _with_instructions(messages, schema) if method is Method.TEXT else messages
            try:
                reply = await self._ask(asked, method, schema, sampling)
            except ModelRequestRejected as error:
                if position + 1 == len(self._methods) or not _may_be_unsupported(error):
                    raise
                position += 1
                continue
            except EmptyCompletion as error:
                return position, _Misfit("", "it is empty", "it is empty", no_json=True, empty=error)
            if position > start:
                self._memory.refused(schema, position)
            return position, validate_reply(schema, reply)


class _Memory:
    """Which method to begin with: for the endpoint, and for single schemas that a server does not take."""

    def __init__(self) -> None:
        self._start = 0
        self._start_of: dict[type[BaseModel], int] = {}
        self._proven: set[int] = set()

    def start(self, schema: type[BaseModel]) -> int:
        return max(self._start, self._start_of.get(schema, 0))

    def worked(self, position: int) -> None:
        self._proven.add(position)

    def refused(self, schema: type[BaseModel], better: int) -> None:
        """The server refused what comes before ``better``."""
        if any(position < better for position in self._proven):
            self._start_of[schema] = better  # it took another schema that way: only this one is at fault
        else:
            self._start = better

    def ignored(self, schema: type[BaseModel], asked: int, worked: int) -> None:
        """``asked`` brought no usable object and ``worked`` did."""
        if worked > asked and asked not in self._proven:
            self.refused(schema, worked)
        self.worked(worked)


class _Misfit:
    """A reply that does not fit: the reply, what to tell the model, and what may be told to others."""

    def __init__(
        self, reply: str, complaint: str, summary: str, *, no_json: bool = False, empty: EmptyCompletion | None = None
    ) -> None:
        self.reply, self.complaint, self.summary = reply, complaint, summary
        self.no_json, self.empty = no_json, empty


def validate_reply(schema: type[T], reply: str) -> T | _Misfit:
    """``reply`` as ``schema``, or why not.

    Two different objects that fit are none: which one is meant would be a guess. One with a mark of our fences in it
    repeats the prompt, so its values are not the model's.
    """
    try:
        *earlier, value = read_objects(reply)
    except UnreadableJson as error:
        return _Misfit(reply, str(error), str(error), no_json="{" not in reply)
    if holds_fence(json.dumps(value, ensure_ascii=False)):
        why = "it repeats the marks around the data"
        return _Misfit(reply, why, why)
    try:
        # Through JSON, so that schemas in strict mode read enums, tuples and dates as JSON brings them.
        fits = schema.model_validate_json(json.dumps(value))
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False, include_input=False)
        complaint = "; ".join(f"{_location(p['loc'])}: {p['msg']}" for p in problems[:8])
        # A custom validator's message may quote the value, and a key may be the model's own: not for others.
        summary = ", ".join(f"{_field(schema, p['loc'])} ({p['type']})" for p in problems[:8])
        return _Misfit(reply, complaint, summary)
    if any(_fits_otherwise(schema, other, fits) for other in earlier):
        why = "it holds several different objects"
        return _Misfit(reply, why, why)
    return fits


def _fits_otherwise(schema: type[T], value: Any, fits: T) -> bool:
    try:
        return schema.model_validate_json(json.dumps(value)) != fits
    except ValidationError:
        return False


def json_schema_of(schema: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema that a reply must match."""
    return schema.model_json_schema(mode="validation")


def _may_be_unsupported(error: ModelRequestRejected) -> bool:
    return error.status in _UNSUPPORTED and error.code not in _TOO_LONG


def _with_instructions(messages: Sequence[Message], schema: type[BaseModel]) -> list[Message]:
    return _appended(
        messages,
        "Reply with one JSON object and nothing else: no explanation, no code fence. It must match this JSON schema:\n"
        + json.dumps(json_schema_of(schema), ensure_ascii=False),
    )


def _with_complaint(messages: Sequence[Message], schema: type[BaseModel], misfit: _Misfit) -> list[Message]:
    complaint = (
        f"Your reply could not be used: {misfit.complaint}. "
        f"Send the corrected {schema.__name__} as one complete JSON object and nothing else."
    )
    if not misfit.reply.strip():
        return _appended(messages, complaint)
    shown = misfit.reply if len(misfit.reply) <= _SHOWN_REPLY else misfit.reply[:_SHOWN_REPLY] + " [...]"
    return [*messages, Message(role="assistant", content=shown), Message(role="user", content=complaint)]


def _appended(messages: Sequence[Message], text: str) -> list[Message]:
    """``text`` at the end, in the last user message: some chat templates refuse two user messages in a row."""
    if messages and messages[-1].role == "user":
        return [*messages[:-1], Message(role="user", content=f"{messages[-1].content}\n\n{text}")]
    return [*messages, Message(role="user", content=text)]


def _location(loc: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in loc) or "the object"


def _field(schema: type[BaseModel], loc: tuple[int | str, ...]) -> str:
    known = set(schema.model_fields) | {f.alias for f in schema.model_fields.values() if f.alias}
    return str(loc[0]) if loc and loc[0] in known else "the object"
