"""Signs, seen by code alone, that a simulated person is no longer that person."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ...domains import DomainPack, tidy
from .speakers import own_claim, unquoted
from .wording import fold, holds, in_digits

__all__ = ["leaks", "refuses_to_play", "speaks_as_assistant", "stems"]

# What an assistant says to a person and hardly any person says to an assistant.
_END = r"(?=\s*(?:$|[.,;:!?]|and|so|but|that|designed|created|trained|without|i|i'm|my|we|it)(?:\W|$))"
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
            r"^\W*(?:great|excellent|good) question\b",
            r"\blet me (?:explain|help|walk you|give you|suggest|ask you|outline|break)\b|\byou(?:'ll"
            r"| will) (?:need|want"
            r"|have) (?:to|an?)\b",
            r"\bmany people (?:feel|find|go|struggle|experience|with|in your)\b|\bgive yourself\b|\btake your time\b",
            r"\bthere(?:'s| is) no (?:rush|shame|right or wrong)\b|\byou deserve\b|\bis treatable\b",
            r"\bis there (?:someone|anyone|anybody|somebody|a friend) (?:you|who)\b",
            r"\byou could (?:ask|try|start|talk|call|write|also|consider|look|speak|set|make)\b",
            r"\bbe (?:gentle|kind|patient) with yourself\b|\bbe kind to yourself\b|\bi(?:'m"
            r"| am) glad (?:that )?you(?:'re| are)"
            r"\b|\bit takes (?:a lot of |real |great )?(?:strength|courage) to\b|\bcall (?:a|the) (?:crisis"
            r"|help) ?line\b",
            r"\bwhat would (?:feel|help|be) (?:the )?(?:most |more )?(?:\w+ )?(?:for )?you\b"
            r"|\bwhat \w+ do you (?:teach|study)\b",
            r"\b(?:do|did|are|have|were|who|how) (?:\w+ ){0,3}?(?:you|your) (?:\w+ )?(?:teach|live|work|study|sleep|eat"
            r"|drink|trust|earn|smoke|exercise|living|working|studying|sleeping|eating|employed|household)\b",
            r"\b(?:often|usually) (?:works? best|helps?)\b|\bfirst,? (?:list|make|write|call|talk|take|check|gather"
            r"|contact)\b.*\b(?:second|then|next)\b",
            r"\b(?:that|this|it) must (?:be|have been|feel) (?:really |so |very )*(?:tough|hard|difficult|painful"
            r"|exhausting|overwhelming)\b",
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
            r"\bhow long have you (?:been|had|felt|lived|worked|struggled|suffered)\b"
            r"|\bwhat do you do for (?:a living|work)\b|\bif (?:i may ask"
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
# "My sister says it's important to read the small print."
_REPORTED = re.compile(
    r"\b(?:(?!i\b)\w+ (?:says|said|tells me|told me|thinks|keeps saying|claims|wrote)|(?:they|people|friends"
    r"|parents|others)"
    r" (?:say|tell me|think|keep saying))\b[^.!?;]*",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"\bi(?:'m| am)? ?(?:sorry,? )?(?:but )?(?:i )?(?:can't|cannot|can not|won't|will not|unable to|not able to"
    r"|must decline to|have to decline to) (?:help|assist|comply|fulfill?|engage|participate|generate|create|continue"
    r"|provide|produce|respond|answer|role[- ]?play|pretend|simulate|play)(?: you)?(?: (?:with|in|to|as))?"
    r" (?:that|this|these|such|your|the)(?: (?:kind|type|sort) of)? ?"
    r"(?:request|role|conversation|content|prompt|role[- ]?play|topic|instructions?|message)s?\b"
    r"|\bi can't (?:answer|discuss|share) personal questions\b"
    r"|\bplay(?:ing)? (?:along with )?(?:this|that|the|a|such a) (?:part|role|character|exercise|game)\b"
    r"|\bplay along with this\b|\b(?:not|isn't) a (?:role|part) (?:that )?i (?:take|play)\b"
    r"|\bpretending to be (?:somebody|someone) else\b"
    r"|\b(?:continu\w+|go(?:ing)? on|engag\w+|tak\w+ part)"
    r" (?:with|in) (?:this|that) (?:kind|type|sort) of (?:exercise|game|role|play)\b"
    r"|\b(?:making|make) up (?:a person|somebody|someone)(?:'s)?\b"
    r"|\bi (?:don't|do not) have (?:any )?(?:personal (?:experiences?|feelings|opinions|history|life|information)"
    r"|an? (?:age|gender|body|job|profession|personal \w+)|feelings or|emotions (?:or|like)|human|a physical)"
    r"|\bmy (?:training data|programming|guidelines|creators?|developers?)\b"
    r"|\b(?:against|violates?) (?:my|the|our) (?:guidelines|polic(?:y|ies)|programming)\b"
    r"|\bi (?:was|am) (?:trained|developed|created) by\b"
    r"|[\[{<](?:(?:your |insert |user )?(?:name|age|job|profession|city|gender|value|insert[^\]}>]*))[\]}>]",
    re.IGNORECASE,
)


def speaks_as_assistant(text: str, to: str = "") -> bool:
    """Whether ``text`` sounds like an assistant's message, or repeats the assistant's message ``to``.

    Words in quotation marks and what others say do not count: a person may quote what they were told.
    """
    own = unquoted(text)
    return _ASSISTANT.search(_REPORTED.sub(" ", own)) is not None or _repeats(own, to)


def refuses_to_play(text: str) -> bool:
    """Whether ``text`` is a model that declines to play the person, or leaves a blank to be filled in."""
    return _REFUSAL.search(unquoted(text)) is not None


def leaks(
    text: str, hidden: Mapping[str, str], pack: DomainPack, *, heard: str, told: Iterable[str] = ()
) -> tuple[str, ...]:
    """Attributes of ``hidden`` (id -> value not to be told) whose value stands in ``text``.

    Looks for the value, its category or the detail after its first comma, word for word, for two of its weightier
    words or one that the person says of themselves, and for the pack's own patterns of telling something. What stands
    in ``heard`` (the query, the assistant's message) gives nothing away, nor do words of values in ``told``. Most
    paraphrases are not seen.
    """
    said = in_digits(tidy(text))
    shown = stems(heard).union(*(stems(t) for t in told))
    found = []
    for attribute, value in hidden.items():
        phrases = [value, *value.partition(",")[::2]]
        own_stems = stems(value)
        fresh = (own_stems & stems(said)) - shown
        verbatim = any(
            _distinctive(p) and holds(said, p) and not holds(heard, p) and (not stems(p) or stems(p) - shown)
            for p in phrases
        )
        claim = fold(own_claim(said, pack.attribute(attribute)) or "")
        claimed = bool(claim) and not holds(heard, claim) and (holds(value, claim) or bool(stems(claim) & own_stems))
        private = pack.attribute(attribute).group != "demographic"
        own = _says_of_self(said, {w[:_BEGINNING] for w in own_stems} - {w[:_BEGINNING] for w in shown}, my=private)
        if verbatim or len(fresh) >= 2 or claimed or own:
            found.append(attribute)
    return tuple(found)


_BEGINNING = 5
_CLOSE = 4


def _says_of_self(text: str, beginnings: set[str], *, my: bool) -> bool:
    """Whether a word with one of ``beginnings`` stands close behind "I" or "as a" (or "my"), not denied."""
    text = re.sub(r"[^.!?]*\?", " ", text)
    lead = r"i|i'm|i've|as an?" + ("|my" if my else "")
    for match in re.finditer(rf"(?<!')\b(?:{lead})\s+(?=([^.!?;,]*))", text, re.IGNORECASE):
        close = " ".join(match[1].split()[:_CLOSE])
        if stems(close) and {w[:_BEGINNING] for w in stems(close)} & beginnings and not _DENIED.search(close):
            return True
    return False


_DENIED = re.compile(r"\b(?:not|never|no|nobody|used)\b|n't", re.IGNORECASE)
_LITTLE_WORDS = """
    neighbour neighbours neighbor neighbors friend friends mother father parents sister brother daughter daughters
    hardly supposed everybody always mostly myself nobody somebody people
    about after again being could every everything first going little months nothing other since some still their there
    these thing things think those today under until very where which while would years yours disease chronic moderate
"""
_LITTLE = frozenset(_LITTLE_WORDS.split())


def stems(text: str) -> set[str]:
    """The beginnings of words of five letters or more: "divorced" and "divorce" are one."""
    return {w[:6].removesuffix("s") for w in re.findall(r"[^\W\d_]{5,}", text.casefold()) if w not in _LITTLE}


def _repeats(text: str, to: str) -> bool:
    own, other = fold(text), fold(to)
    return len(other.split()) >= 4 and (own == other or own.startswith(other + " "))


def _distinctive(phrase: str) -> bool:
    """Whether a phrase is unlikely to stand in a message by chance: "good" and "other" are not."""
    return len(phrase.split()) >= 2 and len(phrase) >= 9
