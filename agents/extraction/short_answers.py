"""Reading what people write without a model: tidying, sentences, refusals, "I don't know", and the field of a query."""

from __future__ import annotations

import re
import unicodedata

from ...domains import Attribute, DomainPack, plain, sentences, tidy
from ..context import AgentContext

__all__ = [
    "clean_answer",
    "is_beside_the_point",
    "is_denial",
    "is_number_like",
    "is_question_back",
    "is_unsure",
    "only_refuses",
    "open_attributes",
    "refuses",
    "settled_attributes",
    "stated_value",
    "without_fillers",
]

# ---- fillers --------------------------------------------------------------------------------------------------------
_FILLER = re.compile(
    r"^(?:well|um+|uh+|er+m?|h+m+|mh?m+|so|ok(?:ay)?|oh|ah+|sure|look|honestly|actually|frankly|to be (?:quite |"
    r"perfectly )?honest|"
    r"in all honesty|tbh|i guess|i suppose|i think(?! (?:about|of|a lot|so\b|not\b|too much))|i'd say|i would say|"
    r"let's say|"
    r"let me (?:think|see)|good question|of course(?! not?\b)|certainly(?! not\b)|all ?right(?=\.))\b[\s,.:…–]+(?=\S)",
    re.IGNORECASE,
)


def without_fillers(text: str) -> str:
    """``text`` (tidied) without the words that only open it: "Hm. Honestly, no" is "no". Something always remains."""
    while (stripped := _FILLER.sub("", text, count=1)) != text:
        text = stripped
    return text


# ---- what an answer is, when it gives no value ----------------------------------------------------------------------
_SAY = r"(?:say|answer|share|tell|talk|discuss|disclose|reveal|mention|speak|go (?:there|into)|get into)"
_SAYING = r"(?:saying|answering|sharing|telling|talking|discussing|disclosing|going (?:there|into)|getting into)"
_TO_SAY = (
    rf"(?:really )?(?:want to |wanna |like to |wish to |care to |feel like |feel comfortable |intend to )?"
    rf"(?:{_SAY}|{_SAYING})(?: (?:you|that|this|it|about (?:that|this|it)|here)\b|\s*(?:$|[.,;!]))"
)
_CANNOT = re.compile(rf"\b(?:can't|cannot) {_TO_SAY}")
_REFUSALS = re.compile(
    "|".join(
        (
            r"^(?:please |can we |could we |let's |i(?:'ll| will) |i(?:'d| would) (?:like to |rather )?)?"
            r"(?:skip|pass)(?: (?:on )?(?:this|that|it|the question|this one|that one))?(?:,? please)?\W*$",
            r"^next(?: (?:one|question))?(?:,? please)?\W*$",
            r"\bskip (?:this|that|the) (?:one|question)\b",
            rf"\b(?:prefer|rather|like) not(?: to)?(?: {_SAY}\b|\s*(?:$|[.,;!]))",
            r"\b(?:prefer|like) to (?:skip|pass|keep (?:that|this|it) (?:private|to myself))",
            r"\brather (?:skip|pass|keep (?:that|this|it) (?:private|to myself))",
            rf"\b(?:don't|do not|dont|won't|wont|will not|would not|wouldn't|not going to) {_TO_SAY}",
            rf"\b(?:not|isn't something i'm|don't feel) comfortable (?:with )?{_SAYING}\b",
            r"\bnone of (?:your|ur) (?:business|concern)\b",
            r"\bmind your own business\b",
            r"\bnot (?:your|any of your) business\b",
            r"^no comment\W*$",
            r"^(?:no,? (?:thanks|thank you|thank u|thx)|thanks,? but no(?: thanks)?|i'm good,? thanks)\W*$",
            r"^(?:please |can we |could we |may we |shall we |let's |lets |let us |i(?:'d| would) (?:like|"
            r"prefer) to |i want to |just )*"
            r"(?:move on|go on|carry on|continue|change the (?:subject|topic))(?: (?:from (?:this|that)|"
            r"to (?:the )?(?:next|another|something else)"
            r"(?: (?:one|question|topic))?))?(?:,? please)?\W*$",
            r"^(?:please |can you |could you |just |let's )*(?:ask (?:me )?|try |talk about )?"
            r"(?:something else|anything else|a different question|another (?:question|one))(?:,? please)?\W*$",
            r"^(?:(?:oh |ugh )?whatever|leave (?:it|that)(?: out)?|drop it|forget it|never ?mind|not (?:saying|"
            r"telling|answering)|"
            r"n/?c|not this one|ask (?:me )?later)\W*$",
            r"\b(?:don't|do not|dont|won't|wont|will not|not going to|rather not|prefer not to|tired of|done|stop) "
            r"(?:want to |wanna |wish to |care to )?(?:answer(?:ing)?|take|taking|have) (?:any |all )?(?:more|these|"
            r"your|further|other|those|personal)?"
            r" ?(?:of (?:these|your|those) )?(?:personal )?questions\b",
            # the same in the languages of those who meet it most; nothing else is read in them
            r"^(?:lieber nicht|keine angabe|weiter|überspringen|paso|prefiero no (?:decirlo|contestar|responder)|"
            r"passer|"
            r"je passe|je préfère ne pas (?:le )?(?:dire|répondre)|passo|prefiro não (?:dizer|responder)|pular|"
            r"salta|preferisco non (?:dirlo|rispondere)|跳过|跳過|下一个|スキップ|パス|건너뛰기|пропустить)\W*$",
            rf"^i (?:decline|refuse)(?: to {_SAY})?\b",
            rf"\b(?:not|isn't|aren't|don't feel) (?:really |quite |yet )*(?:ready|willing|"
            rf"prepared) (?:yet )?to {_TO_SAY}",
            r"^(?:i think )?(?:that's|thats|that is|it's|its|this is) "
            r"(?:a bit |a little |too |rather |quite |very |really )*(?:personal|private)\W*$",
            r"^(?:too )?(?:personal|private)\W*$",
        )
    )
)
_COURTESY = frozenset(
    (
        *("i", "i'd", "i'll", "i'm", "would", "will", "that", "this", "it", "one", "question"),
        *("please", "sorry", "thanks", "thank", "you", "now", "ok"),
    )
)
_UNSURE = re.compile(
    r"^(?:i |i'm |im |i am )?(?:really |honestly |just |actually )*"
    r"(?:(?:don't|dont|do not) (?:really )?know|(?:am )?not (?:really |so |quite |entirely )?sure|no idea|no clue|"
    r"(?:have )?no idea|dunno|idk|can't (?:say|tell)|cannot (?:say|tell)|couldn't (?:say|tell)|hard to (?:say|tell)|"
    r"difficult to say|who knows)\b.{0,40}$"
)
_DENIAL = re.compile(
    r"(?:no|nope|nah|never|none|nothing|not at all)"
    r"(?:[\s,.!]+(?:no|not|never|none|nothing|at all|thankfully|luckily|fortunately|thank god|like that|there|ever|"
    r"that i (?:know|can think) of|i (?:haven't|have not|don't|do not|have never|never have|never did|didn't)|"
    r"of (?:that kind|the (?:kind|sort))|really|special|in particular|serious|so far|yet))*[\s.!]*"
)

_MOMENT = r"(?:a|one|just a|just one) (?:moment|minute|min|second|sec)"
_BESIDE = re.compile(
    "|".join(
        (
            r"(?:hi|hello|hey|hiya|good (?:morning|afternoon|evening|day))(?: (?:there|again|everyone))?",
            r"lol|(?:ha ?){2,}h?|h+m+|mh?m+|huh|what|test(?:ing)?|sorry",
            r"(?:thanks|thank you|thx|cheers)(?: (?:for (?:asking|that|this|your (?:help|time))|a lot|so much|again))*",
            rf"(?:please )?(?:wait|hold on|hang on|(?:(?:wait|hold on|hang on|give me) )?{_MOMENT})(?: please)?",
            r"(?:i'll|i will|ill) be (?:right )?back(?: (?:in a (?:moment|minute|bit)|soon|later))?|brb",
            # questions to who asked, whatever they end with; behind a comma there may be an answer
            r"(?:can|could|would|will|did|are) (?:you|u)\b[^,;:]*",
            r"(?:what|why|how|who)(?:'s| is| are| do| does| did| has| have| would| will| long| many)\b[^,;:]*"
            r"\b(?:you|u|your|got to do with|to do with|relevant|matter|this take)\b[^,;:]*",
            r"(?:so )?(?:what|which|when|where) (?:next|now)|is (?:this|that) (?:relevant|necessary|a bot)\b[^,;:]*",
            # demands to go back to what was asked
            r"(?:please |can we |could we |let's )*(?:just )?(?:answer|get (?:back )?to|go back to|stick to) "
            r"(?:my|the) (?:actual |original |first )?(?:question|query|point)(?:,? (?:please|instead|now))*",
            r"(?:please )?just (?:tell|answer|give) me (?:what|whether|if|how|the|an?)\b[^,;:]*",
            r"i(?:'ve| have)? (?:already |just )*(?:told|asked)(?: you)?(?: (?:that|this|a question|already|before|"
            r"what i want(?:ed)? to know))*",
            r"(?:that|this)(?:'s| is| was)? not what i (?:asked|wanted|meant)(?: (?:about|for|you|to know))*",
            r"(?:that|this|it) (?:has|had) nothing to do with (?:it|this|that|my question|what i asked)",
            r"(?:https?://|www\.)\S+",
        )
    )
)
_NUMBER_LIKE = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b|"
    r"(?:teen|twent|thirt|fort|fift|sixt|sevent|eight|ninet|hundred)|"
    r"\b(?:none|no|not|never|zero|single|only|once|twice|both|pair|couple|few|several|many|lots|dozen|half)\b|"
    r"\b(?:days?|weeks?|months?|years?|ago|yesterday|today|newborn|born)\b|"
    r"\b(?:old|older|young|younger|child|kid|minor|adult|grown|middle|retired|retirement|pension|pensioner|senior)\b"
)


def refuses(message: str) -> bool:
    """Whether ``message`` declines to answer: empty, "skip", "I'd rather not say", "none of your business" ..."""
    text = without_fillers(plain(message))
    return not text or _is_picture(text) or any(wording.search(text) for wording in (_REFUSALS, _CANNOT))


def only_refuses(message: str) -> bool:
    """Whether ``message`` refuses and holds nothing besides, so that nobody need read it: "I'd rather not say, sorry".

    "I can't talk" does not count, nor does silence: there may be something behind them that others should see.
    """
    text = without_fillers(plain(message))
    if _is_picture(text):
        return True
    rest, refusals = _REFUSALS.subn(" ", text)
    return refusals > 0 and set(re.findall(r"[^\s.,;!…–-]+", rest)) <= _COURTESY


def is_unsure(message: str) -> bool:
    """Whether ``message`` says no more than "I don't know"."""
    text = without_fillers(plain(message))
    return len(text) <= 80 and _UNSURE.match(text) is not None


def is_question_back(message: str) -> bool:
    """Whether ``message`` is nothing but a question of the person's own ("Why do you ask?")."""
    found = sentences(without_fillers(tidy(message)))
    return bool(found) and all(s.rstrip('"').endswith("?") for s in found)


def is_beside_the_point(sentence: str) -> bool:
    """Whether ``sentence`` is about the conversation and not about the person: a greeting, thanks, "one moment", a
    question or demand to who asked, a bare link. Seen by its whole wording; in doubt it is an answer."""
    text = plain(sentence).strip(" .!?…")
    return bool(text) and _BESIDE.fullmatch(text) is not None


def is_number_like(answer: str) -> bool:
    """Whether ``answer`` holds a number, in digits or words, or a word that says how many, how long or how old."""
    return _NUMBER_LIKE.search(plain(answer)) is not None


def is_denial(message: str) -> bool:
    """Whether ``message`` is a bare "no": "No, never.", "None", "Nothing that I know of"."""
    return _DENIAL.fullmatch(without_fillers(plain(message))) is not None


def _is_picture(text: str) -> bool:
    """Whether ``text`` is made of emoji alone."""
    kinds = {unicodedata.category(c) for c in text if not c.isspace()}
    return "So" in kinds and kinds <= {"So", "Sk", "Mn", "Me"}


_LONGEST_VALUE = 300


def clean_answer(message: str) -> str:
    """``message`` as a value: one line, without opening fillers and the closing full stop, at most 300 characters."""
    text = without_fillers(" ".join(tidy(message).split()))
    if len(text) > _LONGEST_VALUE:
        cut = text[:_LONGEST_VALUE]
        text = cut[: max(cut.rfind(mark) for mark in ".;, ")] or cut
    return text.strip().rstrip(".").strip()


def stated_value(attribute: Attribute, sentence: str, *, least: int = 8) -> str | None:
    """The value, if ``sentence`` is worded as the attribute's own answer ("My health: good, apart from the knee").

    Args:
        least: fewest characters that stand before the value in the wording; a short one ("I'm ...") proves nothing
            unless that attribute was asked for.
    """
    text = tidy(sentence)
    nothing = attribute.volunteer_none.rstrip(".").casefold()
    if nothing and text.rstrip(".").casefold() == nothing:
        return next((v for v in attribute.values if v.casefold() == "none"), "None")
    for wording in (attribute.volunteer, attribute.answer):
        head, _, tail = wording.partition("{value}")
        if not wording or len(head) < least or not text.casefold().startswith(head.casefold()):
            continue
        value = text[len(head) :].strip()
        ending = tail.strip().rstrip(".")
        if ending and value.rstrip(".").casefold().endswith(ending.casefold()):
            value = value.rstrip(".")[: -len(ending)]
        value = value.strip().rstrip(".").strip()
        says_yes = wording == attribute.volunteer and any(v.casefold() == "yes" for v in attribute.values)
        return (f"Yes, {value}" if says_yes else value) if value else None
    return None


# ---- what a context holds --------------------------------------------------------------------------------------------
def settled_attributes(context: AgentContext) -> frozenset[str]:
    """Attributes that need no question any more: known, declined, or asked already, whatever came of it."""
    return frozenset(context.known) | frozenset(context.declined) | frozenset(context.asked)


def open_attributes(pack: DomainPack, context: AgentContext) -> tuple[str, ...]:
    """Attributes that may still be asked: those of the plan first, then the others by sensitivity."""
    settled = settled_attributes(context)
    order = dict.fromkeys((*context.plan, *pack.by_sensitivity()))
    return tuple(a for a in order if a in pack.attribute_ids and a not in settled)
