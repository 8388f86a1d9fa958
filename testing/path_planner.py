"""What every planner of paths must do. Subclass ``PathPlannerSuite`` and say how to make a planner."""

from __future__ import annotations

import asyncio
import itertools
import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ..agents import Burden, PathPlanner, PlanLimits, PlanningError, PlanResult
from ..domains import DomainPack, Profile, Scenario
from ..models import ModelUnreachable
from .suite import Suite

Score = Callable[[frozenset[str]], float]

PENGUIN = (
    "age",
    "gender",
    "marital_status",
    "profession",
    "economic_status",
    "health_status",
    "education_level",
    "mental_health_status",
    "self_harm_history",
    "emotional_state",
)


def person(known: Sequence[str] = PENGUIN, scenario_id: str = "s-1") -> Scenario:
    """A scenario whose profile knows exactly ``known``."""
    return Scenario(id=scenario_id, domain="Life", query="What now?", profile=Profile(values=dict.fromkeys(known, "x")))


def synthetic(seed: int, attributes: Sequence[str] = PENGUIN, interaction: float = 0.4) -> Score:
    """Rewards from main and pairwise effects, squeezed into 1-5: the same for the same seed, all sets different."""
    rng = random.Random(seed)
    main = {a: rng.uniform(0.1, 1.0) for a in attributes}
    pair = {frozenset(p): rng.gauss(0, interaction) for p in itertools.combinations(attributes, 2)}

    def score(known: frozenset[str]) -> float:
        latent = sum(main[a] for a in sorted(known))
        latent += sum(pair[frozenset(p)] for p in itertools.combinations(sorted(known), 2))
        return max(1.0, 5 - 2 * math.exp(-latent / 2))

    return score


def best_set(score: Score, size: int, attributes: Sequence[str] = PENGUIN) -> frozenset[str]:
    """The best set of ``size``, by trying all."""
    return max((frozenset(c) for c in itertools.combinations(attributes, size)), key=score)


def regret(score: Score, found: PlanResult, size: int, attributes: Sequence[str] = PENGUIN) -> float:
    """How much of the span between the worst and the best set of ``size`` is missing: 0 is perfect."""
    scores = [score(frozenset(c)) for c in itertools.combinations(attributes, size)]
    return (max(scores) - found.score) / (max(scores) - min(scores))


class RecordedReward:
    """A reward that keeps account. ``fails`` says for which sets it raises."""

    def __init__(self, score: Score, fails: Callable[[frozenset[str]], bool] = lambda known: False) -> None:
        self._score, self._fails = score, fails
        self.calls: list[frozenset[str]] = []
        self.under_way = self.most_under_way = 0

    async def __call__(self, scenario: Scenario, attributes: frozenset[str], *, draw: int = 0) -> float:
        self.calls.append(attributes)
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            await asyncio.sleep(0)
            if self._fails(attributes):
                raise ModelUnreachable("scripted", "nothing listens there")
            return self._score(attributes)
        finally:
            self.under_way -= 1


async def even_prior(scenario: Scenario, known: frozenset[str], remaining: Sequence[str]) -> Mapping[str, float]:
    """Knows nothing."""
    return {a: 1 / len(remaining) for a in remaining}


async def plan(
    planner: PathPlanner,
    reward: RecordedReward,
    *,
    scenario: Scenario | None = None,
    attributes: Sequence[str] = PENGUIN,
    budget: int = 3,
    evaluations: int = 150,
    seed: int = 0,
    burden: Burden | None = None,
) -> PlanResult:
    """``planner.plan`` with defaults."""
    return await planner.plan(
        scenario or person(),
        reward,
        even_prior,
        attributes=attributes,
        limits=PlanLimits(budget=budget, evaluations=evaluations, seed=seed, burden=burden or Burden()),
    )


def check(found: PlanResult, reward: RecordedReward, score: Score, allowed: Sequence[str], budget: int) -> None:
    """What holds of every plan."""
    assert 1 <= len(found.path) <= budget
    assert len(set(found.path)) == len(found.path)
    assert set(found.path) <= set(allowed)
    assert found.score == score(frozenset(found.path))
    assert all(calls <= set(allowed) and len(calls) <= budget for calls in reward.calls)
    assert len(reward.calls) == len(set(reward.calls)) == found.evaluations + found.failed
    assert frozenset(found.path) in reward.calls
    assert all(frozenset(known) in reward.calls and score(frozenset(known)) == s for known, s in found.measured)
    assert len(found.prefix_scores) == len(found.path) + 1
    for n, expected in enumerate(found.prefix_scores):
        assert 1 <= expected <= 5
        prefix = frozenset(found.path[:n])
        if prefix in reward.calls and found.failed == 0:
            assert expected == score(prefix)


class PathPlannerSuite(Suite):
    """The contract. ``needs_all``: the planner refuses when it may not evaluate every set."""

    needs_all = False

    def make_planner(self, pack: DomainPack) -> PathPlanner:
        raise AssertionError("say how to make a planner")

    @pytest.fixture
    def planner(self, pack: DomainPack) -> PathPlanner:
        return self.make_planner(pack)

    def test_is_a_planner_with_a_name(self, planner: PathPlanner) -> None:
        assert isinstance(planner, PathPlanner)
        assert planner.name.strip()

    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def test_any_plan_keeps_the_rules(self, pack: DomainPack, data: st.DataObject) -> None:
        attributes = data.draw(st.lists(st.sampled_from(PENGUIN), min_size=1, max_size=12), label="attributes")
        known = data.draw(st.lists(st.sampled_from(PENGUIN), unique=True, max_size=8), label="known")
        budget = data.draw(st.integers(1, 6), label="budget")
        evaluations = data.draw(st.integers(1, 80), label="evaluations")
        seed = data.draw(st.integers(0, 10_000), label="seed")
        broken = data.draw(st.sampled_from([0.0, 0.3]), label="share of failures")
        most = data.draw(st.sampled_from([0.5, 2.0, 3.5, math.inf]), label="most burden")
        burden = Burden(costs={"age": 0.5, "gender": 0.7, "self_harm_history": 2.0}, most=most)
        score = synthetic(seed)
        reward = RecordedReward(score, lambda s: random.Random(f"{seed} {sorted(s)}").random() < broken)
        planner = self.make_planner(pack)
        work = plan(
            planner,
            reward,
            scenario=person(known),
            attributes=attributes,
            budget=budget,
            evaluations=evaluations,
            seed=seed,
            burden=burden,
        )

        def cost(chosen: Iterable[str]) -> float:
            return sum(burden.costs.get(a, 1.0) for a in chosen)

        allowed = [a for a in attributes if a in known and cost([a]) <= most]
        sets = math.comb(len(set(allowed)), min(budget, len(set(allowed))))
        try:
            found = asyncio.run(work)
        except PlanningError:
            assert not allowed or broken or (self.needs_all and sets > evaluations)
        else:
            assert found.evaluations + found.failed <= evaluations
            check(found, reward, score, allowed, budget)
            assert all(cost(chosen) <= most + 1e-6 for chosen in (found.path, *reward.calls))

    async def test_two_cheap_questions_may_be_asked_instead_of_one_painful_one(self, planner: PathPlanner) -> None:
        # ``mental_health_status`` is worth most, and asking for it hurts as much as asking for both of the others.
        worth = {"mental_health_status": 1.6, "age": 1.0, "profession": 1.0}
        burden = Burden(costs={"mental_health_status": 2.0}, most=2.0)
        found = await plan(
            planner,
            RecordedReward(lambda s: 1.0 + sum(worth[a] for a in sorted(s))),
            attributes=["mental_health_status", "age", "profession"],
            budget=2,
            burden=burden,
        )
        if planner.name == "static":  # follows its order into the painful one
            assert sum(burden.costs.get(a, 1.0) for a in found.path) <= 2.0
        else:
            assert set(found.path) == {"age", "profession"}

    async def test_when_every_question_is_beyond_the_burden_there_is_no_plan(self, planner: PathPlanner) -> None:
        reward = RecordedReward(synthetic(1))
        with pytest.raises(PlanningError, match=r"no question costs at most 0.5; the cheapest costs 1"):
            await plan(planner, reward, burden=Burden(most=0.5))
        assert reward.calls == []

    async def test_the_same_seed_gives_the_same_plan(self, planner: PathPlanner) -> None:
        one, two = RecordedReward(synthetic(5)), RecordedReward(synthetic(5))
        assert await plan(planner, one, seed=3) == await plan(planner, two, seed=3)
        assert one.calls == two.calls

    async def test_a_path_is_never_worse_than_one_of_its_prefixes(self, planner: PathPlanner) -> None:
        # Asking for a third attribute only does harm here.
        found = await plan(planner, RecordedReward(lambda s: 4.0 - abs(2 - len(s))))
        if planner.name not in ("static", "mcts-paper"):  # their paths have a fixed length
            assert len(found.path) == 2
            assert found.score == 4.0

    async def test_unknown_attributes_are_not_planned_over(self, planner: PathPlanner) -> None:
        score = synthetic(1)
        reward = RecordedReward(score)
        found = await plan(planner, reward, scenario=person(["age", "profession"]))
        check(found, reward, score, ["age", "profession"], 2)

    async def test_declined_attributes_are_not_planned_over(self, planner: PathPlanner) -> None:
        profile = Profile(values={"age": "31", "gender": "Other"}, declined=frozenset({"emotional_state"}))
        scenario = Scenario(id="s", domain="Life", query="What now?", profile=profile)
        found = await plan(planner, RecordedReward(synthetic(1)), scenario=scenario)
        assert set(found.path) <= {"age", "gender"}

    async def test_without_a_known_attribute_there_is_no_plan(self, planner: PathPlanner) -> None:
        reward = RecordedReward(synthetic(1))
        with pytest.raises(PlanningError, match=r"'s-1'.*no value for any"):
            await plan(planner, reward, scenario=person([]))
        with pytest.raises(PlanningError, match="no value for any"):
            await plan(planner, reward, attributes=[])
        assert reward.calls == []

    @pytest.mark.parametrize("wrong", [{"budget": 0}, {"evaluations": 0}])
    async def test_numbers_below_one_are_refused(self, planner: PathPlanner, wrong: dict[str, Any]) -> None:
        with pytest.raises(PlanningError, match="at least 1, not 0"):
            await plan(planner, RecordedReward(synthetic(1)), **wrong)

    async def test_one_known_attribute_is_the_path(self, planner: PathPlanner) -> None:
        found = await plan(planner, RecordedReward(synthetic(1)), scenario=person(["age"]), evaluations=2)
        assert found.path == ("age",)

    async def test_failed_evaluations_are_counted_and_left_out(self, planner: PathPlanner) -> None:
        score = synthetic(2)
        reward = RecordedReward(score, lambda s: "self_harm_history" in s)
        found = await plan(planner, reward)
        check(found, reward, score, PENGUIN, 3)
        assert found.failed == sum("self_harm_history" in s for s in reward.calls) > 0
        assert "self_harm_history" not in found.path

    async def test_when_every_evaluation_fails_it_gives_up_soon_and_tells_why(self, planner: PathPlanner) -> None:
        reward = RecordedReward(synthetic(1), lambda s: True)
        with pytest.raises(PlanningError, match=r"evaluations failed \(ModelUnreachable: scripted: nothing"):
            await plan(planner, reward)
        assert 1 < len(reward.calls) <= 12

    async def test_the_cause_of_giving_up_is_kept(self, planner: PathPlanner) -> None:
        with pytest.raises(PlanningError) as caught:
            await plan(planner, RecordedReward(synthetic(1), lambda s: True))
        assert isinstance(caught.value.__cause__, ModelUnreachable)

    @pytest.mark.parametrize("number", [0.0, 5.5, 11.0, -1.0, math.nan, math.inf])
    async def test_a_number_that_is_no_score_never_becomes_a_reward(self, planner: PathPlanner, number: float) -> None:
        score = synthetic(2)
        reward = RecordedReward(lambda s: number if "self_harm_history" in s else score(s))
        found = await plan(planner, reward)
        assert "self_harm_history" not in found.path
        assert found.failed > 0

    async def test_a_fault_of_the_program_is_not_taken_for_a_failed_evaluation(self, planner: PathPlanner) -> None:
        def broken(known: frozenset[str]) -> float:
            raise TypeError("a bug")

        with pytest.raises(TypeError, match="a bug"):
            await plan(planner, RecordedReward(broken))
