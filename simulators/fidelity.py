"""Signs, seen by code alone, that a simulated person is no longer that person."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..domains.pack import DomainPack

__all__ = ["fold", "leaks", "speaks_as_assistant"]

# What an assistant says to a person and hardly any person says to an assistant.
_END = r"(?=\s*(?:$|[.,;:!?]|and|so|but|that|designed|created|trained|without)(?:\W|$))"
_MACHINE = (
    r"an? (?:ai(?: (?:assistant|model|language model|chatbot|system))?|(?:large )?language model"
    r"|virtual assistant|chatbot)" + _END
)
_LIFE = (
    r"(?:age|gender|partner|husband|wife|spouse|famil(?:y|ies)|home|children|kids|job|work|career|sleep|doctor"
    r"|therapist|feelings?"
    r"|emotions?|mood|health|mental health|medications?|situation|life|symptoms?|diet|expenses|budget|savings|income"
    r"|finances"
    r"|support (?:system|network)|friends?|landlord|boss|manager|well-?being|needs|goals|concerns?|thoughts|body"
    r"|studies)"
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
            r"^\W*(?:assistant|ai assistant|chatbot|counsell?or|therapist)\W{0,3}:",
            r"\b(?:it |that )sounds like you(?:'re| are|'ve| have)\b|\byour (?:feelings|emotions|concerns) are valid\b",
            r"\bhave you (?:ever )?(?:considered|thought about|tried) (?:talking|speaking|seeing|reaching|seeking)\b",
            r"\byou should (?:consult|see|talk to|speak (?:to|with)) (?:a|an|your)\b",
            r"\bremember (?:to (?:take care|be kind|be gentle|breathe)|that you(?:'re| are))\b",
            # The other's life: "your advice" is a person's word, "your sleep" is not.
            rf"\byour (?:own |current |present )?{_LIFE}\b(?! (?:advice|answer|tip|idea)s?)",
            r"\b(?:before|if|when|while|until|unless|so that) you (?:stop|start|decide|make (?:any|a)|quit|sign|leave"
            r"|feel|are feeling"
            r"|take (?:any|more|your)|go through)\b",
            r"\bhow (?:has|have|did|does) (?:that|this|it) (?:been|made?|affect\w*|feel\w*|mak\w+) (?:for "
            r"|like for )?you\b",
            r"\bhow long have you\b|\bwhat do you do for (?:a living|work)\b|\bif (?:i may ask"
            r"|you don't mind (?:me )?asking)\b",
            r"\bdo you (?:have (?:a |any |some)?(?:one|body|support|family|friends|children|partner|medical|history"
            r"|access)\b|feel\b"
            r"|live (?:alone|with)|take any|sleep)",
            r"\bare you (?:currently |still )?(?:taking|seeing|married|single|working|safe|sleeping|struggling|feeling"
            r"|experiencing)\b",
            # Comfort and advice.
            r"\b(?:it is|it's) (?:completely |perfectly |totally |very )?(?:ok|okay|normal|natural|understandable"
            r"|common) "
            r"(?:to (?:feel|be|worry|want)|that you)\b",
            r"\byou(?:'re| are) not alone\b|\byou(?:'ve| have) got this\b|\bi hear you\b",
            r"\bi(?:'d| would) be (?:happy|glad) to (?:help|assist)\b|\bi can (?:suggest|offer|help you|recommend"
            r"|guide)\b",
            r"\bi(?:'m| am) (?:not able|unable|not qualified|not a (?:doctor|therapist|professional))\b",
            r"\b(?:it (?:may|might|could|can) help|(?:it|that)(?:'s| is) (?:important|essential|best|crucial)) to\b",
            r"(?:^|[.!?]\s+)(?:start by|try to|try \w+ing|let's (?:take|talk|look|start|work|break|explore|focus)"
            r"|take (?:it one|small|a deep)"
            r"|(?:talk|speak) (?:to|with) (?:a|your|someone)|reach out|consider \w+ing|make sure (?:to|you|that you)"
            r"|remember(?: to|,|\s+that)|please (?:talk|speak|see|consult|call|contact|consider|remember|take care))\b",
            r"\b(?:a|your) (?:therapist|doctor|counsell?or|professional) (?:could|can|may|might|will) help\b",
            r"\breach out to (?:a|your) (?:professional|doctor|therapist|counsell?or|mental)",
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

    Looks for the value, its category or the detail after its first comma, word for word, for two of its weightier
    words, and for the pack's own patterns of telling something. What stands in ``heard`` (the query, the assistant's
    message) gives nothing away. Most paraphrases are not seen.
    """
    folded, known = fold(text), fold(heard)
    found = []
    for attribute, value in hidden.items():
        phrases = {fold(value), *(fold(part) for part in value.partition(",")[::2])}
        stems, shown = _stems(value), _stems(heard)
        several = len((stems & _stems(text)) - shown) >= 2
        verbatim = any(_distinctive(p) and _holds(folded, p) and not _holds(known, p) for p in phrases)
        told = fold(pack.attribute(attribute).told_in(text) or "")
        claimed = bool(told) and not _holds(known, told) and (_holds(fold(value), told) or bool(_stems(told) & stems))
        if verbatim or several or claimed:
            found.append(attribute)
    return tuple(found)


_LITTLE_WORDS = """
    about after again being could every everything first going little months nothing other since some still their there
    these thing things think those today under until very where which while would years yours disease chronic moderate
"""
_LITTLE = frozenset(_LITTLE_WORDS.split())


def _stems(text: str) -> set[str]:
    """The beginnings of words of five letters or more: "divorced" and "divorce" are one."""
    return {w[:6].removesuffix("s") for w in re.findall(r"[^\W\d_]{5,}", text.casefold()) if w not in _LITTLE}


def _repeats(text: str, to: str) -> bool:
    own, other = fold(text), fold(to)
    return len(other.split()) >= 4 and (own == other or own.startswith(other + " "))


def _distinctive(phrase: str) -> bool:
    """Whether a phrase is unlikely to stand in a message by chance: "good" and "other" are not."""
    return len(phrase.split()) >= 2 and len(phrase) >= 9


def _holds(text: str, phrase: str) -> bool:
    return f" {phrase} " in f" {text} "


def fold(text: str) -> str:
    """``text`` as its words, in lower case, without punctuation."""
    return " ".join(re.findall(r"\w+(?:'\w+)?", text.replace("’", "'").casefold()))
