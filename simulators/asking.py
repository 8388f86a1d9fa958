"""Which attributes a message of an assistant asks for, as far as code can tell."""

from __future__ import annotations

import re

from ..domains.pack import DomainPack
from .turns import AgentTurn, UserTurn

__all__ = ["asked_in", "told_in_opening"]

_SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n+")
_REQUEST = re.compile(
    r"^\W*(?:please\b|(?:tell|share|describe|let me know|give me|help me understand|say)\b)", re.IGNORECASE
)


def asked_in(agent: AgentTurn, pack: DomainPack) -> tuple[str, ...]:
    """Attributes that ``agent`` asks for: the one it names, else those whose cues its questions show.

    A name that the pack does not have is passed over. Empty for an answer, and where nothing is recognised.
    """
    if agent.kind == "answer":
        return ()
    if agent.attribute in pack.attribute_ids:
        return (agent.attribute,)
    questions = "\n".join(s for s in _SENTENCE.split(agent.text) if "?" in s or _REQUEST.match(s))
    return tuple(a.id for a in pack.attributes if a.is_asked_in(questions))


def told_in_opening(query: str, pack: DomainPack) -> UserTurn:
    """The opening message, word for word, tagged with what it already tells."""
    values = {a.id: value for a in pack.attributes if (value := a.told_in(query))}
    return UserTurn(text=query, disclosed=tuple(values), values=values)
