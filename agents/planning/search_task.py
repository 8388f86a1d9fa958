"""What all searches share: the limits checked, the prior asked, the result with what others may learn from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...domains import Scenario
from ..context import PlanLimits, PlanResult, Prior, Reward
from .attribute_sets import Choices, choices_for
from .prior import with_floor
from .rewards import Evaluations

__all__ = ["Planner", "SearchTask"]


class Planner(ABC):
    """A ``PathPlanner`` that brings its own search."""

    name: str
    """As in ``PLANNERS``."""

    async def plan(
        self, scenario: Scenario, reward: Reward, prior: Prior, *, attributes: Sequence[str], limits: PlanLimits
    ) -> PlanResult:
        """See ``PathPlanner``.

        Raises:
            PlanningError: nothing can be planned over, or every evaluation failed.
        """
        limits = self._within(limits)
        task = SearchTask(scenario, reward, prior, choices_for(scenario, attributes, limits), limits)
        found = await self._search(task)
        return found if task.ranking is None else found.model_copy(update={"ranking": dict(task.ranking)})

    def _within(self, limits: PlanLimits) -> PlanLimits:
        """The limits of the search, no wider than ``limits``."""
        return limits

    @abstractmethod
    async def _search(self, task: SearchTask) -> PlanResult:
        """Find the path."""


@dataclass
class SearchTask:
    """One search.

    Attributes:
        scenario: whose sets are evaluated.
        reward: scores a set.
        prior: which attribute is worth asking next.
        choices: the sets.
        limits: how far to go.
        ranking: what the prior said before anything was known, once it was asked.
    """

    scenario: Scenario
    reward: Reward
    prior: Prior
    choices: Choices
    limits: PlanLimits
    ranking: Mapping[str, float] | None = None

    def account(self, *, concurrency: int = 1, noisy: bool = False) -> Evaluations:
        """Nothing spent yet."""
        limit = self.limits.evaluations
        return Evaluations(self.scenario, self.reward, limit=limit, concurrency=concurrency, noisy=noisy)

    async def weights(self) -> Mapping[str, float]:
        """The prior of everything that can be asked for, before anything is known."""
        names = self.choices.attributes
        return with_floor(await self.ranked(frozenset(), names), names, 0.0)

    async def ranked(self, known: frozenset[str], remaining: Sequence[str]) -> Mapping[str, float]:
        """What the prior says of ``remaining`` where ``known`` is known."""
        ranking = await self.prior(self.scenario, known, remaining)
        if not known:
            self.ranking = ranking
        return ranking
