"""Is this still the same person? Checks of one reply of a simulated person, by code alone.

Each detector looks for one fault. ``docs/simulated-users.md`` says how many faulty replies each finds, and how many
good ones it accuses. All read English.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Container, Iterable, Mapping, Sequence

from pydantic import Field

from ..domains.pack import DomainPack
from ..domains.value import Value
from .claims import contradictions
from .fidelity import fold, leaks, speaks_as_assistant

__all__ = ["FAULTS", "Situation", "breaks_fourth_wall", "check_reply", "failure_in", "repeats", "universal_faults"]

FAULTS = (
    "role_swap",
    "fourth_wall",
    "profile_dump",
    "repeated",
    "contradiction",
    "leak",
    "refused",
    "echo",
    "softened",
    "invented",
)
"""Faults that disqualify a conversation: its simulated person was not the person. ``contradiction``, ``leak``,
``softened`` and ``invented`` may carry an attribute ("leak:age"); the last two only a model sees."""


class Situation(Value):
    """What a reply is held against."""

    agent: str = Field(description="The assistant's message that is replied to.")
    tell: Mapping[str, str] = Field(default_factory=dict, description="What the reply was to tell.")
    expected: Mapping[str, str] = Field(default_factory=dict, description="What the person stands by, by attribute.")
    hidden: Mapping[str, str] = Field(default_factory=dict, description="What the reply must not tell.")
    told: tuple[str, ...] = Field(default=(), description="Attributes that were told before.")
    query: str = ""
    before: tuple[tuple[str, str], ...] = Field(default=(), description="(assistant, person) messages before this.")


def check_reply(text: str, situation: Situation, pack: DomainPack) -> tuple[str, ...]:
    """The faults of ``text``, those of ``FAULTS`` that code can see; empty if it sees none."""
    heard = "\n".join([situation.query, situation.agent, *(t for pair in situation.before for t in pair)])
    faults = []
    if speaks_as_assistant(text, situation.agent):
        faults.append("role_swap")
    if breaks_fourth_wall(text):
        faults.append("fourth_wall")
    if dumps_profile(text, situation, pack):
        faults.append("profile_dump")
    if loops(text, situation.query) or repeats(
        text, situation.agent, situation.before, tells=tuple(situation.tell), told=situation.told
    ):
        faults.append("repeated")
    faults += [f"contradiction:{a}" for a in contradictions(text, situation.tell, situation.expected, pack)]
    faults += [f"leak:{a}" for a in leaks(text, situation.hidden, pack, heard=heard)]
    return tuple(faults)


def universal_faults(
    text: str, agent: str, before: Sequence[tuple[str, str]], *, tells: Sequence[str], told: Container[str]
) -> tuple[str, ...]:
    """The faults that show without knowing the person: for simulated users that check nothing themselves."""
    faults = ["fourth_wall"] if breaks_fourth_wall(text) else []
    if loops(text) or repeats(text, agent, before, tells=tells, told=told):
        faults.append("repeated")
    return tuple(faults)


def failure_in(faults: Iterable[str]) -> str | None:
    """The first of ``faults`` that disqualifies a conversation, without its attribute; None if none does."""
    return next((kind for f in faults if (kind := f.partition(":")[0]) in FAULTS), None)


_WALL = re.compile(
    "|".join(
        (
            # The material that the model was given.
            r"\b(?:my|the|this) (?:persona|system prompt|user profile|character sheet)\b",
            r"\b(?:according to|as per|based on|(?:stated|mentioned|says) in|from) (?:my|the|this) (?:\w+ )?profile\b",
            r"\b(?:my|the|this) (?:profile|background information|character description|description) "
            r"(?:says?|gives?|states?|mentions?|lists?|includes?|tells?|describes?|does(?:n't| not))\b",
            r"\b(?:don't|do not) have (?:any |enough )?(?:information|details|data) (?:about|on|regarding)\b",
            r"\bgenerate (?:content|text|a (?:message|response|reply))\b",
            r"\b(?:need|have|supposed|going|meant|want|should|must|will|i'll|let me) (?:to )?(?:now )?"
            r"(?:respond|reply|answer|act|write|speak|play) (?:as|like) (?:this|the|a|an|someone|if)\b",
            r"\bin (?:the|my|this) (?:prompt|provided (?:context|information|facts))\b",
            r"\b(?:given|provided|specified|mentioned|listed) in (?:the|my) "
            r"(?:prompt|profile|context|instructions?|facts)\b",
            r"\b(?:my|the) instructions? (?:say|says|tell|require|state|do not|don't|forbid|were|was)\b"
            r"|\bas instructed\b",
            r"\b(?:was|am|were|been|i'm) (?:instructed|prompted|programmed|(?:told|asked) (?:not )?to "
            r"(?:play|act|pretend|reveal|disclose|respond as|answer as|reply as|stay in))\b",
            # The play itself.
            r"\b(?:in|for) (?:this|the|a) (?:scenario|simulation|role[- ]?play|exercise|fictional)\b",
            r"\bthis is (?:a|just a|only a) (?:simulation|role[- ]?play|scenario|fictional)\b",
            r"\bsimulated (?:user|person|patient|human|conversation|client)\b|\brole[- ]?playing (?:as|a|the|this)\b",
            r"\b(?:in|out of|break(?:ing)?|stay(?:ing)? in|remain(?:ing)? in) character\b|\booc\b",
            # About the person, from outside.
            r"\bas (?:the|a) (?:user|simulated \w+|person(?: in (?:this|the) (?:conversation|scenario|chat))?),",
            r"\bthe (?:user|person) (?:would|will|might|may|is|feels|says|said|does|doesn't|wants|pauses|sighs"
            r"|hesitates"
            r"|looks|responds|replies|answers|continues)\b",
            r"\bhere(?:'s| is) (?:the|my|a|their) (?:next |short |possible )?(?:message|reply|response)\b",
            r"\b(?:next|user(?:'s)?|person(?:'s)?) (?:message|reply|response):",
            r"^\s*[\[(*]+\s*(?:note|ooc|aside|the (?:user|person))\b|[\[(]\s*note:",
            r"\bhow (?:they|the (?:user|person)|he|she|someone) (?:might|would|could|may|will) (?:reply|respond|answer"
            r"|say)\b",
            r"\bthis person(?:'s)? (?:would|might|is|has|feels|message|reply)\b|\bthis (?:user|persona)\b",
            r"[*\[(]\s*(?:sighs?|pauses?|looks? |nods?|laughs?|cries|smiles?|hesitates?|shrugs?"
            r"|takes? a (?:deep )?breath|whispers?)",
            r"(?:^|[\n*\]])\s*(?:user|person|human|client|patient)\s*:",
            # The prompt's own words, as small models give them back.
            r"\b(?:person's|their|write (?:the|a)) (?:next|last|first) message\b|\bthe person writes\b",
            r"\bthe conversation (?:that follows|is:)|^\W*rules:|\byou are asked (?:for advice|to (?:write|provide"
            r"|play))\b",
            r"\bend of (?:the )?(?:message|conversation|scenario)\b",
        )
    ),
    re.IGNORECASE | re.MULTILINE,
)


def breaks_fourth_wall(text: str) -> bool:
    """Whether ``text`` speaks of the prompt, the profile or the play, or of the person from outside."""
    return _WALL.search(text.replace("’", "'")) is not None


def dumps_profile(text: str, situation: Situation, pack: DomainPack) -> bool:
    """Whether ``text`` reads the profile out: two or more values behind their labels, as in a form; or four or more
    values word for word, most of which this message was not to tell."""
    labelled = sum(_labelled(text, (a.label, a.id, a.id.replace("_", " "))) for a in pack.attributes)
    if labelled >= 2:
        return True
    said, values = fold(text), situation.expected
    verbatim = [a for a, v in values.items() if f" {fold(v)} " in f" {said} "]
    return len(verbatim) >= 4 and sum(a in situation.tell for a in verbatim) * 2 < len(verbatim)


def _labelled(text: str, labels: Iterable[str]) -> bool:
    names = "|".join(re.escape(label) for label in dict.fromkeys(labels))
    lead = r"(?:^|[\n.;,{|]|[-*•])[\s\"'*_]*"
    return re.search(rf"{lead}(?:{names})[\s\"'*_]*[:=–-](?!\w)", text, re.IGNORECASE) is not None


_FEWEST_WORDS = 6
_SAME = 0.9
_FEW_WORDS_MORE = 5
_NO_ANSWER = re.compile(
    r"\b(?:rather not|prefer not|don't know|not know|not sure|no idea|to myself|complicated|why do you|private|later"
    r"|not ready|does it matter|what (?:do )?you mean|long story|know you better)\b",
    re.IGNORECASE,
)
_LONGEST_NO_ANSWER = 14


def repeats(
    text: str, agent: str, before: Sequence[tuple[str, str]], *, tells: Sequence[str], told: Container[str]
) -> bool:
    """Whether ``text`` is nearly word for word an earlier message of the person, of six words or more.

    It is no fault to tell again what is asked again, and none to refuse or not to know in the same words.

    Args:
        tells: attributes that the message was to tell.
        told: attributes that were told before.
    """
    said = fold(_spelled_out(text))
    words = len(said.split())
    if words < _FEWEST_WORDS:
        return False
    if tells and all(a in told for a in tells):
        return False
    if not tells and words <= _LONGEST_NO_ANSWER and _NO_ANSWER.search(text.replace("’", "'")):
        return False
    return any(
        _says_again(said, fold(_spelled_out(earlier))) and not _alike(fold(question), fold(agent))
        for question, earlier in before
    )


_MOST_TIMES = 3


def loops(text: str, query: str = "") -> bool:
    """Whether ``text`` says one sentence of three words or more three times, or the opening ``query`` again."""
    sentences = [fold(part) for part in re.split(r"[.!?\n]+", text)]
    sentences = [s for s in sentences if len(s.split()) >= 3]
    opening = fold(query)
    again = len(opening.split()) >= _FEWEST_WORDS and f" {opening} " in f" {fold(text)} "
    return again or any(sentences.count(s) >= _MOST_TIMES for s in set(sentences))


def _says_again(said: str, earlier: str) -> bool:
    """Nearly the same, or the whole of it with a few words around."""
    if _alike(said, earlier):
        return True
    words = len(earlier.split())
    return words >= _FEWEST_WORDS and f" {earlier} " in f" {said} " and len(said.split()) <= words + _FEW_WORDS_MORE


def _alike(one: str, other: str) -> bool:
    return one == other or difflib.SequenceMatcher(None, one.split(), other.split(), autojunk=False).ratio() >= _SAME


def _spelled_out(text: str) -> str:
    plain = text.replace("’", "'")
    for short, full in (
        (r"'m\b", " am"),
        (r"'ve\b", " have"),
        (r"'ll\b", " will"),
        (r"'re\b", " are"),
        (r"n't\b", " not"),
        (r"\b(that|it|there|what)'s\b", r"\1 is"),
    ):
        plain = re.sub(short, full, plain, flags=re.IGNORECASE)
    return plain
