"""Whether a message is nothing but thanks and goodbye: such messages can answer each other for ever. And whether the
person leaves with it."""

from __future__ import annotations

import re

from ...domains import plain

__all__ = ["is_courtesy", "says_goodbye"]

_CLAUSE = re.compile(r"[.!?,;:…\n–—]+|\s-+\s|\b(?:and|but)\b")
_NOISE = re.compile(r"[^\w\s'-]+")
_BEFORE = r"(?:(?:ok|okay|great|well|no|yes|again|once more|really|then|so) )*"
_AFTER = r"(?: (?:too|then|again|everyone|friend|now))*"

_WORD = r"(?:ok|okay|great|perfect|good|well|alright|no|yes|sure|fine|wonderful|lovely|too|always|again)"

# Clauses that make a message a goodbye ...
_CORE = (
    r"(?:many |a lot of )?(?:thanks|thank you|thx|cheers)(?: (?:so|very) much| a lot| again)*(?: for .{1,60})?",
    r"(?:good ?|bye ?)?bye(?: bye)?(?: for now| now)?|bye-bye|good ?night|farewell|so long",
    r"see you(?: (?:soon|later|around|then))?|(?:you )?take care(?: of yourself)?|you too|same to you",
    r"(?:you're|you are) (?:very |most |always )?welcome|(?:it's |it was )?my pleasure|no problem|any ?time",
    r"have an? (?:\w+ )?(?:day|evening|night|afternoon|weekend|one|time)(?: ahead| too)?",
    r"(?:i )?wish(?:ing)? you .{1,40}|all the best|best wishes|good luck(?: .{1,40})?",
    r"(?:i'm |i am )?(?:so |really )?(?:glad|happy) (?:to help|(?:that )?i could help|(?:that|it) helped)",
    r"(?:that's|that is) all(?: .{1,30})?|i (?:really )?appreciate (?:it|that|this|your .{1,40})",
)
# ... and clauses that may stand beside them.
_FILLER = (
    rf"{_WORD}(?: {_WORD})*|all right|for now",
    r"i will|i'll do that|will do|(?:that|this) help(?:s|ed)|(?:that was |very )helpful|you(?:'ve| have) been .{1,40}",
    r"(?:please )?(?:feel free|don't hesitate|do not hesitate) to .{1,80}|(?:please )?let me know if .{1,80}",
    r"if you .{1,80}|(?:is there )?anything else(?: .{1,60})?|i(?:'m| am) (?:always )?here .{1,60}",
    r"reach out .{1,60}|come back .{1,60}|stay safe|be well|until next time|talk (?:to you )?soon",
)
_LONGEST = 120
_IS_CORE = re.compile(f"{_BEFORE}(?:{'|'.join(_CORE)}){_AFTER}")
_IS_FILLER = re.compile("|".join(_FILLER))


def is_courtesy(text: str) -> bool:
    """Whether ``text`` only thanks, is polite about thanks, or says goodbye, and adds nothing else."""
    said = plain(text)
    clauses = [" ".join(_NOISE.sub(" ", part).split()) for part in _CLAUSE.split(said)]
    clauses = [clause for clause in clauses if clause]
    if any(len(clause) > _LONGEST for clause in clauses):
        return False
    return any(map(_IS_CORE.fullmatch, clauses)) and all(
        _IS_CORE.fullmatch(c) or _IS_FILLER.fullmatch(c) for c in clauses
    )


_LEAVES = re.compile(
    r"(?:(?:ok|okay|well|right|alright|all right|then|so|thanks|thank you|anyway|now|good|great|sorry) )*"
    r"(?:(?:good ?)?bye(?: bye)?(?: for now| now| then)?|bye-bye|farewell|good ?night|see you(?: (?:soon|later"
    r"|around))?"
    r"|talk (?:to you )?(?:soon|later)|so long|cheerio|take care|have an? (?:\w+ )?(?:day|evening|night|weekend"
    r"|one)|i(?:'ll| will)? ?(?:say|wish you) (?:goodbye|good ?night)"
    r"|(?:i(?:'ve| have)? )?(?:really )?(?:got to|gotta|have to|need to|must|should|better) (?:go|run|leave"
    r"|log off|hang up)"
    r"(?: now| then| soon)?|i(?:'m| am) (?:off|leaving|logging off|going) (?:now|then)|i(?:'ll| will) (?:go|leave it"
    r"|leave you|log off|stop)(?: there| here| now| then| to it)*)"
    r"(?: (?:now|then|everyone|friend|and (?:thanks|thank you)))*"
)


def says_goodbye(text: str) -> bool:
    """Whether the person takes their leave with ``text``: its last words, thanks aside, say so, and it asks nothing."""
    if "?" in text:
        return False
    said = plain(text)
    clauses = [" ".join(_NOISE.sub(" ", part).split()) for part in _CLAUSE.split(said)]
    clauses = [clause for clause in clauses if clause]
    while clauses and not _LEAVES.fullmatch(clauses[-1]) and len(clauses[-1]) <= _LONGEST:
        if not (_IS_CORE.fullmatch(clauses[-1]) or _IS_FILLER.fullmatch(clauses[-1])):
            return False
        clauses.pop()
    return bool(clauses) and _LEAVES.fullmatch(clauses[-1]) is not None
