"""The doubles that other packages' tests stand on."""

from __future__ import annotations

import pytest
from askfirst.models import (
    EmptyCompletion,
    ForbiddenChatModel,
    InvalidStructuredOutput,
    Message,
    ModelTimeout,
    Sampling,
    ScriptedChatModel,
)
from pydantic import BaseModel

ASK = [Message(role="user", content="Hello?")]


class Score(BaseModel):
    score: int


async def test_replies_may_be_text_objects_mappings_errors_and_callables() -> None:
    model = ScriptedChatModel(
        ["text", Score(score=2), {"score": 3}, ModelTimeout("m", "slow"), lambda seen: seen[-1].content.upper()]
    )
    assert (await model.complete(ASK)).text == "text"
    assert (await model.structured(Score, ASK)).score == 2
    assert (await model.structured(Score, ASK)).score == 3
    with pytest.raises(ModelTimeout):
        await model.complete(ASK)
    assert (await model.complete(ASK)).text == "HELLO?"
    assert [call[0].content for call in model.calls] == ["Hello?"] * 5


async def test_a_callable_may_raise_or_give_an_object() -> None:
    model = ScriptedChatModel([lambda _: Score(score=1), lambda _: ModelTimeout("m", "slow"), ModelTimeout])
    assert (await model.structured(Score, ASK)).score == 1
    with pytest.raises(ModelTimeout):
        await model.complete(ASK)
    with pytest.raises(TypeError):
        await model.complete(ASK)


async def test_one_callable_serves_every_call() -> None:
    model = ScriptedChatModel(lambda messages: str(len(messages)), name="counting")
    assert [(await model.complete(ASK * n)).text for n in (1, 2, 3)] == ["1", "2", "3"]
    assert model.name == "counting"


async def test_calls_keep_messages_and_sampling() -> None:
    model = ScriptedChatModel(["a", "b c"])
    await model.complete(ASK, sampling=Sampling(temperature=0))
    assert [piece async for piece in model.stream(ASK)] == ["b", " c"]
    assert model.calls == [ASK, ASK]
    assert model.samplings == [Sampling(temperature=0), None]


async def test_a_script_that_ends_too_early_is_a_broken_test() -> None:
    model = ScriptedChatModel([])
    with pytest.raises(AssertionError, match="no reply for call 1"):
        await model.complete(ASK)


async def test_a_misfit_at_the_end_of_the_script_is_invalid_output() -> None:
    with pytest.raises(InvalidStructuredOutput):
        await ScriptedChatModel(["no json"]).structured(Score, ASK)


async def test_an_empty_structured_reply_is_an_empty_completion() -> None:
    with pytest.raises(EmptyCompletion):
        await ScriptedChatModel(["", ""]).structured(Score, ASK)


def test_one_text_is_not_a_list_of_letters() -> None:
    with pytest.raises(TypeError, match="list"):
        ScriptedChatModel("hello")  # type: ignore[arg-type]


async def test_the_forbidden_model_fails_on_every_call() -> None:
    model = ForbiddenChatModel()
    with pytest.raises(AssertionError):
        await model.complete(ASK)
    with pytest.raises(AssertionError):
        await model.structured(Score, ASK)
    with pytest.raises(AssertionError):
        [piece async for piece in model.stream(ASK)]
