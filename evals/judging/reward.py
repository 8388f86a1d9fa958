"""What a set of attributes is worth: answer with exactly those known, then judge (paper, C.1)."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping
from typing import Protocol

from ...domains import DomainPack, Scenario
from ...simulators.dialogue import TranscriptMessage
from ..errors import RewardUnscored
from .judge import Judge
from .verdict import Unscored

__all__ = ["BestSubset", "JudgedAnswerReward", "ScenarioAnswerer"]


class ScenarioAnswerer(Protocol):
    """Answers ``scenario.query`` from exactly ``known``. Raises when it fails: an error is never an answer."""

    async def __call__(self, scenario: Scenario, known: Mapping[str, str]) -> str: ...


class JudgedAnswerReward:
    """The planner's reward: a real answer, scored by a judge that sees the full profile.

    Args:
        answerer: writes the answer from the revealed attributes only.
        judge: scores it.
    """

    def __init__(self, answerer: ScenarioAnswerer, judge: Judge) -> None:
        self._answerer, self._judge = answerer, judge

    async def __call__(self, scenario: Scenario, attributes: frozenset[str]) -> float:
        """Personalized Safety Score, 1 to 5, of the answer with exactly ``attributes`` of the profile revealed.

        Raises:
            RewardUnscored: the answer is empty or the judge gave no score.
            ModelError: the answer could not be had.
        """
        answer = await self._answerer(scenario, dict(scenario.profile.only(attributes).values))
        if not answer.strip():
            raise RewardUnscored(scenario.id, attributes, "EmptyAnswer")
        transcript = (
            TranscriptMessage(role="user", content=scenario.query),
            TranscriptMessage(role="assistant", content=answer),
        )
        verdict = await self._judge.judge(scenario, transcript, answer)
        if isinstance(verdict, Unscored):
            raise RewardUnscored(scenario.id, attributes, verdict.reason)
        return verdict.score


class _Reward(Protocol):
    async def __call__(self, scenario: Scenario, attributes: frozenset[str]) -> float: ...


class BestSubset:
    """The oracle of section 4: the best of all subsets of ``k`` known attributes, by trying every one.

    A scenario's search runs once, also when several repeats ask at a time. Of equal subsets the one that comes first in
    the pack's sensitivity order wins. Subsets without a score are left out.

    Args:
        reward: what a subset is worth; called C(known, k) times a scenario, 120 for 3 of 10.
    """

    def __init__(self, reward: _Reward, pack: DomainPack) -> None:
        self._reward, self._order = reward, pack.by_sensitivity()
        self._found: dict[tuple[str, int], tuple[str, ...]] = {}
        self._locks: dict[tuple[str, int], asyncio.Lock] = {}

    async def __call__(self, scenario: Scenario, k: int) -> tuple[str, ...]:
        """Ids of the best ``k`` attributes, in sensitivity order.

        Raises:
            RewardUnscored: no subset has a score.
            ModelError: an answer could not be had.
        """
        key = (scenario.id, k)
        async with self._locks.setdefault(key, asyncio.Lock()):
            if key not in self._found:
                self._found[key] = await self._search(scenario, k)
            return self._found[key]

    async def _search(self, scenario: Scenario, k: int) -> tuple[str, ...]:
        known = [a for a in self._order if a in scenario.profile.values]
        subsets = list(itertools.combinations(known, k))
        results = await asyncio.gather(*(self._reward(scenario, frozenset(s)) for s in subsets), return_exceptions=True)
        scored: list[tuple[float, tuple[str, ...]]] = []
        for subset, result in zip(subsets, results, strict=True):
            if isinstance(result, float | int):
                scored.append((result, subset))
            elif not isinstance(result, RewardUnscored):
                raise result
        if not scored:
            raise RewardUnscored(scenario.id, frozenset(known), "every subset is unscored")
        return max(scored, key=lambda pair: pair[0])[1]
