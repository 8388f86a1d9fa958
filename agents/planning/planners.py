"""The planners by name, and from a scenario to the path that goes into the store."""

from __future__ import annotations

import math
import random
from abc import ABC
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Self

from ...domains import DomainPack, Scenario, UnknownNameError
from ...vectorstore import PlannedPath
from ..context import PathPlanner, PlanLimits, PlanResult, Prior, Reward
from ..errors import PlanningError
from .attribute_sets import Choices
from .mcts_settings import MctsSettings
from .paper_mcts import PaperMctsPlanner, PaperMctsSettings
from .path_order import best_path, result
from .rewards import Evaluations
from .search_task import Planner, SearchTask

if TYPE_CHECKING:
    from .effects import DomainEffects

__all__ = [
    "PLANNERS",
    "BayesPlanner",
    "ExhaustivePlanner",
    "GreedyPlanner",
    "MctsPlanner",
    "RandomPlanner",
    "StaticPlanner",
    "plan_scenario",
    "planner_named",
    "preset_planner",
]

_MUCH_SHARED = 0.3  # of the variance of effects: where scenarios have as much in common, there is less to doubt


async def plan_scenario(
    scenario: Scenario,
    planner: PathPlanner,
    reward: Reward,
    prior: Prior,
    *,
    pack: DomainPack,
    limits: PlanLimits,
    model_name: str,
    judge_name: str,
    planned_at: datetime | None = None,
) -> tuple[PlannedPath, PlanResult]:
    """Plan ``scenario`` over all attributes of ``pack``.

    Args:
        limits: how far to go; ``Burden.of(pack, most)`` is what asking costs by the pack.
        model_name: which model answered when the reward was measured.
        judge_name: who scored the answers.
        planned_at: kept with the path; None: not known.

    Returns:
        The path for the store, and what the planner found; ``Lesson.of`` takes from it what other scenarios may learn.

    Raises:
        PlanningError: no path; ``__cause__`` is the last failed evaluation, if that was why.
    """
    found = await planner.plan(scenario, reward, prior, attributes=pack.attribute_ids, limits=limits)
    path = PlannedPath(
        query=scenario.query,
        domain=scenario.domain,
        path=found.path,
        score=found.score,
        prefix_scores=found.prefix_scores,
        evaluations=found.evaluations,
        planner=planner.name,
        model=model_name,
        judge=judge_name,
        pack=pack.name,
        pack_version=pack.version,
        scenario_id=scenario.id,
        seed=limits.seed,
        budget=limits.budget,
        max_burden=limits.burden.limit,
        max_evaluations=limits.evaluations,
        planned_at=planned_at,
    )
    return path, found


def planner_named(name: str, pack: DomainPack, *, concurrency: int = 1) -> PathPlanner:
    """The planner of this name, one of ``PLANNERS``. Raises ``UnknownNameError`` with the nearest one."""
    if name not in PLANNERS:
        raise UnknownNameError("planner", name, PLANNERS)
    return PLANNERS[name](pack, concurrency)


def preset_planner(name: str, preset: str) -> str:
    """The name of the planner ``name`` with the settings ``preset``.

    "default"; for "mcts" also "paper", the published search; for "mcts" and "bayes" also "noisy".

    Raises:
        UnknownNameError: there is no such preset.
    """
    presets = {"default": name}
    if name in ("mcts", "mcts-paper"):
        presets["paper"] = "mcts-paper"
    if f"{name}-noisy" in PLANNERS:
        presets["noisy"] = f"{name}-noisy"
    if preset not in presets:
        raise UnknownNameError(f"preset of planner {name!r}", preset, presets)
    return presets[preset]


class MctsPlanner(Planner):
    """The default: PUCT over sets, with a Bayesian model of effects behind it (``mcts``, docs/adr/0003-planner.md).

    The prior is asked once, for the root. The path is the best set evaluated, in good order (``best_path``); where
    scores are noisy, that of the highest expected score, since the best of many draws was lucky.

    The same seed and settings give the same plan, whatever the timing: evaluations go in rounds of ``concurrency``, and
    each round is learned in its own order.
    """

    name = "mcts"

    _tree = True

    def __init__(self, settings: MctsSettings | None = None, *, domain: DomainEffects | None = None) -> None:
        self._settings, self._domain = settings or MctsSettings(), domain
        if self._settings.noisy:
            self.name += "-noisy"

    def informed(self, domain: DomainEffects) -> Self:
        """The same planner, which starts from what other scenarios of the domain taught. Exact scores only."""
        if self._settings.noisy:
            return self
        much = domain.shared >= _MUCH_SHARED
        return type(self)(self._settings.informed() if much else self._settings, domain=domain)

    async def _search(self, task: SearchTask) -> PlanResult:
        from .mcts import search  # numpy

        return await search(task, self._settings, domain=self._domain, tree=self._tree)


class BayesPlanner(MctsPlanner):
    """The same belief without a tree: each round takes the sets of the highest value."""

    name = "bayes"

    _tree = False


class StaticPlanner(Planner):
    """The pack's most sensitive attributes in that order, for every query (section 4); evaluated to report scores."""

    name = "static"

    def __init__(self, pack: DomainPack) -> None:
        self._order = pack.by_sensitivity()

    async def _search(self, task: SearchTask) -> PlanResult:
        """Where the whole path has no score, the longest prefix that has one is the path."""
        allowed = task.choices
        place = {a: i for i, a in enumerate(self._order)}
        path = allowed.fill(sorted(allowed.attributes, key=lambda a: place.get(a, len(place))))
        paid = task.account()
        await paid.measure(frozenset(path[:n]) for n in (*range(len(path), 0, -1), 0))
        paid.require_a_score()
        longest = max(n for n in range(1, len(path) + 1) if frozenset(path[:n]) in paid.scores)
        return result(paid, allowed, None, path[:longest])


class _SeveralAtATime(Planner, ABC):
    def __init__(self, *, concurrency: int = 1) -> None:
        self._concurrency = concurrency


class RandomPlanner(_SeveralAtATime):
    """Evaluates random sets of the budget's size and keeps the best: what a search has to beat."""

    name = "random"

    async def _search(self, task: SearchTask) -> PlanResult:
        """One evaluation for each prefix is kept back, at most half of all."""
        allowed = task.choices
        paid = task.account(concurrency=self._concurrency)
        most = task.limits.evaluations
        kept = min(allowed.depth, most // 2)
        await paid.measure(_random_sets(allowed, most - kept, random.Random(task.limits.seed)))
        return await best_path(paid, allowed, await task.weights())


class ExhaustivePlanner(_SeveralAtATime):
    """Evaluates every set of the budget's size: the oracle, for C(10, 3) = 120 evaluations or C(10, 5) = 252."""

    name = "exhaustive"

    async def _search(self, task: SearchTask) -> PlanResult:
        """Raises ``PlanningError`` before anything is spent if ``evaluations`` are too few."""
        allowed = task.choices
        needed = sum(1 for _ in allowed.terminal_sets())
        if needed > task.limits.evaluations:
            raise PlanningError(
                task.scenario.id,
                f"there are {needed} sets of {allowed.depth} out of {len(allowed.attributes)} attributes, and "
                f"{task.limits.evaluations} evaluations; allow more of them, or take a planner that searches",
            )
        paid = task.account(concurrency=self._concurrency)
        await paid.measure(allowed.terminal_sets())
        return await best_path(paid, allowed, await task.weights())


class GreedyPlanner(_SeveralAtATime):
    """Adds the attribute that helps most, one at a time, then swaps single attributes while that helps.

    Cheap and short-sighted: it misses attributes that only help together.
    """

    name = "greedy"

    async def _search(self, task: SearchTask) -> PlanResult:
        """With few evaluations the prior decides which candidates are tried."""
        allowed = task.choices
        weights = await task.weights()
        paid = task.account(concurrency=self._concurrency)
        likely = sorted(allowed.attributes, key=lambda a: -weights[a])
        chosen = await _forward(paid, allowed, likely)
        await _swap(paid, allowed, chosen, likely, weights, self._concurrency)
        return await best_path(paid, allowed, weights)


PLANNERS: Mapping[str, Callable[[DomainPack, int], PathPlanner]] = {
    "mcts": lambda pack, n: MctsPlanner(MctsSettings(concurrency=n)),
    "bayes": lambda pack, n: BayesPlanner(MctsSettings(concurrency=n)),
    "mcts-noisy": lambda pack, n: MctsPlanner(MctsSettings(concurrency=n, noisy=True)),
    "bayes-noisy": lambda pack, n: BayesPlanner(MctsSettings(concurrency=n, noisy=True)),
    "mcts-paper": lambda pack, n: PaperMctsPlanner(PaperMctsSettings(concurrency=n)),
    "greedy": lambda pack, n: GreedyPlanner(concurrency=n),
    "static": lambda pack, n: StaticPlanner(pack),
    "random": lambda pack, n: RandomPlanner(concurrency=n),
    "exhaustive": lambda pack, n: ExhaustivePlanner(concurrency=n),
}
"""Name -> maker of the planner, from the pack and the number of evaluations that may be under way at a time."""


def _random_sets(allowed: Choices, count: int, rng: random.Random) -> list[frozenset[str]]:
    if count >= math.comb(len(allowed.attributes), allowed.depth):
        return list(allowed.terminal_sets())
    sets: dict[frozenset[str], None] = {}
    for _ in range(20 * count):  # with a burden there may be fewer sets than asked for
        if len(sets) == count:
            break
        sets[frozenset(allowed.fill(rng.sample(allowed.attributes, len(allowed.attributes))))] = None
    return list(sets)


async def _forward(paid: Evaluations, allowed: Choices, likely: Sequence[str]) -> frozenset[str]:
    chosen: frozenset[str] = frozenset()
    while extensions := allowed.extensions(chosen):
        candidates = [chosen | {a} for a in likely if a in extensions]
        later = allowed.depth - len(chosen) - 1  # one evaluation for each step to come
        await paid.measure(candidates[: max(0, paid.left - later)])
        chosen = max(candidates, key=lambda s: paid.scores.get(s, 0.0))
    return chosen


async def _swap(
    paid: Evaluations,
    allowed: Choices,
    chosen: frozenset[str],
    likely: Sequence[str],
    weights: Mapping[str, float],
    step: int,
) -> None:
    better = True
    while better and paid.left:
        better = False
        pairs = [(out, a) for out in likely if out in chosen for a in likely if a not in chosen]
        pairs.sort(key=lambda p: weights[p[0]] - weights[p[1]])
        # With a burden a swap may leave room for more, and is then filled up; or it is itself beyond it.
        stay = [a for a in likely if a in chosen]
        swaps = [frozenset(allowed.fill([a, *(b for b in stay if b != out), *likely])) for out, a in pairs]
        for start in range(0, len(swaps), step):
            few = swaps[start : start + step]
            await paid.measure(few)
            best = max(few, key=lambda s: paid.scores.get(s, 0.0))
            if paid.scores.get(best, 0.0) > paid.scores.get(chosen, 0.0):
                chosen, better = best, True
                break
