"""What a person claims about themselves in a message, and whether it goes against what they stand by. By code alone."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..domains.attribute import Attribute
from ..domains.pack import DomainPack
from .disclosure import head_of

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
    plain = text.replace("’", "'")
    found = []
    for attribute in pack.attributes:
        value = expected.get(attribute.id)
        if value is None:
            continue
        closely = attribute.id in tell
        if _states_another(plain, attribute, value) or (
            closely
            and (
                _lists_another(plain, attribute, value)
                or _denies(plain, attribute, value)
                or _counts_differently(plain, value)
            )
        ):
            found.append(attribute.id)
    return tuple(found)


_DECADES = dict(
    zip(("twenties", "thirties", "forties", "fifties", "sixties", "seventies"), range(20, 80, 10), strict=True)
)
_NOT = re.compile(
    r"(?:\b(?:not|never|no|no longer|nothing|without|hardly|isn't|ain't|wasn't|don't have|was|used to be|started as"
    r"|began as|instead of|than|far from)|n't)(?: \S+){0,3}\s*$",
    re.IGNORECASE,
)
_STOP = frozenset(
    "a an and the of with for in on at to my i it is was been since from no not old year years ago".split()  # noqa: SIM905
)


def _states_another(text: str, attribute: Attribute, value: str) -> bool:
    claim = attribute.told_in(text)
    if claim is None:
        return False
    numbers = [int(n) for n in re.findall(r"\d+", claim)]
    decade = next((d for word, d in _DECADES.items() if word in claim.casefold()), None)
    decade = int(match.group(1)) if decade is None and (match := re.search(r"(\d0)s\b", claim)) else decade
    if decade is not None:
        return any(_digits(value)) and not any(decade <= n < decade + 10 for n in _digits(value))
    if numbers:
        return any(_digits(value)) and not any(_covers(value, n) for n in numbers)
    return _is_another(text, claim, attribute, value)


def _is_another(text: str, claim: str, attribute: Attribute, value: str) -> bool:
    """A claim in words: against ``value`` if none of its words is said, and the claim is a different one."""
    if _own_words(value) & _words(text):
        return False
    kin = _KIN.get(claim.casefold().removeprefix("my ").strip())
    named = kin or claim
    return not (_words(named) & _words(value)) and (bool(kin) or _says_something(claim))


# What people say for the listed values of the shipped pack.
_KIN = {
    "husband": "married", "wife": "married", "late husband": "widowed", "late wife": "widowed",
    "ex-husband": "divorced", "ex-wife": "divorced",
    "man": "male", "guy": "male", "woman": "female", "girl": "female", "lady": "female",
}  # fmt: skip


def _says_something(claim: str) -> bool:
    return bool(_words(claim) - _STOP)


def _lists_another(text: str, attribute: Attribute, value: str) -> bool:
    """Whether another listed value is claimed, in a sentence that does not deny it, and no word of ``value``."""
    own = head_of(value).casefold()
    for other in attribute.values:
        name = other.casefold()
        if name in ("other", "none") or name == own or len(name) < 3 or any(c.isdigit() for c in name):
            continue
        synonyms = f"|{_SYNONYMS[name]}" if name in _SYNONYMS else ""
        for match in re.finditer(
            rf"\b(?:{re.escape(name.removesuffix('ness'))}(?:ness)?{synonyms})\b", text.casefold()
        ):
            clause = re.split(r"[.!?;,]", text[: match.start()])[-1]
            if not _NOT.search(clause.casefold()) and not (_own_words(value) - _words(other)) & _words(text):
                return True
    return False


# What people say for listed values that are nouns or categories of the shipped pack.
_SYNONYMS = {
    "good": r"healthy|fit|in good shape|very well",
    "stable": r"comfortable|well[- ]off|doing well|secure|earn well|no (?:money )?worries",
    "happiness": "happy|glad|cheerful", "satisfaction": "satisfied|content", "excitement": "excited|thrilled",
    "loneliness": "lonely", "anger": "angry|furious", "married": "my (?:husband|wife)",
    "high school": "dropped out of (?:high )?school|never finished school", "phd": "doctorate",
}  # fmt: skip


def _counts_differently(text: str, value: str) -> bool:
    """Where the value is a number ("41", "25-34"): another number of two digits, without a unit, and not that one."""
    if not re.fullmatch(r"\s*\d{2}(?:\s*[-–]\s*\d{2}|\s*\+)?\s*", head_of(value)):
        return False
    said = [
        int(n)
        for n in re.findall(
            r"(?<![\d.,:])\d{2}(?!\d)(?![-–.,:]\d)(?!\s*(?:%|[a-z]*(?:hours|days|weeks|months|kg|km)))", text
        )
    ]
    return bool(said) and not any(_covers(value, n) for n in said)


_DENIAL = re.compile(
    r"^\W*(?:no|nope|nothing|never|none|not really|not at all)\b"
    r"|,\s*(?:no|never)\W*$|^\W*i (?:haven't|have not|didn't|did not|never)\b[^.!?,]{0,30}\W*$"
    r"|\b(?:i'm|i am|it's|it is|is|everything's|everything is|all) (?:just |doing |all |perfectly |totally )?"
    r"(?:fine|okay|ok|great)\b"
    r"|\bno (?:issues|problems|illness|conditions?|complaints)\b|\bnothing (?:serious|like that|special)\b",
    re.IGNORECASE,
)
_AFFIRMS = re.compile(r"^\W*(?:yes|yeah|yep|i did|i have)\b", re.IGNORECASE)
_HARMLESS = re.compile(
    r"^(?:none|good|stable|moderate|calm\w*|satisf\w+|happ\w+|excite\w+|indifferent)\b", re.IGNORECASE
)
_QUESTION_BACK = re.compile(r"\?\s*$")


def _denies(text: str, attribute: Attribute, value: str) -> bool:
    """A flat "no" or "fine" where the value is grave, or "yes" where it is none; only for health, mind and feelings."""
    if attribute.group == "demographic" or _own_words(value) & _words(text) or _QUESTION_BACK.search(text):
        return False
    if re.match(r"none\b", value, re.IGNORECASE):
        return _AFFIRMS.search(text) is not None
    return not _HARMLESS.match(value) and _DENIAL.search(text) is not None


def _own_words(value: str) -> set[str]:
    """The words by which ``value`` is recognised: of its head and its detail, without what says nothing alone."""
    return {w for w in _words(value) if w not in _STOP and w not in ("yes", "other", "chronic", "disease", "good")}


def _words(text: str) -> set[str]:
    """Words in lower case, long ones without their endings: "depressed" and "depression" are one."""
    return {_stem(w) for w in re.findall(r"[^\W_]+(?:'[^\W_]+)?", text.casefold())}


def _stem(word: str) -> str:
    word = word.removesuffix("'s")
    return word[:7] if len(word) > 7 else word


def _digits(value: str) -> list[int]:
    return [int(n) for n in re.findall(r"\d+", value)]


def _covers(value: str, number: int) -> bool:
    bounds = _digits(head_of(value))
    if re.match(r"\s*\d+\s*[-–]\s*\d+", value) and len(bounds) >= 2:
        return bounds[0] <= number <= bounds[1]
    if re.match(r"\s*\d+\s*\+", value):
        return number >= bounds[0]
    return number in _digits(value)
