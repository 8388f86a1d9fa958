"""Whether a reply says what it was to say: a value, a refusal, that something is not known. By code alone."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Literal

from ..domains.attribute import Attribute
from ..domains.pack import DomainPack
from .disclosure import head_of, is_none
from .words import (
    SAID_AS,
    SYNONYMS,
    covers,
    decade_in,
    digits,
    holds,
    in_digits,
    is_negated,
    numbers_said,
    own_words,
    plain,
)
from .words import words as words_of

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
    if others and not _substance(_statements(in_digits(plain(text))), but=others):
        said = {a: "omitted" if s == "unclear" else s for a, s in said.items()}
    return {
        **said,
        **dict.fromkeys(decline, refused),
        **dict.fromkeys(unknown, unsure),
    }


def telling(text: str, attribute: Attribute, value: str) -> Said:
    """Whether ``text`` tells ``value``.

    "told": a word of the value, of its synonyms or of the pack's wording stands there, not denied; for a number, that
    number or its decade; for "None" or "No", a denial. "omitted": a number, a gender, yes or no is not there; or the
    text only asks back, goes round the question or is polite. "unclear": it says something, in words that code does not
    know.
    """
    said, value = in_digits(plain(text)), in_digits(value)
    head = head_of(value).casefold()
    if re.match(r"\d", head):
        return "told" if _number(said, value) else "unclear" if re.search(r"\b(?:19|20)\d\d\b", said) else "omitted"
    statements = _statements(said)
    if is_none(value):
        if holds(said, attribute.answer_none) or _NONE.search(statements):
            return "told"
    elif _worded(said, attribute, value) or (head == "yes" and _YES.search(statements)):
        return "told"
    if head in _CLOSED:
        return "omitted"
    return "unclear" if _substance(statements) else "omitted"


def declining(text: str) -> Said:
    """Whether ``text`` refuses, or goes round what was asked ("told"); "omitted" if it says nothing of the kind and
    nothing else either."""
    if _REFUSES.search(plain(text)):
        return "told"
    return "unclear" if _substance(_statements(plain(text))) else "omitted"


def not_knowing(text: str) -> Said:
    """The same, for a person who does not know."""
    if _UNSURE.search(plain(text)):
        return "told"
    return "unclear" if _substance(_statements(plain(text))) else "omitted"


_CLOSED = ("male", "female")

# Nothing of the kind, or all well: what tells "None".
_NONE = re.compile(
    r"\b(?:no|nope|none|nothing|never|not|neither|without|nah|fine|ok|okay|all good|good|healthy|great|well)\b|n't\b",
    re.IGNORECASE,
)
_YES = re.compile(r"\b(?:yes|yeah|yep|i did|i have|once|used to|it happened|i was)\b", re.IGNORECASE)
_REFUSES = re.compile(
    r"\b(?:rather not|rather keep|rather leave|prefer (?:not|to)|private|personal|to myself|no comment|skip|pass on"
    r"|next question|between me and|(?:don't|do not|won't|not going to|can't|not) (?:really )?(?:want|like|wish|care"
    r"|comfortable|ready|talk|say|discuss|get into|go into|share|tell|answer)|not (?:here|now|today|yet|something)"
    r"|none of your|leave (?:it|that)|let's not|stay out of|drop (?:it|that)|why do you|what does (?:it|that)"
    r"|does (?:it|that) matter|is (?:it|that) (?:important|necessary|relevant)|do (?:i|you) (?:have|need) to"
    r"|something else|complicated|long story|maybe later|won't go|keep that|not say)\b|\bprivate\.",
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


def _number(said: str, value: str) -> bool:
    decade = decade_in(said)
    bounds = digits(head_of(value))
    if decade is not None and bounds:
        open_end = "+" in head_of(value)
        if any(decade <= b < decade + 10 for b in bounds) or (open_end and decade + 10 > bounds[0]):
            return True
        if len(bounds) == 2 and bounds[0] < decade + 10 and decade <= bounds[1]:
            return True
    return any(covers(value, n) for n in numbers_said(said))


def _worded(said: str, attribute: Attribute, value: str) -> bool:
    """Whether a word of ``value``, of what people say for its head, or of the pack's own wording stands in ``said``."""
    if len(value.split()) > 1 and holds(said, value):
        return True
    own, positive = own_words(value), not re.search(r"\b(?:no|not|never|without)\b|n't", value.casefold())
    for word in re.finditer(r"[^\W_]+(?:'[^\W_]+)?", said):
        if words_of(word[0]) & own and not (positive and is_negated(said[: word.start()])):
            return True
    head = head_of(value).casefold()
    clear = _LEAD.sub("", said)
    names = [(n, clear) for n in (SYNONYMS.get(head), SAID_AS.get(head)) if n]
    for name, where in ((re.escape(head), said), *names):
        if any(not is_negated(where[: m.start()]) for m in re.finditer(rf"\b(?:{name})\b", where, re.IGNORECASE)):
            return True
    claim = attribute.told_in(said)
    return claim is not None and bool(words_of(claim) & (own | words_of(head)))


def _statements(said: str) -> str:
    """The sentences of ``said`` that may tell something: no questions, and nothing that only goes round one."""
    sentences = re.split(r"(?<=[.!?])\s+|\n+", _LEAD.sub("", said))
    return " ".join(s for s in sentences if not s.rstrip().endswith("?") and not _NO_ANSWER.search(s))


def _substance(statements: str, but: Collection[str] = ()) -> bool:
    found = re.findall(r"[^\W\d_]{3,}(?:'[^\W\d_]+)?", statements.casefold())
    return len({w for w in found if w not in _FILLER and not words_of(w) & set(but)}) >= _FEWEST
