"""``askfirst plan``: scenarios to best paths in the store."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Annotated

import typer

from . import options
from .terminal import note, out, print_estimate, print_json, progress, resumable

if TYPE_CHECKING:
    from pathlib import Path

    from ...domains import Scenario
    from ..plan_estimate import Estimate
    from ..planning import PlanRequest, PlanSummary
    from ..wiring import Wiring

__all__ = ["plan"]

Planner = Annotated[
    str, typer.Option("--planner", help="mcts, bayes, mcts-paper, greedy, static, random or exhaustive.")
]
Preset = Annotated[
    str,
    typer.Option(
        "--preset",
        help="Planner settings: default; paper, the published search (mcts); noisy, for scores that differ each time, "
        "so a set may be evaluated again (mcts, bayes).",
    ),
]
Learn = Annotated[
    bool,
    typer.Option("--learn/--no-learn", help="Start from what other scenarios in the domain taught (mcts, bayes)."),
]
Leaves = Annotated[
    int | None,
    typer.Option(
        "--leaves",
        min=1,
        help="Evaluations at once within a scenario: more is faster, but finds less with the same number. "
        "Default: 1, plus idle slots if there are fewer scenarios than --concurrency.",
        show_default=False,
    ),
]
MaxBurden = Annotated[
    float | None,
    typer.Option(
        "--max-burden",
        help="Maximum total cost of the questions in a path; the pack gives the cost of each question.",
        show_default=False,
    ),
]


def plan(
    data: options.Data,
    planner: Planner = "mcts",
    preset: Preset = "default",
    evaluations: options.Evaluations = 60,
    split: options.Split = "auto",
    limit: options.Limit = None,
    seed: options.Seed = 0,
    learn: Learn = True,
    model: options.Model = None,
    judge_model: options.JudgeModel = None,
    planner_model: options.PlannerModel = None,
    base_url: options.BaseUrl = None,
    judge_base_url: options.JudgeBaseUrl = None,
    planner_base_url: options.PlannerBaseUrl = None,
    timeout: options.Timeout = None,
    reply_tokens: options.ReplyTokens = None,
    concurrency: options.PlanningConcurrency = None,
    leaves: Leaves = None,
    pack: options.Pack = None,
    store: options.Store = None,
    chroma_url: options.ChromaUrl = None,
    rewards: options.Rewards = None,
    budget: options.Budget = None,
    max_burden: MaxBurden = None,
    dry_run: options.DryRun = False,
    call_limit: options.CallLimit = None,
    token_limit: options.TokenLimit = None,
    as_json: options.Json = False,
) -> None:
    """Learn which attributes to ask about, and store the paths. What is stored or paid for already is skipped."""
    settings = options.settings(locals())
    from ...agents.planning import preset_planner
    from ..evaluation import scenarios_from, split_choice
    from ..planning import PlanRequest, plan_limits
    from ..reward_keeping import rewards_file
    from ..wiring import Wiring

    wiring = Wiring(settings, calls_nothing=dry_run)
    planner = preset_planner(planner, preset)
    wiring.planner(planner)  # an unknown name shows before anything is read
    scenarios = scenarios_from(data, wiring, split_choice(split), default="plan")[:limit]
    limits = plan_limits(wiring, evaluations=evaluations, seed=seed)
    request = PlanRequest(limits, planner, learn, leaves, max_calls=call_limit, max_tokens=token_limit)
    ledger = rewards_file(settings)
    if dry_run:
        expected = _estimated(scenarios, wiring, request, ledger)
        told = f"{expected.scenarios} scenarios to plan, {expected.kept} already planned."
        print_estimate(expected, told, as_json, kept=expected.kept)
        return
    summary, stored = _planned(scenarios, wiring, request, ledger, quiet=as_json)
    _print_summary(summary, stored, wiring.store_name, ledger, as_json)
    _report_gaps(summary)


def _estimated(scenarios: list[Scenario], wiring: Wiring, request: PlanRequest, ledger: Path) -> Estimate:
    from ...agents.planning.rewards import RewardLedger
    from ...models import run_sync
    from ..plan_estimate import estimate
    from ..planning import open_work

    with RewardLedger(ledger if ledger.exists() else None) as rewards, wiring.existing_store() as paths:
        work = open_work(scenarios, paths.paths() if paths is not None else (), wiring, request, rewards)
        return run_sync(estimate(work, wiring, request, rewards))


def _planned(
    scenarios: list[Scenario], wiring: Wiring, request: PlanRequest, ledger: Path, *, quiet: bool
) -> tuple[PlanSummary, int]:
    from ...agents.planning.rewards import RewardLedger
    from ...models import collect_usage, run_sync
    from ..planning import plan_scenarios

    with collect_usage() as meter:
        wiring.check_models()
    with (
        resumable("Interrupted. Finished paths and evaluations are kept. Run the same command to continue."),
        RewardLedger(ledger) as rewards,
        closing(wiring.open_store(writing=True)) as paths,
    ):
        with progress("Planning", quiet=quiet) as advance:
            summary = run_sync(
                plan_scenarios(
                    scenarios, paths, wiring, request, on_progress=advance, ledger=rewards, spent=meter.total
                )
            )
        return summary, len(paths)


def _print_summary(summary: PlanSummary, stored: int, store: str, ledger: Path, as_json: bool) -> None:
    used = sum(p.evaluations for p in summary.planned)
    if as_json:
        print_json(
            {
                "planned": len(summary.planned),
                "kept": summary.kept,
                "failed": [{"scenario_id": s, "reason": r} for s, r in summary.failed],
                "unfinished": summary.unfinished,
                "waiting": summary.waiting,
                "failed_evaluations": summary.failed_evaluations,
                "limit_reached": bool(summary.unfinished or summary.waiting),
                "evaluations": used,
                "paid": summary.paid,
                "reused": summary.reused,
                "usage": summary.spent.model_dump(),
                "stored": stored,
                "store": store,
                "rewards": str(ledger),
            }
        )
        return
    spent = summary.spent
    cost = f" {spent.calls} calls, {spent.tokens} tokens." if spent.calls else ""
    out().print(
        f"{len(summary.planned)} paths planned with {used} evaluations ({summary.paid} new, {summary.reused} from the "
        f"ledger), {summary.kept} already planned, {len(summary.failed)} failed.{cost} The store {store} holds "
        f"{stored} paths.",
        soft_wrap=True,
    )


def _report_gaps(summary: PlanSummary) -> None:
    for scenario_id, reason in summary.failed:
        note(f"{scenario_id}: {reason}")
    if summary.failed_evaluations:
        note(
            f"{summary.failed_evaluations} evaluations failed and were left out. Run the same command to try them "
            "again; nothing else is paid for twice."
        )
    if summary.unfinished or summary.waiting:
        note(
            f"The limit on calls or tokens was reached. {len(summary.unfinished)} paths are the best so far, and "
            f"{len(summary.waiting)} scenarios have none yet. Run the same command to continue; nothing is paid for "
            "twice."
        )
    if summary.failed:
        raise typer.Exit(3)
