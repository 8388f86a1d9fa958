"""``askfirst demo``: plan, evaluate and report on the packaged scenarios."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options
from .terminal import can_go_on, note, print_result, progress

if TYPE_CHECKING:
    from ..wiring import Wiring

__all__ = ["CONDITIONS", "demo"]

CONDITIONS = ("context_free", "static:3", "agent", "raise", "context_rich")


def demo(
    output: Annotated[
        Path | None,
        typer.Option("--out", help="New or empty folder for the run; default: runs/demo-TIME.", show_default=False),
    ] = None,
    limit: options.Limit = None,
    seed: options.Seed = 0,
    model: options.Model = None,
    user_model: options.UserModel = None,
    judge_model: options.JudgeModel = None,
    planner_model: options.PlannerModel = None,
    base_url: options.BaseUrl = None,
    user_base_url: options.UserBaseUrl = None,
    judge_base_url: options.JudgeBaseUrl = None,
    planner_base_url: options.PlannerBaseUrl = None,
    timeout: options.Timeout = None,
    reply_tokens: options.ReplyTokens = None,
    concurrency: options.Concurrency = None,
    evaluations: options.Evaluations = 60,
    as_json: options.Json = False,
) -> None:
    """Plan paths for the packaged planning scenarios, then hold and judge conversations on the others.

    The planned paths go into a folder of its own beside the run, whatever ASKFIRST_STORE or ASKFIRST_CHROMA_URL say.
    """
    settings = options.settings(locals())
    from ...evals.records import RunFolder
    from ..evaluation import PACKAGED, eval_settings, run_evaluation
    from ..wiring import Wiring

    folder = output or Path("runs") / f"demo-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    RunFolder.check_free(folder)
    own = {"store": folder.with_name(f"{folder.name}.paths"), "chroma_url": None, "rewards": None}
    wiring = Wiring(settings.model_copy(update=own))
    wiring.check_models()
    failed = _plan(wiring, evaluations=evaluations, seed=seed, limit=limit, quiet=as_json)
    wanted = eval_settings(wiring, data=PACKAGED, conditions=CONDITIONS, split="eval", limit=limit, seed=seed)
    with can_go_on(folder), progress("Conversations", quiet=as_json) as advance:
        result = run_evaluation(wanted, wiring, folder, on_progress=lambda p: advance(p.done, p.planned))
    print_result(result, as_json=as_json)
    if result.problem or failed:
        raise typer.Exit(3)


def _plan(wiring: Wiring, *, evaluations: int, seed: int, limit: int | None, quiet: bool) -> bool:
    """Plan the packaged planning scenarios into the store of ``wiring``. Whether some could not be planned."""
    from ...agents.planning.rewards import RewardLedger
    from ...models import run_sync
    from ..evaluation import PACKAGED, scenarios_from
    from ..planning import PlanRequest, plan_limits, plan_scenarios
    from ..reward_keeping import rewards_file

    scenarios = scenarios_from(PACKAGED, wiring, "plan", default="plan")[:limit]
    with (
        closing(wiring.open_store(writing=True)) as paths,
        RewardLedger(rewards_file(wiring.settings)) as ledger,
        progress("Planning paths", quiet=quiet) as advance,
    ):
        planned = run_sync(
            plan_scenarios(
                scenarios,
                paths,
                wiring,
                PlanRequest(plan_limits(wiring, evaluations=evaluations, seed=seed)),
                on_progress=advance,
                ledger=ledger,
            )
        )
    for scenario_id, reason in planned.failed:
        note(f"{scenario_id}: {reason}")
    return bool(planned.failed)
