from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pytest
from askfirst.agents import PLANNERS, Lesson, PlanLimits, PlanResult, SpendingLimitReached, planner_named
from askfirst.agents.planning.rewards import Evaluations
from askfirst.domains import DomainPack, Scenario
from askfirst.models import ModelUnreachable
from askfirst.testing.path_planner import PENGUIN, RecordedReward, person, synthetic


def s(*attributes: str) -> frozenset[str]:
    return frozenset(attributes)


async def test_an_account_takes_down_first_scores_and_failures_and_no_refusals() -> None:
    async def reward(scenario: Scenario, known: frozenset[str], *, draw: int = 0) -> float:
        if known == {"b"}:
            raise ModelUnreachable("scripted", "nothing listens there")
        if known == {"c"}:
            raise SpendingLimitReached
        return math.nan if draw > 1 else 3.0 + len(known) / 10 + draw

    paid = Evaluations(person(), reward, limit=20, noisy=True)
    for sets in ([s("b", "a"), s(), s("a"), s("a")], [s("a")]):
        await paid.measure(sets)
    assert paid.failures == 0
    await paid.measure([s("b"), s("c"), s("a")])
    assert paid.failures == 2
    assert paid.left == 20 - paid.paid - 3
    assert paid.measured == (((), 3.0), (("a",), 3.1), (("a", "b"), 3.2))


@pytest.mark.parametrize("name", list(PLANNERS))
async def test_a_plan_carries_what_was_measured_and_the_ranking_that_it_started_from(
    name: str, pack: DomainPack
) -> None:
    asked: list[frozenset[str]] = []

    async def prior(scenario: Scenario, known: frozenset[str], remaining: Sequence[str]) -> Mapping[str, float]:
        asked.append(known)
        return {a: float(1 + len(known) + len(a)) for a in remaining}

    score = synthetic(3)
    reward = RecordedReward(score, lambda known: "self_harm_history" in known)
    limits = PlanLimits(budget=3, evaluations=130, seed=1)
    planner = planner_named(name, pack, concurrency=4)
    found = await planner.plan(person(), reward, prior, attributes=PENGUIN, limits=limits)
    measured = {known for known in reward.calls if "self_harm_history" not in known}
    assert found.measured == tuple(sorted((tuple(sorted(known)), score(known)) for known in measured))
    assert found.failed == sum("self_harm_history" in known for known in reward.calls)
    lesson = Lesson.of(found, PENGUIN)
    assert lesson.scores == found.measured
    if name == "static":  # asks for no ranking
        assert asked == []
        assert lesson.prior == dict.fromkeys(PENGUIN, 1.0)
    else:
        assert lesson.prior == {a: 1.0 + len(a) for a in PENGUIN}
    assert Lesson.model_validate_json(lesson.model_dump_json()) == lesson


def test_where_nothing_was_measured_nothing_is_taught() -> None:
    found = PlanResult(path=("a",), score=3.0, evaluations=0)
    assert Lesson.of(found, ["a", "b"]) == Lesson(prior={"a": 1.0, "b": 1.0}, scores=())
