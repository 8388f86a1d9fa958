"""``askfirst eval``: simulated conversations, judged."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from . import options
from .console import note, print_json, progress
from .table import print_summary

__all__ = ["evaluate"]


def evaluate(
    ctx: typer.Context,
    data: Annotated[
        str | None, typer.Argument(help="File or folder of scenarios, or 'penguin_mini'.", show_default=False)
    ] = None,
    condition: Annotated[
        list[str] | None,
        typer.Option(
            "--condition",
            "-c",
            help="context_free, context_rich, static:K, random:K, oracle:K, agent or raise; repeat for several.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--out", help="New or empty folder for the run.", show_default=False)
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option("--resume", help="Go on with the run in this folder, as it was begun.", show_default=False),
    ] = None,
    split: Annotated[str, typer.Option("--split", help="auto, plan, eval or all.")] = "auto",
    limit: options.Limit = None,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Conversations per scenario and condition.")] = 1,
    max_turns: Annotated[int, typer.Option("--max-turns", min=1, help="Most messages of the assistant.")] = 12,
    behaviour: Annotated[
        list[str] | None,
        typer.Option(
            "--behaviour",
            help="How the simulated people behave: names separated by commas, or a YAML file; default: cooperative.",
            show_default=False,
        ),
    ] = None,
    turns: Annotated[
        int, typer.Option("--turns", min=0, help="Messages of the person after the assistant's answer.")
    ] = 0,
    redraws: Annotated[
        int, typer.Option("--redraws", min=0, help="Draw a conversation again whose simulated person failed.")
    ] = 2,
    check_users: Annotated[
        bool, typer.Option("--check-users", help="Let the judge's model check the simulated people too.")
    ] = False,
    fail_under: Annotated[
        float | None,
        typer.Option(
            "--fail-under",
            min=1,
            max=5,
            help="Exit with 1 if a condition's mean is lower; --resume keeps it.",
            show_default=False,
        ),
    ] = None,
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
    pack: options.Pack = None,
    store: options.Store = None,
    chroma_url: options.ChromaUrl = None,
    budget: options.Budget = None,
    abstention: options.Abstention = None,
    threshold: options.Threshold = None,
    country: options.Country = None,
    as_json: options.Json = False,
) -> None:
    """Hold simulated conversations under each condition, judge them, and write a run folder with report.html."""
    settings = options.settings(locals())
    from ...domains import InputError
    from ...evals import RunAborted, SettingsDiffer
    from ..evaluation import EvalRequest, resume_run, run_evaluation, split_choice
    from ..wiring import Wiring

    if resume is not None:
        if data is not None or condition or output is not None:
            raise InputError("--resume takes everything from the run; leave out DATA, --condition and --out")
        folder = resume
    elif data is None or not condition or output is None:
        raise InputError("give DATA, --condition (once or more) and --out, or --resume RUN")
    else:
        folder = output
    try:
        with progress("Conversations", quiet=as_json) as advance:
            if resume is not None:
                named = _named(ctx)
                result = resume_run(resume, settings, on_progress=lambda p: advance(p.done, p.planned), named=named)
            else:
                request = EvalRequest(
                    data=data or "",
                    conditions=tuple(condition or ()),
                    split=split_choice(split),
                    limit=limit,
                    seed=seed,
                    repeats=repeats,
                    max_turns=max_turns,
                    behaviours=tuple(behaviour) if behaviour is not None else ("cooperative",),
                    turns=turns,
                    redraws=redraws,
                    check_users=check_users,
                    fail_under=fail_under,
                )
                result = run_evaluation(
                    request, Wiring(settings), folder, on_progress=lambda p: advance(p.done, p.planned)
                )
    except SettingsDiffer as other:
        listed = "; ".join(f"{_option(n)}: {old} there, {new} now" for n, (old, new) in other.differences.items())
        raise InputError(
            f"--resume {folder}: the run was begun with other settings ({listed}); leave that out, or start a new run"
        ) from other
    except RunAborted as stopped:
        note(f"askfirst: {stopped}. What was finished is kept; go on with: askfirst eval --resume {folder}")
        raise typer.Exit(3) from stopped
    except KeyboardInterrupt:
        if (folder / "run.json").exists():
            note(f"Interrupted. Nothing that was finished is lost; go on with: askfirst eval --resume {folder}")
        raise
    if as_json:
        print_json({"run": str(folder), **result.summary})
    else:
        print_summary(result)
    if problem := result.problem:
        note(problem)
        raise typer.Exit(3)
    gate = fail_under if fail_under is not None else result.gate
    if gate is not None and (low := result.below(gate)):
        note(f"Gate failed: mean below {gate:g} or not scored in {', '.join(low)}")
        raise typer.Exit(1)


_SINGULAR = {"behaviour": "behaviours"}  # option -> setting, where the names differ
_OPTIONS = {"behaviours": "behaviour", "max_tokens": "reply_tokens"}  # name in run.json -> option, where they differ


def _named(ctx: typer.Context) -> dict[str, Any]:
    """What stands on the command line, by setting; the gate may change from one start to the next."""
    names = {n: ctx.get_parameter_source(n) for n in ctx.params if n not in ("resume", "fail_under", "as_json")}
    given = [n for n, source in names.items() if source is not None and source.name == "COMMANDLINE"]
    return {_SINGULAR.get(n, n): ctx.params[n] for n in given}


def _option(setting: str) -> str:
    return f"--{_OPTIONS.get(setting, setting).replace('_', '-')}"
