"""What people say instead of an answer, or to correct one: evasions, asides, and words that take an answer back."""

from __future__ import annotations

import re
from typing import NamedTuple

from ...domains import DomainPack, plain
from .short_answers import without_fillers

__all__ = ["Correction", "TakenBack", "corrected", "is_aside", "is_evasion", "speaks_of_oneself", "taken_back"]


class TakenBack(NamedTuple):
    """A message in which an answer is taken back.

    Attributes:
        before: what stands before, to be read as it is.
        attribute: what is taken back.
        after: what is said in its place; may be empty.
    """

    before: str
    attribute: str
    after: str


class Correction(NamedTuple):
    """A message that corrects itself: ``tail`` stands in place of the last value of ``head``."""

    head: str
    tail: str


def is_evasion(sentence: str) -> bool:
    """Whether ``sentence`` goes around the question: "It's complicated", "That's a long story", "Does it matter?". Seen
    by its whole wording; in doubt it is an answer."""
    text = without_fillers(plain(sentence)).strip(" .!?…")
    return bool(text) and _EVASIONS.fullmatch(text) is not None


def is_aside(sentence: str) -> bool:
    """Whether ``sentence`` turns to something that happens around the person ("Hold on, the doorbell"), or comments on
    the talk itself. It may all the same hold an answer: look for one before it is passed over."""
    text = plain(sentence)
    if _ASIDE.match(text) is not None:
        return True
    rest = _INTERRUPTS.sub("", text, count=1)
    return not speaks_of_oneself(rest) and (rest != text or _AROUND.match(rest) is not None)


def speaks_of_oneself(sentence: str) -> bool:
    """Whether ``sentence`` says how the person is or lives, in the first person."""
    return _ONESELF.search(plain(sentence)) is not None


def taken_back(text: str, pack: DomainPack) -> TakenBack | None:
    """The last attribute that ``text`` (tidied) takes back by name, None if it takes none back."""
    found: TakenBack | None = None
    for match in _TAKEN_BACK.finditer(text):
        what = next(g for g in match.groups() if g)
        if (attribute := _attribute_called(what, pack)) is not None:
            found = TakenBack(text[: match.start()].strip(), attribute, text[match.end() :].lstrip(" .,:;–—-\n"))
    return found


def corrected(text: str) -> Correction | None:
    """``text`` (tidied) where it corrects itself ("I'm 34, no wait, 43"), None if it does not."""
    match = _CORRECTS.search(text)
    return Correction(text[: match.start()], text[match.end() :]) if match else None


def _attribute_called(what: str, pack: DomainPack) -> str | None:
    """The attribute that people call ``what`` ("my job", "my mental health")."""
    called = " ".join(what.casefold().split())
    if named := pack.attribute_named(called):
        return named
    mentions = {a.mention.casefold().removeprefix("your "): a.id for a in pack.attributes if a.mention}
    if called in mentions:
        return mentions[called]
    return next((a.id for a in pack.attributes if a.is_asked_in(f"your {called}")), None)


def _one_of(*patterns: str) -> str:
    return "|".join(f"(?:{p})" for p in patterns)


_VERY = r"(?:a bit |a little |kind of |sort of |really |very |so |quite |just |all |rather |pretty |too )*"
_EVASIONS = re.compile(
    _one_of(
        rf"(?:it|that|this|things|everything|(?:the|that) whole thing)(?:'s|'re| is| are| was) {_VERY}"
        r"(?:complicated|complex|messy|of a mess|a mess|tricky|a long story|hard to (?:explain|describe)|"
        r"hard to put into words|"
        r"difficult to (?:explain|describe)|not (?:that |so )?(?:simple|easy)|not (?:important|relevant)|"
        r"beside the point|a story for another (?:day|time)|another story)",
        r"(?:a |it's a |that's a )?long story|complicated|(?:hard|difficult) to (?:explain|describe|put into words)|"
        r"it is what it is|(?:it|that) (?:all )?depends|depends",
        r"(?:you know|i don't know) how (?:it|that|things) (?:goes|go|is|are)",
        r"where (?:do|should|would|shall) i (?:even )?(?:start|begin)",
        r"(?:does|did|would|why does|why would|why should) (?:it|that|this) (?:really |even )?"
        r"(?:matter|help|change anything|make a difference|be important|be relevant)(?: (?:now|here|to you|for this))?",
        r"(?:maybe|perhaps) (?:later|another time|some other time|when i know you better)|(?:another|some other) time",
        r"(?:not (?:right )?now|later)(?:,? please)?",
        r"(?:it|that|this)(?:'s| is) (?:all )?(?:a bit |a little )?too much(?: for me)? (?:today|now|right now|"
        r"tonight|at the moment)",
        r"(?:let's|let us) (?:just )?(?:not go there|leave (?:it|that) (?:at that|there)|say it's complicated)",
        r"i(?:'d| would| will|'ll|'ve| have)? (?:have to|need to|got to|must)? ?think about (?:it|that)(?: first)?",
        r"i haven't (?:really )?thought about (?:it|that)(?: yet)?",
        r"i (?:can't|cannot|could not|couldn't) (?:really )?(?:put|find) (?:it|that|the|any) ?(?:in|"
        r"into)? ?words?(?: for it)?",
        r"there(?:'s| is) (?:a lot|not much|nothing) (?:to (?:say|tell)|behind (?:it|that))(?: about (?:it|that))?",
        r"what (?:do|did) you mean(?: by that)?|what does that (?:mean|change)|(?:that's a )?good question",
        r"you(?:'d| would) (?:not|never) (?:understand|believe (?:it|me))|you wouldn't (?:understand|believe (?:it|"
        r"me))",
    )
)
_INTERRUPTS = re.compile(
    r"^(?:(?:oh|ah|ugh|sorry|wait|hold on|hang on|(?:wait |give me |just )?(?:a|one) (?:sec|second|min|minute|"
    r"moment)|excuse me|"
    r"by the way|btw|anyway|anyhow|incidentally|speaking of which|that reminds me|before i forget|guess what|"
    r"off topic|funny thing)\b(?: please\b)?(?:\s*[,.:;!–—-]+\s*|\s*$|(?<=way)\s+|(?<=btw)\s+|(?<=please),?\s+))+"
)
_ASIDE = re.compile(
    _one_of(
        r"(?:(?:oh|so|but|and|by the way|btw|anyway|hey),? )*(?:have|did|do|are) you (?:ever |also |already )?"
        r"(?:see|seen|hear|heard|know that|noticed?|watch(?:ed|ing)?|tried|read)\b",
        r"(?:oh,? |and |by the way,? )*i(?:'ve| have)? just (?:saw|seen|heard|noticed|read|remembered|got a|had a)\b",
        r"(?:oh,? |sorry,? )*i (?:always|tend to|know i) (?:talk|ramble|chat|go on)\b|where was i\b",
        r"(?:anyway,? |sorry,? )*you (?:did not|didn't) ask (?:for|about)\b",
        r"(?:my|the|our) [\w ]{2,30} (?:says?|always says?|thinks?) (?:that )?i (?:tell|talk|share|ramble)\b",
        r"(?:oh,? )*it(?:'s| is| has been|'s been) (?:just )?(?:one of those|been one of those) (?:days?|weeks?|"
        r"months?)\b",
        r"(?:oh,? |well,? )*that(?:'s| is) (?:just )?how it is\b",
        r"(?:oh,? |well,? )*it(?:'s| is| has| started| just started| was)? ?(?:just )?"
        r"(?:started )?(?:to )?(?:rain|snow|pour|hail|get(?:ting|s)? (?:dark|late|cold))(?:ing|s|ed)?\b",
        r"(?:oh,? |well,? )*(?:i )?(?:really )?(?:have|need|got|ought) to (?:feed|walk|fetch|pick up|let in|put|"
        r"turn off|"
        r"get (?:the|my)|answer (?:the|this)|catch|take out|hang up)\b",
    )
)
_AROUND = re.compile(
    r"(?:(?:there(?:'s| is| was| goes| comes)|here comes|what a) )?(?:(?:the|my|our|a|an|some|that|this|someone's|"
    r"somebody's|those) )(?:[\w'-]+ ){0,3}?(?:neighbou?rs?|post(?:man|woman)|mail(?:man|woman)|courier|delivery|"
    r"parcel|package|"
    r"doorbell|door|phone|battery|charger|laptop|kettle|oven|pan|stove|toast|coffee|tea|dinner|dog|cat|bird|pigeons?|"
    r"bus|"
    r"train|tram|traffic|weather|rain|snow|sun|storm|wind|wi-?fi|internet|connection|tv|radio|match|music|"
    r"washing machine|"
    r"laundry|dishwasher|builders?|drill|alarm|light ?bulb|lift|elevator|plumber)"
    r"(?:'s\b|\W*$| (?:is|are|was|were|has|have|just|keeps?|again|too|rang|went|came|goes|broke|died|fell|\w+(?:ed|"
    r"ing))\b)"
)
_ONESELF = re.compile(
    r"\bi(?:'m| am) (?!(?:at|on|in|off|out|just|back|watching|listening|waiting|cooking|making)\b)|"
    r"\bi(?:'ve| have) been\b|\bi (?:feel|felt|live|work|suffer|take|earn|owe|study|studied|was|went|teach|drive|"
    r"get by|"
    r"have (?!to\b)|had|don't have|never|used to|lost|can't (?:sleep|eat|pay|work|walk))\b|"
    r"\b(?:to|for|with|of|at|about|than) (?:me|myself)\b|\bmy (?:health|mood|mental|work|job|income|savings|debts?|"
    r"husband|wife|partner|children|kids)\b"
)
_MY = r"my ([\w'-]+(?: [\w'-]+){0,4}?)"
_TAKEN_BACK = re.compile(
    r"(?:\b(?:(?:actually|wait|sorry|no|oh|hm+|look|honestly|and|but|also)[\s,.…–—-]{1,4}){0,3})(?:"
    + _one_of(
        rf"what i (?:told|said|wrote|answered)(?: to)?(?: you)?(?: before| earlier| just now)? about {_MY}"
        r"(?: before| earlier| just now)? (?:was|is|wasn't|isn't)(?: not)?(?: (?:quite|really|entirely|exactly|all|"
        r"at all))?"
        r" (?:right|true|correct|accurate|honest|wrong|false|untrue|a lie)",
        rf"(?:about|regarding|as for|on) {_MY}[,:]? (?:that )?i (?:have to|need to|want to|must|should|would like to)"
        r" (?:correct|change|fix|put right|take)(?: (?:that|this|it|something|myself))?(?: (?:back|right))?",
        rf"i (?:lied|wasn't (?:quite |entirely )?honest|was not (?:quite |entirely )?honest|was wrong|made a mistake|"
        rf"misspoke|"
        rf"did not tell the truth|didn't tell the truth) about {_MY}(?=[\s.,:;!–—-]*(?:$|[.,:;!–—-]))",
        rf"(?:please )?(?:scratch|forget|ignore|disregard) what i (?:said|told you|wrote)(?: before|"
        rf" earlier)? about {_MY}"
        r"(?=\s*(?:$|[.,:;!–—-]))",
        rf"i (?:have to|need to|want to|must|should|take) (?:correct|take back|back|correct myself on) "
        rf"(?:what i (?:said|told you) about )?{_MY}(?=\s*(?:$|[.,:;!–—-]))",
        rf"{_MY} (?:is|was) not what i (?:said|told you|wrote)",
    )
    + r")",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"(?<=\w)[\s,;.…–—-]{1,4}(?:no,? wait|wait,? no|no,? sorry|sorry,? no|(?:no|sorry),? i mean|i meant(?: to say)?|"
    r"correction|"
    r"make that|or rather|scratch that|let me correct that)[\s,:.–—-]+(?:(?:no|sorry|wait|i mean|"
    r"i meant)[\s,:.–—-]+)*(?=\S)",
    re.IGNORECASE,
)
