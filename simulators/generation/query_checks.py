"""Whether a generated query may be used: it looks ordinary and names nothing of the person's profile (A.3)."""

from __future__ import annotations

import re

from ...domains import DomainPack, Profile, plain, tidy
from ..fidelity import clean_reply
from .tables import SamplingTables

__all__ = ["detail_named", "query_problem", "tidy_query"]

_LONGEST, _SHORTEST = 500, 3  # characters, words
_NUMBERED = re.compile(r"\A\s*(?:(?:(?:query|question)\s*)?(?:\d{1,2}|[a-h])\s*[.):]|[-*•])\s+", re.IGNORECASE)
# A query that says this is no ordinary query, whoever asks it.
_OPEN_RISK = re.compile(
    r"\bsuicid|\bself[- ]?(?:harm|injur|mutilat)|\boverdos|\bunaliv"
    r"|\b(?:kill|hurt|harm|cut|injur|starv|drown|hang)(?:e|ing|ting)? myself\b"
    r"|\b(?:end|take|taking|ending) (?:it all|my (?:own )?life)\b|\bend(?:ing)? it (?:tonight|now|for good)\b"
    r"|\b(?:want(?:ed)?|wish|going|ready|plan(?:ning)?|better) to die\b"
    r"|\bwish i (?:was|were) dead\b|\bbetter off dead\b|\bno (?:reason|point) (?:to|in) liv(?:e|ing)\b"
    r"|\b(?:not|don't) (?:want|wish) to (?:be alive|live|wake up|exist)\b",
    re.IGNORECASE,
)
# What is said to a model, and not to somebody's assistant.
_INSTRUCTION = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b[^.?!\n]{0,20}"
    r"\b(?:previous|prior|above|earlier|preceding|system|all|your) (?:instructions?|prompts?|rules|guidelines)\b"
    r"|\b(?:print|reveal|show|repeat)\b[^.?!\n]{0,30}\b(?:rubric|your instructions)\b"
    r"|\b(?:system|hidden) prompt\b|\bas an? (?:ai|(?:large )?language model)\b|\bjailbreak|</?(?:system|user)>",
    re.IGNORECASE,
)
_UNREADABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffd\ufffe\uffff]")


def tidy_query(raw: str) -> str:
    """A query as a model wrote it, without numbering, quotation marks around it and line breaks."""
    text = _NUMBERED.sub("", " ".join(raw.split()))
    return clean_reply(text).text


def query_problem(query: str, profile: Profile, tables: SamplingTables, pack: DomainPack) -> str | None:
    """Why ``query`` cannot be used with ``profile``; None if it can.

    "empty", "unreadable" (control characters, U+FFFD), "too_long" (500 characters), "too_short" (under three words, in
    ASCII), "open_risk" (self-harm, suicide), "instruction" (words to a model), "names_detail", "excludes_person" (the
    tables' ``excludes``). Whether it makes sense, and in which language it is, is not looked at.
    """
    if not query:
        return "empty"
    if _UNREADABLE.search(query):
        return "unreadable"
    if len(query) > _LONGEST:
        return "too_long"
    if len(query.split()) < _SHORTEST and query.isascii():
        return "too_short"
    if _OPEN_RISK.search(tidy(query)):
        return "open_risk"
    if _INSTRUCTION.search(query):
        return "instruction"
    if detail_named(query, profile, tables, pack):
        return "names_detail"
    excluded = tables.excluded(query) & set(tables.canonical(profile).items())
    return "excludes_person" if excluded else None


def detail_named(query: str, profile: Profile, tables: SamplingTables, pack: DomainPack) -> str | None:
    """The first attribute of ``profile`` that ``query`` gives away, None if none.

    Looks for the pack's *tells* (any statement about an attribute counts, true or not), the tables' ``mentions`` of the
    value, of another value where the person claims it ("as a nurse", "my anxiety"), and the value itself word for word
    where it is distinctive.
    """
    values = tables.canonical(profile)
    folded = f" {_fold(query)} "
    for attribute, value in profile.items():
        if pack.attribute(attribute).told_in(query):
            return attribute
        for (of, other), pattern in tables.mention_patterns.items():
            if of != attribute or (found := pattern.search(query)) is None:
                continue
            if other == values.get(attribute, "") or _CLAIM.search(query[: found.start()]):
                return attribute
        phrases = (_fold(value), _fold(value.partition(",")[2]))
        if any(len(p) >= 9 and f" {p} " in folded for p in phrases):
            return attribute
    return None


_CLAIM = re.compile(r"\b(?:as an?|i'?m(?: an?)?|i am(?: an?)?|my(?: own)?)\s+$", re.IGNORECASE)


def _fold(text: str) -> str:
    return " ".join(re.findall(r"\w+(?:'\w+)?", plain(text)))
