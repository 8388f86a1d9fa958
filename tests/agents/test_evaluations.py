from __future__ import annotations

import asyncio

import pytest
from askfirst.agents.errors import PlanningError
from askfirst.agents.evaluations import Evaluations, memoised
from askfirst.domains import Profile, Scenario
from askfirst.models import ModelTimeout, ModelUnreachable, Usage, collect_usage, record_usage

from tests.conformance.path_planner import RecordedReward, person

AGE, MOOD = frozenset({"age"}), frozenset({"emotional_state"})
BOTH = AGE | MOOD


def size(known: frozenset[str]) -> float:
    return 1.0 + len(known)


# ---- the account of one plan -----------------------------------------------------------------------------------------


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


# ---- memoised --------------------------------------------------------------------------------------------------------


class Gate:
    """A reward that waits until it is let through."""

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.calls = 0
        self.cancelled = 0
        self.error: Exception | None = None

    async def __call__(self, scenario: Scenario, attributes: frozenset[str]) -> float:
        self.calls += 1
        try:
            await self.open.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if self.error is not None:
            raise self.error
        return size(attributes)


async def test_one_evaluation_is_shared_by_all_who_ask_at_once_and_later() -> None:
    gate = Gate()
    reward = memoised(gate)
    waiting = [asyncio.create_task(reward(person(), AGE)) for _ in range(5)]
    await asyncio.sleep(0)
    gate.open.set()
    assert await asyncio.gather(*waiting) == [2.0] * 5
    assert await reward(person(), AGE) == 2.0
    assert gate.calls == 1


async def test_other_sets_and_other_people_are_evaluated_by_themselves() -> None:
    recorded = RecordedReward(size)
    reward = memoised(recorded)
    other = person().model_copy(update={"profile": Profile(values={"age": "another"})})
    for scenario, attributes in ((person(), AGE), (person(), MOOD), (other, AGE), (person(scenario_id="2"), AGE)):
        await reward(scenario, attributes)
    assert len(recorded.calls) == 4


async def test_a_failure_reaches_all_who_wait_and_is_then_forgotten() -> None:
    gate = Gate()
    gate.error = ModelTimeout("m", "no reply")
    reward = memoised(gate)
    waiting = [asyncio.create_task(reward(person(), AGE)) for _ in range(3)]
    await asyncio.sleep(0)
    gate.open.set()
    results = await asyncio.gather(*waiting, return_exceptions=True)
    assert all(isinstance(r, ModelTimeout) for r in results)
    gate.error = None
    assert await reward(person(), AGE) == 2.0
    assert gate.calls == 2


async def test_who_is_cancelled_does_not_take_it_from_the_others() -> None:
    gate = Gate()
    reward = memoised(gate)
    first, second = (asyncio.create_task(reward(person(), AGE)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.sleep(0)
    gate.open.set()
    assert await second == 2.0
    assert gate.calls == 1


async def test_when_all_are_cancelled_so_is_the_evaluation_and_the_next_starts_anew() -> None:
    gate = Gate()
    reward = memoised(gate)
    tasks = [asyncio.create_task(reward(person(), AGE)) for _ in range(2)]
    await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.sleep(0)
    assert gate.cancelled == 1
    gate.open.set()
    assert await reward(person(), AGE) == 2.0


def test_it_may_be_used_from_one_event_loop_after_another() -> None:
    recorded = RecordedReward(size, lambda s: s == MOOD)
    reward = memoised(recorded)
    assert asyncio.run(_value(reward, AGE)) == asyncio.run(_value(reward, AGE)) == 2.0
    for _ in range(2):
        with pytest.raises(ModelUnreachable):
            asyncio.run(_value(reward, MOOD))
    assert recorded.calls == [AGE, MOOD, MOOD]


async def test_usage_counts_for_who_asked_first() -> None:
    async def paid(scenario: Scenario, attributes: frozenset[str]) -> float:
        record_usage(Usage(calls=1))
        return 3.0

    reward = memoised(paid)
    with collect_usage() as meter:
        await reward(person(), AGE)
        await reward(person(), AGE)
    assert meter.total.calls == 1


async def _value(reward: object, attributes: frozenset[str]) -> float:
    return await reward(person(), attributes)  # type: ignore[operator,no-any-return]
