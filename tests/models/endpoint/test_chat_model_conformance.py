"""Every implementation passes the suite: scripted, OpenAI over real HTTP, and a LangChain object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from askfirst.models import ChatModel, Limits, ScriptedChatModel, connect, from_langchain
from askfirst.models.endpoint import given_model
from askfirst.testing.chat_model import Build, ChatModelSuite

from tests.models.conftest import FakeOpenAI, chat, stream


class TestScripted(ChatModelSuite):
    @pytest.fixture
    def build(self) -> Build:
        return ScriptedChatModel


class TestOpenAIOverHttp(ChatModelSuite):
    @pytest.fixture
    def build(self, server: FakeOpenAI) -> Build:
        return _over_http(server, lambda body: body)


class TestOpenAIServerWithoutSchemas(ChatModelSuite):
    """The same against a server that ignores ``response_format`` and ``tools``, as many do."""

    @pytest.fixture
    def build(self, server: FakeOpenAI) -> Build:
        return _over_http(server, lambda body: {k: v for k, v in body.items() if k not in ("response_format", "tools")})


class TestLangChainObject(ChatModelSuite):
    @pytest.fixture
    def build(self) -> Build:
        def make(replies: list[str]) -> ChatModel:
            from langchain_core.language_models.fake_chat_models import GenericFakeChatModel

            return from_langchain(GenericFakeChatModel(messages=iter(replies)), limits=Limits(retries=0))

        return make


class TestGivenObject(ChatModelSuite):
    """The same object as the wiring uses it: on one loop of the process."""

    @pytest.fixture
    def build(self) -> Build:
        def make(replies: list[str]) -> ChatModel:
            from langchain_core.language_models.fake_chat_models import GenericFakeChatModel

            return given_model(GenericFakeChatModel(messages=iter(replies)), limits=Limits(retries=0))

        return make


def _over_http(server: FakeOpenAI, seen: Callable[[dict[str, Any]], dict[str, Any]]) -> Build:
    def make(replies: list[str]) -> ChatModel:
        left = list(replies)

        def reply(body: dict[str, Any]) -> Any:
            text, asked = left.pop(0), seen(body)
            if asked.get("stream"):
                return stream(*[text[i : i + 3] for i in range(0, len(text), 3)])
            return chat(tool=text) if "tools" in asked else chat(text)

        server.always(reply)
        return connect("openai:tiny", base_url=server.url, limits=Limits(retries=0))

    return make
