"""What every planner does before it searches: one place for it, and one name for what is searched."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...domains import Scenario
from ..context import Burden, PlanResult, Prior, Reward
from .attribute_sets import Choices, choices_for
from .prior import with_floor
from .rewards import Evaluations

__all__ = ["Planner", "SearchTask"]


@dataclass(frozen=True)
class SearchTask:
    """One search.

    Attributes:
        scenario: whose sets are evaluated.
        reward: scores a set.
        prior: which attribute is worth asking next.
        choices: the sets.
        evaluations: most sets to pay for.
        seed: of everything random.
    """

    scenario: Scenario
    reward: Reward
    prior: Prior
    choices: Choices
    evaluations: int
    seed: int

    def account(self, *, concurrency: int = 1, noisy: bool = False) -> Evaluations:
        """Nothing spent yet."""
        return Evaluations(self.scenario, self.reward, limit=self.evaluations, concurrency=concurrency, noisy=noisy)

    async def weights(self) -> Mapping[str, float]:
        """The prior of everything that can be asked for, before anything is known."""
        names = self.choices.attributes
        return with_floor(await self.prior(self.scenario, frozenset(), names), names, 0.0)


class Planner(ABC):
    """A ``PathPlanner`` that brings its own search."""

    name: str
    """As in ``PLANNERS``."""

    async def plan(
        self,
        scenario: Scenario,
        reward: Reward,
        prior: Prior,
        *,
        attributes: Sequence[str],
        budget: int,
        evaluations: int,
        seed: int,
        burden: Burden | None = None,
    ) -> PlanResult:
        """See ``PathPlanner``.

        Raises:
            PlanningError: nothing can be planned over, or every evaluation failed.
        """
        allowed = choices_for(scenario, attributes, self._depth(budget), evaluations, burden)
        return await self._search(SearchTask(scenario, reward, prior, allowed, evaluations, seed))

    def _depth(self, budget: int) -> int:
        """Most attributes of a set, of at most ``budget``."""
        return budget

    @abstractmethod
    async def _search(self, task: SearchTask) -> PlanResult:
        """Find the path."""
