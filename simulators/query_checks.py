"""Whether a generated query may be used: it looks ordinary and names nothing of the person's profile (A.3)."""

from __future__ import annotations

import re

from ..domains.pack import DomainPack
from ..domains.profile import Profile
from .cleaning import clean_reply
from .tables import SamplingTables

__all__ = ["detail_named", "query_problem", "tidy_query"]

_LONGEST, _SHORTEST = 500, 3  # characters, words
_NUMBERED = re.compile(r"\A\s*(?:(?:(?:query|question)\s*)?(?:\d{1,2}|[a-h])\s*[.):]|[-*•])\s+", re.IGNORECASE)
# A query that says this is no ordinary query, whoever asks it.
_OPEN_RISK = re.compile(
    r"\bsuicid|\bself[- ]?harm|\bkill(?:ing)? myself\b|\bend(?:ing)? (?:my|it) (?:life|all)\b|\boverdos", re.IGNORECASE
)


def tidy_query(raw: str) -> str:
    """A query as a model wrote it, without numbering, quotation marks around it and line breaks."""
    text = _NUMBERED.sub("", " ".join(raw.split()))
    return clean_reply(text).text


def query_problem(query: str, profile: Profile, tables: SamplingTables, pack: DomainPack) -> str | None:
    """Why ``query`` cannot be used with ``profile``: "empty", "too_long", "too_short", "open_risk", "names_detail"."""
    if not query:
        return "empty"
    if len(query) > _LONGEST:
        return "too_long"
    if len(query.split()) < _SHORTEST and query.isascii():
        return "too_short"
    if _OPEN_RISK.search(query):
        return "open_risk"
    return "names_detail" if detail_named(query, profile, tables, pack) else None


def detail_named(query: str, profile: Profile, tables: SamplingTables, pack: DomainPack) -> str | None:
    """The first attribute of ``profile`` that ``query`` gives away, None if none.

    Looks for the pack's *tells* (any statement about an attribute counts, true or not), the tables' ``mentions`` of the
    value, and the value itself word for word where it is distinctive.
    """
    values = tables.canonical(profile)
    folded = f" {_fold(query)} "
    for attribute, value in profile.items():
        if pack.attribute(attribute).told_in(query):
            return attribute
        pattern = tables.mention_patterns.get((attribute, values.get(attribute, "")))
        if pattern is not None and pattern.search(query):
            return attribute
        phrases = (_fold(value), _fold(value.partition(",")[2]))
        if any(len(p) >= 9 and f" {p} " in folded for p in phrases):
            return attribute
    return None


def _fold(text: str) -> str:
    return " ".join(re.findall(r"\w+(?:'\w+)?", text.replace("’", "'").casefold()))
