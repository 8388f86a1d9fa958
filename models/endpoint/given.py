"""A chat model that somebody else built: a LangChain object, or one with our own interface."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import BaseModel

from ..chat import ChatModel, Completion, Message, Sampling
from ..limits import Limits
from ..loop_thread import LoopThread
from .connect import from_langchain

__all__ = ["given_model", "own_sampling"]

T = TypeVar("T", bound=BaseModel)


def given_model(model: object, *, limits: Limits = Limits()) -> ChatModel:  # noqa: B008 - frozen
    """``model`` as a ``ChatModel`` that may be used from several event loops, one after another or at once.

    One with our own interface is taken as it is. A LangChain object is as in ``from_langchain``, and runs on one loop
    of the process: LangChain's classes keep connections, even between objects, and a connection belongs to the loop
    that opened it.

    Raises:
        ModelSpecError: ``model`` is neither.
    """
    if isinstance(model, ChatModel) and not isinstance(model, type):
        return model
    return _OnOneLoop(from_langchain(cast("Any", model), limits=limits))


def own_sampling(model: object) -> Sampling:
    """What a LangChain object says of how it is drawn from; what it does not say is None."""
    said = {name: getattr(model, name, None) for name in Sampling.model_fields}
    numbers = {n: v for n, v in said.items() if isinstance(v, int | float) and not isinstance(v, bool)}
    # Not checked: another provider's ranges may be wider, and this is a note for the records.
    return Sampling(temperature=None, top_p=None, max_tokens=None).model_copy(update=numbers)


class _OnOneLoop:
    """Calls ``model`` on the loop for models that others built."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    async def complete(self, messages: Sequence[Message], *, sampling: Sampling | None = None) -> Completion:
        return await _home().arun(self._model.complete(messages, sampling=sampling))

    async def stream(self, messages: Sequence[Message], *, sampling: Sampling | None = None) -> AsyncIterator[str]:
        pieces = cast("AsyncGenerator[str, None]", self._model.stream(messages, sampling=sampling))
        async with aclosing(_home().aiterate(pieces)) as bridged:
            async for piece in bridged:
                yield piece

    async def structured(self, schema: type[T], messages: Sequence[Message], *, sampling: Sampling | None = None) -> T:
        return await _home().arun(self._model.structured(schema, messages, sampling=sampling))


@cache
def _home() -> LoopThread:
    return LoopThread("askfirst-given-models")
