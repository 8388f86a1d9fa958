"""Where output goes: results to stdout, everything about progress to stderr.

No text reaches a terminal but through ``say``, ``note``, ``print_json`` and the console of ``out``: what people, models
and files wrote may hold escape sequences, which clear the screen or fill the clipboard.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import typer

from .plain_text import shown

if TYPE_CHECKING:
    from ...plan_estimate import Estimate
    from .styled import SafeConsole

__all__ = [
    "Advance",
    "can_go_on",
    "note",
    "out",
    "print_estimate",
    "print_json",
    "progress",
    "resumable",
    "say",
    "working",
]


def out() -> SafeConsole:
    """The console for results."""
    from .styled import SafeConsole

    return SafeConsole(soft_wrap=False)


def say(text: str) -> None:
    """A line of a result, on stdout."""
    typer.echo(shown(text))


def note(text: str) -> None:
    """A line about what is going on, on stderr."""
    typer.echo(shown(text), err=True)


def print_json(value: Any) -> None:
    """One JSON object on stdout; NaN is refused, because it is not JSON. No character is lost: JSON can escape it."""
    text = json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)
    typer.echo(re.sub("[\x7f-\x9f\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text))


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
        "are already paid for.\n"
        f"That is about {usage.calls} calls and {usage.tokens} tokens ({usage.input_tokens} in, "
        f"{usage.output_tokens} out), and more if a reply has to be requested again.\n"
        f"Cost of one: {expected.basis}. Nothing was called.",
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
    from ....evals import RunAborted

    command = f"To continue: askfirst eval --resume {run}"
    try:
        yield
    except RunAborted as stopped:
        note(f"askfirst: {stopped}. Finished conversations are kept. {command}")
        raise typer.Exit(3) from stopped
    except KeyboardInterrupt:
        if (run / "run.json").exists():
            note(f"Interrupted. Finished conversations are kept. {command}")
        raise


@contextmanager
def working(what: str, *, quiet: bool = False) -> Iterator[None]:
    """Says on stderr what is going on while the block runs; on a terminal it goes when that is over."""
    from .styled import SafeConsole, styled

    console = SafeConsole(stderr=True)
    if quiet:
        yield
    elif console.is_terminal:
        with console.status(styled(f"{what} ...")):
            yield
    else:
        note(f"{what} ...")
        yield


class Advance(Protocol):
    """Moves a progress bar: ``done`` of ``total`` are finished."""

    def __call__(self, done: int, total: int) -> None: ...


@contextmanager
def progress(label: str, *, quiet: bool = False) -> Iterator[Advance]:
    """A progress bar on stderr; plain lines at every tenth where stderr is no terminal; nothing when ``quiet``."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from .styled import SafeConsole

    console = SafeConsole(stderr=True)
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
