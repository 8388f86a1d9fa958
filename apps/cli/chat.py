"""``askfirst chat``: talk to the agent in the terminal."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import options
from .terminal import note, out

if TYPE_CHECKING:
    from ...agents import CrisisScreen
    from ...graphs import AnswerReply, QuestionReply, RaiseAgent
    from .terminal import SafeConsole

__all__ = ["chat"]

_GREETING = (
    ": ask anything. A few questions may come first; press Enter or type 'skip' to leave one out. "
    "After an answer, the next message starts afresh. Press Ctrl-D to leave.\n"
)
_NO_REPLACEMENT = "A research tool, not a medical device and not a replacement for professional help."
_OFFLINE = "Offline reference backend: fixed texts and rules, no language model."
_NO_COUNTRY = "To be shown helplines near you, start with --country, for example --country GB."
_NEW = "/new"


def chat(
    message: Annotated[str | None, typer.Argument(help="Opening message; if omitted, you are asked for it.")] = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    timeout: options.Timeout = None,
    reply_tokens: options.ReplyTokens = None,
    pack: options.Pack = None,
    store: options.Store = None,
    chroma_url: options.ChromaUrl = None,
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
    from .terminal import styled

    if thread is not None and checkpoints is None:
        raise InputError("--thread needs --checkpoints FILE, the file that holds the conversation")
    wiring = Wiring(settings)
    console = out()
    console.print(styled(("askfirst", "bold"), _GREETING, (_NO_REPLACEMENT, "dim")))
    if wiring.spec("agent") == OFFLINE:
        console.print(_OFFLINE, style="dim")
    if wiring.settings.country is None:
        console.print(_NO_COUNTRY, style="dim")
    where = "memory" if checkpoints is None else f"sqlite:{checkpoints}"
    with wiring.existing_store() as paths:
        if paths is not None:
            wiring.load_embedder()
        parts = wiring.components(paths)
        with RaiseAgent(parts, wiring.raise_settings(), checkpointer=where) as agent:
            _Chat(console, agent, parts.crisis, wiring.settings.country, checkpoints).run(message, thread)


@dataclass
class _Chat:
    console: SafeConsole
    agent: RaiseAgent
    crisis: CrisisScreen
    country: str | None
    checkpoints: Path | None
    said: list[str] = field(default_factory=list)

    def run(self, message: str | None, thread: str | None) -> None:
        try:
            reply = self.agent.resume(thread) if thread is not None else None
            in_crisis = self._until_answer(reply) if reply is not None else False
            while True:
                text = message if message is not None else self._read()
                given, message = message is not None, None
                if in_crisis and text.strip() != _NEW:
                    # Whoever was in danger a moment ago gets no questionnaire, whatever they write next.
                    self.said.append(self.crisis.follow_up(self.country, text, said=self.said))
                    self._say(self.said[-1])
                    self.console.print(f"{_NEW} starts another conversation.", style="dim")
                elif text.strip() and text.strip() != _NEW:
                    in_crisis = self._until_answer(self.agent.start(text))
                else:
                    in_crisis = False
                if given and not self.console.is_terminal:
                    return
        except EOFError:
            self.console.print()

    def _until_answer(self, reply: QuestionReply | AnswerReply) -> bool:
        """Converse until the answer; True if it is the crisis answer."""
        from ...graphs import QuestionReply

        while isinstance(reply, QuestionReply):
            self._say(reply.question, f" ({reply.asked} of at most {reply.budget})")
            try:
                text = self._read()
            except (EOFError, KeyboardInterrupt):
                if self.checkpoints is not None:
                    note(f"\nContinue later with --checkpoints {self.checkpoints} --thread {reply.thread_id}")
                raise
            reply = self.agent.reply(reply.thread_id, text if text.strip() else None)
        self._say(reply.text)
        self.said = [reply.text]
        if not reply.crisis:
            for remark in reply.notes:
                self.console.print(f"({remark})", style="dim")
        return reply.crisis

    def _say(self, text: str, aside: str = "") -> None:
        from .terminal import styled

        # One Text, so that the prefix counts when the line is wrapped.
        self.console.print(styled(("askfirst", "bold cyan"), (aside, "dim"), " ", text))
        self.console.print()

    def _read(self) -> str:
        from .terminal import styled

        return self.console.input(styled(("you", "bold green"), " "))
