"""Is this still the same person? Checks of one reply of a simulated person, by code alone.

Each detector looks for one fault. ``docs/simulated-users.md`` says how many faulty replies each finds, and how many
good ones it accuses. All read English.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Container, Iterable, Mapping, Sequence

from pydantic import Field

from ...domains import DomainPack, Value, tidy
from .contradictions import contradictions
from .disclosure_detection import declining, measure, not_knowing
from .role_break import leaks, refuses_to_play, speaks_as_assistant, stems
from .speakers import own_words_of
from .wording import fold

__all__ = [
    "FAULTS",
    "LONGEST",
    "Situation",
    "breaks_fourth_wall",
    "check_reply",
    "failure_in",
    "repeats",
    "universal_faults",
]

FAULTS = (
    "role_swap",
    "fourth_wall",
    "profile_dump",
    "repeated",
    "contradiction",
    "leak",
    "omitted",
    "refused",
    "empty",
    "too_long",
    "echo",
    "softened",
    "invented",
)
"""Faults that disqualify a conversation: its simulated person was not the person. ``contradiction``, ``leak``,
``omitted``, ``softened`` and ``invented`` may carry an attribute ("leak:age"); the last two only a model sees."""

LONGEST = 4_000
"""Most characters of a message of a simulated person. No person types more; assistants need not take it."""


class Situation(Value):
    """What a reply is held against."""

    agent: str = Field(description="The assistant's message that is replied to.")
    tell: Mapping[str, str] = Field(default_factory=dict, description="What the reply was to tell.")
    decline: tuple[str, ...] = Field(default=(), description="Attributes that the reply was to refuse.")
    unknown: tuple[str, ...] = Field(default=(), description="Attributes that it was to say not to know.")
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
    if refuses_to_play(text):
        faults.append("refused")
    if breaks_fourth_wall(text):
        faults.append("fourth_wall")
    if dumps_profile(text, situation, pack):
        faults.append("profile_dump")
    said = measure(text, situation.tell, pack, decline=situation.decline, unknown=situation.unknown)
    nothing_due = not any(said[a] == "told" for a in situation.tell) and not set(situation.tell) & set(situation.told)
    if (
        loops(text, situation.query)
        or repeats(text, situation.agent, situation.before, tells=tuple(situation.tell), told=situation.told)
        or (nothing_due and _warmed_up(text, [t for _, t in situation.before]))
    ):
        faults.append("repeated")
    faults += [
        f"contradiction:{a}" for a in contradictions(own_words_of(text), situation.tell, situation.expected, pack)
    ]
    faults += [f"leak:{a}" for a in leaks(text, situation.hidden, pack, heard=heard, told=situation.tell.values())]
    if not faults:  # a reply with another fault is thrown away for that
        faults += [f"omitted:{a}" for a, what in said.items() if what == "omitted"]
    return tuple(faults)


def universal_faults(
    text: str, agent: str, before: Sequence[tuple[str, str]], *, tells: Sequence[str], told: Container[str]
) -> tuple[str, ...]:
    """The faults that show without knowing the person: for simulated users that check nothing themselves."""
    if len(text) > LONGEST:
        return ("too_long",)
    faults = ["fourth_wall"] if breaks_fourth_wall(text) else []
    if refuses_to_play(text):
        faults.append("refused")
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
            r"\b(?:in|for) (?:this|the|a) (?:simulation|role[- ]?play|fictional)\b",
            r"\bin (?:this|the) (?:scenario|exercise),? (?:i'm|i am|my|i (?:feel|have|live|work|was|play))\b",
            r"\b(?:i'm|i am|i'll|i will|let me|i'm going to) (?:now )?(?:be )?play(?:ing)? (?:an?|the"
            r"|this) (?:person|role|part"
            r"|character|woman|man|user|patient|\d)|\bplaying the (?:role|part|character)\b",
            r"\bpretend(?:ing)? to be (?:an?|the|this) (?:\w+ )?(?:\d|woman|man|person|user|patient|someone)",
            r"\bit says here\b|\b(?:sheet|card|file|notes?|paper) i was (?:handed|given|shown)\b|\bno further facts\b",
            r"\b(she|he|they) would (?:answer|say|reply|respond) that \1\b|\bkeeping (?:the tone|it"
            r"|this) (?:short|casual"
            r"|brief|in character)\b|\b(?:at this|in this) (?:stage|part|turn) of the (?:dialogue|conversation)\b",
            r"^\W*(?:persona|character|user)(?:'s)? (?:reply|response|message|answer)\s*:",
            r"\bmy character (?:is|has|would|feels|says|lives|works|does|doesn't)\b",
            r"\b(?:given|provided|listed|stated) (?:facts|information|details|data|notes)\b",
            r"\([^)]*\b(?:as requested|as instructed|kept it short|in character)\b[^)]*\)",
            r"^\W*(?:final )?(?:output|response|reply|answer|message|draft)\s*:|^\W*\[?as (?:the|a|this) (?:person|user"
            r"|character|patient)\b",
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
    return _WALL.search(tidy(text)) is not None


def dumps_profile(text: str, situation: Situation, pack: DomainPack) -> bool:
    """Whether ``text`` reads the profile out: two or more values behind their labels, as in a form; or four or more
    values word for word, most of which this message was not to tell."""
    labels = {a.id: (a.label, a.id, a.id.replace("_", " "), *a.aliases) for a in pack.attributes}
    labelled = sum(_labelled(text, names) for names in labels.values())
    if labelled >= 2 or _OBJECT.search(text):
        return True
    paired = sum(_paired(text, labels[a], v) for a, v in situation.expected.items() if a in labels)
    if paired >= 3:
        return True
    said, values = fold(text), situation.expected
    verbatim = [a for a, v in values.items() if f" {fold(v)} " in f" {said} "]
    return len(verbatim) >= 4 and sum(a in situation.tell for a in verbatim) * 2 < len(verbatim)


def _labelled(text: str, labels: Iterable[str]) -> bool:
    names = "|".join(re.escape(label) for label in dict.fromkeys(labels))
    lead = r"(?:^|[\n.;,{|]|[-*•])[\s\"'*_]*(?:(?:also|and|then|my|well),? )*"
    return re.search(rf"{lead}(?:{names})[\s\"'*_]*[:=–-](?!\w)", text, re.IGNORECASE) is not None


_OBJECT = re.compile(r"\{\s*[\"']?\w+[\"']?\s*:.*?,\s*[\"']?\w+[\"']?\s*:", re.DOTALL)


def _paired(text: str, labels: Iterable[str], value: str) -> bool:
    """Whether a label stands right before its value: "age 41, gender female"."""
    first = next(iter(fold(value).split()), "")
    return any(f" {fold(label)} {first} " in f" {fold(text)} " for label in labels) if first else False


_FEWEST_WORDS = 6
_SAME = 0.9
_FEW_WORDS_MORE = 5
_NO_ANSWER = re.compile(
    r"\b(?:rather not|prefer not|don't know|not know|not sure|no idea|dunno|to myself|complicated|why do you|private"
    r"|later|not ready|does it matter|what (?:do )?you mean|long story|know you better|right now|not now|too much"
    r"|no comment|skip (?:it|that))\b",
    re.IGNORECASE,
)
_LONGEST_NO_ANSWER = 14
_AGREES = re.compile(r"\b(?:yes|no|please|thanks|thank you|ok|okay|sure)\b", re.IGNORECASE)
_TIMES = 3


def repeats(
    text: str, agent: str, before: Sequence[tuple[str, str]], *, tells: Sequence[str], told: Container[str]
) -> bool:
    """Whether ``text`` is nearly word for word an earlier message of the person, of six words or more; a shorter one
    word for word for the third time; or made of two earlier ones.

    It is no fault to tell again what is asked again, and none to refuse, to agree or not to know in the same words.

    Args:
        tells: attributes that the message was to tell.
        told: attributes that were told before.
    """
    said = fold(_spelled_out(text))
    words = len(said.split())
    if tells and all(a in told for a in tells):
        return False
    if not tells and words <= _LONGEST_NO_ANSWER and _gives_none(text):
        return False
    others = [fold(_spelled_out(earlier)) for question, earlier in before if not _alike(fold(question), fold(agent))]
    if words < _FEWEST_WORDS:
        return words > 1 and not _AGREES.search(text) and others.count(said) >= _TIMES - 1
    return any(_says_again(said, earlier) for earlier in others) or _glued(said, others)


def _gives_none(text: str) -> bool:
    return _NO_ANSWER.search(tidy(text)) is not None or "told" in (declining(text), not_knowing(text))


def _glued(said: str, earlier: Sequence[str]) -> bool:
    """Whether ``said`` is little more than two earlier messages, one after the other."""
    rest, found = f" {said} ", 0
    for message in sorted(set(earlier), key=len, reverse=True):
        if len(message.split()) >= _FEWEST_GLUED and f" {message} " in rest:
            rest, found = rest.replace(f" {message} ", " ", 1), found + 1
    return found >= _GLUED and len(rest.split()) <= _FEW_WORDS_MORE


def _warmed_up(text: str, earlier: Sequence[str]) -> bool:
    """Whether nearly all the weightier words of ``text`` stood in the person's earlier messages."""
    said, before = stems(text), stems(" ".join(earlier))
    return len(said) >= _FEWEST_STEMS and len(said & before) >= _MOSTLY * len(said)


_FEWEST_STEMS = 5
_MOSTLY = 0.8
_GLUED = 2
_FEWEST_GLUED = 2


_MOST_TIMES = 3
_MOST_WORDS_RUNNING = 5


def loops(text: str, query: str = "") -> bool:
    """Whether ``text`` says one sentence of three words or more three times, one word more than five times running, or
    the opening ``query`` again."""
    sentences = [fold(part) for part in re.split(r"[.!?\n]+", text)]
    sentences = [s for s in sentences if len(s.split()) >= 3]
    opening, said = fold(query), fold(text)
    again = len(opening.split()) >= _FEWEST_WORDS and f" {opening} " in f" {said} "
    running = re.search(rf"\b(\w+)(?: \1\b){{{_MOST_WORDS_RUNNING},}}", said)
    return bool(
        again or running or any(sum(f" {s} " in f" {other} " for other in sentences) >= _MOST_TIMES for s in sentences)
    )


def _says_again(said: str, earlier: str) -> bool:
    """Nearly the same, or the whole of it with a few words around."""
    if _alike(said, earlier):
        return True
    words = len(earlier.split())
    return words >= _FEWEST_WORDS and f" {earlier} " in f" {said} " and len(said.split()) <= words + _FEW_WORDS_MORE


def _alike(one: str, other: str) -> bool:
    return one == other or difflib.SequenceMatcher(None, one.split(), other.split(), autojunk=False).ratio() >= _SAME


def _spelled_out(text: str) -> str:
    spelled = tidy(text)
    for short, full in (
        (r"'m\b", " am"),
        (r"'ve\b", " have"),
        (r"'ll\b", " will"),
        (r"'re\b", " are"),
        (r"n't\b", " not"),
        (r"\b(that|it|there|what)'s\b", r"\1 is"),
    ):
        spelled = re.sub(short, full, spelled, flags=re.IGNORECASE)
    return spelled
