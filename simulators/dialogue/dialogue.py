"""The loop that holds the two sides of a simulated conversation to strict alternation and to an end."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ...domains import AskfirstError
from ..fidelity import strip_stop_tokens, universal_faults
from .errors import AssistantFailed, SimulatorFailed
from .ledger import build_ledger
from .record import Dialogue, TranscriptMessage, unheard
from .turn_taking import Control, StopReason, silence
from .turns import AgentSession, AgentTurn, ConcludingSession, SimulatedUser, UserTurn

__all__ = ["simulate_dialogue"]


async def simulate_dialogue(
    session: AgentSession, user: SimulatedUser, *, max_turns: int = 12, turns: int = 0
) -> Dialogue:
    """Let ``user`` and the assistant behind ``session`` talk until one of the stop reasons of ``Dialogue``.

    ``Control`` says who speaks and when it is over. Every message of the person is looked at for faults that show
    without knowing who they are. When the person leaves or falls silent before the first answer, ``session`` is asked
    for it once more, if it can ``conclude`` and a message is left to it. The caller closes ``session``.

    Args:
        max_turns: most messages of the assistant, at least 1; exact.
        turns: how many messages of the person follow the assistant's answer; each gets a reply.

    Raises:
        AssistantFailed: ``session`` raised; carries the conversation so far.
        SimulatorFailed: ``user`` raised; likewise.
    """
    control = Control(max_turns=max_turns, turns=turns)
    talk: list[AgentTurn | UserTurn] = []
    agent: AgentTurn | None = None
    while True:
        try:
            said = _tidy(await (user.opening() if agent is None else user.reply(agent)), opening=agent is None)
        except Exception as error:
            raise SimulatorFailed(_finish(talk, user.attributes, "failed"), error, control.agent_turns) from error
        said = _checked(said, talk)
        talk.append(said)
        if reason := control.heard(said):
            await _conclude(session, user, talk, reason, left=max_turns - control.agent_turns)
            return _finish(talk, user.attributes, reason)
        try:
            agent = _something(await session.reply(said.text))
        except Exception as error:
            raise AssistantFailed(_finish(talk, user.attributes, "failed"), error, control.agent_turns + 1) from error
        talk.append(agent)
        if reason := control.answered(agent):
            await _conclude(session, user, talk, reason, left=max_turns - control.agent_turns)
            return _finish(talk, user.attributes, reason)


async def _conclude(
    session: AgentSession,
    user: SimulatedUser,
    talk: list[AgentTurn | UserTurn],
    reason: StopReason,
    *,
    left: int,
) -> None:
    """Add the answer that the person did not wait for, if there is none and the assistant can give it."""
    agents = [t for t in talk if isinstance(t, AgentTurn)]
    over = reason not in ("user_ended", "goodbye", "empty_user") or any(t.kind == "answer" for t in agents)
    if over or not agents or left < 1 or not isinstance(session, ConcludingSession):
        return
    if isinstance(talk[-1], AgentTurn):
        talk.append(UserTurn(text="", ended=True))
    try:
        talk.append(_something(await session.conclude()))
    except Exception as error:
        raise AssistantFailed(_finish(talk, user.attributes, "failed"), error, len(agents) + 1) from error


def _tidy(turn: UserTurn, *, opening: bool) -> UserTurn:
    """Without stop tokens, where a model may have written it: no token reaches an assistant, a transcript or a judge.

    The opening, and what is marked as verbatim, is data and stays as it is.
    """
    if opening or turn.verbatim:
        return turn
    text, ended = strip_stop_tokens(turn.text)
    return turn.model_copy(update={"text": text, "ended": turn.ended or ended})


def _checked(said: UserTurn, talk: Sequence[AgentTurn | UserTurn]) -> UserTurn:
    """``said`` with the faults that show by themselves; nothing is looked for in the opening."""
    if not talk:
        return said
    agents = [t.text for t in talk if isinstance(t, AgentTurn)]
    people = [t.text for t in talk if isinstance(t, UserTurn)]
    before = list(zip(["", *agents], people, strict=False))
    told = {a for t in talk if isinstance(t, UserTurn) for a in t.disclosed}
    seen = universal_faults(said.text, agents[-1], before, tells=said.disclosed, told=told)
    return said.model_copy(update={"faults": tuple(dict.fromkeys((*said.faults, *seen)))})


def _something(turn: AgentTurn) -> AgentTurn:
    if not turn.text.strip():
        raise AskfirstError("its message is empty")
    return turn


def _finish(talk: Sequence[AgentTurn | UserTurn], attributes: Sequence[str], reason: StopReason) -> Dialogue:
    # The sides alternate strictly. A silence that the assistant replied to stays, as an empty message; but who has left
    # says nothing more: the question that they did not wait for makes way for the answer asked for instead.
    replied = {
        id(t) for t, after in itertools.pairwise(talk) if isinstance(after, AgentTurn) and reason == "empty_user"
    }
    spoken = [t for t in talk if isinstance(t, AgentTurn) or silence(t) is None or id(t) in replied]
    heard = [t for t, after in itertools.zip_longest(spoken, spoken[1:]) if not _overtaken(t, after)]
    ledger = build_ledger(attributes, talk)
    agents = [t for t in talk if isinstance(t, AgentTurn)]
    users = [t for t in talk if isinstance(t, UserTurn)]
    due = tuple(dict.fromkeys(a for t in users if t.measured for a in t.values))
    heard_of = {a for t in users if t.measured for a in t.disclosed}
    return Dialogue(
        transcript=tuple(
            TranscriptMessage(role="assistant" if isinstance(t, AgentTurn) else "user", content=t.text) for t in heard
        ),
        ledger=ledger,
        answers=_answers(agents),
        answer=next((t.text for t in reversed(agents) if t.kind == "answer"), None),
        known=_known(agents, users),
        given={a: v for t in users for a, v in t.values.items()},
        told={a: v for t in users for a, v in t.values.items() if a in t.disclosed},
        asked=ledger.asked,
        stop_reason=reason,
        agent_reason=next((t.stop_reason for t in reversed(agents) if t.stop_reason), None),
        crisis_turn=_crisis_turn(talk),
        due=due,
        faults=(*(f for t in users for f in t.faults), *unheard(due, heard_of)),
        notes=tuple(dict.fromkeys(n for t in agents for n in t.notes)),
    )


def _overtaken(turn: AgentTurn | UserTurn, after: AgentTurn | UserTurn | None) -> bool:
    return isinstance(turn, AgentTurn) and isinstance(after, AgentTurn)


def _answers(agents: Sequence[AgentTurn]) -> tuple[str, ...]:
    return tuple(t.text for t in itertools.dropwhile(lambda t: t.kind != "answer", agents))


def _crisis_turn(talk: Sequence[AgentTurn | UserTurn]) -> int | None:
    number = 0
    for turn in talk:
        if isinstance(turn, AgentTurn):
            number += 1
        elif turn.crisis:
            return number
    return None


def _known(agents: Sequence[AgentTurn], users: Sequence[UserTurn]) -> dict[str, str]:
    """What the assistant says it knows; what it was told, if it does not say."""
    for turn in reversed(agents):
        if "known" in turn.model_fields_set:
            return dict(turn.known)
    return {a: v for turn in users for a, v in turn.values.items() if a not in turn.omitted}
