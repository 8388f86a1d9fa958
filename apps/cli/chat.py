"""``askfirst chat``: talk to the agent in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options
from .console import note, out

if TYPE_CHECKING:
    from rich.console import Console

    from ...graphs import AnswerReply, QuestionReply, RaiseAgent

__all__ = ["chat"]

_GREETING = (
    "[bold]askfirst[/]: ask anything. A few questions may come first; press Enter to skip one. "
    "Leave with Ctrl-D.\n[dim]A research tool: no medical device, no replacement for professional help.[/]"
)


def chat(
    message: Annotated[str | None, typer.Argument(help="Opening message; asked for when left out.")] = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    timeout: options.Timeout = None,
    max_tokens: options.MaxTokens = None,
    pack: options.Pack = None,
    store: options.Store = None,
    budget: options.Budget = None,
    abstention: options.Abstention = None,
    threshold: options.Threshold = None,
    country: options.Country = None,
    checkpoints: Annotated[
        Path | None,
        typer.Option(
            "--checkpoints", help="Keep conversations in this SQLite file; default: memory.", show_default=False
        ),
    ] = None,
    thread: Annotated[
        str | None, typer.Option("--thread", help="Continue this conversation of --checkpoints.", show_default=False)
    ] = None,
) -> None:
    """Talk to the agent. Nothing is kept unless --checkpoints says so."""
    settings = options.settings(locals())
    from ...domains import InputError
    from ...graphs import RaiseAgent
    from ..settings import OFFLINE
    from ..wiring import Wiring

    if thread is not None and checkpoints is None:
        raise InputError("--thread needs --checkpoints FILE, the file that holds the conversation")
    wiring = Wiring(settings)
    console = out()
    console.print(_GREETING)
    if wiring.spec("agent") == OFFLINE:
        console.print("[dim]Offline reference backend: fixed texts and rules, no language model.[/]")
    where = "memory" if checkpoints is None else f"sqlite:{checkpoints}"
    with (
        wiring.existing_store() as paths,
        RaiseAgent(wiring.components(paths), wiring.raise_settings(), checkpointer=where) as agent,
    ):
        _converse(agent, console, message, thread, kept=checkpoints is not None)


def _converse(agent: RaiseAgent, console: Console, message: str | None, thread: str | None, *, kept: bool) -> None:
    try:
        if thread is not None:
            _until_answer(agent, console, agent.resume(thread), kept=kept)
        while True:
            text = message if message is not None else _read(console, "[bold green]you[/] ")
            given, message = message is not None, None
            if not text.strip():
                continue
            _until_answer(agent, console, agent.start(text), kept=kept)
            if given and not console.is_terminal:
                return
    except EOFError:
        console.print()


def _until_answer(agent: RaiseAgent, console: Console, reply: QuestionReply | AnswerReply, *, kept: bool) -> None:
    from ...graphs import QuestionReply

    while isinstance(reply, QuestionReply):
        console.print(f"[bold cyan]askfirst[/] [dim]({reply.asked} of at most {reply.budget})[/] ", end="")
        console.print(reply.question, markup=False)
        try:
            text = _read(console, "[bold green]you[/] ")
        except (EOFError, KeyboardInterrupt):
            if kept:
                note(f"\nContinue later with --thread {reply.thread_id}")
            raise
        reply = agent.reply(reply.thread_id, text if text.strip() else None)
    console.print("[bold cyan]askfirst[/] ", end="")
    console.print(reply.text, markup=False)
    for remark in reply.notes:
        note(f"({remark})")
    console.print()


def _read(console: Console, prompt: str) -> str:
    return console.input(prompt)
