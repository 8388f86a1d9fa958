"""Of whom a sentence speaks: the person, or somebody else; and what stands in quotation marks. English, by code."""

from __future__ import annotations

import re

from ..domains.attribute import Attribute
from .words import in_digits, plain

__all__ = ["asks_of_another", "own_claim", "own_words_of", "unquoted"]

_OTHERS = (
    r"(?:(?:a|the|my|your|his|her|our|their|this|that) (?:[\w-]+ ){0,2}?)?"
    r"(?:friends?|mother|father|mum|mom|dad|sisters?|brothers?|sons?|daughters?|child(?:ren)?|kids?|boss|manager"
    r"|colleagues?|coworkers?|neighbou?rs?|cousins?|aunt|uncle|grand(?:ma|pa|mother|father|parents)|parents?|nephew"
    r"|niece|room-?mates?|flat-?mates?|landlord|landlady|boyfriend|girlfriend|partner|husband|wife|spouse|guy|man"
    r"|woman)"
)
_PERSON = re.compile(
    rf"\b(?:(?P<own>i|i'm|i've|i'd|i'll|me|we|we're|myself|as an?)|(?P<other>he|she|they|he's|she's|they're|who"
    rf"|{_OTHERS}))"
    r"(?![\w'])",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    rf"\W*(?:(?:and|but|so|well|because|only),? )*(?P<who>he|she|they|he's|she's|they're|{_OTHERS})(?![\w'])",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:tell|tells|telling|told|say|saying|pretend\w*|claim\w*|lie|lying)(?: to)?(?: (?:him|her|them|people|everyone"
    r"|everybody|my \w+|the \w+))?(?: that)?\s*$",
    re.IGNORECASE,
)
_TO_WORK = re.compile(r"^\s+to (?:my|the|his|her) (?:job|work|career|desk|company)\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[.!?;:\n]+|,? (?:and|but|while|because|so)\b")
_DOUBLE = re.compile(r"[\"“«][^\"”»]*[\"”»]")
_SINGLE = re.compile(r"(?<![\w'])'(?=\w)[^'\n]{0,300}(?:'(?=\w)[^'\n]{0,300}){0,5}'(?!\w)")


def unquoted(text: str) -> str:
    """``text`` without what stands in quotation marks, single ones included: other people's words."""
    return _SINGLE.sub(" ", plain(_DOUBLE.sub(" ", text)))


def own_claim(text: str, attribute: Attribute) -> str | None:
    """The value of ``attribute`` that the speaker of ``text`` claims of themselves, by the pack's patterns of telling.

    Not what they say of somebody else, quote, or think of telling somebody.
    """
    for clause in _CLAUSE.split(in_digits(unquoted(text))):
        claim = attribute.told_in(clause)
        if claim is None:
            continue
        start = clause.casefold().find(claim.casefold())
        before, after = clause[:start], clause[start + len(claim) :]
        people = list(_PERSON.finditer(before))
        lead = clause[: people[-1].start()] if people else before
        if not (people and people[-1]["other"]) and not _REPORTED.search(lead) and not _TO_WORK.match(after):
            return claim
    return None


def own_words_of(text: str) -> str:
    """``text`` without quotations and without sentences that speak of somebody else alone."""
    sentences = re.split(r"(?<=[.!?])\s+|\n+", unquoted(text))
    return " ".join(s for s in sentences if not _of_another(s))


def asks_of_another(question: str) -> bool:
    """Whether ``question``, of an assistant, asks about somebody else than the person it speaks to."""
    if re.search(r"\b(?:you|you're|you've|yourself)\b", question, re.IGNORECASE):
        return False
    named = re.search(rf"\b(?:he|she|they|him|them|his|her|their|{_OTHERS})\b", question, re.IGNORECASE)
    # "a partner", "children" ask who is there; "your son" asks about him.
    return named is not None and (named[0].lower() in _PRONOUNS or (" " in named[0] and named[0][:2].lower() != "a "))


_PRONOUNS = ("he", "she", "they", "him", "them", "his", "her", "their")


def _of_another(sentence: str) -> bool:
    if not (subject := _SUBJECT.match(sentence)):
        return False
    named = " " in subject["who"] or subject["who"].lower().partition("'")[0] in _PRONOUNS
    return named and not any(p["own"] for p in _PERSON.finditer(sentence))
