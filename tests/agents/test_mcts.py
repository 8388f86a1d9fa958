from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from askfirst.agents.context import PathPlanner
from askfirst.agents.leaf_model import LeafModel, MainEffects, RunningMean
from askfirst.agents.mcts import MctsPlanner, MctsSettings
from askfirst.agents.planners import GreedyPlanner, RandomPlanner
from askfirst.domains import DomainPack, Scenario
from pydantic import ValidationError

from tests.conformance.path_planner import (
    PENGUIN,
    PathPlannerSuite,
    RecordedReward,
    Score,
    best_set,
    even_prior,
    person,
    plan,
    regret,
    synthetic,
)

ROOT = Path(__file__).parents[2]
ARMS = ("age", "gender", "marital_status", "profession", "economic_status", "health_status")
EIGHT = (*ARMS, "education_level", "emotional_state")


class TestMcts(PathPlannerSuite):
    def make_planner(self, pack: DomainPack) -> PathPlanner:
        return MctsPlanner()


class TestMctsWithConcurrency(PathPlannerSuite):
    def make_planner(self, pack: DomainPack) -> PathPlanner:
        return MctsPlanner(MctsSettings(concurrency=8))


class TestPaperMcts(PathPlannerSuite):
    def make_planner(self, pack: DomainPack) -> PathPlanner:
        return MctsPlanner.paper()


# ---- known answers ---------------------------------------------------------------------------------------------


def arms(**scores: float) -> Score:
    """A bandit: one attribute is asked, its score is known."""
    return lambda known: max((scores.get(a, 2.0) for a in known), default=1.0)


@pytest.mark.parametrize("planner", [MctsPlanner(), MctsPlanner.paper()], ids=["default", "paper"])
@pytest.mark.parametrize("best", ARMS)
async def test_finds_the_best_arm_of_a_bandit(planner: MctsPlanner, best: str) -> None:
    found = await plan(planner, RecordedReward(arms(**{best: 4.5})), attributes=ARMS, budget=1, evaluations=20)
    assert (found.path, found.score) == ((best,), 4.5)


async def test_finds_the_best_arm_against_a_prior_that_all_but_rules_it_out() -> None:
    async def wrong(scenario: Scenario, known: frozenset[str], remaining: Sequence[str]) -> Mapping[str, float]:
        return {a: 0.0 if a == "profession" else 1.0 for a in remaining}

    for planner in (MctsPlanner(), MctsPlanner.paper()):
        found = await planner.plan(
            person(), RecordedReward(arms(profession=4.0)), wrong, attributes=ARMS, budget=1, evaluations=20, seed=0
        )
        assert found.path == ("profession",)


async def mean_regret(planner: PathPlanner, evaluations: int, size: int = 3) -> float:
    """Over twenty people whose rewards interact."""
    found = [
        regret(synthetic(n), await plan(planner, RecordedReward(synthetic(n)), evaluations=evaluations, seed=n), size)
        for n in range(20)
    ]
    return sum(found) / len(found)


async def test_comes_near_the_known_best_subset_with_a_quarter_of_the_evaluations() -> None:
    regrets = await mean_regret(MctsPlanner(), 33)  # 30 of 120 sets, and the prefixes
    assert regrets < 0.02
    assert regrets < await mean_regret(RandomPlanner(), 33) / 2


async def test_the_published_settings_find_good_sets_too() -> None:
    assert await mean_regret(MctsPlanner.paper(), 60) < 0.04


async def test_finds_the_known_best_subset_with_half_of_the_evaluations() -> None:
    scores = [synthetic(n) for n in range(20)]
    found = [await plan(MctsPlanner(), RecordedReward(s), evaluations=63, seed=n) for n, s in enumerate(scores)]
    assert sum(set(f.path) == best_set(s, 3) for f, s in zip(found, scores, strict=True)) >= 18


async def test_finds_the_best_of_everything_when_it_may_look_at_everything() -> None:
    for seed in range(5):
        score = synthetic(seed, interaction=1.5)
        found = await plan(MctsPlanner(), RecordedReward(score), budget=3, evaluations=200, seed=seed)
        best = max((best_set(score, n) for n in (1, 2, 3)), key=score)
        assert found.score >= score(best_set(score, 3))
        assert found.score <= score(best)


def only_together(known: frozenset[str]) -> float:
    """``age`` and ``profession`` are worth nothing alone and everything together; the others each help a little."""
    if {"age", "profession"} <= known:
        return 4.8
    return 2.0 + 0.4 * len(known - {"age", "profession"})


@pytest.mark.parametrize("seed", range(5))
async def test_finds_what_only_helps_together(seed: int) -> None:
    # 6 of 56 sets hold both.
    found = await plan(MctsPlanner(), RecordedReward(only_together), attributes=EIGHT, evaluations=45, seed=seed)
    assert {"age", "profession"} <= set(found.path)


async def test_greedy_misses_what_only_helps_together() -> None:
    found = await plan(GreedyPlanner(), RecordedReward(only_together), attributes=EIGHT, evaluations=56)
    assert found.score == pytest.approx(3.2)


# ---- what is spent -----------------------------------------------------------------------------------------------


async def test_stops_when_every_reachable_set_is_known() -> None:
    reward = RecordedReward(synthetic(1, ARMS))
    found = await plan(MctsPlanner(), reward, attributes=ARMS, budget=2, evaluations=1000)
    assert found.rollouts == 15
    assert {s for s in reward.calls if len(s) == 2} == {frozenset({a, b}) for a in ARMS for b in ARMS if a != b}


async def test_the_published_settings_pay_once_for_a_set_however_often_they_visit_it() -> None:
    reward = RecordedReward(synthetic(1))
    found = await plan(MctsPlanner.paper(), reward, budget=3, evaluations=100)
    assert found.rollouts > found.evaluations == len(reward.calls)
    assert found.rollouts <= 300
    assert len(found.path) == 3


async def test_rollouts_are_capped() -> None:
    found = await plan(MctsPlanner(MctsSettings(rollouts=7, reserve=0)), RecordedReward(synthetic(1)), evaluations=7)
    assert (found.rollouts, found.evaluations) == (7, 7)


async def test_depth_may_be_less_than_the_budget() -> None:
    found = await plan(MctsPlanner(MctsSettings(depth=2)), RecordedReward(synthetic(1)), budget=5)
    assert len(found.path) == 2


async def test_the_prior_is_asked_once_a_node() -> None:
    asked: list[frozenset[str]] = []

    async def prior(scenario: Scenario, known: frozenset[str], remaining: Sequence[str]) -> Mapping[str, float]:
        asked.append(known)
        assert list(remaining) == [a for a in PENGUIN if a not in known]
        return await even_prior(scenario, known, remaining)

    for planner in (MctsPlanner(), MctsPlanner(MctsSettings(concurrency=4)), MctsPlanner.paper()):
        asked.clear()
        await planner.plan(
            person(), RecordedReward(synthetic(1)), prior, attributes=PENGUIN, budget=4, evaluations=60, seed=0
        )
        assert asked[0] == frozenset()
        assert len(asked) == len(set(asked)) > 5
        assert all(len(known) < 4 for known in asked)


async def test_a_good_prior_needs_fewer_evaluations() -> None:
    score = synthetic(4)
    best = best_set(score, 4)

    async def insider(scenario: Scenario, known: frozenset[str], remaining: Sequence[str]) -> Mapping[str, float]:
        return {a: 5.0 if a in best else 1.0 for a in remaining}

    reward = RecordedReward(score)
    found = await MctsPlanner().plan(person(), reward, insider, attributes=PENGUIN, budget=4, evaluations=16, seed=1)
    assert set(found.path) == best


# ---- the order of the path -----------------------------------------------------------------------------------------


async def test_every_prefix_is_the_best_that_extends_the_one_before() -> None:
    score = synthetic(6, ARMS)
    found = await plan(MctsPlanner(), RecordedReward(score), attributes=ARMS, budget=3, evaluations=60)
    assert len(found.prefix_scores) == len(found.path) + 1
    for n in range(len(found.path)):
        rest = set(found.path[n:])
        assert found.path[n] == max(sorted(rest), key=lambda a: score(frozenset(found.path[:n]) | {a}))


async def test_prefix_scores_are_kept_for_when_evaluations_are_few() -> None:
    found = await plan(MctsPlanner(), RecordedReward(synthetic(1)), budget=5, evaluations=20)
    assert len(found.prefix_scores) == len(found.path) + 1


async def test_without_a_reserve_there_are_no_prefix_scores() -> None:
    found = await plan(MctsPlanner(MctsSettings(reserve=0)), RecordedReward(synthetic(1)), budget=5, evaluations=20)
    assert found.prefix_scores == ()


async def test_one_evaluation_is_enough_for_a_path() -> None:
    found = await plan(MctsPlanner(), RecordedReward(synthetic(1)), budget=4, evaluations=1)
    assert (len(found.path), found.evaluations, found.prefix_scores) == (4, 1, ())


# ---- concurrency and determinism -----------------------------------------------------------------------------------


async def test_leaves_are_evaluated_at_the_same_time() -> None:
    reward = RecordedReward(synthetic(1))
    await plan(MctsPlanner(MctsSettings(concurrency=8)), reward, budget=3, evaluations=60)
    assert reward.most_under_way == 8
    reward = RecordedReward(synthetic(1))
    await plan(MctsPlanner(), reward, budget=3, evaluations=60)
    assert reward.most_under_way == 1


async def test_a_plan_does_not_depend_on_which_evaluation_returns_first() -> None:
    score = synthetic(2)

    class Shuffled(RecordedReward):
        def __init__(self, delay: int) -> None:
            super().__init__(score)
            self._delay = delay

        async def __call__(self, scenario: Scenario, attributes: frozenset[str]) -> float:
            for _ in range(len("".join(sorted(attributes))) * self._delay % 7):
                await asyncio.sleep(0)
            return await super().__call__(scenario, attributes)

    planner = MctsPlanner(MctsSettings(concurrency=6))
    plans = [await plan(planner, Shuffled(delay), budget=4, evaluations=50) for delay in (0, 1, 3)]
    assert plans[0] == plans[1] == plans[2]


async def test_concurrency_costs_little_quality() -> None:
    assert await mean_regret(MctsPlanner(MctsSettings(concurrency=8)), 43) < 0.02


async def test_different_seeds_search_differently() -> None:
    one, two = RecordedReward(synthetic(5)), RecordedReward(synthetic(5))
    await plan(MctsPlanner(), one, seed=1)
    await plan(MctsPlanner(), two, seed=2)
    assert one.calls != two.calls


def test_a_plan_does_not_depend_on_the_hash_seed_of_the_process() -> None:
    script = """
import asyncio
from askfirst.agents.mcts import MctsPlanner
from tests.conformance.path_planner import RecordedReward, plan, synthetic
reward = RecordedReward(synthetic(2))
found = asyncio.run(plan(MctsPlanner(), reward, budget=4, evaluations=30))
print(found.model_dump_json(), [sorted(s) for s in reward.calls])
"""
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert len(outputs) == 1


async def test_a_cancelled_plan_leaves_no_evaluation_behind() -> None:
    started = asyncio.Event()
    stopped: list[frozenset[str]] = []

    async def slow(scenario: Scenario, attributes: frozenset[str]) -> float:
        started.set()
        try:
            await asyncio.sleep(60)
        finally:
            stopped.append(attributes)
        return 3.0

    planner = MctsPlanner(MctsSettings(concurrency=3))
    task = asyncio.create_task(
        planner.plan(person(), slow, even_prior, attributes=PENGUIN, budget=3, evaluations=20, seed=0)
    )
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(stopped) == 3


# ---- settings and the leaf model -------------------------------------------------------------------------------------


def test_the_published_settings() -> None:
    paper = MctsSettings.paper()
    assert (paper.depth, paper.rollouts, paper.c_puct, paper.epsilon, paper.readout) == (5, 300, 0.5, 0.2, "greedy")
    assert MctsPlanner.paper().settings == paper
    assert MctsPlanner.paper().name == "mcts-paper"


@pytest.mark.parametrize(
    "wrong", [{"c_puct": -1}, {"rollouts": 0}, {"prior_floor": 0}, {"concurrency": 0}, {"prune": False}, {"other": 1}]
)
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        MctsSettings.model_validate(wrong)


async def test_a_leaf_model_that_knows_the_rewards_is_followed() -> None:
    score = synthetic(9)
    best = best_set(score, 4)

    class Insider(RunningMean):
        """Stands for a fitted model: its value of a set is near the truth from the start."""

        def value(self, known: frozenset[str]) -> float:
            return len(known & best) / 4

        def prior(
            self, known: frozenset[str], remaining: Sequence[str], prior: Mapping[str, float]
        ) -> Mapping[str, float]:
            return {a: prior[a] * (50.0 if a in best else 1.0) for a in remaining}

    seen: list[tuple[Scenario, int]] = []

    def make(scenario: Scenario, attributes: Sequence[str], depth: int) -> LeafModel:
        seen.append((scenario, depth))
        return Insider()

    reward = RecordedReward(score)
    found = await plan(MctsPlanner(leaf_model=make), reward, budget=4, evaluations=10)
    assert set(found.path) == best
    assert seen == [(person(), 4)]


def test_main_effects_learn_which_attribute_is_worth_it() -> None:
    model = MainEffects()
    assert isinstance(model, LeafModel)
    assert model.value(frozenset({"age"})) == 0.5
    model.observe(frozenset({"age", "gender"}), 0.9)
    model.observe(frozenset({"gender", "profession"}), 0.3)
    # mean 0.6; age: (0.9 - 0.6) / 2; profession: (0.3 - 0.6) / 2; gender: (1.2 - 2 * 0.6) / 3
    assert model.value(frozenset()) == pytest.approx(0.6)
    assert model.value(frozenset({"age"})) == pytest.approx(0.75)
    assert model.value(frozenset({"profession", "gender"})) == pytest.approx(0.45)
    assert model.value(frozenset({"age", "never seen"})) == pytest.approx(0.75)
    assert RunningMean().value(frozenset()) == 0.5
