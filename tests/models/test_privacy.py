"""Only the model endpoint hears of a conversation, whatever the environment and the surrounding code say."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from askfirst.models import Limits, Message, connect, from_langchain

from tests.models.conftest import FakeOpenAI, HttpReply, chat, stream

ASK = [Message(role="user", content="I feel low since my divorce.")]


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A second server, which every tracing variable points at."""
    second = FakeOpenAI()
    second.always(lambda _: HttpReply(202, {}))
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    for prefix in ("LANGSMITH", "LANGCHAIN"):
        monkeypatch.setenv(f"{prefix}_TRACING_V2", "true")
        monkeypatch.setenv(f"{prefix}_ENDPOINT", second.url)
        monkeypatch.setenv(f"{prefix}_API_KEY", "lsv2_x")
        monkeypatch.setenv(f"{prefix}_GATEWAY", second.url)
    _forget_environment()
    yield second
    second.close()
    monkeypatch.undo()
    _forget_environment()


def _forget_environment() -> None:
    from langsmith import utils

    utils.get_env_var.cache_clear()


def _flush() -> None:
    from langchain_core.tracers.langchain import wait_for_all_tracers

    wait_for_all_tracers()


async def test_tracing_variables_send_nothing(server: FakeOpenAI, listener: FakeOpenAI) -> None:
    server.script(chat("Hello."), stream("Hello."), chat("not json"), chat("not json"), chat("Hello."))
    model = connect("openai:m", base_url=server.url, limits=Limits(retries=0))
    await model.complete(ASK)
    [piece async for piece in model.stream(ASK)]
    with pytest.raises(Exception, match="does not fit"):
        await model.structured(Message, ASK)
    await _ask_own_object(server)
    _flush()
    assert listener.paths == []
    assert len(server.requests) == 5


async def _ask_own_object(server: FakeOpenAI) -> None:
    from langchain_openai import ChatOpenAI
    from openai import DefaultAsyncHttpxClient

    async with DefaultAsyncHttpxClient() as http:
        own = ChatOpenAI(model="m", base_url=server.url, api_key="k", max_retries=0, http_async_client=http)  # type: ignore[arg-type]
        await from_langchain(own).complete(ASK)


async def test_the_same_variables_do_trace_plain_langchain(listener: FakeOpenAI) -> None:
    """The test above would pass on a machine where tracing cannot work: here it does."""
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel

    await GenericFakeChatModel(messages=iter(["Hello."])).ainvoke("hi")
    _flush()
    assert listener.paths


async def test_a_langsmith_gateway_does_not_get_between(listener: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a base URL LangChain would route to the gateway that the environment names."""
    from askfirst.models import ModelUnreachable

    model = connect("openai:m", api_key="k", limits=Limits(retries=0))
    with pytest.raises(ModelUnreachable, match=r"https://api\.openai\.com/v1"):
        await model.complete(ASK)
    assert listener.paths == []


async def test_callbacks_around_a_call_do_not_hear_it(server: FakeOpenAI) -> None:
    from langchain_core.callbacks import AsyncCallbackHandler
    from langchain_core.runnables import RunnableLambda

    heard: list[str] = []

    class Ear(AsyncCallbackHandler):
        async def on_chain_start(self, *_: Any, **__: Any) -> None:
            heard.append("chain")

        async def on_chat_model_start(
            self, serialized: dict[str, Any], messages: Any, *, run_id: uuid.UUID, **_: Any
        ) -> None:
            heard.append("model")

    server.script(chat("Hello."), stream("Hello."))
    model = connect("openai:m", base_url=server.url)

    async def node(_: str) -> str:
        text = (await model.complete(ASK)).text
        return text + "".join([piece async for piece in model.stream(ASK)])

    assert await RunnableLambda(node).ainvoke("x", {"callbacks": [Ear()]}) == "Hello.Hello."
    assert heard == ["chain"]


async def test_errors_keep_what_was_written_out_of_their_causes(server: FakeOpenAI) -> None:
    import traceback

    from askfirst.models import ModelRequestRejected

    server.always(lambda _: HttpReply(400, {"error": {"message": "bad: 'I feel low since my divorce.'"}}))
    with pytest.raises(ModelRequestRejected) as caught:
        await connect("openai:m", base_url=server.url).complete(ASK)
    assert "low since my divorce" not in "".join(traceback.format_exception(caught.value)[-1:])
    assert caught.value.__cause__ is None
