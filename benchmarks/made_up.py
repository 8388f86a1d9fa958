"""Made-up persons whose best set of attributes is known."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["ATTRIBUTES", "Person", "made_up", "regret"]

ATTRIBUTES = tuple(f"attribute_{letter}" for letter in "abcdefghij")


@dataclass
class Person:
    """Scores of one made-up person. Called with a set, it keeps account, as a bill would.

    Attributes:
        true: set -> score from 1 to 5.
        effects: of single attributes.
        noise: standard deviation of one score, in points; 0: the same set always scores the same.
        spent: calls where there is noise, else distinct sets.
    """

    true: Mapping[frozenset[str], float]
    effects: Mapping[str, float]
    noise: float
    rng: random.Random
    spent: int = 0

    def __post_init__(self) -> None:
        self._told: dict[frozenset[str], float] = {}

    @property
    def noisy(self) -> bool:
        """Whether every call is a fresh draw."""
        return self.noise > 0

    def __call__(self, attributes: list[str]) -> float:
        known = frozenset(attributes)
        if self.noisy:
            self.spent += 1
            return self.true[known] + self.rng.gauss(0, self.noise)
        self._told[known] = self.true[known]
        self.spent = len(self._told)
        return self._told[known]


def made_up(
    number: int, *, seed: int, pairs: float = 0.2, alone: float = 0.02, noise: float = 0.0, shared: float = 0.0
) -> Person:
    """Person ``number`` of the domain ``seed``, the same every time.

    Args:
        pairs: standard deviation of the effect of a pair; half of them have one.
        alone: of what belongs to one set alone.
        shared: share of the variance of effects that is the same for all of the domain, 0 to 1.
    """
    rng, domain = random.Random(f"{seed} person {number}"), random.Random(f"{seed} domain")
    own, same = _effects(rng, pairs), _effects(domain, pairs)
    a, b = math.sqrt(shared), math.sqrt(1 - shared)
    middle = 0.25  # mean of the single effects
    singles = {name: middle + a * (same[0][name] - middle) + b * (own[0][name] - middle) for name in ATTRIBUTES}
    scores = {}
    for size in range(len(ATTRIBUTES) + 1):
        for members in itertools.combinations(ATTRIBUTES, size):
            latent = sum(singles[m] for m in members) + rng.gauss(0, alone)
            latent += sum(a * same[1][p] + b * own[1][p] for p in itertools.combinations(members, 2))
            scores[frozenset(members)] = min(5.0, max(1.0, 5 - 2.2 * math.exp(-0.7 * latent)))
    return Person(scores, singles, noise, random.Random(f"{seed} draws {number}"))


def regret(person: Person, found: frozenset[str], size: int) -> float:
    """(best - found) / (best - worst) over the sets of ``size``."""
    scores = [person.true[frozenset(c)] for c in itertools.combinations(ATTRIBUTES, size)]
    return (max(scores) - person.true[found]) / (max(scores) - min(scores))


def _effects(rng: random.Random, pairs: float) -> tuple[dict[str, float], dict[tuple[str, str], float]]:
    single = {a: rng.triangular(-0.1, 0.7, 0.15) for a in ATTRIBUTES}
    return single, {
        pair: rng.gauss(0, pairs) if rng.random() < 0.5 else 0.0 for pair in itertools.combinations(ATTRIBUTES, 2)
    }
