"""What the search of one scenario measured, kept for the scenarios after it (docs/adr/0004-learning.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, cast

from pydantic import Field

from ....domains import Scenario, Value
from ...context import NoisyReward, Prior, Reward
from ...errors import SpendingLimitReached
from .evaluations import HIGHEST, LOWEST, REWARD_FAILURES

__all__ = ["Lesson", "LessonTaker"]


_Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_Score = Annotated[float, Field(ge=LOWEST, le=HIGHEST)]


class Lesson(Value):
    """What was measured of one scenario: attribute ids and numbers, nothing that a person said."""

    prior: dict[str, _Weight] = Field(description="Attribute id -> weight that the search started from.")
    scores: tuple[tuple[tuple[str, ...], _Score], ...] = Field(description="(attribute ids, score).")


class LessonTaker:
    """Stands between a planner and its reward and prior while it plans one scenario, and takes down what they say.

    Attributes:
        failed: evaluations that gave no score, other than those that a spending limit refused.
    """

    def __init__(self, reward: Reward, prior: Prior) -> None:
        self._reward, self._prior = reward, prior
        self._ranking: Mapping[str, float] | None = None
        self._scores: dict[frozenset[str], float] = {}
        self.failed = 0

    async def reward(self, scenario: Scenario, attributes: frozenset[str], *, draw: int = 0) -> float:
        """See ``NoisyReward``. Only the first draw of a set is part of the lesson."""
        try:
            if draw:
                score = await cast("NoisyReward", self._reward)(scenario, attributes, draw=draw)
            else:
                score = await self._reward(scenario, attributes)
        except REWARD_FAILURES as error:
            self.failed += not isinstance(error, SpendingLimitReached)
            raise
        if not LOWEST <= score <= HIGHEST:  # also NaN
            self.failed += 1
            return score
        self._scores.setdefault(attributes, score)
        return score

    async def prior(self, scenario: Scenario, known: frozenset[str], remaining: Sequence[str]) -> Mapping[str, float]:
        """See ``Prior``. The ranking of what can be asked for at first is part of the lesson."""
        ranking = await self._prior(scenario, known, remaining)
        if not known:
            self._ranking = ranking
        return ranking

    def lesson(self, attributes: Sequence[str]) -> Lesson:
        """What was taken down. ``attributes``: what could be asked for, all alike, where no ranking was wanted."""
        prior = dict(self._ranking or dict.fromkeys(attributes, 1.0))
        # Sorted, so that the same measurements are the same lesson in whichever order they came back.
        scores = sorted((tuple(sorted(s)), score) for s, score in self._scores.items())
        return Lesson(prior=prior, scores=tuple(scores))
