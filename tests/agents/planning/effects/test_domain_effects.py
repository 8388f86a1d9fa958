from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
from askfirst.agents import Lesson, MctsPlanner, MctsSettings, PlanLimits
from askfirst.agents.planning.effects.domain_effects import DomainEffects
from askfirst.agents.planning.effects.effects import BayesianEffects, hypotheses
from askfirst.domains import Profile, Scenario

NAMES = tuple("abcdef")
DOMAIN = {"a": 0.55, "b": 0.45, "c": 0.1, "d": 0.0, "e": -0.1, "f": -0.2}
REVERSED = dict(zip(NAMES, reversed(DOMAIN.values()), strict=True))
SETS = [frozenset(s) for s in itertools.combinations(NAMES, 3)]
EVEN = dict.fromkeys(NAMES, 1 / 6)


def score(known: frozenset[str], effects: dict[str, float], seed: int = 0) -> float:
    """Of a person whose effects are near to those of the domain."""
    rng = random.Random(seed)
    own = {a: effect + rng.gauss(0, 0.05) for a, effect in effects.items()}
    return 5 - math.exp(-sum(own[a] for a in sorted(known)))


def lesson(seed: int, names: Sequence[str] = NAMES) -> Lesson:
    sets = random.Random(seed).sample([s for s in SETS if s <= set(names)], 4)
    return Lesson(
        prior=dict.fromkeys(names, 1.0), scores=tuple((tuple(sorted(s)), score(s, DOMAIN, seed)) for s in sets)
    )


def taught(count: int) -> DomainEffects:
    domain = DomainEffects(NAMES)
    for seed in range(count):
        domain = domain.after(lesson(seed))
    return domain


def belief(domain: DomainEffects) -> BayesianEffects:
    members = np.array([[float(a in s) for a in NAMES] for s in SETS])
    return BayesianEffects(members, domain.hypotheses(EVEN, NAMES))


def test_without_a_lesson_the_belief_is_that_of_a_lone_scenario() -> None:
    assert [h.scales for h in DomainEffects(NAMES).hypotheses(EVEN, NAMES)] == [
        h.scales for h in hypotheses(EVEN, NAMES)
    ]
    assert np.ptp(belief(DomainEffects(NAMES)).mean()) < 1e-9


def test_after_some_scenarios_the_next_is_foreseen_before_its_first_evaluation() -> None:
    expected = belief(taught(12)).mean()
    truth = np.array([score(s, DOMAIN) for s in SETS])
    assert SETS[int(np.argmax(expected))] == {"a", "b", "c"}
    assert np.corrcoef(expected, truth)[0, 1] > 0.95
    # And it is surer the more it has seen.
    assert belief(taught(12)).sd().mean() < belief(taught(2)).sd().mean() < belief(DomainEffects(NAMES)).sd().mean()


def test_the_order_of_lessons_does_not_matter_and_a_belief_does_not_change() -> None:
    forward, before = taught(6), taught(5)
    known = belief(before).mean()
    backward = DomainEffects(NAMES)
    for seed in reversed(range(6)):
        backward = backward.after(lesson(seed))
    assert belief(backward).mean() == pytest.approx(belief(forward).mean(), abs=1e-6)
    before.after(lesson(5))
    assert (before.count, backward.count) == (5, 6)
    assert belief(before).mean() == pytest.approx(known, abs=0)


def test_a_scenario_with_fewer_attributes_teaches_and_learns() -> None:
    some = ("a", "b", "d", "e")
    domain = DomainEffects(NAMES)
    for seed in range(10):
        domain = domain.after(lesson(seed, some))
    members = np.array([[1.0, 1, 0], [1, 0, 1], [0, 1, 1]])
    mean = BayesianEffects(members, domain.hypotheses(None, ("a", "b", "e"))).mean()
    assert mean[0] > mean[1]
    assert mean[0] > mean[2]


@pytest.mark.parametrize(
    "odd",
    [
        Lesson(prior=EVEN, scores=()),
        Lesson(prior={"x": 1.0}, scores=((("x",), 3.0),)),
        Lesson(prior=EVEN, scores=((("a", "x"), 3.0),)),
    ],
)
def test_what_is_said_of_nothing_known_teaches_nothing(odd: Lesson) -> None:
    assert taught(2).after(odd).count == 2


def test_an_odd_scenario_is_seen_to_be_one_after_a_few_evaluations() -> None:
    odd = belief(taught(20))
    worst = SETS.index(frozenset("def"))
    assert odd.mean()[worst] < np.median(odd.mean())
    seen = [SETS.index(frozenset(s)) for s in ("abc", "abd", "cef", "bef")]
    odd.update([(row, score(SETS[row], REVERSED)) for row in seen])
    assert odd.mean()[worst] == max(np.delete(odd.mean(), seen))


@pytest.mark.parametrize("noisy", [False, True])
async def test_an_informed_search_finds_as_good_a_set_with_fewer_evaluations(noisy: bool) -> None:
    async def prior(scenario: Scenario, known: frozenset[str], remaining: Sequence[str]) -> dict[str, float]:
        return dict.fromkeys(remaining, 1.0)

    async def total(planner: MctsPlanner) -> tuple[int, float]:
        evaluations, scores = 0, 0.0
        for seed in range(100, 110):
            person = Scenario(id="p", domain="d", query="q?", profile=Profile(values=dict.fromkeys(NAMES, "x")))

            async def reward(scenario: Scenario, known: frozenset[str], *, draw: int = 0, seed: int = seed) -> float:
                return score(known, DOMAIN, seed)

            limits = PlanLimits(budget=3, evaluations=15, seed=seed)
            found = await planner.plan(person, reward, prior, attributes=NAMES, limits=limits)
            evaluations += found.evaluations
            scores += score(frozenset(found.path), DOMAIN, seed)
        return evaluations, scores / 10

    alone = MctsPlanner(MctsSettings(noisy=noisy, prefix_evaluations=0))
    informed = alone.informed(taught(20))
    without, with_lessons = await total(alone), await total(informed)
    if noisy:  # every draw is spent, and what noisy scores teach is another question
        assert with_lessons == without
    else:
        assert with_lessons[0] <= 0.7 * without[0]
        assert with_lessons[1] >= without[1] - 0.01
