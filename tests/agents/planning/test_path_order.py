from __future__ import annotations

import random
from itertools import combinations

from askfirst.agents.planning.attribute_sets import Choices
from askfirst.agents.planning.path_order import best_path, result
from askfirst.agents.planning.rewards.evaluations import Evaluations
from askfirst.testing.path_planner import RecordedReward, Score, person, synthetic

A, B, C, D = "age", "gender", "profession", "health_status"
ORDER = (A, B, C, D)
CHOICES = Choices(ORDER, 3)
PRIOR = {A: 0.4, B: 0.3, C: 0.2, D: 0.1}


def s(*attributes: str) -> frozenset[str]:
    return frozenset(attributes)


async def paid_for(score: Score, sets: list[frozenset[str]], limit: int) -> tuple[Evaluations, RecordedReward]:
    reward = RecordedReward(score)
    paid = Evaluations(person(), reward, limit=limit)
    await paid.measure(sets)
    reward.calls.clear()
    return paid, reward


def additive(known: frozenset[str]) -> float:
    """``profession`` is worth most, then ``gender``, then ``age``."""
    return 1.5 + 1.2 * (C in known) + 0.8 * (B in known) + 0.3 * (A in known)


async def test_every_prefix_is_the_best_known_that_extends_the_one_before() -> None:
    for seed in range(6):
        score = synthetic(seed, ORDER)
        paid, reward = await paid_for(score, [s(*c) for c in combinations(ORDER, 3)], limit=30)
        found = await best_path(paid, CHOICES, PRIOR)
        known = paid.scores
        for n in range(1, len(found.path)):
            chosen = frozenset(found.path[:n])
            others = [frozenset((*found.path[: n - 1], a)) for a in found.path[n:]]
            assert all(known.get(other, 0.0) <= known[chosen] for other in others)
        assert found.prefix_scores == tuple(score(frozenset(found.path[:n])) for n in range(len(found.path) + 1))
        assert len(reward.calls) <= 6  # not every candidate is paid for: of 7 subsets some need no look


async def test_no_step_passes_over_one_that_was_measured_to_be_better() -> None:
    for seed in range(40):
        score = synthetic(seed, ORDER, interaction=1.2)
        sets = [s(*c) for n in (1, 2, 3) for c in combinations(ORDER, n)]
        some = random.Random(seed).sample(sets, 7)
        paid, _ = await paid_for(score, some, limit=9)
        found = await best_path(paid, CHOICES, PRIOR)
        for n in range(1, len(found.path) + 1):
            chosen, steps = found.path[:n], [s(*found.path[: n - 1], a) for a in found.path[n - 1 :]]
            best = max((paid.scores[step] for step in steps if step in paid.scores), default=None)
            assert best is None or paid.scores.get(s(*chosen)) == best


async def test_a_candidate_that_looks_best_and_is_not_gives_way_to_the_next() -> None:
    # The prior likes age best, and nothing that was evaluated speaks against it.
    paid, reward = await paid_for(lambda known: 4.0 if known != s(A) else 1.5, [s(A, B, C)], limit=20)
    found = await best_path(paid, CHOICES, PRIOR)
    assert reward.calls[:2] == [s(A), s(B)]
    assert found.path == (B,)


async def test_with_just_enough_every_prefix_is_measured() -> None:
    paid, reward = await paid_for(additive, [s(*c) for c in combinations(ORDER, 3)], limit=7)
    found = await best_path(paid, CHOICES, {C: 0.6, B: 0.3, A: 0.1})
    assert reward.calls == [s(C), s(C, B), s()]
    assert found.prefix_scores == tuple(additive(s(*found.path[:n])) for n in range(4))


async def test_with_nothing_left_the_model_orders_and_says_what_it_expects() -> None:
    sets = [s(*c) for c in combinations(ORDER, 3)] + [s(*c) for c in combinations(ORDER, 2)]
    paid, reward = await paid_for(additive, sets, limit=len(sets))
    found = await best_path(paid, CHOICES, dict.fromkeys(ORDER, 0.25))
    assert (found.path, reward.calls) == ((C, B, A), [])
    assert found.prefix_scores[2:] == (additive(s(C, B)), additive(s(A, B, C)))  # measured
    assert abs(found.prefix_scores[1] - additive(s(C))) < 0.6  # expected
    assert 1 <= found.prefix_scores[0] < found.prefix_scores[1] < found.prefix_scores[2]


async def test_what_may_be_spent_on_the_order_is_limited() -> None:
    for most in range(4):
        paid, reward = await paid_for(additive, [s(A, B, C)], limit=20)
        found = await best_path(paid, CHOICES, PRIOR, most=most)
        assert len(reward.calls) <= most
        assert len(found.prefix_scores) == 4


async def test_what_a_model_expects_stays_a_score() -> None:
    paid, _ = await paid_for(lambda known: 1.0 + (len(known) > 2) * 0.02, [s(A, B, C), s(A, B, D)], limit=2)
    found = result(paid, CHOICES, None, [A, B, C])
    assert min(found.prefix_scores) >= 1.0


async def test_of_equal_sets_the_smallest_is_the_path() -> None:
    paid, _ = await paid_for(lambda known: 4.0, [s(A, B, C), s(B, D), s(D)], limit=3)
    assert (await best_path(paid, CHOICES, PRIOR)).path == (D,)


async def test_a_prefix_that_is_as_good_as_the_whole_ends_the_path() -> None:
    paid, _ = await paid_for(lambda known: 4.5 if s(A, C) <= known else 2.0, [s(A, B, C)], limit=20)
    found = await best_path(paid, CHOICES, PRIOR)
    assert set(found.path) == {A, C}
    assert found.score == 4.5


async def test_a_failed_prefix_is_passed_over() -> None:
    reward = RecordedReward(lambda known: 1.0 + len(known), lambda known: known == s(A))
    paid = Evaluations(person(), reward, limit=20)
    await paid.measure([s(A, B, C)])
    found = await best_path(paid, CHOICES, PRIOR)
    assert found.path[0] == B
    assert found.failed == 1


async def test_where_every_next_step_failed_the_prior_orders() -> None:
    reward = RecordedReward(lambda known: 1.0 + len(known), lambda known: len(known) == 1)
    paid = Evaluations(person(), reward, limit=20)
    await paid.measure([s(A, B, C)])
    found = await best_path(paid, CHOICES, PRIOR)
    assert found.path[0] == A
    assert len(found.prefix_scores) == 4
