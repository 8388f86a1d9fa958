"""Signs, seen by code alone, that a simulated person is no longer that person."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..domains.pack import DomainPack

__all__ = ["leaks", "speaks_as_assistant"]

# What an assistant says to a person and hardly any person says to an assistant.
_END = r"(?=\s*(?:$|[.,;:!?]|and|so|but|that|designed|created|trained|without)(?:\W|$))"
_MACHINE = (
    r"an? (?:ai(?: (?:assistant|model|language model|chatbot|system))?|(?:large )?language model"
    r"|virtual assistant|chatbot)" + _END
)
_ASSISTANT = re.compile(
    "|".join(
        (
            rf"\b(?:as|(?:i'm|i am)(?: just| only)?) {_MACHINE}",
            r"\bhow (?:can|may|could) i (?:help|assist|support) you\b",
            r"\bi(?:'m| am) here (?:for you|to (?:(?:help|support) you|assist|listen))\b",
            r"\bi(?:'m| am) (?:so |very |really |truly )*sorry (?:to hear\b|(?:that )?you(?:'re| are) "
            r"(?:going|feeling|dealing|having|struggling|experiencing))",
            r"\b(?:thank you|thanks) for (?:sharing|opening up|trusting me)\b",
            r"\b(?:i|i'd) (?:strongly |would |highly )*(?:recommend|suggest|encourage|advise|urge)(?: that)? you\b",
            r"\byou (?:should|might want to|may want to) (?:consider|seek|reach out|talk to|speak to|contact)\b",
            r"\bconsider (?:reaching out|seeking|talking to|speaking (?:to|with)|contacting)\b",
            r"\bplease (?:reach out|seek (?:help|support|professional)|contact (?:a|your|the))\b",
            r"\b(?:would|could|can) you (?:be (?:willing|comfortable)|feel comfortable)\b",
            r"\bcan you tell me (?:more|a (?:bit|little)(?: more)?) about your\b",
            r"\b(?:may|can|could) i ask (?:(?:how|what|whether|if|about) )?(?:old )?(?:you|your)\b",
            r"\bwhat(?:'s| is) your (?:age|gender|job|profession|occupation|situation|current|financial|marital|mental"
            r"|physical|health|emotional|relationship|education)",
            r"\bhow old are you\b|\bhow are you (?:feeling|holding up|coping)\b",
            r"\bhere are (?:some|a few|several|\d+) (?:\w+ )?(?:steps|tips|ways|suggestions|strategies)\b",
            r"\b(?:sorry|apologi[sz]e)\b.{0,20}\bi (?:can't|cannot|can not|am unable to) "
            r"(?:help|assist|continue|comply|role[- ]?play|play|pretend|simulate|fulfil)",
        )
    ),
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“«][^\"”»]*[\"”»]")


def speaks_as_assistant(text: str, to: str = "") -> bool:
    """Whether ``text`` sounds like an assistant's message, or repeats the assistant's message ``to``.

    Words in quotation marks do not count: a person may quote what they were told.
    """
    own = _QUOTED.sub(" ", text.replace("’", "'"))
    return _ASSISTANT.search(own) is not None or _repeats(own, to)


def leaks(text: str, hidden: Mapping[str, str], pack: DomainPack, *, heard: str) -> tuple[str, ...]:
    """Attributes of ``hidden`` (id -> value not to be told) whose value stands in ``text``.

    Looks for the value, or the detail after its first comma, word for word, and for the pack's own patterns of telling
    something. What stands in ``heard`` (the query, the assistant's message) gives nothing away. A paraphrase is not
    seen.
    """
    folded, known = _fold(text), _fold(heard)
    found = []
    for attribute, value in hidden.items():
        phrases = {_fold(value), _fold(value.partition(",")[2])}
        verbatim = any(_distinctive(p) and _holds(folded, p) and not _holds(known, p) for p in phrases)
        told = _fold(pack.attribute(attribute).told_in(text) or "")
        if verbatim or (told and _holds(_fold(value), told) and not _holds(known, told)):
            found.append(attribute)
    return tuple(found)


def _repeats(text: str, to: str) -> bool:
    own, other = _fold(text), _fold(to)
    return len(other.split()) >= 4 and (own == other or own.startswith(other + " "))


def _distinctive(phrase: str) -> bool:
    """Whether a phrase is unlikely to stand in a message by chance: "good" and "other" are not."""
    return len(phrase.split()) >= 2 and len(phrase) >= 9


def _holds(text: str, phrase: str) -> bool:
    return f" {phrase} " in f" {text} "


def _fold(text: str) -> str:
    return " ".join(re.findall(r"\w+(?:'\w+)?", text.replace("’", "'").casefold()))
