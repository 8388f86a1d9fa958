"""Which way a conversation goes next, and why it stops asking (5.3). Pure functions of the state."""

from __future__ import annotations

from typing import Literal

from ..agents import AgentContext, Assessment
from ..agents.extraction import open_attributes
from ..domains import DomainPack
from .state import RaiseState

__all__ = ["AgentStopReason", "after_assess", "after_receive", "after_screen", "stop_before_asking", "stop_reason"]

AgentStopReason = Literal["sufficient", "budget", "exhausted", "declined", "crisis"]


def after_receive(state: RaiseState) -> Literal["screen", "take_answer"]:
    """A reply is taken like one that a resumed question got; a request is screened."""
    return "screen" if state["message"] is None else "take_answer"


def after_screen(state: RaiseState) -> Literal["retrieve", "assess", "respond"]:
    """Imminent risk is answered at once; paths are retrieved once, for the opening message."""
    if state["crisis"] is not None:
        return "respond"
    return "assess" if state["plan"] else "retrieve"


def after_assess(state: RaiseState) -> Literal["ask", "respond"]:
    """Ask the prepared question, if there is one."""
    return "ask" if state["pending"] is not None else "respond"


def stop_before_asking(context: AgentContext, pack: DomainPack, *, no_more_questions: bool) -> AgentStopReason | None:
    """Why no question can follow, whatever abstention says; None if one can."""
    if no_more_questions:
        return "declined"
    if len(context.asked) >= context.budget:
        return "budget"
    if not open_attributes(pack, context):
        return _nothing_left(context)
    return None


def stop_reason(
    context: AgentContext, pack: DomainPack, *, no_more_questions: bool, assessment: Assessment, has_question: bool
) -> AgentStopReason | None:
    """Why the conversation stops asking after this assessment; None: it goes on."""
    if assessment.sufficient:
        return "sufficient"
    if not has_question:
        return _nothing_left(context)
    return stop_before_asking(context, pack, no_more_questions=no_more_questions)


def _nothing_left(context: AgentContext) -> AgentStopReason:
    return "declined" if context.declined else "exhausted"
