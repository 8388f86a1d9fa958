"""Options that several commands share, each with one meaning."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .terminal import note

if TYPE_CHECKING:
    from ..settings import Settings


_MODELS = "Models"
_AGENT = "Agent"
_LIMITS = "Spending"
_DIGITS = 6  # of a number in a list

Model = Annotated[
    str | None,
    typer.Option("--model", help="'offline' (default) or 'openai:NAME'.", rich_help_panel=_MODELS, show_default=False),
]
UserModel = Annotated[
    str | None,
    typer.Option("--user-model", help="Simulated user; default: --model.", rich_help_panel=_MODELS, show_default=False),
]
JudgeModel = Annotated[
    str | None,
    typer.Option("--judge-model", help="Judge; default: --model.", rich_help_panel=_MODELS, show_default=False),
]
PlannerModel = Annotated[
    str | None,
    typer.Option("--planner-model", help="Planner; default: --model.", rich_help_panel=_MODELS, show_default=False),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        "--base-url",
        help="OpenAI-compatible endpoint, such as http://127.0.0.1:8080/v1.",
        rich_help_panel=_MODELS,
        show_default=False,
    ),
]
UserBaseUrl = Annotated[
    str | None,
    typer.Option(
        "--user-base-url",
        help="Endpoint of the simulated user; default: --base-url.",
        rich_help_panel=_MODELS,
        show_default=False,
    ),
]
JudgeBaseUrl = Annotated[
    str | None,
    typer.Option(
        "--judge-base-url",
        help="Endpoint of the judge; default: --base-url.",
        rich_help_panel=_MODELS,
        show_default=False,
    ),
]
PlannerBaseUrl = Annotated[
    str | None,
    typer.Option(
        "--planner-base-url",
        help="Endpoint of the planner; default: --base-url.",
        rich_help_panel=_MODELS,
        show_default=False,
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option("--timeout", help="Seconds for one model call (60).", rich_help_panel=_MODELS, show_default=False),
]
ReplyTokens = Annotated[
    int | None,
    typer.Option(
        "--reply-tokens", min=1, help="Maximum tokens in one reply (2048).", rich_help_panel=_MODELS, show_default=False
    ),
]
Concurrency = Annotated[
    int | None,
    typer.Option("--concurrency", help="Conversations or scenarios at once (8).", show_default=False),
]
Pack = Annotated[
    str | None,
    typer.Option("--pack", help="Domain pack: a name or a folder (penguin).", show_default=False),
]
Store = Annotated[
    Path | None,
    typer.Option(
        "--store",
        help="Folder of the store of planned paths (.askfirst/paths).",
        rich_help_panel=_AGENT,
        show_default=False,
    ),
]
Rewards = Annotated[
    Path | None,
    typer.Option("--rewards", help="SQLite file of paid evaluations (STORE.rewards.sqlite).", show_default=False),
]
ChromaUrl = Annotated[
    str | None,
    typer.Option(
        "--chroma-url",
        help="Chroma server with the planned paths, http://HOST:PORT; used instead of --store.",
        rich_help_panel=_AGENT,
        show_default=False,
    ),
]
Budget = Annotated[
    int | None,
    typer.Option(
        "--budget",
        help="Maximum number of questions in a conversation (5).",
        rich_help_panel=_AGENT,
        show_default=False,
    ),
]
Abstention = Annotated[
    str | None,
    typer.Option("--abstention", help="scale (default), binary or basic.", rich_help_panel=_AGENT, show_default=False),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        help="Completeness (0 to 5) at which to answer (3).",
        rich_help_panel=_AGENT,
        show_default=False,
    ),
]
Country = Annotated[
    str | None,
    typer.Option(
        "--country", help="Two-letter code, for crisis resources.", rich_help_panel=_AGENT, show_default=False
    ),
]
Limit = Annotated[
    int | None, typer.Option("--limit", min=1, help="Use only the first N scenarios.", show_default=False)
]
Data = Annotated[str, typer.Argument(help="File or folder of scenarios, or 'penguin_mini' (packaged).")]
Split = Annotated[str, typer.Option("--split", help="auto, plan, eval or all.")]
Out = Annotated[Path | None, typer.Option("--out", help="Folder for the results.", show_default=False)]
SetSize = Annotated[
    int | None,
    typer.Option("--budget", help="Maximum number of attributes in a set (5).", show_default=False),
]
PlanningConcurrency = Annotated[
    int | None,
    typer.Option("--concurrency", help="Evaluations at once, over all scenarios (8).", show_default=False),
]
DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="Print the expected calls and tokens, and exit.", rich_help_panel=_LIMITS),
]
CallLimit = Annotated[
    int | None,
    typer.Option(
        "--max-calls", min=1, help="Stop after this many model calls.", rich_help_panel=_LIMITS, show_default=False
    ),
]
TokenLimit = Annotated[
    int | None,
    typer.Option(
        "--max-tokens", min=1, help="Stop after this many tokens.", rich_help_panel=_LIMITS, show_default=False
    ),
]
Evaluations = Annotated[
    int, typer.Option("--evaluations", min=1, help="Maximum number of attribute sets evaluated per scenario.")
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed for all randomness.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object for machines.")]


def example(*commands: str) -> str:
    """The end of a help page: commands that can be run as they are printed."""
    return "\n\n".join(("Example:" if len(commands) == 1 else "Examples:", *commands))


def settings(given: Mapping[str, Any]) -> Settings:
    """The settings of a command from its parameters (``locals()`` at its start); what is no setting is ignored."""
    from ..settings import Settings, load_settings

    chosen = load_settings(**{name: value for name, value in given.items() if name in Settings.model_fields})
    if "country" in given and chosen.country is not None:
        _note_without_services(chosen.country, chosen.pack)
    return chosen


def _note_without_services(country: str, pack: str) -> None:
    """A country without services in the pack is fine, but who names one should know what people there will read."""
    from ...domains import get_pack

    chosen = get_pack(pack)
    if all(service.country != country for service in chosen.resources.services):
        note(
            f"The pack {chosen.name} lists no crisis services for {country}: people who need one are given the "
            "international directory."
        )


def counts(option: str, text: str) -> tuple[int, ...]:
    """Whole numbers from 1 to 999999, separated by commas in ``text``; each once, in order.

    Raises:
        InputError: naming ``option`` and what is no such number.
    """
    from ...domains import InputError

    parts = [part.strip() for part in text.split(",")]
    for part in parts:
        if not (part.isascii() and part.isdigit() and len(part) <= _DIGITS and int(part)):
            told = part if len(part) <= _DIGITS else f"{part[:_DIGITS]}..."
            raise InputError(f"{option}: {told!r} is not a whole number from 1 to 999999; separate several with commas")
    return tuple(sorted({int(part) for part in parts}))
