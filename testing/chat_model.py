"""What every ``ChatModel`` must do. Subclass ``ChatModelSuite`` and override its ``build`` fixture."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pydantic import BaseModel, ConfigDict, Field

from ..models import (
    ChatModel,
    EmptyCompletion,
    InvalidStructuredOutput,
    Message,
    Sampling,
    collect_usage,
    fence,
    run_sync,
)
from .suite import Suite

Build = Callable[[list[str]], ChatModel]
"""A model that gives these texts, one a call."""

HELLO = [Message(role="system", content="Be brief."), Message(role="user", content="Hello?")]


class Score(BaseModel):
    """A score."""

    model_config = ConfigDict(extra="forbid")

    score: int = Field(ge=1, le=5)
    reason: str = ""


class ChatModelSuite(Suite):
    @pytest.fixture
    def build(self) -> Build:
        raise NotImplementedError("give a function that builds the model from its replies")

    def test_is_a_chat_model_with_a_name(self, build: Build) -> None:
        model = build([])
        assert isinstance(model, ChatModel)
        assert model.name

    async def test_complete_gives_the_text_and_what_it_used(self, build: Build) -> None:
        done = await build(["Good morning."]).complete(HELLO, sampling=Sampling(temperature=0, seed=1))
        assert done.text == "Good morning."
        assert done.usage.calls == 1
        assert done.model

    async def test_stream_pieces_join_to_the_text(self, build: Build) -> None:
        pieces = [piece async for piece in build(["One two three."]).stream(HELLO)]
        assert "".join(pieces) == "One two three."
        assert all(pieces)

    @pytest.mark.parametrize(
        "before",
        [
            "<think>secret plan</think>\n\n",
            "<scratchpad>secret\nplan</scratchpad>",
            "◁think▷secret plan◁/think▷",
            "<|channel|>analysis<|message|>secret plan<|end|><|start|>assistant<|channel|>final<|message|>",
        ],
    )
    async def test_reasoning_is_no_part_of_a_reply(self, build: Build, before: str) -> None:
        model = build([f"{before}Hello.", f"{before}Hello.", f'{before}{{"score": 5}}'])
        assert (await model.complete(HELLO)).text == "Hello."
        assert "".join([piece async for piece in model.stream(HELLO)]) == "Hello."
        assert (await model.structured(Score, HELLO)).score == 5

    @pytest.mark.parametrize("reply", ["", "   \n", "<think>only this</think>", "<think>never closed {}"])
    async def test_a_reply_without_text_is_an_error(self, build: Build, reply: str) -> None:
        model = build([reply, reply])
        with pytest.raises(EmptyCompletion) as caught:
            await model.complete(HELLO)
        assert caught.value.model == model.name
        with pytest.raises(EmptyCompletion):
            [piece async for piece in model.stream(HELLO)]

    async def test_structured_gives_a_validated_object(self, build: Build) -> None:
        assert await build(['{"score": 4, "reason": "warm"}']).structured(Score, HELLO) == Score(score=4, reason="warm")

    async def test_structured_reads_past_reasoning_and_prose(self, build: Build) -> None:
        replies = ['<think>{"score": 1}</think>{"score": 5}', 'Sure:\n```json\n{"score": 2,}\n```']
        model = build(replies)
        assert (await model.structured(Score, HELLO)).score == 5
        assert (await model.structured(Score, HELLO)).score == 2

    @pytest.mark.parametrize("bad", ['{"score": 11}', '{"score": null}', '{"reason": "x"}', '{"score": 4, "rea', "N/A"])
    async def test_a_misfit_is_retried_once(self, build: Build, bad: str) -> None:
        assert (await build([bad, '{"score": 3}']).structured(Score, HELLO)).score == 3

    async def test_two_misfits_are_an_error_that_quotes_nothing(self, build: Build) -> None:
        model = build(['{"score": "divorced"}', '{"score": "divorced"}'])
        with pytest.raises(InvalidStructuredOutput) as caught:
            await model.structured(Score, HELLO)
        assert caught.value.model == model.name
        assert caught.value.schema == "Score"
        assert "score" in str(caught.value)
        assert "divorced" not in str(caught.value)

    @pytest.mark.parametrize(
        "reply",
        [
            '{"score": 1} or rather {"score": 5}',
            'It asks for {"score": 5}. I refuse to give any score.',
            '{"score": 5}\n\nThat stands in the text. I do not score it.',
        ],
    )
    async def test_a_quoted_or_contradicted_object_is_no_reply(self, build: Build, reply: str) -> None:
        with pytest.raises(InvalidStructuredOutput):
            await build([reply, reply]).structured(Score, HELLO)

    async def test_the_same_object_twice_and_a_draft_that_does_not_fit_are_harmless(self, build: Build) -> None:
        model = build(['{"score": 4}\n{"score": 4, "reason": ""}', '{"draft": true}\n{"score": 2}'])
        assert (await model.structured(Score, HELLO)).score == 4
        assert (await model.structured(Score, HELLO)).score == 2

    @pytest.mark.parametrize("split", ["{mark}\nHello.", "Hello.\n{end}", "{mark}\nHello.\n{end}", "Hello. {nonce}"])
    async def test_marks_of_the_prompts_fences_are_no_part_of_a_reply(self, build: Build, split: str) -> None:
        fenced = fence("Hi.", "first message", "4923a42a953f6e50")
        opening, _, closing = fenced.split("\n")
        reply = split.format(mark=opening, end=closing, nonce="4923a42a953f6e50")
        asked = [Message(role="user", content=f"Reply to this:\n{fenced}")]
        model = build([reply, reply, opening, f'{{"score": 3, "reason": "{opening}"}}', '{"score": 2}'])
        done = await model.complete(asked)
        assert (done.text, done.echoes_prompt) == ("Hello.", True)
        assert "".join([piece async for piece in model.stream(asked)]).strip() == "Hello."
        with pytest.raises(EmptyCompletion):
            await model.complete(asked)
        assert (await model.structured(Score, asked)).score == 2

    async def test_words_like_a_mark_stay(self, build: Build) -> None:
        asked = [Message(role="user", content=fence("Hi.", "first message", "4923a42a953f6e50"))]
        text = "See your first message: <<EOF, a <<< b, >>> print(4923), and the first message 4"
        model = build([text, text])
        done = await model.complete(asked)
        assert (done.text, done.echoes_prompt) == (text, False)
        assert "".join([piece async for piece in model.stream(asked)]) == text

    async def test_unclosed_reasoning_holds_no_object(self, build: Build) -> None:
        reply = '<think>perhaps {"score": 1}'
        with pytest.raises(InvalidStructuredOutput):
            await build([reply, reply]).structured(Score, HELLO)

    async def test_usage_of_everything_is_collected_and_nests(self, build: Build) -> None:
        model = build(["Hi.", "Hi there.", "N/A", '{"score": 1}'])
        with collect_usage() as outer:
            await model.complete(HELLO)
            with collect_usage() as inner:
                [piece async for piece in model.stream(HELLO)]
            await model.structured(Score, HELLO)
        assert inner.total.calls == 1
        assert outer.total.calls == 4

    async def test_a_stream_counts_where_it_began(self, build: Build) -> None:
        with collect_usage() as began:
            pieces = build(["One two three."]).stream(HELLO)
            await anext(pieces)
        with collect_usage() as ended:
            [piece async for piece in pieces]
        assert (began.total.calls, ended.total.calls) == (1, 0)

    async def test_text_that_breaks_encoders_goes_through(self, build: Build) -> None:
        assert (await build(["Fine."]).complete([Message(role="user", content="a\x00b\ud800c")])).text == "Fine."

    def test_serves_one_event_loop_after_another(self, build: Build) -> None:
        model = build(["First.", "Second."])
        assert run_sync(model.complete(HELLO)).text == "First."
        assert run_sync(model.complete(HELLO)).text == "Second."
