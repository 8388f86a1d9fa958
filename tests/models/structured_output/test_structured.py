"""Structured output over real HTTP: the fallback chain, what it remembers, and the one retry."""

from __future__ import annotations

import json
from typing import Any

import pytest
from askfirst.models import (
    EmptyCompletion,
    InvalidStructuredOutput,
    Limits,
    Message,
    ModelRefused,
    ModelRequestRejected,
    RateLimited,
    collect_usage,
    connect,
)
from pydantic import BaseModel, Field, field_validator

from tests.models.conftest import FakeOpenAI, HttpReply, chat, error

ASK = [Message(role="system", content="You judge."), Message(role="user", content="Judge this.")]


class Verdict(BaseModel):
    """A verdict."""

    score: int = Field(ge=1, le=5)
    reason: str = ""


class Values(BaseModel):
    values: dict[str, str] = {}


def model(server: FakeOpenAI) -> Any:
    return connect("openai:tiny", base_url=server.url, limits=Limits(backoff=0, timeout=10))


def method(body: dict[str, Any]) -> str:
    if "response_format" in body:
        return "json_schema"
    return "tool" if "tools" in body else "text"


def methods(server: FakeOpenAI) -> list[str]:
    return [method(body) for body in server.requests]


async def test_a_server_with_schemas_gets_a_strict_one(server: FakeOpenAI) -> None:
    server.script(chat('{"score": 4, "reason": "warm"}'))
    assert (await model(server).structured(Verdict, ASK)).score == 4
    wanted = server.requests[0]["response_format"]["json_schema"]
    assert wanted["strict"] is True
    assert wanted["name"] == "Verdict"
    assert wanted["schema"]["required"] == ["score", "reason"]
    assert wanted["schema"]["additionalProperties"] is False
    assert "default" not in json.dumps(wanted)
    assert server.requests[0]["messages"][-1]["content"] == "Judge this."


async def test_a_map_cannot_be_strict(server: FakeOpenAI) -> None:
    server.script(chat('{"values": {"age": "34"}}'))
    assert (await model(server).structured(Values, ASK)).values == {"age": "34"}
    assert server.requests[0]["response_format"]["json_schema"]["strict"] is False


@pytest.mark.parametrize("status", [400, 404, 422, 501])
async def test_refused_schemas_fall_back_to_tools_once_and_are_remembered(server: FakeOpenAI, status: int) -> None:
    def old(body: dict[str, Any]) -> HttpReply:
        if method(body) == "json_schema":
            return error(status, "Invalid schema for response_format: not supported", param="response_format")
        return chat(None, tool='{"score": 3}', finish="tool_calls")

    server.always(old)
    connected = model(server)
    for _ in range(3):
        assert (await connected.structured(Verdict, ASK)).score == 3
    assert methods(server) == ["json_schema", "tool", "tool", "tool"]
    assert server.requests[-1]["tool_choice"]["function"]["name"] == "Verdict"


async def test_without_tools_too_the_schema_goes_into_the_text(server: FakeOpenAI) -> None:
    def older(body: dict[str, Any]) -> HttpReply:
        return chat('Here: {"score": 2}') if method(body) == "text" else error(400, "not supported")

    server.always(older)
    connected = model(server)
    for _ in range(2):
        assert (await connected.structured(Verdict, ASK)).score == 2
    assert methods(server) == ["json_schema", "tool", "text", "text"]
    last = server.requests[-1]["messages"]
    assert [m["role"] for m in last] == ["system", "user"]
    assert last[-1]["content"].startswith("Judge this.")
    assert '"maximum": 5' in last[-1]["content"]


async def test_what_is_remembered_belongs_to_one_connected_model(server: FakeOpenAI) -> None:
    server.always(lambda body: error(400, "no") if method(body) == "json_schema" else chat(None, tool='{"score": 3}'))
    await model(server).structured(Verdict, ASK)
    await model(server).structured(Verdict, ASK)
    assert methods(server) == ["json_schema", "tool"] * 2


async def test_one_schema_that_is_refused_does_not_spoil_the_others(server: FakeOpenAI) -> None:
    def picky(body: dict[str, Any]) -> HttpReply:
        if method(body) == "json_schema":
            maps = "values" in json.dumps(body["response_format"])
            return error(400, "Invalid schema") if maps else chat('{"score": 5}')
        return chat(None, tool='{"values": {}}')

    server.always(picky)
    connected = model(server)
    for _ in range(2):
        await connected.structured(Verdict, ASK)
        await connected.structured(Values, ASK)
    assert methods(server) == ["json_schema", "json_schema", "tool", "json_schema", "tool"]


async def test_a_server_that_ignores_the_schema_is_told_it_in_the_text(server: FakeOpenAI) -> None:
    def ignorant(body: dict[str, Any]) -> HttpReply:
        told = "JSON schema" in body["messages"][-1]["content"]
        return chat('{"score": 1}') if told else chat("I would say four.")

    server.always(ignorant)
    connected = model(server)
    for _ in range(2):
        assert (await connected.structured(Verdict, ASK)).score == 1
    assert methods(server) == ["json_schema", "text", "text"]


async def test_one_odd_reply_does_not_unlearn_what_works(server: FakeOpenAI) -> None:
    server.script(chat('{"score": 5}'), chat("Hm."), chat('{"score": 4}'), chat('{"score": 3}'))
    connected = model(server)
    assert [(await connected.structured(Verdict, ASK)).score for _ in range(3)] == [5, 4, 3]
    assert methods(server) == ["json_schema", "json_schema", "text", "json_schema"]


async def test_the_retry_tells_the_model_its_reply_and_the_error(server: FakeOpenAI) -> None:
    server.script(chat('{"score": 11}'), chat('{"score": 5}'))
    with collect_usage() as meter:
        assert (await model(server).structured(Verdict, ASK)).score == 5
    reply, complaint = server.requests[1]["messages"][-2:]
    assert (reply["role"], reply["content"]) == ("assistant", '{"score": 11}')
    assert complaint["role"] == "user"
    assert "less than or equal to 5" in complaint["content"]
    assert meter.total.calls == 2


async def test_there_is_one_retry_and_no_more(server: FakeOpenAI) -> None:
    server.always(lambda _: chat('{"score": 0}'))
    with pytest.raises(InvalidStructuredOutput, match="score"):
        await model(server).structured(Verdict, ASK)
    assert len(server.requests) == 2


async def test_a_custom_validators_words_reach_the_model_and_not_the_error(server: FakeOpenAI) -> None:
    class Named(BaseModel):
        mood: str

        @field_validator("mood")
        @classmethod
        def _known(cls, value: str) -> str:
            raise ValueError(f"unknown mood {value}")

    server.always(lambda _: chat('{"mood": "suicidal"}'))
    with pytest.raises(InvalidStructuredOutput) as caught:
        await model(server).structured(Named, ASK)
    assert "unknown mood suicidal" in server.requests[1]["messages"][-1]["content"]
    seen: BaseException | None = caught.value
    while seen is not None:
        assert "suicidal" not in str(seen)
        seen = seen.__cause__


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (chat("", refusal="I will not judge."), ModelRefused),
        (chat("", finish="content_filter"), ModelRefused),
        (error(429, "slow", code="insufficient_quota"), RateLimited),
        (error(400, "too long", code="context_length_exceeded"), ModelRequestRejected),
    ],
)
async def test_what_no_other_method_could_help_is_raised_at_once(
    server: FakeOpenAI, reply: HttpReply, kind: type[Exception]
) -> None:
    server.always(lambda _: reply)
    with pytest.raises(kind):
        await model(server).structured(Verdict, ASK)
    assert len(server.requests) == 1


async def test_a_request_that_no_method_gets_through_is_rejected(server: FakeOpenAI) -> None:
    server.always(lambda _: error(404, "no such model"))
    with pytest.raises(ModelRequestRejected, match="no such model"):
        await model(server).structured(Verdict, ASK)
    assert methods(server) == ["json_schema", "tool", "text"]


async def test_an_empty_reply_gets_one_more_chance(server: FakeOpenAI) -> None:
    server.script(chat(""), chat('{"score": 4}'), chat(""), chat(""))
    connected = model(server)
    assert (await connected.structured(Verdict, ASK)).score == 4
    with pytest.raises(EmptyCompletion):
        await connected.structured(Verdict, ASK)


async def test_a_reply_cut_at_max_tokens_is_counted_and_retried(server: FakeOpenAI) -> None:
    server.script(chat('{"score": 4, "rea', finish="length"), chat('{"score": 4}'))
    with collect_usage() as meter:
        assert (await model(server).structured(Verdict, ASK)).score == 4
    assert meter.total.model_dump() == {"calls": 2, "input_tokens": 14, "output_tokens": 6}


@pytest.mark.parametrize("arguments", ['{"score": 3,}', '```json\n{"score": 3}\n```', '{"score": 3} // sure'])
async def test_tool_arguments_are_read_as_leniently_as_text(server: FakeOpenAI, arguments: str) -> None:
    server.always(lambda body: error(400, "no") if method(body) == "json_schema" else chat(None, tool=arguments))
    assert (await model(server).structured(Verdict, ASK)).score == 3
    assert methods(server) == ["json_schema", "tool"]


async def test_json_in_the_text_of_a_reply_without_tool_call_counts(server: FakeOpenAI) -> None:
    server.always(lambda body: error(400, "no") if method(body) == "json_schema" else chat('{"score": 3}'))
    assert (await model(server).structured(Verdict, ASK)).score == 3
