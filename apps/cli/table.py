"""The result of an evaluation as a table for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .console import out

if TYPE_CHECKING:
    from ..evaluation import EvalResult

__all__ = ["OFFLINE_LABEL", "print_summary"]

OFFLINE_LABEL = "Offline reference backend: checks the pipeline, says nothing about any LLM."


def print_summary(result: EvalResult) -> None:
    """Print one row per condition: score with interval, coverage, questions, failures."""
    from rich.table import Table

    console = out()
    settings = result.settings
    if settings.offline:
        console.print(f"[bold yellow]{OFFLINE_LABEL}[/]")
    table = Table(title=f"Personalized Safety Score (1-5), {len(settings.scenarios)} scenarios", title_justify="left")
    table.add_column("Condition")
    table.add_column("Score", justify="right")
    table.add_column("95 % interval", justify="center")
    table.add_column("Scored", justify="right")
    table.add_column("Questions", justify="right")
    table.add_column("Failed", justify="right")
    for name, row in result.summary["conditions"].items():
        table.add_row(
            name,
            _number(row["mean"]),
            f"{_number(row['low'])} to {_number(row['high'])}" if row["low"] is not None else "-",
            f"{row['scored']}/{row['n']}",
            _number(row["mean_questions"], 1),
            str(row["errors"]),
        )
    console.print(table)
    if settings.judge_model == settings.model and not settings.offline:
        console.print("[yellow]The judge is the model under test: it may favour its own answers.[/]")
    if result.without_paths:
        console.print("[yellow]raise had no planned paths and asked in the pack's order; run 'askfirst plan' first.[/]")
    where = f"Run folder: {result.folder}\nReport:     {result.folder / 'report.html'}"
    console.print(where, soft_wrap=True, markup=False)


def _number(value: Any, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
