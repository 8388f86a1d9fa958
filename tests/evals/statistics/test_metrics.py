from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from askfirst.domains import DomainPack
from askfirst.evals import (
    ConversationRecord,
    RunSettings,
    RunSummary,
    clustered_interval,
    paired_difference,
    summarise,
)
from askfirst.evals.records import Cell, QuestionsScore

from tests.evals.support import people, planned, record


def settings(pack: DomainPack, count: int = 4, repeats: int = 1) -> RunSettings:
    return planned(pack, people(count), ["context_free", "static:1"], repeats=repeats)


def records(condition: str, scores: list[int | None], **rest: Any) -> list[ConversationRecord]:
    return [record(f"everyday-{i:02}", condition, s, **rest) for i, s in enumerate(scores)]


def cell(summary: RunSummary, condition: str = "context_free") -> Cell:
    return summary.conditions[condition]


def test_means_are_over_scored_conversations_and_coverage_over_planned_ones(toy_pack: DomainPack) -> None:
    held = [
        *records("context_free", [2, 4, None]),
        record("everyday-03", "context_free", error="ModelTimeout"),
        *records("static:1", [5], asked=("mood",)),
    ]
    summary = summarise(held, settings(toy_pack))
    free, static = cell(summary), cell(summary, "static:1")
    assert (free.n, free.scored, free.errors, free.unscored) == (4, 2, 1, 1)
    assert (free.mean, free.coverage, free.mean_questions) == (3.0, 0.5, 0.0)
    assert (static.n, static.scored, static.mean, static.mean_questions) == (4, 1, 5.0, 1.0)
    assert summary.conditions["context_free"].domains["Everyday"].mean == 3.0
    assert (summary.planned, summary.done, summary.complete) == (8, 5, False)


def test_what_the_data_do_not_give_is_null_and_never_a_number(toy_pack: DomainPack) -> None:
    nothing = cell(summarise(records("context_free", [None, None]), settings(toy_pack)))
    assert [getattr(nothing, k) for k in ("mean", "low", "high", "worst_of_repeats")] == [None] * 4
    assert set(nothing.criteria.values()) == {None}
    assert nothing.coverage == 0
    empty = cell(summarise([], settings(toy_pack)))
    assert empty.mean_questions is None
    one = cell(summarise(records("context_free", [4]), settings(toy_pack)))
    assert (one.mean, one.low, one.high) == (4.0, None, None)
    json.dumps(summarise([], settings(toy_pack)).model_dump(mode="json"), allow_nan=False)


def test_repeats_of_one_person_are_not_independent_people(toy_pack: DomainPack) -> None:
    once = records("context_free", [1, 2, 4, 5])
    often = [r.model_copy(update={"repeat": i}) for r in once for i in range(10)]
    first = cell(summarise(once, settings(toy_pack)))
    tenfold = cell(summarise(often, settings(toy_pack, repeats=10)))
    assert (tenfold.mean, tenfold.low, tenfold.high) == (first.mean, first.low, first.high)
    assert first.low is not None
    assert first.mean is not None
    assert first.high is not None
    assert first.low < first.mean < first.high


def test_one_person_with_many_repeats_has_no_interval() -> None:
    assert clustered_interval([1.0, 5.0, 3.0], ["s1"] * 3) == (None, None)


def test_the_interval_has_the_width_that_theory_gives() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(3, 0.8, 400)
    low, high = clustered_interval(list(values), [str(i) for i in range(400)])
    assert low is not None
    assert high is not None
    standard_error = values.std(ddof=1) / 20
    assert high - low == pytest.approx(2 * 1.96 * standard_error, rel=0.06)
    assert (low + high) / 2 == pytest.approx(values.mean(), abs=standard_error / 4)


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(6)
    covered = 0
    for _ in range(100):
        people_means = rng.normal(3, 0.7, 40)
        values = [m + e for m in people_means for e in rng.normal(0, 0.3, 3)]
        low, high = clustered_interval(values, [str(i) for i in range(40) for _ in range(3)])
        covered += low is not None and high is not None and low <= 3 <= high
    assert 86 <= covered <= 100


def test_the_same_data_give_the_same_interval_in_any_order() -> None:
    values, clusters = [1.0, 2.0, 5.0, 4.0], ["a", "b", "c", "d"]
    assert clustered_interval(values, clusters) == clustered_interval(values[::-1], clusters[::-1])


def test_differences_are_paired_by_person() -> None:
    a = records("context_free", [1, 2, 3, None])
    b = records("static:1", [3, 3, 3, 5])
    difference = paired_difference(a, b)
    assert (difference.n, difference.difference) == (3, 1.0)
    assert difference.low is not None
    assert difference.high is not None
    assert difference.low <= 1.0 <= difference.high
    assert paired_difference(a, []).difference is None
    constant = paired_difference(records("a", [1, 2, 5 - 1]), records("b", [2, 3, 5]))
    assert (constant.low, constant.high) == (1.0, 1.0)


def test_worst_of_repeats_is_the_lowest_score_of_each_person(toy_pack: DomainPack) -> None:
    held = [record("everyday-00", repeat=i, score=s) for i, s in enumerate([5, 2, 4])]
    held += [record("everyday-01", repeat=i, score=s) for i, s in enumerate([3, 4, 4])]
    assert cell(summarise(held, settings(toy_pack, repeats=3))).worst_of_repeats == 2.5


def test_matched_pairs_compare_only_whole_pairs(toy_pack: DomainPack) -> None:
    held = [
        record("a", score=4, pair="p1", risk="low"),
        record("b", score=2, pair="p1", risk="high"),
        record("c", score=5, pair="p2", risk="low"),
        record("d", score=None, pair="p2", risk="high"),
    ]
    summary = summarise(held, settings(toy_pack))
    pairs = summary.pairs["context_free"]
    assert (pairs.n, pairs.low_risk_mean, pairs.high_risk_mean, pairs.difference) == (1, 4.0, 2.0, -2.0)
    assert (pairs.low, pairs.high) == (None, None)
    assert summary.by_risk["context_free"]["low"].mean == 4.5
    assert summary.pairs["static:1"].difference is None


def test_safety_against_questions(toy_pack: DomainPack) -> None:
    held = [
        record("a", score=2, asked=()),
        record("b", score=4, asked=("mood", "age")),
        record("c", score=5, asked=("mood", "age")),
    ]
    assert summarise(held, settings(toy_pack)).safety_by_questions["context_free"] == (
        QuestionsScore(questions=0, scored=1, mean=2.0),
        QuestionsScore(questions=2, scored=2, mean=4.5),
    )


def test_a_judge_equal_to_the_assistants_model_is_flagged(toy_pack: DomainPack) -> None:
    same = settings(toy_pack).model_copy(update={"judge_model": "m"})
    assert summarise([], same).judge_is_model is True
    assert summarise([], settings(toy_pack)).judge_is_model is False
