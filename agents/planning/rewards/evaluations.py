"""Rewards of attribute sets: never paid beyond the limit, each once unless noisy; a failure is no number (C.1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from ....domains import AskfirstError, Scenario
from ....models import ModelError, together
from ...context import NoisyReward, Reward
from ...errors import PlanningError, SpendingLimitReached

__all__ = ["HIGHEST", "LOWEST", "REWARD_FAILURES", "Evaluations"]

LOWEST, HIGHEST = 1.0, 5.0  # the Personalized Safety Score's range
REWARD_FAILURES = (AskfirstError, ModelError, TimeoutError, ConnectionError)
"""What a reward raises of one set that failed; anything else ends the run."""
_HOPELESS = 5  # failures, without one success, after which a plan is given up: the service is down, not unlucky


class Evaluations:
    """What a planner has paid for, for one scenario.

    Args:
        scenario: whose profile is revealed.
        reward: gives a score, or raises. Its own client retries; here a failed set is left out for good.
        limit: most evaluations, failures included.
        concurrency: most evaluations under way at a time.
        noisy: whether a set may be evaluated again, for a fresh draw; ``reward`` is then a ``NoisyReward``.

    Attributes:
        scores: set -> Personalized Safety Score, in the order of evaluation; the mean of its draws if noisy.
        failed: sets of which no evaluation succeeded.
    """

    def __init__(
        self, scenario: Scenario, reward: Reward, *, limit: int, concurrency: int = 1, noisy: bool = False
    ) -> None:
        self._scenario, self._reward, self._limit, self._concurrency = scenario, reward, limit, concurrency
        self._draws: dict[frozenset[str], list[float]] = {}
        self._failures = self._refused = 0
        self._cause: Exception | None = None
        self.noisy = noisy
        self.scores: dict[frozenset[str], float] = {}
        self.failed: set[frozenset[str]] = set()

    @property
    def paid(self) -> int:
        """How many evaluations gave a score."""
        return sum(map(len, self._draws.values()))

    @property
    def failures(self) -> int:
        """How many evaluations gave none, other than those that a spending limit refused."""
        return self._failures - self._refused

    @property
    def left(self) -> int:
        """How many more evaluations there may be."""
        return self._limit - self.paid - self._failures

    @property
    def measured(self) -> tuple[tuple[tuple[str, ...], float], ...]:
        """(attribute ids, first score) of every set with a score. Sorted, so that the same measurements are the same in
        whichever order they came back."""
        return tuple(sorted((tuple(sorted(s)), draws[0]) for s, draws in self._draws.items()))

    def draws(self, attributes: frozenset[str]) -> tuple[float, ...]:
        """The scores of one set, one for each evaluation."""
        return tuple(self._draws.get(attributes, ()))

    def tried(self, attributes: frozenset[str]) -> bool:
        """Whether the set was evaluated, with success or without."""
        return attributes in self.scores or attributes in self.failed

    async def measure(self, sets: Iterable[frozenset[str]]) -> list[tuple[frozenset[str], float | None]]:
        """Evaluate those of ``sets`` that were not tried yet, the first ones first, as far as the limit allows.

        If noisy, those with a score are evaluated once more. Results are recorded in the order of ``sets``, so that a
        plan does not depend on which call returns first.

        Returns:
            (set, score) of each evaluation; None: it failed.

        Raises:
            PlanningError: every evaluation so far failed, and there were several.
        """
        known = self.failed if self.noisy else self.failed | self.scores.keys()
        todo = [s for s in dict.fromkeys(sets) if s not in known][: max(0, self.left)]
        step, outcomes = self._concurrency, []
        for start in range(0, len(todo), step):
            chunk = todo[start : start + step]
            for attributes, result in zip(chunk, await together([self._one(s) for s in chunk]), strict=True):
                outcomes.append((attributes, self._record(attributes, result)))
            if len(self.failed) >= _HOPELESS:
                self.require_a_score()
        return outcomes

    def require_a_score(self) -> None:
        """Raise ``PlanningError`` if no set that reveals something was evaluated with success."""
        if not any(self.scores):
            count = len(self.failed)
            tried = "the one evaluation" if count == 1 else f"each of {count} evaluations"
            last = f" ({type(self._cause).__name__}: {self._cause})" if self._cause is not None else ""
            raise PlanningError(self._scenario.id, f"{tried} failed{last}") from self._cause

    async def _one(self, attributes: frozenset[str]) -> float | Exception:
        try:
            if draw := len(self.draws(attributes)):
                again = cast("NoisyReward", self._reward)
                score = float(await again(self._scenario, attributes, draw=draw))
            else:
                score = float(await self._reward(self._scenario, attributes))
        except REWARD_FAILURES as error:
            return error
        if not LOWEST <= score <= HIGHEST:  # also NaN
            return PlanningError(self._scenario.id, f"the reward {score!r} is not a score from 1 to 5")
        return score

    def _record(self, attributes: frozenset[str], result: float | Exception) -> float | None:
        if isinstance(result, Exception):
            self._cause = result
            self._failures += 1
            self._refused += isinstance(result, SpendingLimitReached)
            if attributes not in self.scores:
                self.failed.add(attributes)
            return None
        draws = self._draws.setdefault(attributes, [])
        draws.append(result)
        self.scores[attributes] = sum(draws) / len(draws)
        return result
