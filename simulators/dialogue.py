"""The loop that holds the two sides of a simulated conversation to strict alternation and to an end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ..domains.errors import AskfirstError
from .cleaning import strip_stop_tokens
from .courtesy import is_courtesy
from .errors import AssistantFailed, SimulatorFailed
from .ledger import Ledger, build_ledger
from .turns import AgentSession, AgentTurn, SimulatedUser, UserTurn

__all__ = [
    "AgentSession",
    "AgentTurn",
    "Dialogue",
    "SimulatedUser",
    "StopReason",
    "TranscriptMessage",
    "UserTurn",
    "simulate_dialogue",
]

StopReason = Literal["answered", "turn_cap", "user_ended", "goodbye", "empty_user", "role_swap", "failed"]


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TranscriptMessage(_Value):
    """One message, as both sides and a judge see it."""

    role: Literal["user", "assistant"]
    content: str


class Dialogue(_Value):
    """A finished simulated conversation: plain data.

    Stop reasons: ``answered`` (the assistant gave its answer), ``turn_cap`` (the most assistant turns were taken),
    ``user_ended``, ``goodbye`` (both sides only exchanged courtesies), ``empty_user`` (the person had nothing more to
    say), ``role_swap`` (the simulated person spoke as the assistant), ``failed`` (only in ``DialogueFailed.partial``).
    """

    transcript: tuple[TranscriptMessage, ...] = ()
    ledger: Ledger = Ledger()
    known: dict[str, str] = Field(default_factory=dict, description="What the assistant knew or was told at the end.")
    asked: tuple[str, ...] = Field(default=(), description="Attributes asked for, in order.")
    stop_reason: StopReason
    agent_reason: str | None = Field(default=None, description="Why the assistant stopped asking, in its own words.")
    faults: tuple[str, ...] = Field(default=(), description="Faults of the simulator, in order; see ``UserTurn``.")
    notes: tuple[str, ...] = Field(default=(), description="Fallbacks that the assistant reported.")

    @property
    def answer(self) -> str | None:
        """The assistant's last message, None if it said nothing."""
        return next((m.content for m in reversed(self.transcript) if m.role == "assistant"), None)

    @property
    def agent_turns(self) -> int:
        """Number of messages of the assistant."""
        return sum(m.role == "assistant" for m in self.transcript)

    @property
    def disqualified_by(self) -> str | None:
        """Why this conversation may not be judged, None if it may: it can then never pass."""
        if self.stop_reason in ("role_swap", "failed"):
            return self.stop_reason
        if "role_swap" in self.faults:
            return "role_swap"
        return None if self.answer is not None else "no answer"


async def simulate_dialogue(session: AgentSession, user: SimulatedUser, *, max_turns: int = 12) -> Dialogue:
    """Let ``user`` and the assistant behind ``session`` talk until one of the stop reasons of ``Dialogue``.

    The person speaks first; the sides alternate strictly. After a message with which the person ends the conversation,
    the assistant answers once more. The caller closes ``session``.

    Args:
        max_turns: most messages of the assistant, at least 1; exact.

    Raises:
        AssistantFailed: ``session`` raised; carries the conversation so far.
        SimulatorFailed: ``user`` raised; likewise.
    """
    if max_turns < 1:
        raise ValueError(f"max_turns must be at least 1, not {max_turns}")
    talk: list[AgentTurn | UserTurn] = []
    agent: AgentTurn | None = None
    courtesies = 0
    for number in range(1, max_turns + 1):
        try:
            said = _tidy(await (user.opening() if agent is None else user.reply(agent)))
        except Exception as error:
            raise SimulatorFailed(_finish(talk, user.attributes, "failed"), error, number - 1) from error
        talk.append(said)
        if silence := _silence(said):
            return _finish(talk, user.attributes, silence)
        try:
            agent = _something(await session.reply(said.text))
        except Exception as error:
            raise AssistantFailed(_finish(talk, user.attributes, "failed"), error, number) from error
        talk.append(agent)
        if agent.kind == "answer":
            return _finish(talk, user.attributes, "answered")
        if said.ended:
            return _finish(talk, user.attributes, "user_ended")
        # "No, thank you" to a question about oneself is an answer.
        polite = is_courtesy(said.text) and not said.asked, is_courtesy(agent.text)
        courtesies = courtesies + 1 if any(polite) else 0
        if all(polite) or courtesies == 2:
            return _finish(talk, user.attributes, "goodbye")
    return _finish(talk, user.attributes, "turn_cap")


def _tidy(turn: UserTurn) -> UserTurn:
    """Without stop tokens, whoever wrote the user: no token reaches an assistant, a transcript or a judge."""
    text, ended = strip_stop_tokens(turn.text)
    return turn.model_copy(update={"text": text, "ended": turn.ended or ended})


def _silence(turn: UserTurn) -> StopReason | None:
    """Why the conversation ends before this turn is heard, None if it is heard."""
    if "role_swap" in turn.faults:
        return "role_swap"
    if turn.text.strip():
        return None
    return "user_ended" if turn.ended and "empty" not in turn.faults else "empty_user"


def _something(turn: AgentTurn) -> AgentTurn:
    if not turn.text.strip():
        raise AskfirstError("its message is empty")
    return turn


def _finish(talk: Sequence[AgentTurn | UserTurn], attributes: Sequence[str], reason: StopReason) -> Dialogue:
    heard = [t for t in talk if isinstance(t, AgentTurn) or _silence(t) is None]
    ledger = build_ledger(attributes, talk)
    agents = [t for t in talk if isinstance(t, AgentTurn)]
    users = [t for t in talk if isinstance(t, UserTurn)]
    return Dialogue(
        transcript=tuple(
            TranscriptMessage(role="assistant" if isinstance(t, AgentTurn) else "user", content=t.text) for t in heard
        ),
        ledger=ledger,
        known=_known(agents, users),
        asked=ledger.asked,
        stop_reason=reason,
        agent_reason=next((t.stop_reason for t in reversed(agents) if t.stop_reason), None),
        faults=tuple(f for t in users for f in t.faults),
        notes=tuple(dict.fromkeys(n for t in agents for n in t.notes)),
    )


def _known(agents: Sequence[AgentTurn], users: Sequence[UserTurn]) -> dict[str, str]:
    """What the assistant says it knows; what it was told, if it does not say."""
    for turn in reversed(agents):
        if "known" in turn.model_fields_set:
            return dict(turn.known)
    return {attribute: value for turn in users for attribute, value in turn.values.items()}
