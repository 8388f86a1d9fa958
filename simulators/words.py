"""What words, numbers and short forms mean for the checks by code: numbers in words, stems, and what people say for the
listed values of the shipped pack."""

from __future__ import annotations

import re

from .disclosure import head_of

__all__ = [
    "KIN",
    "SAID_AS",
    "STOP",
    "SYNONYMS",
    "covers",
    "decade_in",
    "digits",
    "fold",
    "holds",
    "in_digits",
    "is_negated",
    "numbers_said",
    "own_words",
    "plain",
    "words",
]

# What people say for listed values, where the words are plain enough to speak against another value.
SYNONYMS = {
    "good": r"healthy|fit|in good shape|very well|perfect health|good health",
    "stable": r"comfortable|well[- ]off|doing well|secure|earn well|no (?:money )?worries|enough savings",
    "happiness": "happy|glad|cheerful", "satisfaction": "satisfied|content", "excitement": "excited|thrilled",
    "loneliness": "lonely", "anger": "angry|furious", "married": "my (?:husband|wife)|happily together",
    "high school": "dropped out of (?:high )?school|never finished school", "phd": "doctorate",
}  # fmt: skip

KIN = {
    "husband": "married", "wife": "married", "late husband": "widowed", "late wife": "widowed",
    "ex-husband": "divorced", "ex-wife": "divorced",
    "man": "male", "guy": "male", "woman": "female", "girl": "female", "lady": "female",
}  # fmt: skip

# What else people say for them: enough to see that a value was told, too loose to speak against another.
SAID_AS = {
    "male": r"man|guy|lad|bloke|dude|he|him|father of|(?:a|as a) (?:dad|father|husband)",
    "female": r"woman|girl|lady|she|her|mother of|(?:a|as a) (?:mum|mom|mother|wife)|pregnant",
    "other": r"non-?binary|they|them|trans\w*|queer|agender|genderfluid|neither",
    "single": r"no partner|on my own|by myself|just me|nobody|unattached|never (?:been )?married|no one",
    "married": r"husband|wife|spouse|wedd\w+|the ring|tied the knot",
    "divorced": r"my ex|split|separated|left me|ex-(?:wife|husband)",
    "widowed": r"(?:husband|wife|partner) (?:has )?(?:died|passed)|lost my (?:husband|wife|partner)|passed away",
    "teacher": r"teach\w*", "student": r"stud(?:y|ying|ies)|uni|university|college",
    "stable": r"fine|ok|okay|all right|no problem|no complaints",
    "moderate": r"get(?:ting)? by|so[- ]so|average|ok|okay|fine|all right|alright|enough|manag\w+|in between|middling",
    "difficult": r"tight|struggl\w+|hard|hard up|debts?|owe|behind|barely|broke|rough|not good|short of money",
    "severe difficulty": r"tight|struggl\w+|debts?|owe|behind|broke|can't (?:pay|afford)|evict\w+|nothing left",
    "despair": r"hopeless|desperate|no (?:point|way out|hope)|pointless|nothing left|can't go on",
    "depression": r"depressed|low|down|sad|empty", "anxiety": r"anxious|worried|worry|nervous|scared|afraid|panic\w*",
    "anger": r"mad|livid|rage|fuming", "loneliness": r"alone|isolated", "happiness": r"good|great",
    "satisfaction": r"pleased|good", "excitement": r"buzzing|can't wait|looking forward|pumped",
    "calmness": r"calm|relaxed|at ease|at peace|peaceful", "indifferent": r"don't (?:really )?care|neutral|unmoved",
    "mild depression": r"low|down|blue", "severe depression": r"depressed",
    "good": r"fine|well|great|ok|okay|all right|nothing|no complaints",
    "bachelor's": r"degree|graduated|bachelors?|b\.?sc|b\.?a", "master's": r"masters?|m\.?sc|m\.?a",
    "high school": r"school", "phd": r"ph\.?d|doctora\w+",
}  # fmt: skip

STOP = frozenset(
    "a an and the of with for in on at to my i it is was been since from no not old year years ago".split()  # noqa: SIM905
)
_UNITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()  # noqa: SIM905
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
_WORDED = re.compile(
    rf"\b(?:({'|'.join(_TENS)})(?:[- ]({'|'.join(_UNITS)}))?|({'|'.join(_TEENS)}))\b(?!-something)", re.IGNORECASE
)
_DECADES = {f"{ten[:-1]}ies": (i + 2) * 10 for i, ten in enumerate(_TENS)}
_NOT = re.compile(
    r"(?:\b(?:not|never|no|no longer|nothing|without|hardly|isn't|ain't|wasn't|don't have|was|used to be|started as"
    r"|began as|instead of|than|far from)|n't)(?: \S+){0,3}\s*$",
    re.IGNORECASE,
)
_UNIT = r"(?!\s*(?:%|[a-z]*(?:hours|days|weeks|months|minutes|kg|km)))"


def plain(text: str) -> str:
    """``text`` with straight apostrophes."""
    return text.replace("’", "'").replace("‘", "'")


def in_digits(text: str) -> str:
    """``text`` with the numbers from ten to ninety-nine in digits: "forty-one" -> "41"."""

    def number(match: re.Match[str]) -> str:
        tens, unit, teen = (g.lower() if g else "" for g in match.groups())
        if teen:
            return str(_TEENS.index(teen) + 10)
        return str((_TENS.index(tens) + 2) * 10 + (_UNITS.index(unit) + 1 if unit else 0))

    return _WORDED.sub(number, text)


def numbers_said(text: str) -> list[int]:
    """Numbers of two digits in ``text``, in digits or words, without a unit of time, weight or length."""
    return [int(n) for n in re.findall(rf"(?<![\d.,:])\d{{2}}(?!\d)(?![-–.,:]\d){_UNIT}", in_digits(plain(text)))]


def decade_in(text: str) -> int | None:
    """The decade of life that ``text`` names: "in my forties" -> 40, "mid 30s" -> 30; None if it names none."""
    lower = text.casefold()
    if decade := next((d for word, d in _DECADES.items() if re.search(rf"\b{word}\b", lower)), None):
        return decade
    match = re.search(r"\b(\d0)s\b", lower)
    return int(match.group(1)) if match else None


def digits(value: str) -> list[int]:
    """Every number in ``value``."""
    return [int(n) for n in re.findall(r"\d+", value)]


def covers(value: str, number: int) -> bool:
    """Whether ``number`` agrees with ``value``: "41", "35-44" or "55+"."""
    bounds = digits(head_of(value))
    if re.match(r"\s*\d+\s*[-–]\s*\d+", value) and len(bounds) >= 2:
        return bounds[0] <= number <= bounds[1]
    if re.match(r"\s*\d+\s*\+", value):
        return number >= bounds[0]
    return number in digits(value)


def fold(text: str) -> str:
    """``text`` as its words, in lower case, without punctuation."""
    return " ".join(re.findall(r"\w+(?:'\w+)?", plain(text).casefold()))


def holds(text: str, phrase: str) -> bool:
    """Whether ``phrase`` stands in ``text`` word for word."""
    folded = fold(phrase)
    return bool(folded) and f" {folded} " in f" {fold(text)} "


def is_negated(before: str) -> bool:
    """Whether what follows ``before`` is denied, or said of former times, in the same clause."""
    return _NOT.search(re.split(r"[.!?;,]", before)[-1].casefold()) is not None


def own_words(value: str) -> set[str]:
    """The words by which ``value`` is recognised: of its head and its detail, without what says nothing alone."""
    return {w for w in words(value) if w not in STOP and w not in ("yes", "other", "chronic", "disease", "good")}


def words(text: str) -> set[str]:
    """Words in lower case, long ones without their endings: "depressed" and "depression" are one."""
    return {_stem(w) for w in re.findall(r"[^\W_]+(?:'[^\W_]+)?", text.casefold())}


def _stem(word: str) -> str:
    word = word.removesuffix("'s")
    return word[:7] if len(word) > 7 else word
