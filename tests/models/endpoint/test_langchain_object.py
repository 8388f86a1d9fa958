"""LangChain chat model objects: their own settings, their own retries, and the same fallback chain."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from askfirst.models import (
    AuthenticationFailed,
    ChatModel,
    Limits,
    Message,
    ModelError,
    ModelTimeout,
    Sampling,
    collect_usage,
    from_langchain,
)
from pydantic import BaseModel

from tests.models.conftest import FakeOpenAI, HttpReply, chat, error, stream

ASK = [Message(role="user", content="Hello?")]
Wrap = Callable[..., ChatModel]


class Score(BaseModel):
    score: int


@pytest.fixture
async def wrap(server: FakeOpenAI) -> AsyncIterator[Wrap]:
    """``from_langchain`` around a ChatOpenAI object, as a user would build one."""
    from langchain_openai import ChatOpenAI
    from openai import DefaultAsyncHttpxClient

    async with DefaultAsyncHttpxClient() as http:

        def make(settings: dict[str, Any] | None = None, **more: Any) -> ChatModel:
            own = {"model": "mine", "base_url": server.url, "api_key": "k", "http_async_client": http}
            return from_langchain(ChatOpenAI(**{**own, "max_retries": 0, **(settings or {})}), **more)

        yield make


async def test_its_own_settings_stand_unless_others_are_given(server: FakeOpenAI, wrap: Wrap) -> None:
    server.always(lambda _: chat("Hi."))
    model = wrap({"temperature": 0.3})
    await model.complete(ASK)
    await model.complete(ASK, sampling=Sampling(temperature=1.1, top_p=None, max_tokens=5))
    await model.complete(ASK)
    assert [body.get("temperature") for body in server.requests] == [0.3, 1.1, 0.3]
    assert [body.get("max_completion_tokens") for body in server.requests] == [None, 5, None]


async def test_name_usage_and_stream(server: FakeOpenAI, wrap: Wrap) -> None:
    server.script(chat("Hi."), stream("Hi", "."))
    model = wrap({"stream_usage": True})
    assert model.name == "openai-chat:mine"
    assert wrap(name="judge").name == "judge"
    with collect_usage() as meter:
        await model.complete(ASK)
        assert [piece async for piece in model.stream(ASK)] == ["Hi", "."]
    assert meter.total.model_dump() == {"calls": 2, "input_tokens": 14, "output_tokens": 6}


async def test_structured_falls_back_and_remembers(server: FakeOpenAI, wrap: Wrap) -> None:
    def old(body: dict[str, Any]) -> HttpReply:
        if "response_format" in body or "tools" in body:
            return error(400, "Invalid schema for response_format: not supported")
        return chat('{"score": 4}')

    server.always(old)
    model = wrap()
    assert (await model.structured(Score, ASK)).score == 4
    assert (await model.structured(Score, ASK)).score == 4
    assert ["response_format" in body for body in server.requests] == [True, False, False, False]
    assert ["tools" in body for body in server.requests] == [False, True, False, False]


async def test_structured_through_schema_and_through_tools(server: FakeOpenAI, wrap: Wrap) -> None:
    server.script(chat('{"score": 4}'), error(400, "no"), chat(None, tool='{"score": 2}'))
    assert (await wrap().structured(Score, ASK)).score == 4
    assert (await wrap().structured(Score, ASK)).score == 2


async def test_failures_are_not_retried_twice_over(server: FakeOpenAI, wrap: Wrap) -> None:
    server.always(lambda _: error(500, "no", retry_after_ms="1"))
    for settings, limits, requests in [
        ({"max_retries": 0}, Limits(backoff=0, retries=2), 3),
        ({"max_retries": 1}, Limits(backoff=0), 2),
        ({"max_retries": 1}, Limits(backoff=0, retries=1), 4),
    ]:
        server.requests.clear()
        with pytest.raises(ModelError):
            await wrap(settings, limits=limits).complete(ASK)
        assert len(server.requests) == requests


async def test_its_failures_are_typed(server: FakeOpenAI, wrap: Wrap) -> None:
    server.script(error(401, "bad key"), HttpReply(hang=True))
    with pytest.raises(AuthenticationFailed, match="HTTP 401"):
        await wrap().complete(ASK)
    with pytest.raises(ModelTimeout):
        await wrap(limits=Limits(timeout=0.2, retries=0)).complete(ASK)


async def test_an_object_that_fails_in_its_own_way_is_a_model_error_without_its_words() -> None:
    from langchain_core.language_models.fake_chat_models import FakeListChatModel

    class Broken(FakeListChatModel):
        def _call(self, *_: Any, **__: Any) -> str:
            raise RuntimeError("Hello? is not what I wanted")

    with pytest.raises(ModelError, match="RuntimeError") as caught:
        await from_langchain(Broken(responses=[])).complete(ASK)
    assert "wanted" not in str(caught.value)
