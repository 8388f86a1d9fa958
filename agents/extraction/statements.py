"""What a message states about its writer, clause by clause: the text that an attribute's tells may read.

Left out are questions, conditions, denials, quotations and what others say; a number that counts something else than
years is masked; and a list is spelled out: "I'm 34, married and a nurse" gives "I'm 34", "I'm married", "I'm a nurse".
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ...domains import sentences
from .short_answers import without_fillers

__all__ = ["Statement", "statements"]


class Statement(NamedTuple):
    """One clause.

    Attributes:
        text: what tells may read; empty if the clause states nothing about the writer.
        source: the clause as it was written.
        sentence: which sentence of the message it stands in, from 0.
        own: the writer is its subject ("I'm ...", "I have ..."), or it goes on with such a list.
    """

    text: str
    source: str
    sentence: int
    own: bool


def statements(message: str) -> list[Statement]:
    """The clauses of ``message`` (tidied), in order."""
    found: list[Statement] = []
    for number, sentence in enumerate(sentences(_QUOTED.sub(" ", message))):
        found += _of_sentence(sentence, number)
    return found


_I = r"(?:i'm|im|i am|i've|i have|i work|i feel|i just turned|i turned|we're|we are|as)\b"
_QUOTED = re.compile(r'"[^"\n]*"|«[^»\n]*»|(?<!\w)\'(?=i\b)[^\n\']*(?:\'\w[^\n\']*)*\'(?!\w)', re.IGNORECASE)
_CLAUSE_END = re.compile(
    r"\s*[,;:]\s+(?:(?:and|but|so|or)\s+)?|\s+[-–—]+\s+|\s+(?:and|but|so|because|since(?= i\b)|although|though|"
    r"while(?= i\b)|which is why)\s+",
    re.IGNORECASE,
)
_INVERTED = re.compile(
    r"(?:and |so |but |or )?(?:can|could|may|might|shall|should|will|would|do|does|did|is|are|am|was|were|have you|"
    r"has|"
    r"must|what|which|who|whom|whose|when|where|why|how|isn't|aren't|can't|couldn't|shouldn't|won't|wouldn't|"
    r"don't you|"
    r"is it|any)\b(?!(?: \w+)? (?:i'm|i am)$)",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\b(?:if|whether|unless|until|once|in case|suppose|supposing|imagine|pretend(?:ing)?|assuming|say that|"
    r"as though|"
    r"when(?:ever)?|before|after|even if|wish|hope|hoping)\b"
    r"|(?:(?<=afraid)|(?<=worried)|(?<=scared)|(?<=convinced))(?: that)? (?=i'?m\b|i am\b|i have\b|i've\b)",
    re.IGNORECASE,
)
_DOUBTED = re.compile(
    r"\b(?:don't|do not|dont|doesn't|didn't|does not|did not|not|never|hardly|can't|cannot|couldn't|nobody|no one) "
    r"(?:\w+ )?(?:think|thinks|believe|know|say|says|saying|said|mean|that|sure|tell|see|feel like|claim|as if)\b"
    r"|\b(?:doubt|deny|denies|wonder|wondering|unsure|unlikely|as if|like (?=i'm|i am))\b",
    re.IGNORECASE,
)
_OTHERS = (
    r"(?:she|he|they|someone|somebody|everyone|everybody|people|some|others|nobody|you|"
    r"(?:my|the|a|our|his|her) (?:\w+ ){1,3}?)"
)
_REPORTED = re.compile(
    rf"\b{_OTHERS} ?(?:also |always |just |once |often |even )?(?:says?|said|asks?|asked|thinks?|thought|claims?|"
    rf"claimed|"
    r"believes?|wonders?|wondered|wrote|writes|texted|suggests?|suggested|insists?|assumes?|assumed|told (?:me|them|"
    r"her|him|us)|"
    r"tells (?:me|them|her|him|us)|calls? me|called me|quotes?|quoted|shouted|guess(?:es|ed)?|(?:is|are|was|"
    r"were) like)\b",
    re.IGNORECASE,
)
# Who knows it says it: "my doctor told me I have diabetes" stays.
_KNOWING = re.compile(r"\b(?:doctors?|gp|psychiatrist|therapist|psychologist|nurse|midwife|hospital|clinic)\b", re.I)
_NUMBER = re.compile(r"\d+(?:[.,/:]\d+)+\S*|\b\d+\s?(?:%|°|€|\$|£|\w*(?=k\b|kg\b|cm\b))|\b\d+(?:st|nd|rd|th)\b")
_COUNTED = re.compile(r"\b(?P<number>\d{1,3})(?P<gap>[ -])(?P<unit>[a-z]+)(?P<rest>(?: [a-z]+)?)", re.IGNORECASE)
_UNITS = frozenset(
    (
        *(
            "degree",
            "foot",
            "feet",
            "inch",
            "point",
            "minute",
            "min",
            "hour",
            "hr",
            "second",
            "sec",
            "day",
            "week",
            "wk",
        ),
        *(
            "month",
            "mile",
            "kilometre",
            "kilometer",
            "km",
            "metre",
            "meter",
            "m",
            "cm",
            "mm",
            "kg",
            "kilo",
            "gram",
            "g",
        ),
        *("lb", "stone", "pound", "percent", "per", "euro", "dollar", "grand", "k", "thousand", "hundred", "million"),
        *(
            "step",
            "page",
            "time",
            "people",
            "men",
            "women",
            "children",
            "of",
            "out",
            "ft",
            "to",
            "pm",
            "am",
            "x",
            "weeks'",
        ),
    )
)
_NO_UNITS = frozenset(
    ("always", "this", "is", "was", "has", "plus", "as", "years", "thus", "yes", "perhaps", "sometimes")
)
_SOMEONES_AGE = re.compile(
    r"\b(?:my|his|her|our|their|your|the|this|that|have (?:an?|two|three)|has an?|with an?|"
    r"of an?) (?:\w+ )?\d{1,3}(?=[ -]years?[- ]old)",
    re.IGNORECASE,
)
_IDIOMS = re.compile(
    r"\b(?:single[- ]?(?:hand|mind)\w*|engaged (?:in|with|on)\b|married to (?:my|the|this) (?:job|work|desk|idea)|"
    r"happy (?:to|for|with)\b|content (?:to|with)\b|separated (?:from my (?:luggage|bag|group)|the)\b|"
    r"alone in (?:thinking|this)|"
    r"worried (?:sick )?that\b|broke (?:my|the|a|his|her|it|up|down|off|in)\b|a guy who\b|old hand)",
    re.IGNORECASE,
)
_WORK = re.compile(r"\bi work\b", re.IGNORECASE)
_ITEM_LEAD = re.compile(
    r"(?:i|we|you|he|she|it|they|my|our|his|her|their|the|this|that|these|those|there|which|who|what|when|where|how|"
    r"why|"
    r"if|whether|can|could|should|would|will|do|does|did|is|are|was|were|has|have|had|please|thanks|hi|hello|hey|"
    r"maybe|"
    r"so|then|also|too|to|for|with|because|anyway|help|need|want|not)\b",
    re.IGNORECASE,
)
_SUBJECT = re.compile(r"(?:^|\b)(i'm|im|i am|i have|i've|we're|we are)\b", re.IGNORECASE)
_IM = re.compile(r"^im\b", re.IGNORECASE)
_LEADS = {"i have": "I have", "i've": "I have", "we're": "we're", "we are": "we are"}
_OWN = re.compile(rf"(?:(?:and|but|so|yes|yeah|no|well|hi|hello) )*(?:{_I}|i\b)", re.IGNORECASE)
_LONGEST_ITEM = 6


def _of_sentence(sentence: str, number: int) -> list[Statement]:
    found: list[Statement] = []
    lead: str | None = None
    silenced = False  # the rest of the sentence is another's speech
    parts = _split(sentence)
    asks = sentence.rstrip(' )"').endswith("?")
    for i, (clause, mark) in enumerate(parts):
        bare = _IM.sub("I'm", without_fillers(clause).strip(" .!?;:…"))
        last = i == len(parts) - 1
        if silenced or (asks and (_INVERTED.match(bare) or (last and _is_echo(bare, alone=len(parts) == 1)))):
            found.append(Statement(_presupposed(clause), clause, number, own=False))
            lead = None if not silenced else lead
            continue
        reported = _REPORTED.search(bare)
        if reported and mark == ":":
            silenced = True
        text, own = bare, bool(_OWN.match(bare))
        if lead and not own and _is_item(bare):
            text, own = _as_item(lead, bare), True
        elif own:
            subject = _SUBJECT.search(bare)
            lead = _LEADS.get(subject[1].casefold(), "I'm") if subject else None
        else:
            lead = None
        found.append(Statement(_masked(_asserted(text, reported)), clause, number, own))
    return found


def _split(sentence: str) -> list[tuple[str, str]]:
    """The clauses, each with the mark that ends it."""
    parts: list[tuple[str, str]] = []
    start = 0
    for match in _CLAUSE_END.finditer(sentence):
        parts.append((sentence[start : match.start()], match.group().strip()))
        start = match.end()
    parts.append((sentence[start:], ""))
    joined: list[tuple[str, str]] = []
    for clause, mark in parts:
        before, joint = joined[-1] if joined else ("", "")
        if joint.casefold() == "and" and _WORK.search(before) and _is_item(clause):
            joined[-1] = (f"{before} and {clause}", mark)  # "I work in sales and marketing" is one value
        else:
            joined.append((clause, mark))
    return [(clause, mark) for clause, mark in joined if clause.strip()]


def _is_item(clause: str) -> bool:
    return len(clause.split()) <= _LONGEST_ITEM and _ITEM_LEAD.match(clause) is None


def _as_item(lead: str, item: str) -> str:
    if item.casefold().startswith(("a ", "an ")):
        return f"{lead} {item}"
    if len(item.split()) <= 3:
        return f"{lead} {item}. {lead} a {item}"  # "I'm 34, student"
    # "divorced, alone on the farm": alone tells where, not how the person feels
    return f"{lead} _ {item}" if _names_a_place(item) else f"{lead} {item}"


def _names_a_place(item: str) -> bool:
    return (
        re.search(
            r"\b(?:on|in|at|of|with|for|from|by) (?:the|a|an|my|our|"
            r"this) \w+$",
            item,
            re.IGNORECASE,
        )
        is not None
    )


def _is_echo(clause: str, *, alone: bool) -> bool:
    """ "I'm pregnant?": a whole sentence that is one short clause and a question all the same."""
    return alone and len(clause.split()) <= 4


def _asserted(clause: str, reported: re.Match[str] | None) -> str:
    """``clause`` up to where it turns into a condition, a doubt or another's words."""
    ends = [m.start() for m in (_CONDITION.search(clause), _DOUBTED.search(clause)) if m]
    if reported and not _KNOWING.search(reported.group()):
        ends.append(reported.start())
    end = min(ends, default=len(clause))
    rest = clause[end:]
    return f"{clause[:end].rstrip()} {_presupposed(rest)}".strip() if rest else clause


def _presupposed(clause: str) -> str:
    """What even a question or a condition takes for granted: "my husband"."""
    return ". ".join(re.findall(r"\bmy (?:late |ex-?)?[\w-]+", clause, re.IGNORECASE))


def _masked(text: str) -> str:
    text = _IDIOMS.sub("_", _NUMBER.sub("#", text))
    if not re.match(r"(?:i'm|im|i am|as) an? ", text, re.IGNORECASE):
        text = _SOMEONES_AGE.sub(lambda m: re.sub(r"\d+$", "#", m.group()), text)
    return _COUNTED.sub(_counted, text)


def _counted(match: re.Match[str]) -> str:
    unit, rest = match["unit"].casefold(), match["rest"].strip().casefold()
    if unit in ("year", "years"):
        counts = rest not in ("", "old", "young", "of", "now")
    else:
        counts = unit in _UNITS or unit.removesuffix("s") in _UNITS or (unit.endswith("s") and unit not in _NO_UNITS)
    return f"#{match['gap']}{match['unit']}{match['rest']}" if counts else match.group()
