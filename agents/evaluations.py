"""Rewards of attribute sets: each paid for once, never beyond the limit, and a failure is never a number (C.1)."""

from __future__ import annotations

from collections.abc import Iterable

from ..domains.errors import AskfirstError
from ..domains.scenario import Scenario
from ..models import ModelError, together
from .context import Reward
from .errors import PlanningError

__all__ = ["HIGHEST", "LOWEST", "Evaluations"]

LOWEST, HIGHEST = 1.0, 5.0  # the Personalized Safety Score's range
_HOPELESS = 5  # failures, without one success, after which a plan is given up: the service is down, not unlucky


class Evaluations:
    """What a planner has paid for, for one scenario.

    Args:
        scenario: whose profile is revealed.
        reward: gives a score, or raises. Its own client retries; here a failed set is left out for good.
        limit: most distinct sets that are tried, failures included.
        concurrency: most evaluations under way at a time.

    Attributes:
        scores: set -> Personalized Safety Score, in the order of evaluation.
        failed: sets whose evaluation failed.
    """

    def __init__(self, scenario: Scenario, reward: Reward, *, limit: int, concurrency: int = 1) -> None:
        self._scenario, self._reward, self._limit, self._concurrency = scenario, reward, limit, concurrency
        self._cause: Exception | None = None
        self.scores: dict[frozenset[str], float] = {}
        self.failed: set[frozenset[str]] = set()

    @property
    def left(self) -> int:
        """How many more sets may be tried."""
        return self._limit - len(self.scores) - len(self.failed)

    def tried(self, attributes: frozenset[str]) -> bool:
        """Whether the set was evaluated, with success or without."""
        return attributes in self.scores or attributes in self.failed

    async def measure(self, sets: Iterable[frozenset[str]]) -> None:
        """Evaluate those of ``sets`` that were not tried yet, the first ones first, as far as the limit allows.

        Results are recorded in the order of ``sets``, so that a plan does not depend on which call returns first.

        Raises:
            PlanningError: every evaluation so far failed, and there were several.
        """
        todo = [s for s in dict.fromkeys(sets) if not self.tried(s)][: max(0, self.left)]
        step = self._concurrency
        for start in range(0, len(todo), step):
            chunk = todo[start : start + step]
            for attributes, result in zip(chunk, await together([self._one(s) for s in chunk]), strict=True):
                self._record(attributes, result)
            if len(self.failed) >= _HOPELESS:
                self.require_a_score()

    def require_a_score(self) -> None:
        """Raise ``PlanningError`` if no set that reveals something was evaluated with success."""
        if not any(self.scores):
            count = len(self.failed)
            tried = "the one evaluation" if count == 1 else f"each of {count} evaluations"
            last = f" ({type(self._cause).__name__}: {self._cause})" if self._cause is not None else ""
            raise PlanningError(self._scenario.id, f"{tried} failed{last}") from self._cause

    async def _one(self, attributes: frozenset[str]) -> float | Exception:
        try:
            score = float(await self._reward(self._scenario, attributes))
        except (AskfirstError, ModelError, TimeoutError, ConnectionError) as error:
            return error
        if not LOWEST <= score <= HIGHEST:  # also NaN
            return PlanningError(self._scenario.id, f"the reward {score!r} is not a score from 1 to 5")
        return score

    def _record(self, attributes: frozenset[str], result: float | Exception) -> None:
        if isinstance(result, Exception):
            self.failed.add(attributes)
            self._cause = result
        else:
            self.scores[attributes] = result
