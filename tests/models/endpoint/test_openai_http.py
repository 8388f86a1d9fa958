"""The OpenAI client path against a real HTTP server: what is sent, and every way in which it can fail."""

from __future__ import annotations

import asyncio
import logging
import socket
import traceback
from dataclasses import replace
from typing import Any

import pytest
from askfirst.models import (
    AuthenticationFailed,
    ChatModel,
    EmptyCompletion,
    Limits,
    Message,
    ModelError,
    ModelRefused,
    ModelRequestRejected,
    ModelTimeout,
    ModelUnreachable,
    RateLimited,
    Sampling,
    ServerFailed,
    collect_usage,
    connect,
)
from askfirst.testing.chat_model import Score

from tests.models.conftest import FakeOpenAI, HttpReply, chat, error, stream

ASK = [Message(role="system", content="Be kind."), Message(role="user", content="I feel low since my divorce.")]
QUICK = Limits(backoff=0, timeout=10)


def model(server: FakeOpenAI, limits: Limits = QUICK, **more: Any) -> ChatModel:
    return connect("openai:tiny", base_url=server.url, limits=limits, **more)


async def pieces(model: ChatModel) -> list[str]:
    return [piece async for piece in model.stream(ASK)]


async def test_the_request_holds_model_messages_sampling_and_key(server: FakeOpenAI) -> None:
    server.script(chat("Hello."), chat("Hello."))
    connected = model(server, api_key="k-1", sampling=Sampling(temperature=0.2, top_p=None, max_tokens=9, seed=5))
    done = await connected.complete(ASK)
    await connected.complete(ASK, sampling=Sampling(temperature=1, top_p=0.5, max_tokens=None))
    first, second = server.requests
    assert first["model"] == "tiny"
    assert [m["role"] for m in first["messages"]] == ["system", "user"]
    assert (first["temperature"], first["max_tokens"], first["seed"]) == (0.2, 9, 5)
    assert "top_p" not in first
    assert (second["temperature"], second["top_p"]) == (1, 0.5)
    assert "max_tokens" not in second
    assert "seed" not in second
    assert server.headers[0]["authorization"] == "Bearer k-1"
    assert server.paths[0] == "/v1/chat/completions"
    assert done.model == "served"
    assert (done.usage.input_tokens, done.usage.output_tokens) == (7, 3)


async def test_openai_itself_gets_the_new_parameter_name_and_keeps_nothing(
    server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("askfirst.models.endpoint.openai_chat._OPENAI", server.url)
    server.script(chat("Hello."))
    await connect("openai:gpt-4o-mini", base_url=server.url, api_key="k").complete(ASK)
    assert server.requests[0]["max_completion_tokens"] == 2048
    assert "max_tokens" not in server.requests[0]
    assert server.requests[0]["store"] is False


async def test_calls_count_where_a_server_reports_no_usage(server: FakeOpenAI) -> None:
    server.script(chat("Hello.", usage=None), stream("Hel", "lo.", usage=None))
    connected = model(server)
    with collect_usage() as meter:
        await connected.complete(ASK)
        await pieces(connected)
    assert meter.total.model_dump() == {"calls": 2, "input_tokens": 0, "output_tokens": 0}


async def test_stream_asks_for_usage_and_counts_it(server: FakeOpenAI) -> None:
    server.script(stream("Hel", "lo."))
    with collect_usage() as meter:
        assert await pieces(model(server)) == ["Hel", "lo."]
    assert server.requests[0]["stream_options"] == {"include_usage": True}
    assert meter.total.model_dump() == {"calls": 1, "input_tokens": 7, "output_tokens": 3}


@pytest.mark.parametrize("status", [401, 403])
async def test_a_refused_key_is_never_retried(server: FakeOpenAI, status: int) -> None:
    server.always(lambda _: error(status, "Incorrect API key provided: sk-abc****wxyz"))
    for call in (model(server).complete(ASK), pieces(model(server))):
        with pytest.raises(AuthenticationFailed, match=rf"HTTP {status}.*OPENAI_API_KEY") as caught:
            await call
        assert "sk-abc" not in "".join(traceback.format_exception(caught.value))
    assert len(server.requests) == 2


@pytest.mark.parametrize("told", [{"code": "invalid_api_key"}, {"type": "authentication_error"}, {"code": 401}])
async def test_a_key_refused_inside_a_stream_is_not_repeated_either(server: FakeOpenAI, told: dict[str, Any]) -> None:
    server.script(HttpReply(events=[{"error": {"message": "bad key sk-abc****wxyz", **told}}]))
    with pytest.raises(AuthenticationFailed) as caught:
        await pieces(model(server))
    assert "sk-abc" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("status", [400, 404, 413, 422, 501])
async def test_a_rejection_is_never_retried(server: FakeOpenAI, status: int) -> None:
    server.always(lambda _: error(status, "bad request"))
    with pytest.raises(ModelRequestRejected, match="bad request") as caught:
        await model(server).complete(ASK)
    assert caught.value.status == status
    assert len(server.requests) == 1


async def test_an_unknown_model_says_what_to_check(server: FakeOpenAI) -> None:
    server.script(error(404, "The model 'tiny' does not exist"))
    with pytest.raises(ModelRequestRejected, match=r"'tiny' does not exist.*base URL is complete"):
        await model(server).complete(ASK)


async def test_a_rate_limit_waits_as_long_as_the_server_asks(server: FakeOpenAI) -> None:
    server.script(error(429, "slow down", Retry_After="1"), chat("Hello."))
    started = asyncio.get_running_loop().time()
    assert (await model(server).complete(ASK)).text == "Hello."
    assert asyncio.get_running_loop().time() - started >= 1


async def test_a_rate_limit_that_stays_is_told_with_its_wait(server: FakeOpenAI) -> None:
    server.always(lambda _: error(429, "slow down", retry_after_ms="5"))
    with pytest.raises(RateLimited) as caught:
        await model(server, Limits(backoff=0, retries=2)).complete(ASK)
    assert caught.value.retry_after == 0.005
    assert len(server.requests) == 3


async def test_a_wait_longer_than_the_limit_is_given_up_at_once(server: FakeOpenAI) -> None:
    date = {"Date": "Wed, 21 Oct 2026 07:00:00 GMT", "Retry-After": "Wed, 21 Oct 2026 08:00:00 GMT"}
    server.always(lambda _: HttpReply(429, {"error": {"message": "slow down"}}, date))
    with pytest.raises(RateLimited, match="asks to wait 60 min"):
        await model(server).complete(ASK)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("seconds", "said"),
    [("0.25", "0.25 s"), ("90", "90 s"), ("600", "10 min"), ("86400", "24 hours"), ("700000", "8 days"),
     ("99999999", "more than two years")],
)  # fmt: skip
async def test_a_wait_is_told_as_people_say_it(server: FakeOpenAI, seconds: str, said: str) -> None:
    server.always(lambda _: error(429, "slow down", Retry_After=seconds))
    with pytest.raises(RateLimited, match=f"asks to wait {said}$"):
        await model(server, Limits(retries=0)).complete(ASK)


async def test_a_used_up_quota_is_never_retried(server: FakeOpenAI) -> None:
    server.always(lambda _: error(429, "You exceeded your current quota", code="insufficient_quota"))
    with pytest.raises(RateLimited, match="quota"):
        await model(server).complete(ASK)
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [500, 502, 503, 529])
async def test_a_server_failure_is_retried_exactly_as_often_as_asked(server: FakeOpenAI, status: int) -> None:
    server.always(lambda _: error(status, "overloaded"))
    with pytest.raises(ServerFailed, match="overloaded") as caught:
        await model(server, Limits(backoff=0, retries=3)).complete(ASK)
    assert caught.value.status == status
    assert len(server.requests) == 4


async def test_a_server_that_recovers_is_no_failure(server: FakeOpenAI) -> None:
    server.script(error(500), error(503), chat("Hello."), error(500), stream("Hi."))
    connected = model(server)
    with collect_usage() as meter:
        assert (await connected.complete(ASK)).text == "Hello."
        assert await pieces(connected) == ["Hi."]
    assert meter.total.calls == 2


async def test_nothing_listening_fails_fast_and_names_the_address() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    connected = connect("openai:tiny", base_url=url, limits=Limits(backoff=0.01, retries=50))
    with pytest.raises(ModelUnreachable) as caught:
        await connected.complete(ASK)
    assert url in str(caught.value)
    assert "refused" in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(ModelUnreachable):
        await pieces(connected)


async def test_a_hanging_server_is_a_timeout(server: FakeOpenAI) -> None:
    server.always(lambda _: HttpReply(hang=True))
    limits = Limits(timeout=0.2, retries=0)
    with pytest.raises(ModelTimeout, match=r"0\.2 s"):
        await model(server, limits).complete(ASK)
    with pytest.raises(ModelTimeout):
        await pieces(model(server, limits))


async def test_a_stream_that_falls_silent_is_a_timeout_after_what_came(server: FakeOpenAI) -> None:
    server.script(stream("Hel", "lo.", hang_after=2))
    got = []
    opened = model(server, Limits(timeout=0.3, retries=3)).stream(ASK)
    got.append(await anext(opened))
    with pytest.raises(ModelTimeout):
        await anext(opened)
    assert got == ["Hel"]
    assert len(server.requests) == 1


async def test_an_error_event_inside_a_stream_is_a_failure(server: FakeOpenAI) -> None:
    broken = stream("Hel")
    broken.events = [*broken.events[:2], {"error": {"message": "worker died", "type": "server_error"}}]
    server.script(broken)
    with pytest.raises(ServerFailed, match="worker died"):
        await pieces(model(server))


async def test_a_stream_that_ends_without_saying_so_is_broken(server: FakeOpenAI) -> None:
    broken = stream("Hel", "lo.", cut=True)
    broken.events = broken.events[:3]
    server.script(broken)
    opened = model(server).stream(ASK)
    assert [await anext(opened), await anext(opened)] == ["Hel", "lo."]
    with pytest.raises(ServerFailed, match="broke off"):
        await anext(opened)
    assert len(server.requests) == 1


async def test_a_server_that_does_not_stream_is_asked_for_whole_replies(server: FakeOpenAI) -> None:
    server.always(lambda _: chat("All at once."))
    tiny = model(server)
    assert [await pieces(tiny), await pieces(tiny)] == [["All at once."], ["All at once."]]
    assert [bool(r.get("stream")) for r in server.requests] == [True, False, False]


@pytest.mark.parametrize("broken", [HttpReply(events=[{"choices": []}], cut=True), HttpReply(body=b"<html>hi</html>")])
async def test_a_stream_that_breaks_before_its_first_piece_is_tried_again(
    server: FakeOpenAI, broken: HttpReply
) -> None:
    server.script(broken, stream("Hello."))
    assert await pieces(model(server)) == ["Hello."]


async def test_either_sign_of_the_end_will_do(server: FakeOpenAI) -> None:
    without_done, without_reason = stream("Hello.", cut=True), stream("Hello.")
    without_reason.events = without_reason.events[:2]
    server.script(without_done, without_reason)
    connected = model(server)
    assert await pieces(connected) == ["Hello."]
    assert await pieces(connected) == ["Hello."]


async def test_a_reply_cut_at_the_token_limit_is_counted(server: FakeOpenAI) -> None:
    server.script(stream("Hel", finish="length"), stream("Hello."), chat("Hel", finish="length"))
    connected = model(server)
    with collect_usage() as meter:
        assert await pieces(connected) == ["Hel"]
        await pieces(connected)
        assert meter.cut == 1
        await connected.complete(ASK)
    assert meter.cut == 2


@pytest.mark.parametrize(
    "reply",
    [
        HttpReply(302, {}, {"Location": "http://127.0.0.1:1/login"}),
        HttpReply(body=b"<html>login</html>", headers={"Content-Type": "text/html"}),
        HttpReply(body=b"<html>login</html>"),
        HttpReply(body=b""),
        HttpReply(body=[]),
        HttpReply(body="ok"),
    ],
)
async def test_a_bad_gateway_is_a_failed_server_and_tried_again(server: FakeOpenAI, reply: HttpReply) -> None:
    async def complete(connected: ChatModel) -> object:
        return await connected.complete(ASK)

    async def structured(connected: ChatModel) -> object:
        return await connected.structured(Score, ASK)

    for call in (complete, structured):
        server.script(chat('{"score": 4}'), reply, reply, chat('{"score": 4}'))
        connected = model(server)
        await call(connected)
        await call(connected)
        server.script(reply, reply)
        server.requests.clear()
        with pytest.raises(ServerFailed):  # it never answered: the address is wrong, and should fail in seconds
            await call(model(server))
        assert len(server.requests) == 2


async def test_leaving_a_stream_early_frees_its_place(server: FakeOpenAI) -> None:
    server.script(stream("a", "b", "c"), chat("Hello."))
    connected = model(server, Limits(concurrency=1, timeout=5))
    opened = connected.stream(ASK)
    assert await anext(opened) == "a"
    await opened.aclose()  # type: ignore[attr-defined]
    assert (await connected.complete(ASK)).text == "Hello."


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (chat(""), EmptyCompletion),
        (chat(None), EmptyCompletion),
        (chat(" \n "), EmptyCompletion),
        (chat("", refusal="I can't help with that."), ModelRefused),
        (chat("I was going to", finish="content_filter"), ModelRefused),
        (error(400, "filtered", code="content_filter"), ModelRefused),
        (HttpReply(body={"error": {"message": "upstream died", "code": 502}}), ServerFailed),
        (HttpReply(body={"error": {"message": "no such key", "code": 401}}), AuthenticationFailed),
        (HttpReply(body={"choices": []}), ServerFailed),
        (HttpReply(body={"choices": None}), ServerFailed),
        (HttpReply(body={"hello": "world"}), ServerFailed),
        (HttpReply(body=b"<html>login</html>", headers={"Content-Type": "text/html"}), ServerFailed),
        (HttpReply(body=b"{not json"), ServerFailed),
        (HttpReply(500, b"<html>oops</html>", {"Content-Type": "text/html"}), ServerFailed),
        (HttpReply(307, {}, {"Location": "http://127.0.0.1:1/elsewhere"}), ServerFailed),
    ],
)
async def test_no_unusable_reply_passes_for_an_answer(
    server: FakeOpenAI, reply: HttpReply, kind: type[ModelError]
) -> None:
    server.always(lambda _: reply)
    with pytest.raises(kind) as caught:
        await model(server, Limits(retries=0)).complete(ASK)
    assert type(caught.value) is kind
    assert "\n" not in str(caught.value)


async def test_a_refused_or_filtered_stream_is_told_apart_from_an_empty_one(server: FakeOpenAI) -> None:
    server.script(stream(finish="content_filter"), stream("I was", finish="content_filter"), stream())
    connected = model(server)
    for kind in (ModelRefused, ModelRefused, EmptyCompletion):
        with pytest.raises(kind):
            await pieces(connected)


async def test_a_reply_cut_before_any_text_says_what_to_raise(server: FakeOpenAI) -> None:
    server.script(chat("<think>so much to", finish="length"), chat("Hello, I", finish="length"))
    connected = model(server)
    with pytest.raises(EmptyCompletion, match=r"reasoning.*max_tokens"):
        await connected.complete(ASK)
    assert (await connected.complete(ASK)).finish_reason == "length"


async def test_a_parameter_that_the_model_does_not_take_is_left_out_from_then_on(
    server: FakeOpenAI, caplog: pytest.LogCaptureFixture
) -> None:
    def reasoning_model(body: dict[str, Any]) -> HttpReply:
        for param in ("temperature", "top_p"):
            if param in body:
                told = f"Unsupported parameter: '{param}' is not supported with this model."
                return error(400, told, code="unsupported_parameter", param=param)
        if "max_tokens" in body:
            told = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
            return error(400, told, code="unsupported_parameter", param="max_tokens")
        return stream("Hi.") if body.get("stream") else chat("Hi.")

    server.always(reasoning_model)
    connected = model(server)
    with caplog.at_level(logging.WARNING):
        assert (await connected.complete(ASK)).text == "Hi."
    assert "temperature" in caplog.text
    assert await pieces(connected) == ["Hi."]
    assert len(server.requests) == 5
    assert server.requests[-1]["max_completion_tokens"] == 2048


async def test_parallel_calls_all_learn_that_a_parameter_is_not_taken(server: FakeOpenAI) -> None:
    def reasoning_model(body: dict[str, Any]) -> HttpReply:
        if "temperature" in body:
            return error(400, "no", code="unsupported_value", param="temperature")
        return chat("Hi.")

    server.always(reasoning_model)
    connected = model(server)
    assert [done.text for done in await asyncio.gather(*(connected.complete(ASK) for _ in range(6)))] == ["Hi."] * 6


async def test_a_parameter_that_stays_rejected_is_an_error(server: FakeOpenAI) -> None:
    server.always(lambda _: error(400, "no", code="unsupported_value", param="temperature"))
    with pytest.raises(ModelRequestRejected):
        await model(server).complete(ASK)
    assert len(server.requests) == 2


async def test_a_server_without_stream_options_still_streams(server: FakeOpenAI) -> None:
    def old(body: dict[str, Any]) -> HttpReply:
        if "stream_options" in body:
            return error(400, "stream_options is not supported", param="stream_options")
        return stream("Hi.") if body.get("stream") else chat("Hi.")

    server.always(old)
    connected = model(server)
    assert await pieces(connected) == ["Hi."]
    assert (await connected.complete(ASK)).text == "Hi."
    assert len(server.requests) == 3


async def test_no_more_requests_at_once_than_allowed(server: FakeOpenAI) -> None:
    server.always(lambda _: replace(chat("Hello."), delay=0.1))
    connected = model(server, Limits(concurrency=3))
    await asyncio.gather(*(connected.complete(ASK) for _ in range(20)))
    assert server.most_at_once == 3
    assert len(server.requests) == 20


@pytest.mark.parametrize(
    "told",
    [
        "Invalid content: 'I feel low since my divorce.'",
        "cannot parse: i feel low since my div...",
        "bad value 'my divorce' in messages",
    ],
)
async def test_an_error_never_quotes_what_a_person_wrote(server: FakeOpenAI, told: str) -> None:
    server.script(error(400, told))
    with pytest.raises(ModelRequestRejected, match="HTTP 400") as caught:
        await model(server).complete(ASK)
    assert "divorce" not in str(caught.value)
    assert "low since" not in str(caught.value)
