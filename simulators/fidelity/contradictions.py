"""What a person claims about themselves in a message, and whether it goes against what they stand by. By code alone."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from ...domains import Attribute, DomainPack, tidy
from .speakers import own_clauses
from .value_texts import head_of, is_harmless, is_none
from .wording import (
    KIN,
    SAID_AS,
    STOP,
    SYNONYMS,
    ages_said,
    agrees,
    covers,
    decade_in,
    digits,
    holds,
    in_digits,
    is_negated,
    own_words,
    words,
)

__all__ = ["contradictions"]


def contradictions(
    text: str, tell: Mapping[str, str], expected: Mapping[str, str], pack: DomainPack
) -> tuple[str, ...]:
    """Attributes about which ``text`` claims something else than ``expected``.

    Looks for another number or decade, for another of the attribute's listed values, for what the pack's patterns of
    telling find, and for a flat "no" where there is something (or "yes" where there is nothing). Attributes in ``tell``
    are looked at closely, others only where the pack's patterns find a claim. A claim beside which a word of the
    expected value stands is no contradiction: people tell how things were before.
    """
    said = in_digits(tidy(text))
    found = []
    for attribute in pack.attributes:
        value = expected.get(attribute.id)
        if value is None:
            continue
        value = in_digits(value)
        closely = attribute.id in tell
        if _states_another(said, attribute, value) or (
            closely
            and (
                _lists_another(said, attribute, value)
                or _denies(said, attribute, value, flatly=not any(is_none(v) for v in tell.values()))
                or _counts_differently(said, value)
                or (len(tell) == 1 and _grave(said, attribute, value, pack))
            )
        ):
            found.append(attribute.id)
    return tuple(found)


def _states_another(text: str, attribute: Attribute, value: str) -> bool:
    claim = attribute.told_in(text)
    if claim is None or (is_none(value) and _NEGATES.search(claim)):
        return False
    if _AGE.fullmatch(head_of(value)) and (digits(claim) or decade_in(claim) is not None):
        return _counts_differently(text, value)
    decade, own = decade_in(claim), digits(value)
    if decade is not None:
        return any(own) and not any(decade <= n < decade + 10 for n in own)
    if numbers := digits(claim):
        return any(own) and not any(covers(value, n) for n in numbers)
    return _is_another(text, claim, attribute, value)


def _is_another(text: str, claim: str, attribute: Attribute, value: str) -> bool:
    """A claim in words: against ``value`` if none of its words is said, and the claim is a different one."""
    head = head_of(value).casefold()
    said_as = SAID_AS.get(head)
    if _own_said(text, value) or (said_as and re.search(rf"\b(?:{said_as})\b", claim, re.IGNORECASE)):
        return False
    kin = KIN.get(claim.casefold().removeprefix("my ").strip())
    named = kin or claim
    return not (words(named) & words(value)) and (bool(kin) or _says_something(claim))


def _own_said(text: str, value: str, *, but: Collection[str] = ()) -> bool:
    """Whether a word of ``value`` is said, and not denied."""
    own = own_words(value).difference(but)
    found = re.finditer(r"[^\W_]+(?:'[^\W_]+)?", text)
    return any(words(m[0]) & own and not is_negated(text[: m.start()]) for m in found)


def _says_something(claim: str) -> bool:
    return bool(words(claim) - STOP)


def _lists_another(text: str, attribute: Attribute, value: str) -> bool:
    """Whether another listed value is claimed, in a sentence that does not deny it, and no word of ``value``."""
    own = head_of(value).casefold()
    for other in attribute.values:
        name = other.casefold()
        if name in ("other", "none", "yes", "no") or name == own or len(name) < 3 or any(c.isdigit() for c in name):
            continue
        synonyms = f"|{SYNONYMS[name]}" if name in SYNONYMS else ""
        for match in re.finditer(
            rf"\b(?:{re.escape(name.removesuffix('ness'))}(?:ness)?{synonyms})\b", text.casefold()
        ):
            if not is_negated(text[: match.start()]) and not _own_said(text, value, but=words(other)):
                return True
    return False


_AGE = re.compile(r"\s*\d{2}(?:\s*[-–]\s*\d{2}|\s*\+)?\s*")


def _counts_differently(text: str, value: str) -> bool:
    """Where the value is a number ("41", "25-34"): other numbers of two digits or decades, said of the person, and none
    that may be that one."""
    if not _AGE.fullmatch(head_of(value)):
        return False
    clauses = own_clauses(text)
    decades = [d for c in clauses if (d := decade_in(c)) is not None]
    said = [*((d, d + 9) for d in decades), *(ages for c in clauses for ages in ages_said(c))]
    return bool(said) and not any(agrees(value, ages) for ages in said)


_GRAVE = 2.0
_CLAUSE = re.compile(r"[.!?;,]|\b(?:and|but)\b")


def _grave(text: str, attribute: Attribute, value: str, pack: DomainPack) -> bool:
    """Whether ``text`` tells of something grave, by the pack's risk rules, where the value is that all is well."""
    if attribute.group == "demographic" or "," in value or not is_harmless(value):
        return False
    rules = [r for r in pack.risk_rules if r.attribute == attribute.id and r.weight >= _GRAVE]
    # A label before its value ("As to past self-harm history, none") claims nothing.
    told = [c for c in _CLAUSE.split(text) if not _NEGATES.search(c) and not holds(c, attribute.label)]
    if _NEGATES.search(text):
        told = [c for c in told if not _YES.fullmatch(c)]
    return any(r.triggered_by(c, None) and not r.triggered_by(value, None) for r in rules for c in told)


_NEGATES = re.compile(r"\b(?:no|not|never|nothing|none|without)\b|n't", re.IGNORECASE)
_NO = (
    r"^\W*(?:no|nope|nothing|never|none|not really|not at all)\b"
    r"|,\s*(?:no|never)\W*$|^\W*i (?:haven't|have not|didn't|did not|never)\b[^.!?,]{0,30}\W*$"
)
_FLAT_NO = re.compile(_NO, re.IGNORECASE)
_FINE = re.compile(
    r"\b(?:i'm|i am|it's|it is|is|everything's|everything is|all) (?:just |doing |all |perfectly |totally )?"
    r"(?:fine|okay|ok|great)\b",
    re.IGNORECASE,
)
# "I'm fine now, but ...", "okay most days": whoever says so says that all is not well.
_HEDGE = re.compile(
    r"\b(?:but|just|most(?:ly)?|usually|now|these days|except|though|some days|until|as long as)\b", re.IGNORECASE
)
_DENIAL = re.compile(
    r"\b(?:never|not) (?:done|had|tried|felt) (?:anything|something) like\b|\bmentally (?:strong|well|fine|healthy)\b"
    r"|\bno (?:issues|problems|illness|conditions?|complaints)\b|\bnothing (?:serious|like that|special)\b",
    re.IGNORECASE,
)
_YES = re.compile(r"\W*(?:(?:yes|yeah|yep)(?: i (?:did|have))?|i (?:did|have))\W*", re.IGNORECASE)
_DID = re.compile(
    r"\bi(?:'ve)? (?:(?:used to|did|have|had|once|often|sometimes) )*(?:cut|hurt|harmed|burned|burnt) myself\b",
    re.IGNORECASE,
)


def _affirms(text: str) -> bool:
    """Whether ``text`` says that something was done: "yes", or that the person did it. What denies anything does not:
    "I have never hurt myself", "Yes, I mean no, nothing like that"."""
    clauses = _CLAUSE.split(text)
    return any(_DID.search(c) and not _NEGATES.search(c) for c in clauses) or bool(
        _YES.fullmatch(clauses[0]) and not _NEGATES.search(text)
    )


_QUESTION_BACK = re.compile(r"\?\s*$")


def _denies(text: str, attribute: Attribute, value: str, *, flatly: bool) -> bool:
    """A flat "no" or "fine" where the value is grave, or "yes" where it is none; only for health, mind and feelings.

    Args:
        flatly: a bare "no" may deny this value; it does not where another value that is to be told is "None".
    """
    if attribute.group == "demographic" or _own_said(text, value) or _QUESTION_BACK.search(text):
        return False
    if is_none(value):
        return _affirms(text)
    if is_harmless(value):
        return False
    fine = _FINE.search(text)
    return bool(
        _DENIAL.search(text) or (flatly and _FLAT_NO.search(text)) or (fine and not _HEDGE.search(text[fine.end() :]))
    )
