"""Whether a reply says what it was to say: a value, a refusal, that something is not known. By code alone."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from ...domains import Attribute, DomainPack, tidy
from .speakers import own_clauses
from .value_texts import head_of, is_none
from .wording import (
    FUNCTION,
    ILLNESSES,
    SAID_AS,
    STOP,
    SYNONYMS,
    TOPICS,
    WEAK,
    ages_said,
    agrees,
    decade_in,
    digits,
    holds,
    in_digits,
    is_negated,
)
from .wording import words as words_of

__all__ = ["Said", "declining", "measure", "not_knowing", "telling"]

Said = Literal["told", "unclear", "omitted"]


def measure(
    text: str, tell: Mapping[str, str], pack: DomainPack, *, decline: Iterable[str] = (), unknown: Iterable[str] = ()
) -> dict[str, Said]:
    """Attribute id -> whether ``text`` says what it was to say of it: a value, a refusal, that it is not known."""
    refused, unsure = declining(text), not_knowing(text)
    said = {a: telling(text, pack.attribute(a), v) for a, v in tell.items()}
    # Words that tell another value tell nothing of this one.
    others = set().union(*(words_of(v) for a, v in tell.items() if said[a] == "told"))
    if others and not _substance(_statements(in_digits(tidy(text))), but=others):
        said = {a: "omitted" if s == "unclear" else s for a, s in said.items()}
    return {
        **said,
        **dict.fromkeys(decline, refused),
        **dict.fromkeys(unknown, unsure),
    }


def telling(text: str, attribute: Attribute, value: str) -> Said:
    """Whether ``text`` tells ``value``.

    Only clauses that speak of the person count (``persons.own_clauses``). "told": a word of the value's head, of its
    synonyms or of the pack's wording stands there, not denied, or two weighty words of its detail; for a number, that
    number, its decade or what may be meant by it; for "None" or "No", a short denial or one beside a word of what the
    attribute is about. "omitted": a number or a gender is not there; or the text only asks back, goes round the
    question or is polite. "unclear": it says something, in words that code does not know.
    """
    said, value = in_digits(tidy(text)), in_digits(value)
    head = head_of(value).casefold()
    own = _telling_clauses(said, head)
    if re.match(r"\d", head):
        return "told" if _number(own, value) else "unclear" if re.search(r"\b(?:19|20)\d\d\b", said) else "omitted"
    statements = _statements(said)
    if is_none(value):
        if holds(said, attribute.answer_none) or _denied(statements, attribute):
            return "told"
    elif (
        _worded(own, attribute, value)
        or _named(_telling_clauses(_LEAD.sub("", said), head), head)
        or (head == "yes" and _affirmed(statements))
    ):
        return "told"
    if head in _CLOSED:
        return "omitted"
    return "unclear" if _substance(statements) else "omitted"


def declining(text: str) -> Said:
    """Whether ``text`` refuses, or goes round what was asked ("told"); "omitted" if it says nothing of the kind and
    nothing else either."""
    if _REFUSES.search(tidy(text)):
        return "told"
    return "unclear" if _substance(_statements(tidy(text))) else "omitted"


def not_knowing(text: str) -> Said:
    """The same, for a person who does not know."""
    if _UNSURE.search(tidy(text)):
        return "told"
    return "unclear" if _substance(_statements(tidy(text))) else "omitted"


_CLOSED = ("male", "female")

_FAMILY = ("single", "married", "divorced", "widowed")

# A short direct answer to a question about oneself that tells "None", or that all is well.
_TAIL = r"(?:[\s,]*(?:never|nothing|none|no|at all|ever|there|so far|thank god|thanks|touch wood|that i know of))*"
_NO = re.compile(
    r"\W*(?:(?:oh|god|well|honestly|nah|hell|thank god)[\s,]+)*(?:no|nope|nah|none|never"
    r"|nothing|neither|not (?:at all|ever"
    r"|once|really|me|that i(?:'m| am) aware of|that i know of|to my knowledge|as far as i know)"
    r"|(?:nothing|none|never anything) (?:like|of) (?:that|the kind|the sort|it)(?: at all)?"
    r"|(?:no|nope),? (?:nothing|never|none|not)(?: (?:like|of) (?:that|the kind))?"
    r"|(?:no, )?(?:i )?(?:never have|never did|have never|haven't|have not|didn't|did not|don't|do not)"
    r"|never (?:had|did|done|tried|felt) (?:any(?:thing)? (?:of|like) (?:that|it)|any|that|it|such a thing))"
    + _TAIL
    + r"\W*",
    re.IGNORECASE,
)
_WELL = re.compile(
    r"\W*(?:(?:oh|honestly|no|nope)[\s,]+)*(?:(?:i'm|i am|i feel|it's|it is|all|everything's"
    r"|everything is|things are|perfectly"
    r"|totally|quite|pretty|just|doing) )*(?:fine|ok|okay|all right|alright|good|healthy|great|well)"
    r"(?: (?:in that department|on that front|in that respect|up there|mentally|there|so far|thanks|thank you))*\W*",
    re.IGNORECASE,
)
_NEGATION = re.compile(r"\b(?:no|none|nothing|never|not|neither|without)\b|n't\b", re.IGNORECASE)
_ALL_WELL = re.compile(r"\b(?:fine|ok|okay|good|healthy|great|well|strong|stable|clear)\b", re.IGNORECASE)
_YES = re.compile(
    r"^\W*(?:(?:oh|well|sadly|honestly)[\s,]+)*(?:yes|yeah|yep)\b|^\W*(?:i did|i have"
    r"|it happened|once)(?:,? (?:once|twice|before))?\W*$"
    r"|^\W*(?:i used to|i did that|i've done that|i have done that)\b",
    re.IGNORECASE,
)
_REFUSES = re.compile(
    r"^\W*(?:hard )?pass\W*$|\b(?:rather not|rather keep|rather leave|prefer (?:not|to)|private"
    r"|personal|to myself|no comment|skip|pass on"
    r"|next question|between me and|(?:don't|do not|won't|not going to|can't|not) (?:really )?(?:want|like|wish|care"
    r"|comfortable|ready|talk|say|discuss|get into|go into|share|tell|answer)|not (?:here|now|today|yet|something)"
    r"|none of your|leave (?:it|that)|let's not|stay out of|drop (?:it|that)|why do you|what does (?:it|that)"
    r"|does (?:it|that) matter|is (?:it|that) (?:important|necessary|relevant)|do (?:i|you) (?:have|need) to"
    r"|something else|complicated|long story|maybe later|won't go|keep that|not say|not answering"
    r"|not telling|stays (?:with me|between)|no thanks|off limits)\b|\bprivate\.",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:(?:don't|do not|not|didn't|never|no one|nobody|wouldn't|couldn't) (?:really |quite |actually |even )?(?:know"
    r"|sure|certain|remember|tell|say|checked|looked|thought)|no (?:idea|clue)|dunno|unsure|hard to (?:say|tell)"
    r"|can't (?:say|tell)|not so sure|good question|never found out|beats me)\b",
    re.IGNORECASE,
)
_NO_ANSWER = re.compile(
    r"\b(?:not sure (?:how|what|if|whether)|don't know (?:how|what)|no idea|what to say|rather not"
    r"|prefer (?:not|to leave)"
    r"|train of thought|none of your|does it matter|long story|it is what it is|you know how|already told|told you"
    r"|something else|(?:don't|do not) (?:really )?want to (?:say|tell|talk|go|get)|let me think|next question"
    r"|let's not"
    r"|good to (?:know|hear)|fair enough|(?:question|thing|matter) to (?:answer|ask)"
    r"|hard to say|depends on|comes and goes"
    r"|going to play|play(?:ing)? (?:along|this|that|a|the) ?(?:part|role|person|character)?"
    r"|this kind of (?:exercise|game)"
    r"|role i take|pretending to be"
    r"|maybe later|tell me what|what you (?:mean|said|say|think)|good (?:point|question)|interesting question"
    r"|what a question|just answer|i understand|i see\b)",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^\W*(?:(?:ok|okay|well|right|all right|alright|sure|great|fine|good)[\s.,!:]+)+(?=\w)", re.IGNORECASE
)
_FILLER = frozenset(
    """
    about actually all alright and anyway are asking been bit but bye can can't course did didn't does don't enough
    for get going good goodbye got guess had has have hello her him his hmm honest honestly how i'd i'll i'm i've
    isn isn't it's just kind know later let like look lot mean much need not now okay one please question really
    right said say see some sorry sort suppose sure tell thank thanks that that's the them then there there's they
    thing things think this though time today too true understand usual very want was well were what what's whatever
    when where which who why will with would yes you you're your
    """.split()  # noqa: SIM905
)
_FEWEST = 2


def _telling_clauses(said: str, head: str) -> list[str]:
    """The clauses that speak of the person, without phrases such as "good to know"."""
    clauses = own_clauses(said, family=head in _FAMILY)
    return [c for c in clauses if not _NO_ANSWER.search(c) or re.search(r"\bi\b", c, re.IGNORECASE)]


def _number(own: Sequence[str], value: str) -> bool:
    bounds = digits(head_of(value))
    for clause in own:
        decade = decade_in(clause)
        if decade is not None and bounds:
            open_end = "+" in head_of(value)
            if any(decade <= b < decade + 10 for b in bounds) or (open_end and decade + 10 > bounds[0]):
                return True
            if len(bounds) == 2 and bounds[0] < decade + 10 and decade <= bounds[1]:
                return True
    return any(agrees(value, ages) for clause in own for ages in ages_said(clause))


def _denied(statements: str, attribute: Attribute) -> bool:
    """Whether there is a short "no", or a denial in a clause of the person beside a word of the attribute."""
    history = "Yes" in attribute.values
    key = next((k for k in TOPICS if k in attribute.id), None)
    topic = TOPICS[key] if key else "|".join(re.escape(w) for w in sorted(words_of(attribute.label) - STOP)) or r"(?!)"
    for sentence in re.split(r"(?<=[.!?])\s+", statements):
        first, *rest = re.split(r"[,:;]|\bbut\b", sentence)
        if re.search(rf"\b(?:{topic})\b", first, re.IGNORECASE) and any(_NO.fullmatch(part) for part in rest):
            return not _UNWELL.search(first)
        if any(_NO.fullmatch(part) for part in (sentence, first)):
            return True
        if not history and any(_WELL.fullmatch(part) for part in (sentence, first)):
            return True
    for clause in own_clauses(statements):
        denies = _NEGATION.search(clause) or (not history and _ALL_WELL.search(clause))
        if denies and re.search(rf"\b(?:{topic})\b", clause, re.IGNORECASE) and not _UNWELL.search(clause):
            return True
    return False


_UNWELL = re.compile(
    r"\bnot (?:been |feeling |doing |very |too |so |that )*(?:well|good|fine|great|ok|okay"
    r"|healthy|treated|better)\b|\bused to\b",
    re.IGNORECASE,
)


def _affirmed(statements: str) -> bool:
    """Whether it is said that something of the kind happened."""
    return any(
        _YES.search(clause) or (re.search(TOPICS["self_harm"], clause, re.IGNORECASE) and not _NEGATION.search(clause))
        for clause in own_clauses(statements)
    )


def _worded(own: Sequence[str], attribute: Attribute, value: str) -> bool:
    """Whether the clauses say a word of the head of ``value`` or of the pack's wording, or two of its detail, not
    denied."""
    head = head_of(value).casefold()
    positive = not re.search(r"\b(?:no|not|never|without)\b|n't", value.casefold())
    strong, weak = _weighty(value)
    found: set[str] = set()
    for clause in own:
        if len(value.split()) > 1 and holds(clause, value):
            return True
        for word in re.finditer(r"[^\W_]+(?:'[^\W_]+)?", clause):
            stems = _singular(word[0])
            if stems & (strong | weak) and not (positive and is_negated(clause[: word.start()])):
                if stems & strong:
                    return True
                found |= stems & weak
        if any(
            not is_negated(clause[: m.start()]) for m in re.finditer(rf"\b{re.escape(head)}\b", clause, re.IGNORECASE)
        ):
            return True
    claim = attribute.told_in(". ".join(own))
    return len(found) >= 2 or (claim is not None and bool(_singular(*claim.split()) & strong))


def _named(own: Sequence[str], head: str) -> bool:
    """Whether the clauses say, not denied, what people say for ``head``."""
    names = "|".join(n for n in (SYNONYMS.get(head), SAID_AS.get(head)) if n)
    found = ((c, m.start()) for c in own if names for m in re.finditer(rf"\b(?:{names})\b", c, re.IGNORECASE))
    return any(not is_negated(clause[:start]) for clause, start in found)


def _weighty(value: str) -> tuple[set[str], set[str]]:
    """The words of ``value`` that tell it alone, and those of which it takes two: of its detail, or said of much."""
    head = {w for w in re.findall(r"[^\W_]+(?:'[^\W_]+)?", head_of(value).casefold()) if w not in STOP | FUNCTION}
    every = {w for w in re.findall(r"[^\W_]+(?:'[^\W_]+)?", value.casefold()) if w not in STOP | FUNCTION}
    every = {w for w in every if len(w) > 2 or w.isdigit()}
    alone = (head - WEAK - {"yes", "good"}) | (every & ILLNESSES)
    strong = _singular(*alone)
    return strong, _singular(*(every - {"yes", "good"})) - strong


def _singular(*words: str) -> set[str]:
    """Their stems, without a plural's ending."""
    return {re.sub(r"(?<=ch|sh|ss)es$|(?<=\w\w[^s])s$", "", w) for w in words_of(" ".join(words))}


def _statements(said: str) -> str:
    """The sentences of ``said`` that may tell something: no questions, and nothing that only goes round one."""
    sentences = re.split(r"(?<=[.!?])\s+|\n+", _LEAD.sub("", said))
    return " ".join(s for s in sentences if not s.rstrip().endswith("?") and not _NO_ANSWER.search(s))


def _substance(statements: str, but: Collection[str] = ()) -> bool:
    """Whether two words may tell something; one is enough where the person speaks in the first person."""
    said = statements.casefold()
    found = set(re.findall(r"[^\W\d_]{3,}(?:'[^\W\d_]+)?|\d{2}", said))
    found = {w for w in found if w not in _FILLER and not words_of(w) & set(but)}
    return len(found) >= (1 if re.search(r"\b(?:i|i'm|i've|my)\b", said) else _FEWEST)
