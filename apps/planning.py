"""Plan paths for many scenarios and put them into a store."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ..agents import Burden, PathPlanner, PlanLimits, PlanningError, SpendingLimitReached
from ..agents.planning import Curriculum, MctsPlanner, plan_scenario
from ..agents.planning.rewards import Allowance, Lesson, RewardLedger, digest
from ..domains import Scenario
from ..models import ModelError, Usage, together
from ..vectorstore import PathStore, PlannedPath
from .reward_keeping import PlanningParts, planning_parts, reward_recipe
from .wiring import Wiring

__all__ = ["PlanRequest", "PlanSummary", "Work", "leaves_of", "open_work", "plan_limits", "plan_scenarios"]


@dataclass(frozen=True)
class PlanRequest:
    """How to plan (C.1 to C.5).

    Attributes:
        limits: of one scenario.
        planner: its name.
        learn: whether a search starts from what other scenarios of the domain taught, where the planner can
            (``Curriculum``). Without it a scenario's plan does not depend on which others are planned.
        leaves: evaluations under way at a time within one scenario; None: as many as slots would stay idle otherwise.
        max_calls: most calls of models in this run; None: no limit.
        max_tokens: most tokens of this run, input and output together; None: no limit.
    """

    limits: PlanLimits
    planner: str = "mcts"
    learn: bool = True
    leaves: int | None = None
    max_calls: int | None = None
    max_tokens: int | None = None


@dataclass
class PlanSummary:
    """What was planned.

    Attributes:
        planned: new paths, those cut short included.
        kept: how many scenarios the store had already.
        failed: (scenario id, reason).
        unfinished: ids of the scenarios whose search a spending limit cut short; the same command goes on with them.
        waiting: ids of those for which it left nothing at all.
        failed_evaluations: how many gave no score and were left out; the same command tries them again.
        paid: evaluations that were made.
        reused: evaluations that were in the ledger.
        spent: calls and tokens of this run, failed evaluations included.
    """

    planned: list[PlannedPath] = field(default_factory=list)
    kept: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    failed_evaluations: int = 0
    paid: int = 0
    reused: int = 0
    spent: Usage = field(default_factory=Usage)


@dataclass(frozen=True)
class Work:
    """What is left to plan.

    Attributes:
        todo: the scenarios.
        kept: how many the store has already from the same planner, limits, seed, models and pack.
        complete: ids of the stored paths, of any planner, that were not cut short.
    """

    todo: tuple[Scenario, ...]
    kept: int
    complete: frozenset[str]


def plan_limits(wiring: Wiring, *, evaluations: int = 60, seed: int = 0) -> PlanLimits:
    """The limits of one scenario: the budget and the burden are those of the settings, by the costs of the pack."""
    burden = Burden.of(wiring.pack, wiring.settings.max_burden)
    return PlanLimits(budget=wiring.settings.budget, evaluations=evaluations, seed=seed, burden=burden)


async def plan_scenarios(
    scenarios: Sequence[Scenario],
    store: PathStore,
    wiring: Wiring,
    request: PlanRequest,
    *,
    on_progress: Callable[[int, int], None],
    ledger: RewardLedger,
    spent: Usage | None = None,
) -> PlanSummary:
    """Plan every scenario that the store does not hold yet from the same planner, limits, seed, model and judge.

    At most ``wiring.settings.concurrency`` evaluations are under way at a time, over all scenarios. A finished
    evaluation is in ``ledger``, and a finished path in the store, before anything goes on: an interrupted run goes on
    where it stopped, and pays for nothing again.

    Args:
        on_progress: told how many of ``scenarios`` need no look any more, and how many there are.
        ledger: where evaluations are kept.
        spent: what counts towards the limits of ``request`` from the start.

    Raises:
        ModelError: the model cannot be used at all (the first failure before anything was planned).
        LedgerUnusable: an evaluation could not be kept.
    """
    slots = wiring.settings.concurrency
    planner = wiring.planner(request.planner, concurrency=leaves_of(request, len(scenarios), slots))
    allowance = Allowance(max_calls=request.max_calls, max_tokens=request.max_tokens, concurrency=slots, spent=spent)
    work = open_work(scenarios, store.paths(), wiring, request, ledger)
    parts = planning_parts(wiring, ledger, allowance)
    curriculum = Curriculum(scenarios, wiring.pack.attribute_ids, ledger, reward_recipe(wiring), _settings(request))
    run = _Run(store, wiring, request, planner, parts, ledger, work.complete, curriculum)
    todo, done = iter(work.todo), itertools.count(work.kept + 1)

    async def plan() -> None:
        for scenario in todo:
            # Also after the allowance is exhausted: what the ledger holds costs nothing, and may be a whole plan.
            await run.plan(scenario)
            on_progress(next(done), len(scenarios))

    on_progress(work.kept, len(scenarios))
    await together(plan() for _ in range(slots))
    summary = run.summary
    summary.kept, summary.spent = work.kept, allowance.spent
    summary.paid, summary.reused = parts.reward.paid, parts.reward.reused
    return summary


def leaves_of(request: PlanRequest, scenarios: int, slots: int) -> int:
    """Evaluations under way at a time within one scenario.

    One while there are as many scenarios as slots: a search that waits for each result needs the fewest. With fewer
    scenarios, the idle slots go to more leaves. The number is that of the whole command, not of what is left of it, so
    a run that goes on after an interruption searches as it would have without.
    """
    return request.leaves or max(1, slots // max(1, scenarios))


def open_work(
    scenarios: Sequence[Scenario],
    paths: Iterable[PlannedPath],
    wiring: Wiring,
    request: PlanRequest,
    ledger: RewardLedger,
) -> Work:
    """Which of ``scenarios`` are left to plan, given the stored ``paths``. Plans that were cut short are left."""
    cut = ledger.unfinished()
    complete = {path.id: origin for path in paths if digest(origin := _origin(path)) not in cut}
    held = set(complete.values())
    pack, models = wiring.pack, (wiring.spec("agent"), wiring.spec("judge"))
    limits = request.limits
    plan = (request.planner, *models, pack.name, pack.version)
    expected = (*plan, limits.budget, limits.burden.limit, limits.evaluations, limits.seed)
    todo = tuple(s for s in scenarios if (s.id, s.query, *expected) not in held)
    return Work(todo, len(scenarios) - len(todo), frozenset(complete))


@dataclass
class _Run:
    """Plans one scenario after another into ``summary``. ``complete``: as in ``Work``."""

    store: PathStore
    wiring: Wiring
    request: PlanRequest
    planner: PathPlanner
    parts: PlanningParts
    ledger: RewardLedger
    complete: frozenset[str]
    curriculum: Curriculum
    summary: PlanSummary = field(default_factory=PlanSummary)
    storing: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def plan(self, scenario: Scenario) -> None:
        """Plan ``scenario`` and store its path, or put what became of it into ``summary``."""
        planner = self.planner
        if self.request.learn and isinstance(planner, MctsPlanner):
            planner = planner.informed(await self.curriculum.before(scenario))
        try:
            await self._plan(scenario, planner)
        finally:
            self.curriculum.finish(scenario)

    async def _plan(self, scenario: Scenario, planner: PathPlanner) -> None:
        wiring, summary = self.wiring, self.summary
        try:
            path, found = await plan_scenario(
                scenario,
                planner,
                self.parts.reward,
                self.parts.prior,
                pack=wiring.pack,
                limits=self.request.limits,
                model_name=wiring.spec("agent"),
                judge_name=wiring.spec("judge"),
                planned_at=datetime.now(UTC),
            )
        except PlanningError as error:
            if isinstance(error.__cause__, SpendingLimitReached):
                summary.waiting.append(scenario.id)
                return
            if not summary.planned and isinstance(error.__cause__, ModelError):
                raise error.__cause__ from error
            summary.failed.append((scenario.id, str(error)))
            return
        cut, plan = self.parts.refused(scenario), digest(_origin(path))
        summary.failed_evaluations += found.failed
        # Marked before it is stored and unmarked after: whenever the run dies, no such path counts as finished.
        if cut or found.failed:
            self.ledger.mark_unfinished(plan)
        if cut:
            summary.unfinished.append(scenario.id)
            if path.id in self.complete:
                return  # half a search does not replace what another planner or model finished
        else:
            known = [a for a in wiring.pack.attribute_ids if scenario.profile.get(a) is not None]
            self.curriculum.keep(scenario, Lesson.of(found, known))
        async with self.storing:
            await asyncio.to_thread(self.store.add, [path])  # embedding takes a while, and others wait for replies
        if not (cut or found.failed):
            self.ledger.mark_unfinished(plan, False)
        summary.planned.append(path)


def _settings(request: PlanRequest) -> str:
    limits = request.limits
    within = (limits.budget, limits.burden.limit, limits.evaluations, limits.seed)
    return digest((request.planner, *within, request.learn, request.leaves))


def _origin(path: PlannedPath) -> tuple[str | float | None, ...]:
    """Everything that makes another plan of the same scenario another plan."""
    parts = (path.planner, path.model, path.judge, path.pack, path.pack_version)
    return (path.scenario_id, path.query, *parts, path.budget, path.max_burden, path.max_evaluations, path.seed)
