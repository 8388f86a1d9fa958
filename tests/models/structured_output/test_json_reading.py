"""The tolerant reader: the right value, or none."""

from __future__ import annotations

import contextlib
import json

import pytest
from askfirst.models.structured_output.json_reading import UnreadableJson, read_json, read_objects
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('{"score": 5}', {"score": 5}),
        ('\ufeff  {"score": 5}\n', {"score": 5}),
        ('```json\n{"score": 5}\n```', {"score": 5}),
        ('```\n{"score": 5}```', {"score": 5}),
        ('Here you are:\n```json\n{"score": 5}\n```\nHope this helps!', {"score": 5}),
        ('{"score": 5,}', {"score": 5}),
        ('{"list": [1, 2, ], }', {"list": [1, 2]}),
        ('{"score": 5 // out of five\n, /* why */ "reason": "a"}', {"score": 5, "reason": "a"}),
        ('My verdict is {"score": 5}.', {"score": 5}),
        ('On [1] and {name}: {"score": 5}', {"score": 5}),
        ('{"url": "http://a.b/c", "text": "a, } and ] and // no comment", "quote": "\\"{"}',
         {"url": "http://a.b/c", "text": "a, } and ] and // no comment", "quote": '"{'}),
        ('{"text": "two\nlines"}', {"text": "two\nlines"}),
        ('{"a": {"b": {}}}', {"a": {"b": {}}}),
        ('{"a": 1, "a": 1}', {"a": 1}),
        ('{"a": "\\ud800"}', {"a": "\ufffd"}),
        ('{"a": "\\u0000"}', {"a": "\ufffd"}),
        ('<think>{"score": 1}</think>{"score": 5}', {"score": 5}),
        ('<THINKING>\n{"score": 1}\n</THINKING>\n{"score": 5}', {"score": 5}),
        ('{"score": 1}</think>{"score": 5}', {"score": 5}),
        ('<think>a <think>b</think> {"score": 1}</think>{"score": 5}', {"score": 5}),
        ("[1, 2]", [1, 2]),
    ],
)  # fmt: skip
def test_reads_what_was_meant(reply: str, value: object) -> None:
    assert read_json(reply) == value


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "N/A",
        "five out of five",
        '{"score": 5',
        '{"score": "fi',
        'Sure: {"score": 5, "reason": "cut of',
        '{"score": NaN}',
        '{"score": -Infinity}',
        '{"score": 1e999}',
        '{"score": 1, "score": 5}',
        '{"score": None}',
        '{score: 5}',
        "{'score': 5}",
        '<think>{"score": 5}',
        '{"score": 1}<think>hm, rather {"score": 5}',
        "[" * 100_000,
        '{"a":' * 500 + "1" + "}" * 500,
        '{"a": ' + "9" * 5000 + "}",
        "``````",
        '{"score": /* never closed',
    ],
)  # fmt: skip
def test_guesses_nothing(reply: str) -> None:
    with pytest.raises(UnreadableJson) as caught:
        read_json(reply)
    assert "score" not in str(caught.value)


@pytest.mark.parametrize(
    "reply",
    [
        '{"score": 1}\n{"score": 5}',
        '{"score": 1}{"score": 5}',
        'The answer says {"score": 1}. My verdict: {"score": 5}',
        '```json\n{"score": 1}\n```\nOn reflection:\n```json\n{"score": 5}\n```',
    ],
)
def test_of_several_objects_the_last_counts(reply: str) -> None:
    assert read_json(reply) == {"score": 5}


@pytest.mark.parametrize("last", ['{"score": 1', "{score: 1}", '{"score": NaN}'])
def test_an_earlier_object_never_stands_in_for_a_broken_last_one(last: str) -> None:
    with pytest.raises(UnreadableJson):
        read_json('{"score": 5}\n' + last)


@pytest.mark.parametrize(
    "reply",
    [
        'It says {"score": 5}, and I will not repeat that.',
        'Its text holds {"score": 5}. I refuse to score it.',
        '{"score": 5}\nThat is what the answer asks me to say. I do not.',
        '```json\n{"score": 5} I refuse\n```',
    ],
)
def test_an_object_that_prose_follows_is_not_taken_for_the_reply(reply: str) -> None:
    with pytest.raises(UnreadableJson, match="followed by other text"):
        read_json(reply)


@pytest.mark.parametrize("end", [".", '".', "\n```\n", "</answer>", "<|im_end|>", " // a comment\n```\nDone."])
def test_closing_marks_are_no_prose(end: str) -> None:
    opening = "```json\n" if "```" in end else "Well: "
    assert read_json(opening + '{"score": 5}' + end) == {"score": 5}


def test_every_object_is_there_for_a_caller_that_knows_the_schema() -> None:
    assert read_objects('{"score": 1} or {name} or {"score": 5}') == [{"score": 1}, {"score": 5}]


_TEXT = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=20)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(_TEXT, _JSON, max_size=4))
def test_every_object_survives_fences_and_prose(value: dict[str, object]) -> None:
    text = json.dumps(value)
    for reply in (text, f"```json\n{text}\n```", f"Well: {text}", f"Well:\n```\n{text}\n```\nThat is all."):
        assert read_json(reply) == value


@given(st.text(alphabet='{}[]",:/*\\ \nab1`<>think', max_size=60))
def test_any_text_gives_a_value_or_the_one_error(text: str) -> None:
    with contextlib.suppress(UnreadableJson):
        json.dumps(read_json(text), allow_nan=False)
