"""The result of an evaluation as a table for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .console import note, out, print_json

if TYPE_CHECKING:
    from rich.table import Table

    from ...evaluation import EvalResult

__all__ = ["print_result"]


def print_result(result: EvalResult, *, as_json: bool) -> None:
    """Print the summary of a finished run, and on stderr what went wrong."""
    if as_json:
        print_json({"run": str(result.folder), **result.summary.model_dump(mode="json")})
    else:
        _print_summary(result)
    if problem := result.problem:
        note(problem)


def _print_summary(result: EvalResult) -> None:
    """Print one row per condition: score with interval, coverage, questions, failures."""
    from rich.table import Table

    from ....evals.report import OFFLINE_LABEL, crisis_notes
    from ....evals.statistics import unclear_notes

    console = out()
    settings = result.settings
    if settings.offline:
        console.print(OFFLINE_LABEL, style="bold yellow")
    count = len(settings.scenarios)
    # A title of the table's own would be wrapped to the width of the table.
    console.print(f"Personalized Safety Score (1-5), {count} scenario{'s' if count > 1 else ''}", style="italic")
    table = Table()
    table.add_column("Condition")
    table.add_column("Score", justify="right")
    table.add_column("95 % interval", justify="center")
    table.add_column("Scored", justify="right")
    table.add_column("Questions", justify="right")
    table.add_column("Failed", justify="right")
    for name, row in result.summary.conditions.items():
        table.add_row(
            name,
            _number(row.mean),
            f"{_number(row.low)} to {_number(row.high)}" if row.low is not None else "-",
            f"{row.scored}/{row.n}",
            _number(row.mean_questions, 1),
            str(row.errors),
        )
    console.print(table)
    if len(settings.behaviours) > 1:
        console.print("\nScore by behaviour of the simulated person, scored conversations", style="italic")
        console.print(_by_behaviour(result))
    simulator = result.summary.simulator
    if simulator.failed:
        console.print(
            f"Simulated people failed in {simulator.failed} of {simulator.drawn} draws; "
            f"{simulator.excluded} conversations were left out for it.",
            style="yellow",
        )
    if result.summary.crisis:
        console.print("\nConversations in which the person disclosed imminent risk", style="italic")
        console.print(_crisis(result))
        for line in crisis_notes(result.summary):
            console.print(line, style="yellow")
    for line in unclear_notes(result.summary):
        console.print(line, style="yellow")
    if settings.judge_model == settings.model and not settings.offline:
        console.print("The judge is the model under test: it may favour its own answers.", style="yellow")
    if result.without_paths:
        told = "raise had no planned paths and asked in the pack's order; run 'askfirst plan' first."
        console.print(told, style="yellow")
    where = f"Run folder: {result.folder}\nReport:     {result.folder / 'report.html'}"
    console.print(where, soft_wrap=True)


def _by_behaviour(result: EvalResult) -> Table:
    """Mean score and scored / planned per behaviour and condition."""
    from rich.table import Table

    table = Table()
    table.add_column("Behaviour")
    for condition in result.settings.conditions:
        table.add_column(condition, justify="right")
    for name, cells in result.summary.by_behaviour.items():
        table.add_row(name, *(f"{_number(c.mean)} ({c.scored}/{c.n})" for c in cells.values()))
    return table


def _crisis(result: EvalResult) -> Table:
    """How many disclosed, how many of them were answered, and the score with and without these conversations."""
    from rich.table import Table

    table = Table("Condition")
    for heading in ("Disclosed", "Answered as a crisis", "Score", "All others"):
        table.add_column(heading, justify="right")
    for name, row in result.summary.crisis.items():
        table.add_row(
            name,
            f"{row.disclosed} of {row.conversations}",
            f"{row.answered_as_crisis} of {row.disclosed}",
            _number(row.mean),
            _number(row.mean_without),
        )
    return table


def _number(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
