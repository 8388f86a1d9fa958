"""``askfirst experiment``: studies that repeat an experiment of the paper on your data and model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options
from .terminal import note, out, print_estimate, print_json, progress, resumable

if TYPE_CHECKING:
    from pathlib import Path

    from rich.table import Table
    from rich.text import Text

    from ...domains import Scenario
    from ...evals.experiments import ConvergenceSettings
    from ..experiments import ConvergenceRequest, ConvergenceRun
    from ..plan_estimate import Estimate
    from ..wiring import Wiring

__all__ = ["app"]

app = typer.Typer(
    help="Repeat an experiment of the paper on your data and model.",
    epilog=options.example("askfirst experiment convergence penguin_mini --limit 3"),
    no_args_is_help=True,
)


Planners = Annotated[
    list[str] | None,
    typer.Option(
        "--planner",
        help="mcts, bayes, mcts-paper, greedy, static or random; repeat for several. Default: all.",
        show_default=False,
    ),
]
Rollouts = Annotated[
    str, typer.Option("--rollouts", help="Checkpoints of the published search; separate several with commas.")
]
Evaluations = Annotated[
    str,
    typer.Option(
        "--evaluations",
        help="Maximum number of attribute sets that a planner may evaluate; separate several with commas.",
    ),
]
Seeds = Annotated[int, typer.Option("--seeds", min=1, help="Repeats, each with a different seed, that are averaged.")]


@app.callback()
def experiment() -> None:
    """Repeat an experiment of the paper on your data and model."""


@app.command(
    "convergence", epilog=options.example("askfirst experiment convergence penguin_mini --limit 3 --out convergence")
)
def convergence(
    data: options.Data,
    planner: Planners = None,
    rollouts: Rollouts = "5,10,20,40,80,160,320",
    evaluations: Evaluations = "4,6,8,10,12,15,20,30,45,70,100",
    seeds: Seeds = 1,
    output: options.Out = None,
    split: options.Split = "auto",
    limit: options.Limit = None,
    seed: options.Seed = 0,
    model: options.Model = None,
    judge_model: options.JudgeModel = None,
    planner_model: options.PlannerModel = None,
    base_url: options.BaseUrl = None,
    judge_base_url: options.JudgeBaseUrl = None,
    planner_base_url: options.PlannerBaseUrl = None,
    timeout: options.Timeout = None,
    reply_tokens: options.ReplyTokens = None,
    concurrency: options.PlanningConcurrency = None,
    pack: options.Pack = None,
    rewards: options.Rewards = None,
    budget: options.SetSize = None,
    dry_run: options.DryRun = False,
    call_limit: options.CallLimit = None,
    token_limit: options.TokenLimit = None,
    as_json: options.Json = False,
) -> None:
    """How fast planners find the best set of attributes: score by rollouts (Figure 14), and regret by evaluations."""
    settings = options.settings(locals())
    from ...evals.experiments import prepare_folder
    from ..evaluation import scenarios_from, split_choice
    from ..experiments import STUDIED, ConvergenceRequest, convergence_settings
    from ..reward_keeping import rewards_file
    from ..wiring import Wiring

    wiring = Wiring(settings, calls_nothing=dry_run)
    request = ConvergenceRequest(
        planners=tuple(dict.fromkeys(planner or STUDIED)),
        rollouts=options.counts("--rollouts", rollouts),
        evaluations=options.counts("--evaluations", evaluations),
        seed=seed,
        seeds=seeds,
        max_calls=call_limit,
        max_tokens=token_limit,
    )
    scenarios = scenarios_from(data, wiring, split_choice(split), default="plan")[:limit]
    study, ledger = convergence_settings(scenarios, wiring, request), rewards_file(settings)
    if dry_run:
        expected = _estimated(scenarios, wiring, request, ledger)
        print_estimate(expected, f"{expected.scenarios} scenarios.", as_json)
        return
    if output is not None:
        prepare_folder(output, study)
    run = _measured(scenarios, wiring, request, ledger, quiet=as_json)
    _report(run, study, data, output, ledger, as_json=as_json)
    _report_gaps(run)


def _estimated(scenarios: list[Scenario], wiring: Wiring, request: ConvergenceRequest, ledger: Path) -> Estimate:
    from ...agents.planning.rewards import RewardLedger
    from ...models import run_sync
    from ..experiments import estimate_convergence

    with RewardLedger(ledger if ledger.exists() else None) as rewards:
        return run_sync(estimate_convergence(scenarios, wiring, request, rewards))


def _measured(
    scenarios: list[Scenario], wiring: Wiring, request: ConvergenceRequest, ledger: Path, *, quiet: bool
) -> ConvergenceRun:
    from ...agents.planning.rewards import RewardLedger
    from ...models import collect_usage, run_sync
    from ..experiments import run_convergence

    with collect_usage() as meter:
        wiring.check_models()
    told = "Interrupted. Finished evaluations are kept. Run the same command to continue; nothing is paid for twice."
    with resumable(told), RewardLedger(ledger) as rewards, progress("Scenarios", quiet=quiet) as advance:
        return run_sync(run_convergence(scenarios, wiring, request, rewards, on_progress=advance, spent=meter.total))


def _report(
    run: ConvergenceRun, study: ConvergenceSettings, data: str, output: Path | None, ledger: Path, *, as_json: bool
) -> None:
    from ...evals.experiments import summarise_convergence, write_convergence

    summary = summarise_convergence(
        run.results,
        study,
        data=data,
        waiting=run.waiting,
        failed=run.failed,
        fallback_rankings=run.fallback_rankings,
    )
    files = write_convergence(output, summary, run.results) if output is not None else []
    if as_json:
        paid = {"paid": run.paid, "reused": run.reused, "usage": run.spent.model_dump(), "rewards": str(ledger)}
        print_json({**summary, **paid, "files": [str(file) for file in files]})
    else:
        _print_study(summary, run, files)


def _report_gaps(run: ConvergenceRun) -> None:
    for scenario_id, reason in run.failed:
        note(f"{scenario_id}: {reason}")
    if run.waiting:
        note(
            f"The limit on calls or tokens was reached. {len(run.waiting)} scenarios are incomplete and left out. Run "
            "the same command to continue; nothing is paid for twice."
        )
    if run.failed:
        raise typer.Exit(3)


def _print_study(summary: dict[str, Any], run: ConvergenceRun, files: list[Path]) -> None:
    console, counts, spent = out(), summary["counts"], run.spent
    if summary["label"]:
        console.print(summary["label"], style="bold yellow")
    if run.results:
        console.print(_rollouts_table(summary))
        matched = ", ".join(f"{row['guided']}: {row['unguided'] or '-'}" for row in summary["to_match"])
        console.print(f"Rollouts that the unguided search needs to match the guided mean at {matched}")
        console.print(_regret_table(summary))
    told = [f"{counts['used']} of {counts['scenarios']} scenarios. {run.paid} evaluations are new."]
    if spent.calls:
        told[0] += f" {spent.calls} calls, {spent.tokens} tokens."
    if counts["flat"]:
        told.append(f"Scenarios without a regret, because all their sets have the same score: {counts['flat']}.")
    if counts["failed_evaluations"]:
        told.append(f"{counts['failed_evaluations']} evaluations failed and are left out.")
    if counts["fallback_rankings"]:
        told.append(f"{counts['fallback_rankings']} rankings failed; the pack's order guided those searches.")
    if counts["not_repeating"]:
        told.append(
            f"Scenarios in which a longer search did not begin like the shorter one: {counts['not_repeating']}."
        )
    told += [f"Written: {file}" for file in files]
    console.print("\n".join(told), soft_wrap=True)


def _rollouts_table(summary: dict[str, Any]) -> Table:
    """Mean score by rollouts, and the paired difference between guided and unguided."""
    best = summary["sets"]["best"]["mean"]
    size = summary["settings"]["budget"]
    table = _table(f"Published search: mean score of its path, 95 % interval. Best sets of {size}: {best:.2f}")
    table.add_column("Rollouts", justify="right")
    for name in ("Guided", "Unguided", "Guided - unguided"):
        table.add_column(name, justify="center")
    points = {(p["series"], p["rollouts"]): p for p in summary["rollouts"]}
    for row in summary["guidance"]:
        n = row["rollouts"]
        cells = [_cell(p["mean"], p) for p in (points["guided", n], points["unguided", n])]
        table.add_row(str(n), *cells, _cell(row["difference"], row, "+.2f"))
    return table


def _regret_table(summary: dict[str, Any]) -> Table:
    """Mean regret by evaluations, with the interval below and the mean number of sets asked for beside it."""
    table = _table("Planners: mean regret @ sets evaluated on average, 95 % interval below")
    table.add_column("Most", justify="right")
    planners = summary["settings"]["planners"]
    for name in planners:
        table.add_column(name, justify="center")
    points = {(p["series"], p["evaluations"]): p for p in summary["regret"]}
    for n in summary["settings"]["evaluations"]:
        row = [points[name, n] for name in planners]
        table.add_row(str(n), *(_regret_cell(p) for p in row))
    return table


def _table(title: str) -> Table:
    from rich import box
    from rich.table import Table

    return Table(title=f"\n{title}", title_justify="left", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)


def _regret_cell(point: dict[str, Any]) -> Text:
    from .terminal import styled

    if point["mean"] is None:
        return styled("-")
    interval = f"\n{point['low']:.2f}-{point['high']:.2f}" if point["low"] is not None else ""
    lost = f"\n{point['no_path']} no path" if point["no_path"] else ""
    return styled(f"{point['mean']:.3f} @{point['spent']:.0f}", (interval, "dim"), (lost, "yellow"))


def _cell(mean: float | None, interval: dict[str, Any], form: str = ".2f") -> Text:
    from .terminal import styled

    if mean is None:
        return styled("-")
    mean, low, high = (None if v is None else round(v, 2) + 0.0 for v in (mean, interval["low"], interval["high"]))
    return styled(f"{mean:{form}}", (f" ({low:{form}} to {high:{form}})" if low is not None else "", "dim"))
