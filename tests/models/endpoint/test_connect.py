"""Naming a model: what is refused, with which words, and before anything is contacted or loaded."""

from __future__ import annotations

import subprocess
import sys

import pytest
from askfirst.models import (
    AuthenticationFailed,
    ChatModel,
    Limits,
    Message,
    ModelError,
    ModelSpecError,
    connect,
    from_langchain,
)

from tests.models.conftest import FakeOpenAI, chat

ASK = [Message(role="user", content="Hello?")]


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("opnai:gpt-4o-mini", "did you mean 'openai:gpt-4o-mini'"),
        ("gpt-4o-mini", "did you mean 'openai:gpt-4o-mini'"),
        ("anthropic:claude", "from_langchain"),
        ("openai:", "names no model"),
        ("openai:  ", "names no model"),
        ("", "openai:NAME"),
        ("offline", "not a chat model"),
    ],
)
def test_a_wrong_spec_is_one_clear_line(spec: str, told: str) -> None:
    with pytest.raises(ModelSpecError, match=told) as caught:
        connect(spec, api_key="k")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("localhost:8080/v1", "did you mean 'http://localhost:8080/v1'"),
        ("ftp://host/v1", "did you mean 'http://host/v1'"),
        ("http://", "looks like"),
        ("http://host:port/v1", "not a base URL"),
        ("http://user:pw@host/v1", "api_key"),
        ("http://host/v1/chat/completions", "give the base URL: 'http://host/v1'"),
    ],
)
def test_a_wrong_base_url_is_one_clear_line(url: str, told: str) -> None:
    with pytest.raises(ModelSpecError, match=told) as caught:
        connect("openai:m", base_url=url)
    assert "pw" not in str(caught.value)


def test_openai_without_a_key_says_what_to_set() -> None:
    with pytest.raises(AuthenticationFailed, match="OPENAI_API_KEY"):
        connect("openai:gpt-4o-mini")


def test_a_mangled_key_is_refused_and_not_shown() -> None:
    with pytest.raises(AuthenticationFailed, match="characters") as caught:
        connect("openai:m", api_key="sk-\u201csecret\u201d")
    assert "secret" not in str(caught.value)


async def test_a_local_server_needs_no_key(server: FakeOpenAI) -> None:
    server.script(chat("Hello."))
    assert (await connect("openai:m", base_url=server.url + "/").complete(ASK)).text == "Hello."
    assert server.paths == ["/v1/chat/completions"]


async def test_key_and_base_url_come_from_the_environment(server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", " from-env\n")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    server.script(chat("Hello."), chat("Hello."))
    await connect("openai:m").complete(ASK)
    await connect("openai:m", api_key="given").complete(ASK)
    assert [h["authorization"] for h in server.headers] == ["Bearer from-env", "Bearer given"]


async def test_no_proxy_on_the_way_to_this_machine(server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "OPENAI_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    server.script(chat("Hello."))
    assert (await connect("openai:m", base_url=server.url, limits=Limits(retries=0)).complete(ASK)).text == "Hello."


def test_the_name_is_the_spec() -> None:
    model = connect(" OpenAI:gpt-4o-mini ", api_key="k")
    assert model.name == "openai:gpt-4o-mini"
    assert isinstance(model, ChatModel)


def test_only_langchain_objects_are_taken() -> None:
    with pytest.raises(ModelSpecError, match="str"):
        from_langchain("openai:gpt-4o-mini")  # type: ignore[arg-type]


def test_importing_and_connecting_loads_no_client_library() -> None:
    code = (
        "import sys, askfirst.models as m\n"
        "m.connect('openai:x', base_url='http://127.0.0.1:1/v1'); m.ScriptedChatModel(['hi'])\n"
        "heavy = ('langchain', 'openai', 'langsmith', 'tenacity', 'jinja2', 'httpx', 'torch')\n"
        "print([n for n in sys.modules if n.split('.')[0].split('_')[0] in heavy])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


def test_errors_survive_pickling() -> None:
    import pickle

    from askfirst.models import RateLimited

    error = pickle.loads(pickle.dumps(RateLimited("m", "slow", retry_after=2.0)))
    assert (str(error), error.model, error.retry_after) == ("m: slow", "m", 2.0)
    assert isinstance(error, ModelError)
