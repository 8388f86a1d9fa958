"""A reward and a prior that keep what they paid for in a ledger, and never pay twice for the same."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from ....domains import Scenario
from ...context import Prior, Reward
from ...errors import SpendingLimitReached
from .evaluations import HIGHEST, LOWEST
from .reward_ledger import Entry, LedgerUnusable, Recipe, RewardLedger, digest
from .spending import Allowance

__all__ = [
    "KeptPrior",
    "KeptReward",
    "query_digest",
    "ranking_item",
    "scenario_digest",
    "set_item",
]


def scenario_digest(scenario: Scenario) -> str:
    """32 hex digits of what an answer and its judgement can depend on: its content, not its id or source."""
    return digest([scenario.domain, scenario.query, scenario.profile.values, scenario.background, scenario.country])


def query_digest(scenario: Scenario) -> str:
    """32 hex digits of what a ranking can depend on: a prior sees the query and no value of the profile."""
    return digest(["query", scenario.query])


def set_item(attributes: frozenset[str]) -> str:
    """Under what the ledger keeps the score of a set."""
    return ",".join(sorted(attributes))


def ranking_item(known: frozenset[str], remaining: Sequence[str]) -> str:
    """Under what the ledger keeps the ranking of ``remaining`` where ``known`` is known."""
    return f"{set_item(known)}|{','.join(remaining)}"


class _Once:
    """Looks a value up, or has it made once, however many ask at the same time. For one event loop."""

    def __init__(self, ledger: RewardLedger, recipe: Recipe, allowance: Allowance) -> None:
        self._ledger, self._recipe, self._allowance = ledger, recipe, allowance
        self._under_way: dict[tuple[str, str, int], asyncio.Future[Any]] = {}
        self.refused: set[str] = set()
        self.reused = self.paid = 0

    async def _get(
        self, scenario: str, item: str, make: Callable[[], Awaitable[Any]], usable: Callable[[Any], bool], draw: int = 0
    ) -> Any:
        """The kept value, or that of ``make``, kept before it is given if it is ``usable``."""
        key = (scenario, item, draw)
        while True:
            kept = self._ledger.get(self._recipe, scenario, item, draw=draw)
            if kept is not None:
                if not usable(kept.value):
                    raise LedgerUnusable(
                        self._ledger.path,
                        "holds a damaged entry; restore a copy, or name another file with --rewards",
                    )
                self.reused += 1
                return kept.value
            waiting = self._under_way.get(key)
            if waiting is None:
                return await self._buy(key, make, usable)
            await asyncio.wait([waiting])
            if not waiting.cancelled():  # else who made it was stopped, and the next one does
                return waiting.result()

    async def _buy(
        self, key: tuple[str, str, int], make: Callable[[], Awaitable[Any]], usable: Callable[[Any], bool]
    ) -> Any:
        """Pay for what nobody else is paying for, and tell all who wait for it how it went."""
        scenario, item, draw = key
        outcome = self._under_way[key] = asyncio.get_running_loop().create_future()

        def keep(entry: Entry) -> Any:
            self.paid += 1
            if not usable(entry.value):
                return entry.value  # whoever asked says what is wrong with it
            return self._ledger.put(self._recipe, scenario, item, entry, draw=draw).value

        try:
            value = await self._allowance.pay(self._recipe.kind, make, keep)
        except asyncio.CancelledError:
            outcome.cancel()
            raise
        except Exception as error:
            if isinstance(error, SpendingLimitReached):
                self.refused.add(scenario)
            outcome.set_exception(error)
            outcome.exception()  # seen: perhaps nobody else waits for it
            raise
        else:
            outcome.set_result(value)
            return value
        finally:
            del self._under_way[key]


class KeptReward(_Once):
    """A ``Reward`` that looks into ``ledger`` first, and writes there before it gives a new score.

    The same evaluation asked for twice at a time is paid once. A failure is raised to everyone who waits for it and is
    not kept, so a later run tries again.

    Args:
        reward: gives a score, or raises.
        recipe: what its scores depend on besides scenario and set.
        allowance: decides whether a new evaluation may still be paid.

    Attributes:
        refused: digests of the scenarios for which the allowance refused an evaluation.
        reused: how many scores came from the ledger.
        paid: how many are new.
    """

    def __init__(self, reward: Reward, ledger: RewardLedger, recipe: Recipe, allowance: Allowance) -> None:
        self._reward = reward
        super().__init__(ledger, recipe, allowance)

    async def __call__(self, scenario: Scenario, attributes: frozenset[str], *, draw: int = 0) -> float:
        """See ``Reward``. ``draw`` counts from 0: another number is a fresh draw of a noisy reward, kept beside it.

        Raises:
            SpendingLimitReached: the score is not in the ledger, and no new one may be paid.
            LedgerUnusable: the ledger cannot be read or written.
        """
        key, item = scenario_digest(scenario), set_item(attributes)
        score = await self._get(key, item, lambda: self._reward(scenario, attributes), _is_score, draw=draw)
        return float(score)


class KeptPrior(_Once):
    """A ``Prior`` that looks into ``ledger`` first, and writes there before it gives a new ranking.

    A failure of ``prior`` is raised to everyone who waits for it, and is not kept (see ``FallbackPrior``).

    Attributes:
        refused: digests of the queries for which the allowance refused a ranking.
    """

    def __init__(self, prior: Prior, ledger: RewardLedger, recipe: Recipe, allowance: Allowance) -> None:
        self._prior = prior
        super().__init__(ledger, recipe, allowance)

    async def __call__(
        self, scenario: Scenario, known: frozenset[str], remaining: Sequence[str]
    ) -> Mapping[str, float]:
        """See ``Prior``.

        Raises:
            SpendingLimitReached: the ranking is not in the ledger, and no new one may be paid.
            LedgerUnusable: the ledger cannot be read or written.
        """
        if len(remaining) < 2:
            return dict.fromkeys(remaining, 1.0)  # nothing to rank
        item = ranking_item(known, remaining)

        async def rank() -> dict[str, float]:
            return dict(await self._prior(scenario, known, remaining))

        ranking: Mapping[str, float] = await self._get(query_digest(scenario), item, rank, bool)
        return ranking


def _is_score(value: Any) -> bool:
    return isinstance(value, int | float) and LOWEST <= value <= HIGHEST
