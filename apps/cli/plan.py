"""``askfirst plan``: scenarios to best paths in the store."""

from __future__ import annotations

from typing import Annotated

import typer

from . import options
from .console import note, out, print_json, progress

__all__ = ["plan"]


def plan(
    data: Annotated[str, typer.Argument(help="File or folder of scenarios, or 'penguin_mini' (packaged).")],
    planner: Annotated[str, typer.Option("--planner", help="mcts, greedy, static, random or exhaustive.")] = "mcts",
    evaluations: Annotated[
        int, typer.Option("--evaluations", min=1, help="Most attribute sets evaluated for one scenario.")
    ] = 60,
    split: Annotated[str, typer.Option("--split", help="auto, plan, eval or all.")] = "auto",
    limit: options.Limit = None,
    seed: options.Seed = 0,
    model: options.Model = None,
    judge_model: options.JudgeModel = None,
    planner_model: options.PlannerModel = None,
    base_url: options.BaseUrl = None,
    timeout: options.Timeout = None,
    max_tokens: options.MaxTokens = None,
    concurrency: options.Concurrency = None,
    pack: options.Pack = None,
    store: options.Store = None,
    budget: options.Budget = None,
    as_json: options.Json = False,
) -> None:
    """Learn which attributes to ask about, and store the paths. What is stored already is skipped."""
    settings = options.settings(locals())
    from ...models import run_sync
    from ..evaluation import scenarios_from, split_choice
    from ..planning import PlanRequest, plan_scenarios
    from ..wiring import Wiring

    wiring = Wiring(settings)
    wiring.planner(planner)  # an unknown name shows before anything is read
    scenarios = scenarios_from(data, wiring, split_choice(split), default="plan")[:limit]
    wiring.check_models()
    paths = wiring.open_store()
    try:
        with progress("Planning", quiet=as_json) as advance:
            summary = run_sync(
                plan_scenarios(
                    scenarios,
                    paths,
                    wiring,
                    PlanRequest(planner=planner, evaluations=evaluations, seed=seed),
                    on_progress=advance,
                )
            )
        stored = len(paths)
    except KeyboardInterrupt:
        note("Interrupted. Every finished path is stored; the same command goes on.")
        raise
    finally:
        paths.close()
    spent = sum(p.evaluations for p in summary.planned)
    if as_json:
        print_json(
            {
                "planned": len(summary.planned),
                "kept": summary.kept,
                "failed": [{"scenario_id": s, "reason": r} for s, r in summary.failed],
                "evaluations": spent,
                "stored": stored,
                "store": str(wiring.settings.store),
            }
        )
    else:
        out().print(
            f"{len(summary.planned)} paths planned with {spent} evaluations, {summary.kept} already there, "
            f"{len(summary.failed)} failed. The store {wiring.settings.store} holds {stored} paths.",
            markup=False,
            soft_wrap=True,
        )
    for scenario_id, reason in summary.failed:
        note(f"{scenario_id}: {reason}")
    if summary.failed:
        raise typer.Exit(3)
