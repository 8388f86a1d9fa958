"""Of whom a sentence speaks: the person, or somebody else; and what stands in quotation marks. English, by code."""

from __future__ import annotations

import re

from ...domains import Attribute, tidy
from .wording import in_digits

__all__ = ["asks_of_another", "own_claim", "own_clauses", "own_words_of", "unquoted"]

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
    return _SINGLE.sub(" ", tidy(_DOUBLE.sub(" ", text)))


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


def own_clauses(text: str, *, family: bool = False) -> list[str]:
    """The clauses of ``text`` that speak of the person: in the first person, or short answers without a subject.

    Not what is said of a thing ("the coffee is good") or of somebody else, nor what is asked back. A clause without a
    subject goes with the one before it in its sentence.

    Args:
        family: what is said of a partner speaks of the person too.
    """
    found = []
    for sentence in re.split(r"(?<=[.!?])\s+|\n+", unquoted(text)):
        clauses = [c.strip(' \t.!?-–—*"') for c in _PART.split(sentence)]
        clauses = [c for c in clauses if c]
        if (
            sentence.rstrip().endswith("?")
            and clauses
            and (_ASKS.search(clauses[-1]) or not _FIRST.search(clauses[-1]))
        ):
            clauses = clauses[:-1]
        own = True
        for clause in clauses:
            own = _is_own(clause, family=family, before=own)
            if own:
                found.append(clause)
    return found


def asks_of_another(question: str) -> bool:
    """Whether ``question``, of an assistant, asks about somebody else than the person it speaks to."""
    if re.search(r"\b(?:you|you're|you've|yourself)\b", question, re.IGNORECASE):
        return False
    named = re.search(rf"\b(?:he|she|they|him|them|his|her|their|{_OTHERS})\b", question, re.IGNORECASE)
    # "a partner", "children" ask who is there; "your son" asks about him.
    return named is not None and (named[0].lower() in _PRONOUNS or (" " in named[0] and named[0][:2].lower() != "a "))


_PART = re.compile(r"[.!?;:\n,]+|\b(?:and|but|while|because|though|although|so)\b(?!-)", re.IGNORECASE)
_FIRST = re.compile(r"(?<!')\b(?:i|i'm|i've|i'd|i'll|me|myself|we|we're|we've|us)(?![\w'])", re.IGNORECASE)
_MINE = re.compile(rf"\b(?!{_OTHERS}\b)(?:my|mine|our)\b", re.IGNORECASE)
_OPENS = re.compile(
    r"^\W*(?:(?:oh|well|hm+|honestly|actually|mostly|just|also|then|still|since|when|after all|only|or)\b[\s,]*)+",
    re.IGNORECASE,
)
_PARTNER = re.compile(
    r"^(?:he|she|(?:my|the|a) (?:[\w-]+ ){0,2}?(?:husband|wife|spouse|partner|ex|ex-\w+|boyfriend|girlfriend))\b",
    re.IGNORECASE,
)
_PRONOUN_PAIR = re.compile(r"(?:she|he|they)(?:\s*/\s*\w+)+", re.IGNORECASE)
# What the subject of a clause may be that still speaks of the person: "money is tight", "it's been bad".
_TOPIC = (
    r"(?:it|it's|things|everything|all|there|nothing|both|what|money|finances?|bills?|rent|work|job|health|body|mind"
    r"|head|nerves|mood|sleep|marriage|education|depression|anxiety|illness|condition|pain|heart|lungs|age|status"
    r"|situation|gender|feelings?|panic|savings|debts?|budget|pay|salary|income|fees|loans?|husband|wife)"
)
_SELF = r"(?:an? )?(?:[\w-]+ )?(?:guy|man|woman)\b|(?:an? )?(?:mother|father|mum|mom|dad)(?: of\b|$)"
_ASKS = re.compile(
    r"^\W*(?:am|should|shall|do|can|could|may|must|would|will|what|how|where|when|who) i\b", re.IGNORECASE
)
_ELSE = re.compile(
    rf"^(?:the|his|her|their|your|its) (?!(?:\w+ )?{_TOPIC}\b)|^(?:this|that|these|those)(?:'s"
    rf"| is| was| are| were)? an?\b"
    rf"|^(?:he|she|they|you|people|everyone|everybody|somebody|someone)(?:'\w+)?(?![\w/])|^(?!{_SELF})(?:{_OTHERS})\b"
    r"|^(?:an?|one|two|three|\d+|both|my|our) (?:\w+ )?(?:kids?|child(?:ren)?|sons?|daughters?|boys?|girls?)\b",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"^(.+?)\s(?:is|are|was|were|has|had|looks?|makes?|goes|comes?|came|needs?|keeps?|costs?|takes?|runs)\b",
    re.IGNORECASE,
)


def _is_own(clause: str, *, family: bool, before: bool) -> bool:
    clause = _OPENS.sub("", clause)
    if _FIRST.search(clause) or _PRONOUN_PAIR.fullmatch(clause) or (family and _PARTNER.search(clause)):
        return True
    if _ELSE.search(clause):
        return False
    if _MINE.search(clause):
        return True
    verb = _VERB.match(clause)
    if verb is not None:
        return re.search(rf"\b{_TOPIC}$", verb[1], re.IGNORECASE) is not None
    return before


_PRONOUNS = ("he", "she", "they", "him", "them", "his", "her", "their")


def _of_another(sentence: str) -> bool:
    if not (subject := _SUBJECT.match(sentence)):
        return False
    named = " " in subject["who"] or subject["who"].lower().partition("'")[0] in _PRONOUNS
    return named and not any(p["own"] for p in _PERSON.finditer(sentence))
