"""Where output goes: results to stdout, everything about progress to stderr."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import typer

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Advance", "note", "out", "print_json", "progress"]


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
