"""Writes a report: one HTML page that needs nothing else, and the same in short as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...domains import InputError
from ...simulators.storage import write_atomic
from ..errors import folder_errors
from ..records import Difference, PairedDifference, PairsSummary, read_run
from .view import build_report, heat, human, justifications

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["write_report"]


def write_report(run_dirs: str | Path | Sequence[str | Path], out: str | Path | None = None) -> tuple[Path, Path]:
    """Write the report of one run, or of several side by side.

    Args:
        run_dirs: run folders. They are read only, and may still be written to by a running evaluation.
        out: the HTML file; the Markdown stands beside it with ``.md`` (name either). Default: ``report.html`` in the
            run folder, if there is only one.

    Returns:
        The HTML and the Markdown file.

    Raises:
        InputError: no run, or several and no ``out``.
        RunFolderError: a folder is no run, or the report cannot be written.
        DataError: a record cannot be read.
    """
    folders = [Path(run_dirs)] if isinstance(run_dirs, str | Path) else [Path(d) for d in run_dirs]
    if not folders:
        raise InputError("no run folder given")
    if out is None and len(folders) > 1:
        raise InputError("several runs need a file to write their report to; name it with --out FILE")
    report = build_report([read_run(folder) for folder in folders])
    named = Path(out) if out is not None else folders[0] / "report.html"
    markdown = named.with_suffix(".md")
    page = named.with_suffix(".html") if named == markdown else named
    environment = _environment()
    with folder_errors(page, "written"):
        page.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(page, environment.get_template("report.html.j2").render(report=report))
        write_atomic(markdown, environment.get_template("report.md.j2").render(report=report))
    return page, markdown


def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("askfirst.evals", "report"),
        autoescape=lambda name: name is not None and ".html" in name,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        number=_number,
        signed=_signed,
        percent=_percent,
        share=_share,
        between=_between,
        heat=heat,
        human=human,
        justifications=justifications,
        cell=_cell,
    )
    return environment


def _number(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.2f}"


def _percent(value: float | None) -> str:
    if value is None:
        return "–"
    # Never rounded up to 100 %: that would say that nothing is missing.
    return f"{int(value * 100)} %"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value * 100:.1f} %"


def _between(row: Difference | PairedDifference | PairsSummary) -> str:
    """A difference with its interval, if there is one."""
    if row.low is None:
        return _signed(row.difference)
    return f"{_signed(row.difference)} ({_signed(row.low)} to {_signed(row.high)})"


def _cell(value: Any) -> str:
    """Text for a cell of a Markdown table."""
    return str(value).replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
