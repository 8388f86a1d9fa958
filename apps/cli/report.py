"""``askfirst report``: a page to read, for one run or several side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .terminal import note

__all__ = ["report"]


def report(
    runs: Annotated[list[Path], typer.Argument(help="Run folders.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--out", help="HTML file; default: report.html in the run. Needed for several runs.", show_default=False
        ),
    ] = None,
) -> None:
    """Write the report of one run, or of several side by side, as HTML and as Markdown beside it."""
    from ...evals.report import write_report

    page, markdown = write_report(runs, output)
    note(f"Wrote {page} and {markdown}")
