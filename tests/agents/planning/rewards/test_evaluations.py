from __future__ import annotations

import asyncio

import pytest
from askfirst.agents.errors import PlanningError
from askfirst.agents.planning.rewards.evaluations import Evaluations
from askfirst.domains import Scenario
from askfirst.testing.path_planner import RecordedReward, person

AGE, MOOD = frozenset({"age"}), frozenset({"emotional_state"})
BOTH = AGE | MOOD


def size(known: frozenset[str]) -> float:
    return 1.0 + len(known)


async def test_a_set_is_paid_for_once() -> None:
    reward = RecordedReward(size)
    paid = Evaluations(person(), reward, limit=10)
    await paid.measure([AGE, MOOD, AGE])
    await paid.measure([AGE, BOTH])
    assert reward.calls == [AGE, MOOD, BOTH]
    assert paid.scores == {AGE: 2.0, MOOD: 2.0, BOTH: 3.0}
    assert paid.left == 7


async def test_the_limit_counts_failures_and_the_first_come_first() -> None:
    reward = RecordedReward(size, lambda s: s == AGE)
    paid = Evaluations(person(), reward, limit=2)
    await paid.measure([AGE, MOOD, BOTH])
    assert (reward.calls, paid.left, paid.failed) == ([AGE, MOOD], 0, {AGE})
    assert paid.tried(AGE)
    assert not paid.tried(BOTH)


async def test_a_failed_set_is_not_tried_again() -> None:
    reward = RecordedReward(size, lambda s: s == AGE)
    paid = Evaluations(person(), reward, limit=10)
    await paid.measure([AGE, MOOD])
    await paid.measure([AGE])
    assert reward.calls == [AGE, MOOD]


async def test_gives_up_after_some_failures_without_a_success() -> None:
    sets = [frozenset({str(n)}) for n in range(50)]
    paid = Evaluations(person(), RecordedReward(size, lambda s: True), limit=50)
    with pytest.raises(PlanningError, match="each of 5 evaluations failed"):
        await paid.measure(sets)


async def test_goes_on_after_failures_where_one_succeeded() -> None:
    sets = [frozenset({str(n)}) for n in range(50)]
    paid = Evaluations(person(), RecordedReward(size, lambda s: s != sets[0]), limit=50)
    await paid.measure(sets)
    assert (len(paid.scores), len(paid.failed)) == (1, 49)


async def test_the_empty_set_alone_is_no_score_for_a_path() -> None:
    paid = Evaluations(person(), RecordedReward(size), limit=5)
    await paid.measure([frozenset()])
    with pytest.raises(PlanningError):
        paid.require_a_score()


async def test_a_fault_stops_the_evaluations_beside_it() -> None:
    stopped = []

    async def reward(scenario: Scenario, attributes: frozenset[str]) -> float:
        if attributes == AGE:
            await asyncio.sleep(0)
            raise TypeError("a bug")
        try:
            await asyncio.sleep(60)
        finally:
            stopped.append(attributes)
        return 3.0

    with pytest.raises(TypeError):
        await Evaluations(person(), reward, limit=5, concurrency=2).measure([AGE, MOOD])
    assert stopped == [MOOD]


# ---- noisy scores ----------------------------------------------------------------------------------------------------


async def test_a_noisy_set_is_paid_for_again_and_its_score_is_the_mean_of_its_draws() -> None:
    draws: list[tuple[frozenset[str], int]] = []

    async def reward(scenario: Scenario, attributes: frozenset[str], *, draw: int = 0) -> float:
        draws.append((attributes, draw))
        return 3.0 + draw

    paid = Evaluations(person(), reward, limit=4, noisy=True)
    assert await paid.measure([AGE, MOOD]) == [(AGE, 3.0), (MOOD, 3.0)]
    assert await paid.measure([AGE]) == [(AGE, 4.0)]
    assert (paid.scores[AGE], paid.draws(AGE), paid.paid, paid.left) == (3.5, (3.0, 4.0), 3, 1)
    await paid.measure([AGE, MOOD])
    assert draws == [(AGE, 0), (MOOD, 0), (AGE, 1), (AGE, 2)]
    assert paid.left == 0


async def test_a_failed_repeat_counts_and_takes_nothing_away() -> None:
    async def reward(scenario: Scenario, attributes: frozenset[str], *, draw: int = 0) -> float:
        if draw:
            raise TimeoutError
        return 3.0

    paid = Evaluations(person(), reward, limit=3, noisy=True)
    await paid.measure([AGE])
    assert await paid.measure([AGE]) == [(AGE, None)]
    assert (paid.scores, paid.failed, paid.left) == ({AGE: 3.0}, set(), 1)
