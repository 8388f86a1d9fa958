"""Which way a conversation goes next, and why it stops asking (5.3). Pure functions of the state."""

from __future__ import annotations

from typing import Literal

from ..agents.context import Assessment
from ..domains.pack import DomainPack
from .state import RaiseState

__all__ = ["StopReason", "after_assess", "after_screen", "left_to_ask", "stop_before_asking", "stop_reason"]

StopReason = Literal["sufficient", "budget", "exhausted", "declined", "crisis"]


def after_screen(state: RaiseState) -> Literal["retrieve", "assess", "respond"]:
    """Imminent risk is answered at once; paths are retrieved once, for the opening message."""
    if state["crisis"] is not None:
        return "respond"
    return "assess" if state["plan"] else "retrieve"


def after_assess(state: RaiseState) -> Literal["ask", "respond"]:
    """Ask the prepared question, if there is one."""
    return "ask" if state["pending"] is not None else "respond"


def left_to_ask(state: RaiseState, pack: DomainPack) -> list[str]:
    """Attributes that may still be asked: neither asked nor known nor declined. Plan first, then by sensitivity."""
    order = dict.fromkeys((*state["plan"], *pack.by_sensitivity()))
    gone = {*state["asked"], *state["known"], *state["declined"]}
    return [attribute for attribute in order if attribute not in gone]


def stop_before_asking(state: RaiseState, pack: DomainPack, budget: int) -> StopReason | None:
    """Why no question can follow, whatever abstention says; None if one can."""
    if state["no_more_questions"]:
        return "declined"
    if len(state["asked"]) >= budget:
        return "budget"
    if not left_to_ask(state, pack):
        return _nothing_left(state)
    return None


def stop_reason(
    state: RaiseState, pack: DomainPack, budget: int, *, assessment: Assessment, has_question: bool
) -> StopReason | None:
    """Why the conversation stops asking after this assessment; None: it goes on."""
    if assessment.sufficient:
        return "sufficient"
    if not has_question:
        return _nothing_left(state)
    return stop_before_asking(state, pack, budget)


def _nothing_left(state: RaiseState) -> StopReason:
    return "declined" if state["declined"] else "exhausted"
