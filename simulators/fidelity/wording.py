"""What words, numbers and short forms mean for the checks by code: numbers in words, stems, and what people say for the
listed values of the shipped pack."""

from __future__ import annotations

import re

from ...domains import tidy
from .value_texts import head_of

__all__ = [
    "FUNCTION",
    "ILLNESSES",
    "KIN",
    "SAID_AS",
    "STOP",
    "SYNONYMS",
    "TOPICS",
    "WEAK",
    "ages_said",
    "agrees",
    "covers",
    "decade_in",
    "digits",
    "fold",
    "holds",
    "in_digits",
    "is_negated",
    "own_words",
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

_LOW = (
    r"(?:feel\w*|i'm|am|been|bit|so|really|very|quite|rather|get\w*) (?:\w+ )?(?:low|down|empty)|^(?:low|down|empty)\b"
)

# What else people say for them: enough to see that a value was told, too loose to speak against another.
SAID_AS = {
    "male": r"man|guy|lad|bloke|dude|he ?/ ?him|father of|(?:a|as a) (?:dad|father|husband)"
    r"|(?:i'm|as|me|being)\b.{0,25}\b(?:uncle|brother|grandfather|son)",
    "female": r"woman|girl|lady|she ?/ ?her|mother of|(?:a|as a) (?:mum|mom|mother|wife)|pregnant"
    r"|(?:i'm|as|me|being)\b.{0,25}\b(?:aunt|sister|grandmother|daughter)",
    "other": r"non-?binary|they ?/ ?them|trans\w*|queer|agender|genderfluid",
    "single": r"no partner|on my own|by myself|just me|unattached|never (?:been )?married"
    r"|(?:there's|there is|have|got) (?:nobody|no one)",
    "married": r"husband|wife|spouse|wedd\w+|the ring|tied the knot",
    "divorced": r"my ex|split|separated|left me|ex-(?:wife|husband)",
    "widowed": r"(?:husband|wife|partner) (?:has )?(?:died|passed)|lost my (?:husband|wife|partner)|passed away",
    "teacher": r"teach\w*", "student": r"stud(?:y|ying|ies)|uni|university|college",
    "freelancer": r"freelanc\w*|work for myself|my own boss|self-employed",
    "serious illness": r"(?:really|very|seriously|badly|gravely) (?:ill|sick)",
    "chronic disease": r"chronic|long-?standing",
    "stable": r"fine|ok|okay|all right|no problem|no complaints",
    "moderate": r"get(?:ting)? by|so[- ]so|average|ok|okay|fine|all right|alright|manage|managing|in between|middling",
    "difficult": r"tight|struggl\w+|hard|hard up|debts?|owe|behind|barely|broke|rough|not good|short of money",
    "severe difficulty": r"tight|struggl\w+|debts?|owe|behind|broke|can't (?:pay|afford)|evict\w+|nothing left",
    "despair": r"hopeless|desperate|no (?:point|way out|hope)|pointless|nothing left|can't go on",
    "depression": rf"depressed|sad|{_LOW}", "anxiety": r"anxious|worried|worry|nervous|scared|afraid|panic\w*",
    "anger": r"mad|livid|rage|fuming", "loneliness": r"alone|isolated",
    "happiness": r"(?:i'm|feel\w*|pretty|really|quite) (?:good|great)",
    "satisfaction": r"pleased|good", "excitement": r"buzzing|can't wait|looking forward|pumped",
    "calmness": r"calm|relaxed|at ease|at peace|peaceful", "indifferent": r"don't (?:really )?care|neutral|unmoved",
    "mild depression": rf"{_LOW}|blue", "severe depression": r"depressed",
    "good": r"fine|well|great|ok|okay|all right|nothing|no complaints",
    "bachelor's": r"degree|graduated|bachelors?|b\.?sc|b\.?a", "master's": r"masters?|m\.?sc|m\.?a|postgrad\w*",
    "high school": r"school|left at 1[5-9]", "phd": r"ph\.?d|doctora\w+",
}  # fmt: skip

# Words of what an attribute is about, for those whose value may be "None": a denial beside one of them tells it.
TOPICS = {
    "mental": r"mental\w*|mind|head|upstairs|nerves|mood|depress\w*|anxi\w*|panic\w*|psych\w*|therap\w*|diagnos\w*",
    "self_harm": r"(?:hurt|harm|cut|injur|burn)\w* myself|self-?harm\w*|suicid\w*|done (?:that|it|such|anything)"
    r"|(?:tried|did) (?:that|it|such|anything)|any of that|anything like (?:that|it)",
}  # fmt: skip

# Words of heads that say nothing alone, and names of illnesses that do so even in a detail.
WEAK = frozenset(
    "worker severe mild serious high service industry personnel civil chronic disease illness other".split()  # noqa: SIM905
)
ILLNESSES = frozenset(
    "apnoea apnea asthma diabetes epilepsy cancer bipolar transplant lupus migraine pregnant leukaemia".split()  # noqa: SIM905
)
FUNCTION = frozenset(
    """
    about again all also always another any are around away because been before behind being both but can did
    does doing done down each even ever every few first from get gets getting going had half has have having her
    him his how if into its just last late later lately less like little long lost made make makes many more
    most much never new next nor now off often once one only other our out over own same seen several she since
    small some soon still such than that their them then there these they thing things this those three through
    time times too twice two under until up upon usual very was way well were what when where which while who
    whose why will with without would yet you your after four five six seven eight nine ten nothing no not none
    yes week weeks day days month months
    """.split()  # noqa: SIM905
)

STOP = frozenset(
    "a an and the of with for in on at to my i it is was been since from no not old year years ago".split()  # noqa: SIM905
)
_UNITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()  # noqa: SIM905
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
_WORDED = re.compile(rf"\b(?:({'|'.join(_TENS)})(?:[- ]({'|'.join(_UNITS)}))?|({'|'.join(_TEENS)}))\b", re.IGNORECASE)
_DECADES = {f"{ten[:-1]}ies": (i + 2) * 10 for i, ten in enumerate(_TENS)}
_NOT = re.compile(
    r"(?:\b(?:not|never|no|no longer|nothing|without|hardly|isn't|ain't|wasn't|don't have|was|used to be|started as"
    r"|began as|instead of|than|far from)|n't)(?: \S+){0,3}\s*$",
    re.IGNORECASE,
)
_SPAN = r"(?!\s*years? (?:older|younger|ago|here|together|apart|in|at|with|of (?!age)))"
_HOW_LONG = re.compile(r"\b(?:lived|worked|been|for|married|known|last|past)\b[^.!?,]{0,25}$", re.IGNORECASE)
_SOON = re.compile(
    r"\b(?:turn|turning|will be|i'll be|gonna be|going to be|going on|nearly|almost|close to|not quite|about to be"
    r"|approaching|nearing) $",
    re.IGNORECASE,
)
_SOON_AFTER = re.compile(
    r"\s+(?:soon\b|next (?:birthday|week|month|year|spring|summer|autumn|fall|winter)|in (?:a|two|three) \w+)",
    re.IGNORECASE,
)
_PAST = re.compile(r"\b(?:past|over|above|more than|older than|beyond|on the wrong side of) $", re.IGNORECASE)
_ROUGHLY = re.compile(r"\b(?:around|about|roughly|some|approximately) $", re.IGNORECASE)
_UNIT = r"(?!\s*(?:%|[a-z]*(?:hours|days|weeks|months|minutes|kg|km)))"


def in_digits(text: str) -> str:
    """``text`` with the numbers from ten to ninety-nine in digits: "forty-one" -> "41"."""

    def number(match: re.Match[str]) -> str:
        tens, unit, teen = (g.lower() if g else "" for g in match.groups())
        if teen:
            return str(_TEENS.index(teen) + 10)
        return str((_TENS.index(tens) + 2) * 10 + (_UNITS.index(unit) + 1 if unit else 0))

    return _WORDED.sub(number, text)


def ages_said(text: str) -> list[tuple[int, int]]:
    """The ages that ``text`` may mean, as (least, most): 44 in "I turn 44 in June" is 43 or 44, "past 40" 40 to 49."""
    text = in_digits(tidy(text))
    found = []
    for match in re.finditer(rf"(?<![\d.,:])(\d{{2}})(?!\d)(?![-–.,:]\d){_UNIT}{_SPAN}", text):
        number, before, after = int(match[1]), text[: match.start()], text[match.end() :]
        if _HOW_LONG.search(before) and re.match(r"\s*years?\b(?! (?:old|of age))", after):
            continue
        if _SOON.search(before) or _SOON_AFTER.match(after):
            found.append((number - 1, number))
        elif _PAST.search(before) or re.match(r"[- ]?(?:something|odd|plus)\b", after):
            found.append((number, number + (9 if number % 10 == 0 else 3)))
        elif _ROUGHLY.search(before) or re.match(r"[- ]?ish\b", after):
            found.append((number - 2, number + 2))
        else:
            found.append((number, number))
    return found


def agrees(value: str, ages: tuple[int, int]) -> bool:
    """Whether ``ages`` (least, most) may be ``value``: "41", "35-44" or "55+"."""
    return any(covers(value, n) for n in range(ages[0], ages[1] + 1))


def decade_in(text: str) -> int | None:
    """The decade of life that ``text`` names: "in my forties" -> 40, "mid 30s" -> 30; None if it names none."""
    lower = text.casefold()
    if decade := next((d for word, d in _DECADES.items() if re.search(rf"\b{word}\b", lower)), None):
        return decade
    match = re.search(r"\b(\d0)(?:s|[- ](?:something|odd))\b", in_digits(lower))
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
    return " ".join(re.findall(r"\w+(?:'\w+)?", tidy(text).casefold()))


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
