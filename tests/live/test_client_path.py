"""The client path against a real model over real HTTP: types and invariants, never what it says."""

from __future__ import annotations

import asyncio
import time
from typing import Literal

import pytest
from askfirst.models import (
    ChatModel,
    InvalidStructuredOutput,
    Limits,
    Message,
    ModelRequestRejected,
    Sampling,
    collect_usage,
    connect,
    run_sync,
)
from pydantic import BaseModel, Field

pytestmark = pytest.mark.live

ASK = [
    Message(role="system", content="You are a helpful assistant."),
    Message(role="user", content="Say hello to someone who moved to a new town."),
]
SHORT = Sampling(temperature=0.7, top_p=0.95, max_tokens=24, seed=7)


class Assessment(BaseModel):
    """Whether enough is known about a person."""

    reason: Literal["age", "mood", "nothing"] = Field(description="What is missing.")
    completeness: int = Field(ge=0, le=5)


@pytest.fixture
def model(smollm_base_url: str) -> ChatModel:
    return connect("openai:smollm2", base_url=smollm_base_url, limits=Limits(timeout=120), sampling=SHORT)


async def test_complete_counts_real_tokens(model: ChatModel) -> None:
    with collect_usage() as meter:
        done = await model.complete(ASK)
    assert done.text.strip()
    assert done.finish_reason in ("stop", "length")
    assert done.usage.calls == 1
    assert done.usage.input_tokens > 15
    assert 0 < done.usage.output_tokens <= 24
    assert meter.total == done.usage


async def test_max_tokens_is_obeyed(model: ChatModel) -> None:
    done = await model.complete(ASK, sampling=Sampling(max_tokens=3, seed=7))
    assert done.usage.output_tokens <= 3
    assert done.finish_reason == "length"


async def test_stream_arrives_in_pieces_and_counts_tokens(model: ChatModel) -> None:
    pieces, times = [], []
    with collect_usage() as meter:
        async for piece in model.stream(ASK):
            pieces.append(piece)
            times.append(time.monotonic())
    assert len(pieces) > 3
    assert all(pieces)
    assert times[-1] > times[0]
    assert meter.total.calls == 1
    assert meter.total.output_tokens > 3
    assert meter.total.input_tokens > 15


async def test_structured_output_is_enforced_by_the_server(model: ChatModel) -> None:
    sampling = SHORT.model_copy(update={"max_tokens": 80})
    with collect_usage() as meter:
        got = await asyncio.gather(*(model.structured(Assessment, ASK, sampling=sampling) for _ in range(3)))
    assert all(0 <= assessment.completeness <= 5 for assessment in got)
    assert meter.total.calls >= 3


async def test_a_reply_cut_short_is_invalid_and_never_guessed(model: ChatModel) -> None:
    with pytest.raises(InvalidStructuredOutput):
        await model.structured(Assessment, ASK, sampling=SHORT.model_copy(update={"max_tokens": 2}))


def test_the_same_model_serves_one_event_loop_after_another(model: ChatModel) -> None:
    for _ in range(2):
        assert run_sync(model.complete(ASK, sampling=Sampling(max_tokens=2))).usage.output_tokens <= 2


async def test_a_prompt_beyond_the_context_is_rejected_at_once(model: ChatModel) -> None:
    with collect_usage() as meter, pytest.raises(ModelRequestRejected) as caught:
        await model.structured(Assessment, [Message(role="user", content="word " * 20_000)])
    assert meter.total.calls == 0
    assert "word word" not in str(caught.value)


async def test_unsafe_text_reaches_the_model(model: ChatModel) -> None:
    done = await model.complete([Message(role="user", content="Hi \x00 \ud800 there")], sampling=Sampling(max_tokens=2))
    assert done.usage.input_tokens > 0
