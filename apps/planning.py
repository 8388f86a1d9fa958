"""Plan paths for many scenarios and put them into a store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..agents import PlanningError, plan_scenario
from ..domains import Scenario
from ..models import ModelError
from ..vectorstore import PathStore, PlannedPath
from .wiring import Wiring

__all__ = ["PlanRequest", "PlanSummary", "plan_scenarios"]


@dataclass(frozen=True)
class PlanRequest:
    """How to plan (C.1 to C.5).

    Attributes:
        planner: name of the planner.
        evaluations: most distinct attribute sets to evaluate for one scenario.
        seed: of everything random; a scenario's plan does not depend on which others are planned.
    """

    planner: str = "mcts"
    evaluations: int = 60
    seed: int = 0


@dataclass
class PlanSummary:
    """What was planned. ``failed`` holds (scenario id, reason)."""

    planned: list[PlannedPath] = field(default_factory=list)
    kept: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)


async def plan_scenarios(
    scenarios: Sequence[Scenario],
    store: PathStore,
    wiring: Wiring,
    request: PlanRequest,
    *,
    on_progress: Callable[[int, int], None],
) -> PlanSummary:
    """Plan every scenario that the store does not hold yet from the same planner, model and judge.

    A finished path is in the store before the next is reported, so an interrupted run goes on where it stopped.

    Raises:
        ModelError: the model cannot be used at all (the first failure before anything was planned).
    """
    planner, reward, prior = wiring.planner(request.planner), wiring.reward(), wiring.prior()
    pack, model, judge = wiring.pack, wiring.spec("agent"), wiring.spec("judge")
    held = {_origin(path) for path in store.paths()}
    summary = PlanSummary()
    todo: list[Scenario] = []
    for scenario in scenarios:
        origin = (scenario.id, scenario.query, planner.name, model, judge, pack.name, pack.version)
        if origin in held:
            summary.kept += 1
        else:
            todo.append(scenario)
    waiting = iter(todo)
    on_progress(summary.kept, len(scenarios))

    async def work() -> None:
        for scenario in waiting:
            try:
                path = await plan_scenario(
                    scenario,
                    planner,
                    reward,
                    prior,
                    pack=pack,
                    budget=wiring.settings.budget,
                    evaluations=request.evaluations,
                    seed=request.seed,
                    model_name=model,
                    judge_name=judge,
                )
            except PlanningError as error:
                if not summary.planned and isinstance(error.__cause__, ModelError):
                    raise error.__cause__ from error
                summary.failed.append((scenario.id, str(error)))
            else:
                store.add([path])
                summary.planned.append(path)
            on_progress(summary.kept + len(summary.planned) + len(summary.failed), len(scenarios))

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(wiring.settings.concurrency):
                group.create_task(work())
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return summary


def _origin(path: PlannedPath) -> tuple[str, ...]:
    return (path.scenario_id, path.query, path.planner, path.model, path.judge, path.pack, path.pack_version)
