from __future__ import annotations

import pytest
from askfirst.agents.context import Burden, PathPlanner, PlanLimits
from askfirst.agents.errors import PlanningError
from askfirst.agents.planning.planners import (
    PLANNERS,
    ExhaustivePlanner,
    GreedyPlanner,
    RandomPlanner,
    StaticPlanner,
    plan_scenario,
    planner_named,
    preset_planner,
)
from askfirst.agents.planning.prior import PackPrior
from askfirst.domains import DomainPack, UnknownNameError
from askfirst.models import ModelUnreachable
from askfirst.testing.path_planner import (
    PENGUIN,
    PathPlannerSuite,
    RecordedReward,
    best_set,
    person,
    plan,
    synthetic,
)


class TestGreedy(PathPlannerSuite):
    def make_planner(self, pack: DomainPack) -> PathPlanner:
        return GreedyPlanner()


class TestGreedyWithConcurrency(PathPlannerSuite):
    def make_planner(self, pack: DomainPack) -> PathPlanner:
        return GreedyPlanner(concurrency=4)


class TestStatic(PathPlannerSuite):
    def make_planner(self, pack: DomainPack) -> PathPlanner:
        return StaticPlanner(pack)


class TestRandom(PathPlannerSuite):
    def make_planner(self, pack: DomainPack) -> PathPlanner:
        return RandomPlanner(concurrency=2)


class TestExhaustive(PathPlannerSuite):
    needs_all = True

    def make_planner(self, pack: DomainPack) -> PathPlanner:
        return ExhaustivePlanner(concurrency=4)


# ---- each by itself --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
async def test_exhaustive_is_the_oracle(seed: int) -> None:
    score = synthetic(seed, interaction=1.0)
    found = await plan(ExhaustivePlanner(), RecordedReward(score), evaluations=126)
    assert found.score >= score(best_set(score, 3))
    assert len(found.prefix_scores) == len(found.path) + 1


async def test_exhaustive_refuses_before_it_spends_anything() -> None:
    reward = RecordedReward(synthetic(1))
    with pytest.raises(PlanningError, match="120 sets of 3 out of 10 attributes, and 119 evaluations"):
        await plan(ExhaustivePlanner(), reward, evaluations=119)
    assert reward.calls == []


async def test_static_follows_the_pack_whatever_the_rewards_are(pack: DomainPack) -> None:
    for seed in range(3):
        found = await plan(StaticPlanner(pack), RecordedReward(synthetic(seed)), budget=4, evaluations=10)
        assert found.path == pack.by_sensitivity()[:4]
        assert (found.evaluations, len(found.prefix_scores)) == (5, 5)


async def test_static_with_one_evaluation_scores_the_whole_path(pack: DomainPack) -> None:
    reward = RecordedReward(synthetic(1))
    found = await plan(StaticPlanner(pack), reward, budget=4, evaluations=1)
    assert reward.calls == [frozenset(pack.by_sensitivity()[:4])]
    assert (len(found.path), found.evaluations) == (4, 1)


async def test_static_falls_back_to_the_longest_prefix_with_a_score(pack: DomainPack) -> None:
    found = await plan(StaticPlanner(pack), RecordedReward(synthetic(1), lambda s: len(s) > 2), budget=4)
    assert found.path == pack.by_sensitivity()[:2]
    assert found.failed == 2


async def test_greedy_is_exact_where_attributes_do_not_interact() -> None:
    for seed in range(3):
        score = synthetic(seed, interaction=0.0)
        found = await plan(GreedyPlanner(), RecordedReward(score), budget=4, evaluations=80)
        assert set(found.path) == best_set(score, 4)


async def test_greedy_swaps_out_of_its_first_choice() -> None:
    # ``age`` is best alone and worst in company.
    def score(known: frozenset[str]) -> float:
        alone = 3.0 if "age" in known else 2.0
        return min(5.0, alone + 0.75 * len(known & {"gender", "profession"}) - (len(known) > 1) * 2 * ("age" in known))

    reward = RecordedReward(score)
    found = await plan(GreedyPlanner(), reward, attributes=["age", "gender", "profession"], budget=2, evaluations=20)
    assert set(found.path) == {"gender", "profession"}


async def test_greedy_with_few_evaluations_still_scores_a_whole_path() -> None:
    for evaluations in (1, 2, 3, 5):
        reward = RecordedReward(lambda s: 1.0 + len(s) / 2)
        found = await plan(GreedyPlanner(), reward, budget=3, evaluations=evaluations)
        assert len(found.path) == 3


async def test_random_never_pays_twice_and_keeps_the_best_it_saw() -> None:
    score = synthetic(2)
    reward = RecordedReward(score)
    found = await plan(RandomPlanner(), reward, evaluations=40, seed=5)
    assert found.score >= max(score(s) for s in reward.calls if len(s) == 3)


# ---- by name ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list(PLANNERS))
def test_every_planner_goes_by_its_name(name: str, pack: DomainPack) -> None:
    assert planner_named(name, pack, concurrency=3).name == name


def test_an_unknown_planner_is_told_with_the_nearest(pack: DomainPack) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'greedy'"):
        planner_named("gredy", pack)


def test_the_paper_preset_is_the_published_search() -> None:
    assert preset_planner("mcts", "paper") == preset_planner("mcts-paper", "paper") == "mcts-paper"
    assert preset_planner("greedy", "default") == "greedy"
    for name, preset in (("greedy", "paper"), ("mcts", "papr")):
        with pytest.raises(UnknownNameError, match="preset"):
            preset_planner(name, preset)


# ---- from a scenario to a stored path --------------------------------------------------------------------------------


async def test_plan_scenario_gives_a_path_that_says_where_it_comes_from(pack: DomainPack) -> None:
    score = synthetic(1)
    path, found = await plan_scenario(
        person(),
        planner_named("mcts", pack),
        RecordedReward(score),
        PackPrior(pack),
        pack=pack,
        limits=PlanLimits(budget=3, evaluations=30, seed=1),
        model_name="offline",
        judge_name="heuristic",
    )
    assert (path.query, path.domain, path.scenario_id) == ("What now?", "Life", "s-1")
    assert (path.planner, path.model, path.judge) == ("mcts", "offline", "heuristic")
    assert (path.pack, path.pack_version) == (pack.name, pack.version)
    assert path.score == score(frozenset(path.path)) == path.prefix_scores[-1]
    assert path.evaluations == len(found.measured) <= 30
    assert (path.path, path.prefix_scores) == (found.path, found.prefix_scores)
    assert (path.seed, path.budget, path.max_evaluations, path.max_burden) == (1, 3, 30, None)


async def test_plan_scenario_keeps_within_what_the_pack_says_it_costs_to_ask(pack: DomainPack) -> None:
    costs = {a.id: a.ask_cost for a in pack.attributes}
    for name in PLANNERS:
        path, _ = await plan_scenario(
            person(),
            planner_named(name, pack),
            RecordedReward(synthetic(3)),
            PackPrior(pack),
            pack=pack,
            limits=PlanLimits(budget=3, evaluations=150, seed=1, burden=Burden.of(pack, 2.0)),
            model_name="m",
            judge_name="j",
        )
        assert sum(costs[a] for a in path.path) <= 2.0 + 1e-9
        assert path.max_burden == 2.0


async def test_a_path_holds_no_value_of_the_profile(pack: DomainPack) -> None:
    scenario = person().model_copy(update={"profile": pack.profile({a: f"secret {a} value" for a in PENGUIN})})
    path, _ = await plan_scenario(
        scenario,
        planner_named("greedy", pack),
        RecordedReward(synthetic(1)),
        PackPrior(pack),
        pack=pack,
        limits=PlanLimits(budget=3, evaluations=30, seed=1),
        model_name="m",
        judge_name="j",
    )
    assert "secret" not in path.model_dump_json()


async def test_the_error_holds_no_value_of_the_profile(pack: DomainPack) -> None:
    scenario = person().model_copy(update={"profile": pack.profile({"age": "secret"})})
    with pytest.raises(PlanningError) as caught:
        await plan_scenario(
            scenario,
            planner_named("mcts", pack),
            RecordedReward(synthetic(1), lambda s: True),
            PackPrior(pack),
            pack=pack,
            limits=PlanLimits(budget=3, evaluations=30, seed=1),
            model_name="m",
            judge_name="j",
        )
    assert "secret" not in str(caught.value)
    assert isinstance(caught.value.__cause__, ModelUnreachable)
