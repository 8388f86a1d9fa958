"""``askfirst eval``: simulated conversations, judged."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import options
from .terminal import can_go_on, note, print_result, progress

if TYPE_CHECKING:
    from ...evals import RunProgress

__all__ = ["evaluate"]

DataToEvaluate = Annotated[
    str | None, typer.Argument(help="File or folder of scenarios, or 'penguin_mini'.", show_default=False)
]
Conditions = Annotated[
    list[str] | None,
    typer.Option(
        "--condition",
        "-c",
        help="context_free, context_rich, static:K, random:K, oracle:K, agent or raise; repeat for several.",
        show_default=False,
    ),
]
Output = Annotated[Path | None, typer.Option("--out", help="New or empty folder for the run.", show_default=False)]
Resume = Annotated[
    Path | None,
    typer.Option("--resume", help="Continue the run in this folder, with its original settings.", show_default=False),
]
Repeats = Annotated[int, typer.Option("--repeats", min=1, help="Conversations per scenario and condition.")]
MaxTurns = Annotated[int, typer.Option("--max-turns", min=1, help="Maximum number of assistant messages.")]
Behaviours = Annotated[
    list[str] | None,
    typer.Option(
        "--behaviour",
        help="How the simulated people behave: names separated by commas, or a YAML file; default: cooperative.",
        show_default=False,
    ),
]
Turns = Annotated[int, typer.Option("--turns", min=0, help="Messages from the person after the assistant's answer.")]
Redraws = Annotated[
    int, typer.Option("--redraws", min=0, help="Redraws of a conversation whose simulated person failed.")
]
CheckUsers = Annotated[
    bool, typer.Option("--check-users", help="Have the judge's model check the simulated people as well.")
]
FailUnder = Annotated[
    float | None,
    typer.Option(
        "--fail-under",
        min=1,
        max=5,
        help="Exit with 1 if a condition's mean is lower than this; --resume keeps it.",
        show_default=False,
    ),
]


def evaluate(
    ctx: typer.Context,
    data: DataToEvaluate = None,
    conditions: Conditions = None,
    output: Output = None,
    resume: Resume = None,
    split: options.Split = "auto",
    limit: options.Limit = None,
    repeats: Repeats = 1,
    max_turns: MaxTurns = 12,
    behaviours: Behaviours = None,
    turns: Turns = 0,
    redraws: Redraws = 2,
    check_users: CheckUsers = False,
    fail_under: FailUnder = None,
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
    given = dict(locals())
    settings = options.settings(given)
    from ..evaluation import EVAL_OPTIONS, eval_settings, resume_run, run_evaluation
    from ..wiring import Wiring

    folder = _folder(data, conditions, output, resume)
    with can_go_on(folder), _differences_as_options(ctx, folder), progress("Conversations", quiet=as_json) as advance:

        def tell(so_far: RunProgress) -> None:
            advance(so_far.done, so_far.planned)

        if resume is not None:
            result = resume_run(resume, settings, on_progress=tell, named=_named(ctx))
        else:
            wiring = Wiring(settings)
            wanted = eval_settings(wiring, **{n: v for n, v in given.items() if n in EVAL_OPTIONS})
            result = run_evaluation(wanted, wiring, folder, on_progress=tell)
    print_result(result, as_json=as_json)
    if result.problem:
        raise typer.Exit(3)
    gate = fail_under if fail_under is not None else result.gate
    if gate is not None and (low := result.below(gate)):
        note(f"Gate failed: mean below {gate:g} or not scored in {', '.join(low)}")
        raise typer.Exit(1)


def _folder(data: str | None, conditions: list[str] | None, output: Path | None, resume: Path | None) -> Path:
    """The folder of the run. Raises ``InputError`` where what is given is neither a new run nor one to go on with."""
    from ...domains import InputError

    if resume is not None:
        if data is not None or conditions or output is not None:
            raise InputError("--resume takes everything from the run; omit DATA, --condition and --out")
        return resume
    if data is None or not conditions or output is None:
        raise InputError("give DATA, --condition (once or more) and --out, or --resume RUN")
    return output


def _named(ctx: typer.Context) -> dict[str, Any]:
    """What stands on the command line; the gate may change from one start to the next."""
    names = {n: ctx.get_parameter_source(n) for n in ctx.params if n not in ("resume", "fail_under", "as_json")}
    return {n: ctx.params[n] for n, source in names.items() if source is not None and source.name == "COMMANDLINE"}


@contextmanager
def _differences_as_options(ctx: typer.Context, folder: Path) -> Iterator[None]:
    """Names settings that contradict the run as a person gave them: as options."""
    from ...domains import InputError
    from ...evals import SettingsDiffer

    option = {p.name: p.opts[0] for p in ctx.command.params} | {"max_tokens": "--reply-tokens"}  # as in run.json
    try:
        yield
    except SettingsDiffer as other:
        listed = "; ".join(
            f"{option.get(n, n)}: {old} before, {new} now" for n, (old, new) in other.differences.items()
        )
        raise InputError(
            f"--resume {folder}: the run was started with other settings ({listed}); omit these, or start a new run"
        ) from other
