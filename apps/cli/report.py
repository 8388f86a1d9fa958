"""``askfirst report``: a page to read, for one run or several side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .console import note

__all__ = ["report"]


def report(
    runs: Annotated[list[Path], typer.Argument(help="Run folders.")],
    output: Annotated[
        Path | None,
        typer.Option("--out", help="HTML file, or Markdown if it ends in .md; default: report.html in the first run."),
    ] = None,
) -> None:
    """Write the report of one run, or of several side by side."""
    from ...evals import write_report

    target = output if output is not None else runs[0] / "report.html"
    write_report(runs, target)
    note(f"Wrote {target}")
