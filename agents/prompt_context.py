"""Lays out for a prompt what the agent may use: what was told, what was declined, what is still open. All of it fenced.

Nothing here ever shows an attribute's example values: a prompt must hold no value that the person did not tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..domains import DomainPack
from ..models import fence
from ..vectorstore import PlannedPath
from .context import AgentContext

__all__ = ["attribute_list", "example_list", "fenced_known", "labels", "question_before"]


def fenced_known(pack: DomainPack, context: AgentContext, nonce: str) -> str:
    """The known attributes, one a line, as fenced data."""
    known = {a: v for a, v in context.known.items() if a in pack.attribute_ids}
    lines = [f"{pack.attribute(a).label}: {' '.join(v.split())}" for a, v in known.items()]
    return fence("\n".join(lines) or "(nothing yet)", "known", nonce)


def question_before(pack: DomainPack, context: AgentContext, message: str, asked: str | None, nonce: str) -> str:
    """The question that ``message`` answers, as fenced data: as it was put, else the pack's on ``asked``."""
    question, answer = context.exchanges[-1] if context.exchanges else ("", None)
    if answer != message or not question:
        question = pack.attribute(asked).question if asked else "(none: this opens the conversation)"
    return fence(question, "question", nonce)


def labels(pack: DomainPack, attributes: Iterable[str]) -> str:
    """The labels of ``attributes`` in one line."""
    return ", ".join(pack.attribute(a).label for a in attributes if a in pack.attribute_ids) or "(none)"


def attribute_list(pack: DomainPack, attributes: Iterable[str]) -> str:
    """Id, label and description of ``attributes``, one a line."""
    chosen = (pack.attribute(a) for a in attributes)
    return "\n".join(f"- {a.id} ({a.label}): {a.description}" for a in chosen)


def example_list(examples: Sequence[PlannedPath], nonce: str) -> str:
    """Retrieved paths as few-shot examples: a query of someone else, and the order that served it best."""
    lines = [
        f"Query: {' '.join(e.query.split())}\nBest order: {' > '.join(e.path)}"
        + (f" (score {e.score:.2f} of 5)" if e.score is not None else "")
        for e in examples
    ]
    return fence("\n\n".join(lines) or "(none found)", "examples", nonce)
