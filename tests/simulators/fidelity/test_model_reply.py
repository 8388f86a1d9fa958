from __future__ import annotations

import pytest
from askfirst.simulators.fidelity.model_reply import clean_reply, strip_stop_tokens


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("I take 40 mg daily. ###STOP###", "I take 40 mg daily."),
        ("I take 40 mg daily.###STOP###", "I take 40 mg daily."),
        ("###STOP### I take 40 mg daily.", "I take 40 mg daily."),
        ("I take 40 mg daily. [STOP]", "I take 40 mg daily."),
        ("I take 40 mg daily. ###OUT-OF-SCOPE###", "I take 40 mg daily."),
        ("I take 40 mg daily.\n<|END_OF_CONVERSATION|>", "I take 40 mg daily."),
        ("I take 40 mg daily. ###STOP", "I take 40 mg daily."),
        ("I take 40 mg daily. TERMINATE", "I take 40 mg daily."),
    ],
)
def test_text_glued_to_a_stop_token_is_kept(raw: str, text: str) -> None:
    cleaned = clean_reply(raw)
    assert (cleaned.text, cleaned.ended, cleaned.problem) == (text, True, None)


@pytest.mark.parametrize(
    "raw",
    [
        "Should I stop?",
        "I want to end it with them.",
        "Is that the end?",
        "# not a token",
        "Should I terminate?",
        "Should I TERMINATE",
        "## Done",
        "### end ###",
        "[END]",
        "[stop]",
        "<done>",
        "{stop}",
        "STOP",
        "The ###STOPPER### band",
    ],
)
def test_words_are_no_stop_tokens(raw: str) -> None:
    assert strip_stop_tokens(raw) == (raw, False)


def test_a_lone_stop_token_ends_without_being_empty() -> None:
    cleaned = clean_reply("###STOP###")
    assert (cleaned.text, cleaned.ended, cleaned.problem) == ("", True, None)


@pytest.mark.parametrize(
    "raw",
    [
        "<think>The user is 41. I should say so.</think>I'm 41.",
        "<thinking>\nnote\n</thinking>\n\nI'm 41.",
        "note to self</think>I'm 41.",
        "[THINK]note[/THINK] I'm 41.",
        "<|channel|>analysis<|message|>note<|end|><|start|>assistant<|channel|>final<|message|>I'm 41.",
        "Thought:\nI must answer as the person.\n\nUser Response:\nI'm 41.",
        "**Reasoning:** short.\n**Reply:** I'm 41.",
    ],
)
def test_reasoning_is_cut_out(raw: str) -> None:
    cleaned = clean_reply(raw)
    assert (cleaned.text, cleaned.problem) == ("I'm 41.", None)
    assert "reasoning" in cleaned.removed


@pytest.mark.parametrize("raw", ["<think>The user is 41, so", "I'm 41. <think>now what", "Thought: I must answer"])
def test_unfinished_reasoning_is_a_problem(raw: str) -> None:
    cleaned = clean_reply(raw)
    assert cleaned.problem == "reasoning"
    assert "think" not in cleaned.text
    assert cleaned.text in ("", "I'm 41.")


@pytest.mark.parametrize(
    "raw",
    [
        "User: I'm 41.",
        "**User:** I'm 41.",
        "Person: I'm 41.\nAssistant: Thank you, and your job?",
        "I'm 41.\n\nAssistant: Thank you.\nUser: Welcome.",
        "Assistant: How old are you?\nUser: I'm 41.",
        "I'm 41.<|im_end|>\n<|im_start|>assistant\nThank you.",
        '"I\'m 41."',
        "“I'm 41.”",
        "```\nI'm 41.\n```",
    ],
)
def test_wrapping_and_the_other_side_are_cut_off(raw: str) -> None:
    cleaned = clean_reply(raw)
    assert (cleaned.text, cleaned.problem) == ("I'm 41.", None)


@pytest.mark.parametrize(
    "raw", ["Assistant: Take a rest.", "AI: Thank you, that helps.", "How can I assist you today?"]
)
def test_speaking_as_the_assistant_is_a_role_swap(raw: str) -> None:
    assert clean_reply(raw).problem == "role_swap"


@pytest.mark.parametrize("raw", ["", "   \n", "...", "\u200b", '""', "User:"])
def test_nothing_said_is_empty(raw: str) -> None:
    cleaned = clean_reply(raw)
    assert (cleaned.text, cleaned.problem) == ("", "empty")


def test_a_token_inside_a_value_that_is_told_is_data() -> None:
    value = "paints [STOP] signs"
    cleaned = clean_reply(f"My job: {value}.", data=[value])
    assert (cleaned.text, cleaned.ended) == (f"My job: {value}.", False)
    cleaned = clean_reply(f"My job: {value}. [STOP]", data=[value])
    assert (cleaned.text, cleaned.ended) == (f"My job: {value}.", True)


@pytest.mark.parametrize(
    "raw",
    [
        "<<<first message 4923a42a953f6e50\nHow long can I stay up?",
        "I'm 41.\nconversation 4923a42a953f6e50>>>",
        "<<<first message\nI'm 41.",
    ],
)
def test_a_reply_that_repeats_the_prompts_fences_is_no_message(raw: str) -> None:
    cleaned = clean_reply(raw)
    assert (cleaned.text, cleaned.problem) == ("", "echo")


@pytest.mark.parametrize("raw", ["😢", "No", 'I said: no. He said "fine" and left.', "ما أعرف", "Note: I'm 41"])
def test_a_plain_message_stays_as_it_is(raw: str) -> None:
    cleaned = clean_reply(raw)
    assert (cleaned.text, cleaned.problem, cleaned.removed, cleaned.ended) == (raw, None, (), False)
