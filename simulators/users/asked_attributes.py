"""Which attributes a message of an assistant asks for, and which the opening already tells, as far as code can tell."""

from __future__ import annotations

import re

from ...domains import Attribute, DomainPack, Profile, tidy
from ..dialogue import AgentTurn, UserTurn
from ..fidelity import asks_of_another, in_digits, own_claim, telling

__all__ = ["asked_in", "told_in_opening"]

_SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n+")
_REQUEST = re.compile(
    r"^\W*(?:please\b|(?:tell|share|describe|let me know|give me|help me understand|say)\b)", re.IGNORECASE
)
# A new question inside a sentence: "How old is he, and what do you do for work?"
_PART = re.compile(
    r",? (?:and|or) (?=(?:what|how|who|where|when|which|why|is|are|do|does|did|have|has|may|can|could)\b)"
)
_CONFIRM = re.compile(
    r"(?:^|,\s*|\b(?:is|am|did) (?:that|this|i) (?:get (?:that|it) )?)(?:right|correct|true|yes)\s*\?\s*$"
    r"|^\W*(?:so|then|and)?,?\s*you(?:'re| are)\b",
    re.IGNORECASE,
)


def asked_in(agent: AgentTurn, pack: DomainPack) -> tuple[str, ...]:
    """Attributes that ``agent`` asks for, in the order of the pack, the one that it names first.

    The text decides: what its questions show by the pack's cues, or put to the person for confirmation. What a message
    names counts too, unless its questions show only other attributes, or ask about somebody else. A name that the pack
    does not have is passed over. Empty for an answer, and where nothing is recognised.
    """
    if agent.kind == "answer":
        return ()
    sentences = [s for s in _SENTENCE.split(tidy(agent.text)) if "?" in s or _REQUEST.match(s)]
    parts = [part for s in sentences for part in _PART.split(s)]
    about = [part for part in parts if not asks_of_another(part)]
    shown = [a.id for a in pack.attributes if any(a.is_asked_in(p) or _put_to_them(p, a) for p in about)]
    named = agent.attribute
    if named is None or named not in pack.attribute_ids:
        return tuple(shown)
    of_another = any(pack.attribute(named).is_asked_in(p) for p in parts if p not in about)
    if named in shown or not (shown or of_another):
        return (named, *(a for a in shown if a != named))
    return tuple(shown)


def told_in_opening(query: str, pack: DomainPack, profile: Profile) -> UserTurn:
    """The opening message, word for word, tagged with what it already tells of the person.

    What it says of somebody else, or against ``profile``, is not told.
    """
    values = {
        a.id: claim for a in pack.attributes if (claim := own_claim(query, a)) and _agrees(claim, a, profile.get(a.id))
    }
    return UserTurn(text=query, disclosed=tuple(values), values=values)


def _agrees(claim: str, attribute: Attribute, value: str | None) -> bool:
    if value is None or telling(claim, attribute, value) == "told":
        return True
    beginnings = {w[:5] for w in re.findall(r"[^\W\d_]{5,}", value.casefold())}
    return any(w[:5] in beginnings for w in re.findall(r"[^\W\d_]{5,}", claim.casefold()))


def _put_to_them(question: str, attribute: Attribute) -> bool:
    """Whether a value of ``attribute`` is put to the person for confirmation: "So you are 44 and single, right?"."""
    if not _CONFIRM.search(question):
        return False
    swapped = re.sub(r"\byou(?: are|'re)\b", "I am", in_digits(question), flags=re.IGNORECASE)
    if attribute.told_in(swapped):
        return True
    listed = [v for v in attribute.values if v.casefold() not in ("other", "none", "yes", "no", "good")]
    return any(re.search(rf"\b{re.escape(v)}\b", question, re.IGNORECASE) for v in listed)
