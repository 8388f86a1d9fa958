"""The state of one conversation: plain JSON data, so that every checkpointer gives back exactly what it was given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, TypedDict

from ..agents import AgentContext, Extracted
from ..domains import DomainPack
from ..vectorstore import PlannedPath

__all__ = [
    "RaiseInput",
    "RaiseOutput",
    "RaiseState",
    "context_of",
    "learned",
    "merge_messages",
    "opening_state",
    "unique",
]


def merge_messages(left: list[Any], right: Any) -> list[Any]:
    """LangGraph's ``add_messages``, imported when a graph runs and not before."""
    from langgraph.graph.message import add_messages

    return list(add_messages(left, right))


class RaiseInput(TypedDict, total=False):
    """What a run starts from: ``query``, or ``messages`` whose unread human messages are the query."""

    query: str
    messages: Annotated[list[Any], merge_messages]
    domain: str | None
    country: str | None


class RaiseOutput(TypedDict, total=False):
    """What a run leaves. ``messages`` grows only where there were some: questions, replies and the answer."""

    messages: Annotated[list[Any], merge_messages]
    answer: str | None
    stop_reason: str | None
    known: dict[str, str]
    asked: list[str]
    declined: list[str]
    crisis: dict[str, str] | None
    notes: list[str]


class RaiseState(TypedDict, total=False):
    """Everything between two steps. All keys but ``messages`` are set from the first step on."""

    messages: Annotated[list[Any], merge_messages]
    query: str  # the opening message
    domain: str | None
    country: str | None
    plan: list[str]  # attribute ids in asking order
    examples: list[dict[str, Any]]  # PlannedPath as JSON, best offline score first
    known: dict[str, str]  # attribute id -> value, as told
    declined: list[str]
    asked: list[str]  # attribute ids, in order
    exchanges: list[list[str]]  # [question, answer] texts; declined questions have none
    pending: dict[str, str] | None  # the prepared question: attribute, text
    message: str | None  # reply that is being worked on; "" declined, None: the opening message is
    last_reply: str | None  # the latest reply, kept so that a repeated call can be told from a new one
    no_more_questions: bool  # the person wants the answer now
    crisis: dict[str, str] | None  # CrisisSignal
    stop_reason: str | None  # sufficient | budget | exhausted | declined | crisis
    answer: str | None
    notes: list[str]  # fallbacks and degradations, never a person's words


def opening_state(query: str, *, domain: str | None, country: str | None) -> dict[str, Any]:
    """The whole state at the start of a conversation: nothing of an earlier run of the thread remains."""
    return {
        "query": query,
        "domain": domain,
        "country": country,
        "plan": [],
        "examples": [],
        "known": {},
        "declined": [],
        "asked": [],
        "exchanges": [],
        "pending": None,
        "message": None,
        "last_reply": None,
        "no_more_questions": False,
        "crisis": None,
        "stop_reason": None,
        "answer": None,
        "notes": [],
    }


def context_of(state: RaiseState, budget: int) -> AgentContext:
    """What the agent's parts may see of ``state``."""
    return AgentContext(
        query=state["query"],
        known=state["known"],
        declined=tuple(state["declined"]),
        asked=tuple(state["asked"]),
        plan=tuple(state["plan"]),
        examples=tuple(PlannedPath.model_validate(example) for example in state["examples"]),
        domain=state["domain"],
        country=state["country"],
        budget=budget,
        exchanges=tuple((question, answer) for question, answer in state["exchanges"]),
    )


def learned(state: RaiseState, extracted: Extracted, pack: DomainPack, told_in: str) -> RaiseState:
    """The keys of ``state`` that ``extracted`` changes. A later value replaces an earlier one or a refusal; what was
    taken back is known no more.

    Attribute ids that the pack does not have are left out, and a note says so.
    """
    values = {a: v for a, v in extracted.values.items() if a in pack.attribute_ids and v.strip()}
    known = {**{a: v for a, v in state["known"].items() if a not in extracted.withdrawn}, **values}
    refused = [a for a in (*state["declined"], *extracted.declined) if a in pack.attribute_ids and a not in known]
    notes = list(state["notes"])
    if extracted.fallback:
        notes.append(f"reading {told_in}: {extracted.fallback}")
    if strange := {*extracted.values, *extracted.declined} - {*pack.attribute_ids}:
        notes.append(f"reading {told_in}: {len(strange)} attribute(s) unknown to pack {pack.name!r} left out")
    return {"known": known, "declined": unique(refused), "notes": unique(notes)}


def unique(items: Iterable[str]) -> list[str]:
    """``items`` without repeats, in order."""
    return list(dict.fromkeys(items))
