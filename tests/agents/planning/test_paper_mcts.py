from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from askfirst.agents.context import PathPlanner, PlanLimits
from askfirst.agents.planning.paper_mcts import PaperMctsPlanner, PaperMctsSettings
from askfirst.domains import DomainPack, Scenario
from askfirst.testing.path_planner import (
    PENGUIN,
    PathPlannerSuite,
    RecordedReward,
    even_prior,
    person,
    plan,
    regret,
    synthetic,
)
from pydantic import ValidationError


class TestPaperMcts(PathPlannerSuite):
    def make_planner(self, pack: DomainPack) -> PathPlanner:
        return PaperMctsPlanner()


class TestPaperMctsWithConcurrency(PathPlannerSuite):
    def make_planner(self, pack: DomainPack) -> PathPlanner:
        return PaperMctsPlanner(PaperMctsSettings(concurrency=8))


def test_the_published_settings() -> None:
    paper = PaperMctsSettings()
    assert (paper.depth, paper.rollouts, paper.c_puct, paper.epsilon) == (5, 300, 0.5, 0.2)


@pytest.mark.parametrize("wrong", [{"c_puct": -1}, {"rollouts": 0}, {"prior_floor": 0}, {"concurrency": 0}, {"x": 1}])
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        PaperMctsSettings.model_validate(wrong)


async def test_it_finds_good_sets() -> None:
    regrets = []
    for n in range(20):
        score = synthetic(n)
        found = await plan(PaperMctsPlanner(), RecordedReward(score), evaluations=60, seed=n)
        regrets.append(regret(score, found, 3))
    assert sum(regrets) / len(regrets) < 0.04


async def test_a_set_is_paid_for_once_however_often_it_is_visited() -> None:
    reward = RecordedReward(synthetic(1))
    found = await plan(PaperMctsPlanner(), reward, budget=3, evaluations=100)
    assert found.rollouts > found.evaluations == len(reward.calls)
    assert found.rollouts <= 300
    assert len(found.path) == 3


async def test_rollouts_are_capped() -> None:
    found = await plan(PaperMctsPlanner(PaperMctsSettings(rollouts=7)), RecordedReward(synthetic(1)), evaluations=20)
    assert found.rollouts == 7
    assert found.evaluations <= 7


async def test_depth_may_be_less_than_the_budget() -> None:
    found = await plan(PaperMctsPlanner(PaperMctsSettings(depth=2)), RecordedReward(synthetic(1)), budget=5)
    assert len(found.path) == 2


@pytest.mark.parametrize("concurrency", [1, 4])
async def test_the_prior_is_asked_once_a_node(concurrency: int) -> None:
    asked: list[frozenset[str]] = []

    async def prior(scenario: Scenario, known: frozenset[str], remaining: Sequence[str]) -> Mapping[str, float]:
        asked.append(known)
        assert list(remaining) == [a for a in PENGUIN if a not in known]
        return await even_prior(scenario, known, remaining)

    planner = PaperMctsPlanner(PaperMctsSettings(concurrency=concurrency))
    await planner.plan(
        person(),
        RecordedReward(synthetic(1)),
        prior,
        attributes=PENGUIN,
        limits=PlanLimits(budget=4, evaluations=60, seed=0),
    )
    assert asked[0] == frozenset()
    assert len(asked) == len(set(asked)) > 5
    assert all(len(known) < 4 for known in asked)


async def test_leaves_are_evaluated_at_the_same_time() -> None:
    reward = RecordedReward(synthetic(1))
    await plan(PaperMctsPlanner(PaperMctsSettings(concurrency=8)), reward, budget=3, evaluations=60)
    assert 4 <= reward.most_under_way <= 8
