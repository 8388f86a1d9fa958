"""Where output goes: results to stdout, everything about progress to stderr."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from ..plan_estimate import Estimate

__all__ = ["Advance", "can_go_on", "note", "out", "print_estimate", "print_json", "progress", "resumable"]


def out() -> Console:
    """The console for results."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=False)


def note(text: str) -> None:
    """A line about what is going on, on stderr."""
    typer.echo(text, err=True)


def print_json(value: Any) -> None:
    """One JSON object on stdout; NaN is refused, because it is not JSON."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def print_estimate(expected: Estimate, scenarios: str, as_json: bool, **more: int) -> None:
    """What a dry run found. ``scenarios``: a sentence about them; ``more``: what the JSON holds besides."""
    usage = expected.usage
    if as_json:
        print_json(
            {
                "dry_run": True,
                "scenarios": expected.scenarios,
                **more,
                "evaluations": expected.evaluations,
                "rankings": expected.rankings,
                "reused": expected.reused,
                **usage.model_dump(),
                "tokens": usage.tokens,
                "basis": expected.basis,
            }
        )
        return
    out().print(
        f"{scenarios} At most {expected.evaluations} evaluations and {expected.rankings} rankings; {expected.reused} "
        "are paid for already.\n"
        f"That is about {usage.calls} calls and {usage.tokens} tokens ({usage.input_tokens} in, "
        f"{usage.output_tokens} out), and more where a reply must be asked for again.\n"
        f"Cost of one: {expected.basis}. Nothing was called.",
        markup=False,
        soft_wrap=True,
    )


@contextmanager
def resumable(text: str) -> Iterator[None]:
    """Says ``text`` where the block is interrupted."""
    try:
        yield
    except KeyboardInterrupt:
        note(text)
        raise


@contextmanager
def can_go_on(run: Path) -> Iterator[None]:
    """Says how to go on with the evaluation in the folder ``run``, where the block stops before its end."""
    from ...evals import RunAborted

    command = f"go on with: askfirst eval --resume {run}"
    try:
        yield
    except RunAborted as stopped:
        note(f"askfirst: {stopped}. What was finished is kept; {command}")
        raise typer.Exit(3) from stopped
    except KeyboardInterrupt:
        if (run / "run.json").exists():
            note(f"Interrupted. Nothing that was finished is lost; {command}")
        raise


class Advance(Protocol):
    """Moves a progress bar: ``done`` of ``total`` are finished."""

    def __call__(self, done: int, total: int) -> None: ...


@contextmanager
def progress(label: str, *, quiet: bool = False) -> Iterator[Advance]:
    """A progress bar on stderr; plain lines at every tenth where stderr is no terminal; nothing when ``quiet``."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if quiet:
        yield lambda done, total: None
    elif not console.is_terminal:
        shown = -1

        def line(done: int, total: int) -> None:
            nonlocal shown
            tenth = 10 * done // total if total else 10
            if tenth > shown:
                shown = tenth
                note(f"{label}: {done}/{total}")

        yield line
    else:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=console) as bar:
            task = bar.add_task(label, total=None, visible=False)  # until it is known how much there is to do
            yield lambda done, total: bar.update(task, completed=done, total=total, visible=True)
