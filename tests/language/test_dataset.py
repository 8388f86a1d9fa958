"""The labelled texts: what the data card promises of them, and that nobody is both trained and measured on."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from askfirst.domains import DataError
from askfirst.language import ACTS, KINDS, LEVELS
from askfirst.language.training.dataset import DEVELOPMENT, HELD_OUT, examples_from, load_examples

EXAMPLES = load_examples()
RISK = [e for e in EXAMPLES if e.source == "risk"]
REPLIES = [e for e in EXAMPLES if e.source == "replies"]


def test_there_is_enough_of_everything() -> None:
    assert len(RISK) >= 4_000
    assert len(REPLIES) >= 3_000
    assert len({e.author for e in EXAMPLES}) >= 8
    assert {e.level for e in RISK} == set(LEVELS)
    assert {e.kind for e in RISK} == {None, *KINDS}
    assert {a for e in REPLIES for a in e.acts or ()} == set(ACTS)
    assert len({e.lang for e in EXAMPLES}) >= 9
    assert sum(e.lang != "en" for e in RISK) / len(RISK) >= 0.25
    assert sum(e.is_ordinary for e in RISK) >= 1_000


def test_nobody_is_trained_on_who_is_measured_on() -> None:
    trained = load_examples(but=(*DEVELOPMENT, *HELD_OUT))
    held_out = load_examples(authors=HELD_OUT)
    assert len(held_out) > 1_500
    assert not {e.author for e in trained} & {*DEVELOPMENT, *HELD_OUT}
    seen = {(e.text, e.before) for e in trained}
    assert [e.text for e in held_out if len(e.text) > 30 and (e.text, e.before) in seen] == []


def test_no_text_stands_twice_with_two_labels() -> None:
    labels: dict[tuple[object, ...], set[object]] = {}
    for e in RISK:
        labels.setdefault((e.text, e.before), set()).add(e.level)
    assert [key for key, found in labels.items() if len(found) > 1] == []


def test_danger_cannot_be_told_by_a_question_mark_or_length() -> None:
    asking = {level: Counter("?" in e.text for e in RISK if e.level == level) for level in LEVELS}
    shares = [count[True] / count.total() for count in asking.values()]
    assert max(shares) - min(shares) < 0.2


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (
            '{"author": "a", "text": "hello", "level": "none", "kind": "none", "sentence": "hi", "lang": "en"}',
            "sentence",
        ),
        ('{"author": "a", "text": "x", "level": "grave", "kind": "none", "lang": "en"}', ""),
        ("{", ""),
        ('{"author": "a"}', ""),
    ],
)
def test_a_line_that_cannot_be_used_is_named(tmp_path: Path, line: str, problem: str) -> None:
    file = tmp_path / "risk.jsonl"
    file.write_text(f"\n{line}\n".lstrip(), encoding="utf-8")
    with pytest.raises(DataError, match=rf"risk\.jsonl.*line 1.*{problem}"):
        list(examples_from(file))
