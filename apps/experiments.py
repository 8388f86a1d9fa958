"""Binds the studies of ``evals.experiments`` to planners, models and the ledger of what was paid for."""

from __future__ import annotations

import asyncio
import itertools
import math
import random
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

from ..agents import PathPlanner, PlanLimits, PlanningError, Prior
from ..agents.planning import Choices, FallbackPrior, PaperMctsPlanner, PaperMctsSettings, choices_for
from ..agents.planning.rewards import (
    Allowance,
    Evaluations,
    RewardLedger,
    digest,
    query_digest,
    ranking_item,
    scenario_digest,
    set_item,
)
from ..domains import InputError, Scenario, UnknownNameError
from ..evals.experiments import GUIDED, UNGUIDED, ConvergenceSettings, ScenarioSearches
from ..models import ModelError, Usage, together
from .experiment_searches import Ranked, SearchJob, Told, even, repeat, search
from .plan_estimate import Estimate, mean_cost
from .planning import plan_limits
from .reward_keeping import PlanningParts, planning_parts, ranking_recipe, reward_recipe
from .settings import OFFLINE
from .wiring import Wiring

__all__ = [
    "STUDIED",
    "ConvergenceRequest",
    "ConvergenceRun",
    "convergence_settings",
    "estimate_convergence",
    "run_convergence",
]

STUDIED = ("mcts", "bayes", "mcts-paper", "greedy", "static", "random")
"""Planners whose regret is measured. ``exhaustive`` is what they are measured against."""

_PAPER = "mcts-paper"
_ROLES = ("agent", "judge", "planner")


@dataclass(frozen=True)
class ConvergenceRequest:
    """What to measure.

    Attributes:
        planners: of ``STUDIED``.
        rollouts: checkpoints of the published search.
        evaluations: most distinct sets that a planner may evaluate for one scenario.
        seed: the first seed.
        seeds: repeats with seeds of their own.
        max_calls: most calls of models in this run; None: no limit.
        max_tokens: most tokens of this run, input and output together; None: no limit.
    """

    planners: tuple[str, ...] = STUDIED
    rollouts: tuple[int, ...] = (5, 10, 20, 40, 80, 160, 320)
    evaluations: tuple[int, ...] = (4, 6, 8, 10, 12, 15, 20, 30, 45, 70, 100)
    seed: int = 0
    seeds: int = 1
    max_calls: int | None = None
    max_tokens: int | None = None


@dataclass
class ConvergenceRun:
    """What was measured.

    Attributes:
        results: scenarios that are complete, in the order of the data.
        waiting: ids of those that a spending limit cut short; the same command goes on with them.
        failed: (scenario id, reason).
        fallback_rankings: rankings that the planner's model did not give; None: not known, a limit refused some.
        paid: evaluations that were made.
        reused: how often a score came from the ledger.
        spent: calls and tokens of this run.
    """

    results: list[ScenarioSearches] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    fallback_rankings: int | None = 0
    paid: int = 0
    reused: int = 0
    spent: Usage = field(default_factory=Usage)


def convergence_settings(
    scenarios: Sequence[Scenario], wiring: Wiring, request: ConvergenceRequest
) -> ConvergenceSettings:
    """What decides the result.

    Raises:
        InputError: a planner that is not studied, a budget of 0, or a scenario's id that comes twice.
    """
    for name in request.planners:
        if name not in STUDIED:
            raise UnknownNameError("planner of this study", name, STUDIED)
    if wiring.settings.budget < 1:
        raise InputError(f"--budget: must be at least 1, not {wiring.settings.budget}")
    ids = [s.id for s in scenarios]
    if len(set(ids)) < len(ids):
        raise InputError(f"scenario {next(i for i in ids if ids.count(i) > 1)!r} appears twice; ids must be unique")
    reward, ranking = reward_recipe(wiring), ranking_recipe(wiring)
    return ConvergenceSettings(
        askfirst=version("askfirst"),
        data_digest=digest([scenario_digest(s) for s in scenarios]),
        scenarios=tuple(ids),
        budget=wiring.settings.budget,
        max_burden=wiring.settings.max_burden,
        rollouts=request.rollouts,
        evaluations=request.evaluations,
        planners=request.planners,
        seed=request.seed,
        seeds=request.seeds,
        pack=reward.pack,
        models={role: wiring.spec(role) for role in _ROLES},
        prompts={**reward.prompts, **ranking.prompts},
        sampling={**reward.sampling, **ranking.sampling},
        offline=all(wiring.spec(role) == OFFLINE for role in _ROLES),
    )


async def run_convergence(
    scenarios: Sequence[Scenario],
    wiring: Wiring,
    request: ConvergenceRequest,
    ledger: RewardLedger,
    *,
    on_progress: Callable[[int, int], None],
    spent: Usage | None = None,
) -> ConvergenceRun:
    """Evaluate every terminal set of each scenario, then run every search for it on these scores.

    At most ``wiring.settings.concurrency`` evaluations and rankings are under way at a time. Each is in ``ledger``
    before it is used: an interrupted or limited run goes on where it stopped. A failed one is tried once in a run, and
    every search is told the same.

    Args:
        spent: what counts towards the limits of ``request`` from the start.

    Raises:
        ModelError: the model cannot be used at all (the first failure before anything was measured).
        LedgerUnusable: an evaluation could not be kept.
    """
    slots = wiring.settings.concurrency
    allowance = Allowance(max_calls=request.max_calls, max_tokens=request.max_tokens, concurrency=slots, spent=spent)
    parts = planning_parts(wiring, ledger, allowance)
    study = _Study(wiring, request, parts)
    todo, done = iter(scenarios), itertools.count(1)

    async def work() -> None:
        for scenario in todo:
            # Also after the allowance is exhausted: what the ledger holds costs nothing, and may be all of it.
            await study.measure(scenario)
            on_progress(next(done), len(scenarios))
            await asyncio.sleep(0)

    on_progress(0, len(scenarios))
    await together(work() for _ in range(_side_by_side(scenarios, wiring)))
    run, place = study.run, {s.id: i for i, s in enumerate(scenarios)}
    run.results.sort(key=lambda r: place[r.scenario_id])
    run.waiting.sort(key=place.__getitem__)
    run.failed.sort(key=lambda f: place[f[0]])
    if isinstance(parts.prior, FallbackPrior):
        run.fallback_rankings = None if run.waiting else parts.prior.fallbacks
    run.paid, run.reused, run.spent = parts.reward.paid, parts.reward.reused, allowance.spent
    return run


async def estimate_convergence(
    scenarios: Sequence[Scenario], wiring: Wiring, request: ConvergenceRequest, ledger: RewardLedger
) -> Estimate:
    """What the study may cost at most: every terminal set, every smaller one that a planner might look at, and every
    ranking that the published search might ask for, less what ``ledger`` holds."""
    recipe, ranking = reward_recipe(wiring), ranking_recipe(wiring)
    evaluations = rankings = reused = 0
    for scenario in scenarios:
        try:
            allowed = _choices(scenario, wiring)
        except PlanningError:
            continue  # nothing can be planned, and the run says so
        sets, nodes = _possible_sets(allowed, request), _expandable(allowed)
        kept = set(ledger.items(recipe, scenario_digest(scenario)))
        held = sum(set_item(known) in kept for known in sets)
        evaluations += len(sets) - held
        reused += held
        if wiring.model("planner") is None:
            continue
        kept = set(ledger.items(ranking, query_digest(scenario)))
        held = sum(ranking_item(known, [a for a in allowed.attributes if a not in known]) in kept for known in nodes)
        rankings += min(_most_rankings(request), len(nodes) - held)
        reused += held
    usage, basis = await mean_cost(scenarios, wiring, ledger, evaluations=evaluations, rankings=rankings)
    return Estimate(len(scenarios), 0, evaluations, rankings, reused, usage, basis)


class _Study:
    """Measures one scenario after another into ``run``."""

    def __init__(self, wiring: Wiring, request: ConvergenceRequest, parts: PlanningParts) -> None:
        self._wiring, self._request, self._parts = wiring, request, parts
        self.run = ConvergenceRun()

    async def measure(self, scenario: Scenario) -> None:
        """Put the scenario's result, or why there is none, into ``run``."""
        told, run = Told(self._parts.reward), self.run
        try:
            allowed = _choices(scenario, self._wiring)
            scores = await self._every_set(scenario, allowed, told)
        except PlanningError as error:
            if self._parts.refused(scenario):
                run.waiting.append(scenario.id)
                return
            if not run.results and isinstance(error.__cause__, ModelError):
                raise error.__cause__ from error
            run.failed.append((scenario.id, str(error)))
            return
        refused = self._parts.refused
        result = None if refused(scenario) else await self._searches(scenario, allowed, told, scores)
        if result is None or refused(scenario):
            run.waiting.append(scenario.id)
        else:
            run.results.append(result)

    async def _every_set(self, scenario: Scenario, allowed: Choices, told: Told) -> tuple[float, ...]:
        sets = list(allowed.terminal_sets())
        oracle = Evaluations(scenario, told, limit=len(sets), concurrency=self._wiring.settings.concurrency)
        await oracle.measure(sets)
        oracle.require_a_score()
        return tuple(oracle.scores.values())

    async def _searches(
        self, scenario: Scenario, allowed: Choices, told: Told, scores: tuple[float, ...]
    ) -> ScenarioSearches:
        guide = Ranked(self._parts.prior)
        jobs = list(self._jobs(scenario, allowed, guide))
        by_rollouts, by_evaluations = [], []
        courses: dict[tuple[str, int], list[tuple[frozenset[str], ...]]] = {}
        for job, (found, course) in zip(
            jobs, await together([search(job, scenario, told, allowed) for job in jobs]), strict=True
        ):
            if job.by_rollouts:
                by_rollouts.append(found)
                courses.setdefault((job.series, job.seed), []).append(course)
            else:
                by_evaluations.append(found)
        return ScenarioSearches(
            scenario_id=scenario.id,
            scores=scores,
            failed=told.failed,
            by_rollouts=tuple(by_rollouts),
            by_evaluations=tuple(by_evaluations),
            repeats=all(repeat(each) for each in courses.values()),
        )

    def _jobs(self, scenario: Scenario, allowed: Choices, guide: Prior) -> Iterator[SearchJob]:
        request = self._request
        for number in range(request.seed, request.seed + request.seeds):
            # Of its own for each scenario: the same lots for all would be one draw, and intervals too narrow.
            drawn = random.Random(f"{number} {scenario.id}").getrandbits(32)
            limits = PlanLimits(budget=allowed.depth, evaluations=1, seed=drawn, burden=allowed.burden)
            for name, prior in ((GUIDED, guide), (UNGUIDED, even)):
                for rollouts in request.rollouts:
                    paper = PaperMctsPlanner(PaperMctsSettings(rollouts=rollouts, depth=allowed.depth))
                    # As many evaluations cut nothing short: a rollout evaluates one set at most.
                    yield SearchJob(name, number, _at(limits, rollouts), paper, prior, by_rollouts=True)
            for name in request.planners:
                for most in request.evaluations:
                    planner = self._planner(name, allowed)
                    yield SearchJob(name, number, _at(limits, most), planner, guide, by_rollouts=False)

    def _planner(self, name: str, allowed: Choices) -> PathPlanner:
        # The product's published search goes no deeper than the published depth, whatever the budget.
        if name == _PAPER:
            return PaperMctsPlanner(PaperMctsSettings(depth=allowed.depth))
        return self._wiring.planner(name)


def _at(limits: PlanLimits, evaluations: int) -> PlanLimits:
    return limits.model_copy(update={"evaluations": evaluations})


def _choices(scenario: Scenario, wiring: Wiring) -> Choices:
    return choices_for(scenario, wiring.pack.attribute_ids, plan_limits(wiring, evaluations=1))


def _possible_sets(allowed: Choices, request: ConvergenceRequest) -> list[frozenset[str]]:
    """Every set that the study may evaluate. Only the published search looks at terminal sets alone."""
    terminal = list(allowed.terminal_sets())
    if set(request.planners) <= {_PAPER}:
        return terminal
    ends = set(terminal)
    return terminal + [s for s in _smaller(allowed, range(allowed.depth + 1)) if s not in ends]


def _expandable(allowed: Choices) -> list[frozenset[str]]:
    """Every set at which the published search may ask for a ranking of two attributes or more."""
    return [s for s in _smaller(allowed, range(allowed.depth)) if len(allowed.attributes) - len(s) > 1]


def _smaller(allowed: Choices, sizes: range) -> Iterator[frozenset[str]]:
    for size in sizes:
        for members in itertools.combinations(allowed.attributes, size):
            if allowed.allows(known := frozenset(members)):
                yield known


def _most_rankings(request: ConvergenceRequest) -> int:
    """One for each rollout of the longest guided search of each seed; shorter ones repeat its beginning."""
    longest = [*request.rollouts, *([PaperMctsSettings().rollouts] if _PAPER in request.planners else [])]
    return request.seeds * max(longest)


def _side_by_side(scenarios: Sequence[Scenario], wiring: Wiring) -> int:
    """Scenarios under way at a time: as few as keep all slots busy, so that a limit leaves few of them half done."""
    known = [sum(s.profile.get(a) is not None for a in wiring.pack.attribute_ids) for s in scenarios]
    sets = statistics.median([math.comb(n, min(n, wiring.settings.budget)) for n in known] or [1])
    return max(2, math.ceil(2 * wiring.settings.concurrency / sets))
