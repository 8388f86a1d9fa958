"""Single searches of a study: each over scores and rankings that are the same for all searches of a scenario."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..agents import PathPlanner, PlanLimits, PlanningError, Prior, Reward
from ..agents.planning import Choices
from ..agents.planning.rewards import REWARD_FAILURES
from ..domains import Scenario
from ..evals.experiments import Search

__all__ = ["Ranked", "SearchJob", "Told", "even", "repeat", "search"]


@dataclass(frozen=True)
class SearchJob:
    """One search.

    Attributes:
        series: as in ``Search``.
        seed: number of the repeat.
        limits: the planner's own, its seed too; ``evaluations`` is where on its curve the search stands.
        by_rollouts: of which curve it is.
    """

    series: str
    seed: int
    limits: PlanLimits
    planner: PathPlanner
    prior: Prior
    by_rollouts: bool


class Told:
    """A reward that remembers, for one scenario, also what failed: every search is told the same."""

    def __init__(self, reward: Reward) -> None:
        self._reward = reward
        self._kept: dict[frozenset[str], float | Exception] = {}

    @property
    def failed(self) -> int:
        """How many sets failed."""
        return sum(isinstance(outcome, Exception) for outcome in self._kept.values())

    async def __call__(self, scenario: Scenario, attributes: frozenset[str]) -> float:
        outcome = await self._outcome(scenario, attributes)
        if isinstance(outcome, Exception):
            raise outcome.with_traceback(None)  # else each raising would add to what it holds
        return outcome

    async def score(self, scenario: Scenario, attributes: frozenset[str]) -> float | None:
        """None: it failed."""
        outcome = await self._outcome(scenario, attributes)
        return None if isinstance(outcome, Exception) else outcome

    async def _outcome(self, scenario: Scenario, attributes: frozenset[str]) -> float | Exception:
        if attributes not in self._kept:
            outcome: float | Exception
            try:
                outcome = await self._reward(scenario, attributes)
            except REWARD_FAILURES as error:
                outcome = error
            self._kept.setdefault(attributes, outcome)  # the first of several that asked at a time stands
        return self._kept[attributes]


class Ranked:
    """A prior that remembers, for one scenario: where a model failed to rank, every search gets the same instead."""

    def __init__(self, prior: Prior) -> None:
        self._prior = prior
        self._kept: dict[tuple[frozenset[str], tuple[str, ...]], Mapping[str, float]] = {}

    async def __call__(
        self, scenario: Scenario, known: frozenset[str], remaining: Sequence[str]
    ) -> Mapping[str, float]:
        key = (known, tuple(remaining))
        if key not in self._kept:
            ranking = await self._prior(scenario, known, remaining)
            self._kept.setdefault(key, ranking)
        return self._kept[key]


async def even(scenario: Scenario, known: frozenset[str], remaining: Sequence[str]) -> Mapping[str, float]:
    """The prior of the unguided search."""
    del scenario, known
    return dict.fromkeys(remaining, 1 / len(remaining))


async def search(
    job: SearchJob, scenario: Scenario, told: Told, allowed: Choices
) -> tuple[Search, tuple[frozenset[str], ...]]:
    """What the search found, and the distinct sets that it asked for, in order."""
    asked: dict[frozenset[str], None] = {}

    async def reward(scenario: Scenario, attributes: frozenset[str]) -> float:
        asked[attributes] = None
        return await told(scenario, attributes)

    try:
        found = await job.planner.plan(scenario, reward, job.prior, attributes=allowed.attributes, limits=job.limits)
        score = await told.score(scenario, frozenset(found.path))
    except PlanningError:
        score = None
    at = job.limits.evaluations
    return Search(series=job.series, at=at, seed=job.seed, score=score, spent=len(asked)), tuple(asked)


def repeat(courses: Sequence[tuple[frozenset[str], ...]]) -> bool:
    """Whether of any two courses the longer one begins with the shorter one."""
    ordered = sorted(courses, key=len)
    return all(longer[: len(shorter)] == shorter for shorter, longer in itertools.pairwise(ordered))
