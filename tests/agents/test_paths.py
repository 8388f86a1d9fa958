from __future__ import annotations

from askfirst.agents.evaluations import Evaluations
from askfirst.agents.paths import best_path, plannable

from tests.conformance.path_planner import RecordedReward, Score, person, synthetic

A, B, C, D = "age", "gender", "profession", "health_status"
ORDER = (A, B, C, D)


def s(*attributes: str) -> frozenset[str]:
    return frozenset(attributes)


async def paid_for(score: Score, sets: list[frozenset[str]], limit: int) -> tuple[Evaluations, RecordedReward]:
    reward = RecordedReward(score)
    paid = Evaluations(person(), reward, limit=limit)
    await paid.measure(sets)
    reward.calls.clear()
    return paid, reward


def by_name(known: frozenset[str], attribute: str) -> float:
    return -ORDER.index(attribute)


def test_attributes_are_planned_over_once_and_in_their_order() -> None:
    assert plannable(person([A, C, B]), [C, A, C, "mood", B], 2, 1) == ([C, A, B], 2)
    assert plannable(person([A]), [A, B], 5, 1) == ([A], 1)


async def test_with_evaluations_to_spare_every_step_is_compared() -> None:
    score = synthetic(3, ORDER)
    paid, _ = await paid_for(score, [s(A, B, C)], limit=20)
    found = await best_path(paid, ORDER, by_name)
    first = max((A, B, C), key=lambda a: score(s(a)))
    assert found.path[0] == first
    second = max({A, B, C} - {first}, key=lambda a: score(s(first, a)))
    assert found.path[1] == second
    assert found.prefix_scores == tuple(score(s(*found.path[:n])) for n in range(4))


async def test_with_just_enough_the_rank_orders_and_every_prefix_is_measured() -> None:
    paid, reward = await paid_for(lambda known: 1.0 + len(known), [s(A, B, C)], limit=4)
    found = await best_path(paid, ORDER, by_name)
    assert found.path == (A, B, C)
    assert reward.calls == [s(A), s(A, B), s()]
    assert found.prefix_scores == (1.0, 2.0, 3.0, 4.0)


async def test_with_one_to_spare_the_first_question_is_compared() -> None:
    paid, reward = await paid_for(lambda known: 1.0 + len(known) + (B in known) / 2, [s(A, B, C)], limit=5)
    found = await best_path(paid, ORDER, by_name)
    assert found.path == (B, A, C)
    assert reward.calls == [s(A), s(B), s(A, B), s()]


async def test_with_nothing_left_the_rank_orders_and_no_prefix_score_is_made_up() -> None:
    paid, reward = await paid_for(lambda known: 1.0 + len(known), [s(C, B, A)], limit=1)
    found = await best_path(paid, ORDER, by_name)
    assert (found.path, found.prefix_scores, reward.calls) == ((A, B, C), (), [])


async def test_of_equal_sets_the_smallest_is_the_path() -> None:
    paid, _ = await paid_for(lambda known: 4.0, [s(A, B, C), s(B, D), s(D)], limit=3)
    assert (await best_path(paid, ORDER, by_name)).path == (D,)


async def test_a_prefix_that_is_as_good_as_the_whole_ends_the_path() -> None:
    paid, _ = await paid_for(lambda known: 4.5 if s(A, C) <= known else 2.0, [s(A, B, C)], limit=20)
    found = await best_path(paid, ORDER, by_name)
    assert set(found.path) == {A, C}
    assert found.score == 4.5


async def test_a_failed_prefix_is_passed_over() -> None:
    reward = RecordedReward(lambda known: 1.0 + len(known), lambda known: known == s(A))
    paid = Evaluations(person(), reward, limit=20)
    await paid.measure([s(A, B, C)])
    found = await best_path(paid, ORDER, by_name)
    assert found.path == (B, A, C)
    assert found.failed == 1
