"""Reasoning never reaches a reader, however the reply is cut into pieces."""

from __future__ import annotations

import pytest
from askfirst.models import Message, UnclosedReasoning, safe_text, strip_reasoning
from askfirst.models.structured_output.reasoning import ReasoningFilter, visible_text
from hypothesis import assume, given
from hypothesis import strategies as st

ANALYSIS = "<|channel|>analysis<|message|>use <think> or not?<|end|>"


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("Hello.", "Hello."),
        ("<think>plan</think>\n\nHello.", "Hello."),
        ("<Think>a</Think><reasoning>b</reasoning> Hello.", "Hello."),
        ("Hello <thinking>hm</thinking>there.", "Hello there."),
        ("<think>a <think>b</think> c</think>Hello.", "Hello."),
        ("plan, plan</think>Hello.", "Hello."),
        ("a < b and <thin> ice", "a < b and <thin> ice"),
        ("<think></think>", ""),
        ("<thought>a</thought><thoughts>b</thoughts>Hello.", "Hello."),
        ("<reflection>a</reflection>Hello.<scratchpad>\nb\n</scratchpad>", "Hello."),
        ('<reasoning effort="high">a</reasoning >Hello.', "Hello."),
        ("<think>write a <reflection> first</think>Hello.", "Hello."),
        ("<thinking>a</think>Hello.", "Hello."),
        ("[THINK]a[/THINK]Hello.", "Hello."),
        ("◁think▷a◁/think▷Hello.", "Hello."),
        ("see [thinking of you](x), <think", "see [thinking of you](x), <think"),
        (f"{ANALYSIS}<|start|>assistant<|channel|>final<|message|>Hello.<|return|>", "Hello."),
        (f"<|start|>assistant{ANALYSIS}<|channel|>final <|constrain|>json<|message|>{{}}", "{}"),
        ("<|channel|>commentary<|message|>calls<|end|><|channel|>final<|message|>Hello.", "Hello."),
        ("Hello.<|end|>", "Hello.<|end|>"),  # no reply in channels
    ],
)
def test_reasoning_is_stripped(text: str, reply: str) -> None:
    assert strip_reasoning(text) == reply
    assert visible_text(text) == reply


def test_of_an_unclosed_block_nothing_is_shown() -> None:
    with pytest.raises(UnclosedReasoning):
        strip_reasoning("Hello. <think>never closed")
    assert visible_text("Hello. <think>never closed") == "Hello."
    assert visible_text("<think>never closed") == ""
    for text in ("Hello. <|channel|>analysis<|message|>hm", "Hello. <|channel|>analysis hm", "Hello. ◁think▷hm"):
        with pytest.raises(UnclosedReasoning):
            strip_reasoning(text)
        assert visible_text(text) == "Hello."


CHANNELS = ["<|channel|>", "analysis", "final", "<|message|>", "<|end|>", "<|start|>assistant", "<|", "Hi", "[", "◁"]


@given(st.lists(st.sampled_from(CHANNELS), max_size=14), st.integers(1, 7))
def test_a_stream_in_channels_shows_what_the_whole_text_shows(parts: list[str], size: int) -> None:
    text = "".join(parts)
    seen = ReasoningFilter()
    streamed = "".join(seen.feed(text[i : i + size]) for i in range(0, len(text), size)) + seen.close()
    assert streamed.strip() == visible_text(text)


_PARTS = st.lists(st.sampled_from(["<think>", "</think>", "<", "thi", "nk>", "Hi", " ", "\n", "a<b"]), max_size=12)


@given(_PARTS, st.integers(1, 5))
def test_a_stream_shows_what_the_whole_text_shows(parts: list[str], size: int) -> None:
    text = "".join(parts)
    assume(not _closes_what_it_never_opened(text))  # what came before that cannot be taken back
    seen = ReasoningFilter()
    streamed = "".join(seen.feed(text[i : i + size]) for i in range(0, len(text), size)) + seen.close()
    assert streamed.strip() == visible_text(text)


def _closes_what_it_never_opened(text: str) -> bool:
    depth = 0
    while "<think>" in text or "</think>" in text:
        opening, closing = text.find("<think>"), text.find("</think>")
        opens = opening >= 0 and (closing < 0 or opening < closing)
        depth += 1 if opens else -1
        if depth < 0:
            return True
        text = text[opening + 7 :] if opens else text[closing + 8 :]
    return False


def test_a_stream_is_not_held_back_for_nothing() -> None:
    seen = ReasoningFilter()
    assert [seen.feed(piece) for piece in ("One ", "two < ", "three ", "<th", "ree>")] == [
        "One ",
        "two < ",
        "three ",
        "",
        "<three>",
    ]


def test_what_breaks_encoders_is_replaced_everywhere() -> None:
    assert safe_text("a\x00b\ud800c\udfffd") == "a\ufffdb\ufffdc\ufffdd"
    assert safe_text("ok \U0001f600 \ufffd") == "ok \U0001f600 \ufffd"
    message = Message(role="user", content="a\ud83d")
    assert message.content == "a\ufffd"
    assert Message.model_validate_json(message.model_dump_json()) == message
