"""The result of an evaluation as a table for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .console import out

if TYPE_CHECKING:
    from rich.table import Table

    from ..evaluation import EvalResult

__all__ = ["print_summary"]


def print_summary(result: EvalResult) -> None:
    """Print one row per condition: score with interval, coverage, questions, failures."""
    from rich.table import Table

    from ...evals import OFFLINE_LABEL

    console = out()
    settings = result.settings
    if settings.offline:
        console.print(f"[bold yellow]{OFFLINE_LABEL}[/]")
    count = len(settings.scenarios)
    title = f"Personalized Safety Score (1-5), {count} scenario{'s' if count > 1 else ''}"
    table = Table(title=title, title_justify="left")
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
    if len(settings.behaviours) > 1:
        console.print(_by_behaviour(result))
    simulator = result.summary["simulator"]
    if simulator["failed"]:
        console.print(
            f"[yellow]Simulated people failed in {simulator['failed']} of {simulator['drawn']} draws; "
            f"{simulator['excluded']} conversations were left out for it.[/]"
        )
    for name, row in result.summary["crisis"].items():
        console.print(
            f"{name}: imminent risk disclosed in {row['disclosed']} conversations, answered as a crisis in "
            f"{row['answered_as_crisis']}."
        )
    if settings.judge_model == settings.model and not settings.offline:
        console.print("[yellow]The judge is the model under test: it may favour its own answers.[/]")
    if result.without_paths:
        console.print("[yellow]raise had no planned paths and asked in the pack's order; run 'askfirst plan' first.[/]")
    where = f"Run folder: {result.folder}\nReport:     {result.folder / 'report.html'}"
    console.print(where, soft_wrap=True, markup=False)


def _by_behaviour(result: EvalResult) -> Table:
    """Mean score and scored / planned per behaviour and condition."""
    from rich.table import Table

    table = Table(title="Score by behaviour of the simulated person", title_justify="left")
    table.add_column("Behaviour")
    for condition in result.settings.conditions:
        table.add_column(condition, justify="right")
    for name, cells in result.summary["by_behaviour"].items():
        table.add_row(name, *(f"{_number(c['mean'])} ({c['scored']}/{c['n']})" for c in cells.values()))
    return table


def _number(value: Any, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
