"""The answer: written from exactly the attributes that are known (5.3, D.4)."""

from __future__ import annotations

import random
import re
from collections.abc import AsyncIterator, Sequence

from ..domains import Attribute, DomainPack, RiskRule, plain, sentences
from ..models import ChatModel, Prompt, fence, new_nonce
from .context import AgentContext
from .extraction import is_denial
from .prompt_context import fenced_known, labels

__all__ = ["LlmResponder", "PackResponder"]


class PackResponder:
    """Composes an answer from the pack: no model. Uses the query, the domain and ``context.known``, nothing else.

    An acknowledgement, for whom it is written, the domain's guidance, the guidance of the risk rules that the known
    values trigger (heaviest first, as many as fit into 220 words, at most five), and a closing that points to people
    where a rule of weight 2 or more fired. To a message after its answer it replies to what that message tells or asks,
    and says what the answers before left out; never twice the same.
    """

    def __init__(self, pack: DomainPack) -> None:
        self._pack = pack

    async def stream(self, context: AgentContext) -> AsyncIterator[str]:
        """The answer, a sentence a piece."""
        for index, paragraph in enumerate(self._paragraphs(context)):
            for position, sentence in enumerate(sentences(paragraph)):
                yield ("" if index == position == 0 else " " if position else "\n\n") + sentence

    async def answer(self, context: AgentContext) -> str:
        """The whole answer, 80 to 220 words."""
        return "".join([piece async for piece in self.stream(context)])

    def _paragraphs(self, context: AgentContext) -> list[str]:
        return self._follow_up(context) if context.follow_ups else self._first(context)

    def _follow_up(self, context: AgentContext) -> list[str]:
        """What the known values call for and no earlier answer said; else the weightiest again."""
        known = {a: v for a, v in context.known.items() if a in self._pack.attribute_ids}
        message = context.follow_ups[-1][1]
        risks = self._pack.risks(known, context.domain)
        said = " ".join(" ".join(answer.split()) for answer, _ in context.follow_ups)
        fresh = tuple(r for r in risks if " ".join(r.guidance.split()) not in said)
        serious = any(r.weight >= _SERIOUS for r in risks)
        closing = _least_said(_CLOSINGS_WITH_PEOPLE if serious else _CLOSINGS, said)
        opening = self._received(known, message, said)
        chosen = _that_fit(fresh, _MOST_WORDS - _count(opening or _FRESH_OPENING, closing))
        if chosen:
            return [opening or _FRESH_OPENING, " ".join(chosen), closing]
        domain = context.domain or self._pack.domain_of(context.query)
        guidance = self._pack.domain(domain).guidance if domain else _NO_DOMAIN
        # What was said least often so far, the weightiest first.
        texts = [" ".join(text.split()) for text in (*(r.guidance for r in risks), guidance, *_AFTERTHOUGHTS)]
        reply = _least_said(_replies_to(message), said)
        return [f"{opening} {reply}" if opening else reply, _least_said(texts, said), closing]

    def _received(self, known: dict[str, str], message: str, said: str) -> str:
        """What is said first to someone who has just told something that calls for it; empty if nothing does."""
        told = plain(message)
        now = {a: v for a, v in known.items() if any(part in told for part in _parts_of(v))}
        fits = [e for e in self._pack.acknowledgements if e.attribute in now and e.fits(now[e.attribute])]
        # The gravest first: what weighs most in the pack's eyes is what people find hardest to say.
        fits.sort(
            key=lambda e: -max((r.weight for r in self._pack.risks({e.attribute: now[e.attribute]}, None)), default=0)
        )
        return next((e.text for e in fits if e.text not in said), "")

    def _first(self, context: AgentContext) -> list[str]:
        known = {a: v for a, v in context.known.items() if a in self._pack.attribute_ids}
        domain = context.domain or self._pack.domain_of(context.query)
        # A guessed field must not switch a risk off: rules that depend on it are then looked at as in any field.
        risks = self._pack.risks(known, context.domain)
        opening = self._pack.acknowledgement(known) or _NEUTRAL_OPENING
        guidance = [self._pack.domain(domain).guidance if domain else _NO_DOMAIN]
        closing = _CLOSING_WITH_PEOPLE if any(r.weight >= _SERIOUS for r in risks) else _CLOSING
        whom = _for_whom(self._pack, known)
        room = _MOST_WORDS - _count(opening, *guidance, whom, closing)
        chosen = _that_fit(risks, room)
        parts = [f"{opening} {whom}", *guidance, " ".join(chosen[:2]), " ".join(chosen[2:]), closing]
        for filler in _FILLERS:
            if _count(*parts) >= _FEWEST_WORDS:
                break
            parts[1] += f" {filler}"
        return [" ".join(part.split()) for part in parts if part.strip()]


class LlmResponder:
    """A model writes the answer. Its prompt holds the query and the known attributes, and no other value.

    Raises the errors of ``askfirst.models`` as they are: a failure is never an answer.
    """

    def __init__(self, model: ChatModel, pack: DomainPack, *, rng: random.Random | None = None) -> None:
        self._model = model
        self._pack = pack
        self._rng = rng
        self._prompt = Prompt.load(package="askfirst.agents", name="responder")
        self._follow_up = Prompt.load(package="askfirst.agents", name="follow_up")

    async def stream(self, context: AgentContext) -> AsyncIterator[str]:
        """Pieces of the model's answer as they come."""
        nonce = new_nonce(self._rng)
        shown = {
            "query": fence(context.query, "query", nonce),
            "known": fenced_known(self._pack, context, nonce),
            "declined": labels(self._pack, context.declined),
        }
        if context.follow_ups:
            talk = "\n\n".join(f"You: {answer}\n\nThe person: {message}" for answer, message in context.follow_ups)
            messages = self._follow_up.messages(**shown, conversation=fence(talk, "conversation", nonce))
        else:
            messages = self._prompt.messages(**shown)
        async for piece in self._model.stream(messages):
            yield piece

    async def answer(self, context: AgentContext) -> str:
        """The whole answer."""
        return "".join([piece async for piece in self.stream(context)]).strip()


_FEWEST_WORDS, _MOST_WORDS = 80, 220
_MOST_RISKS = 5
_SERIOUS = 2.0  # weight of a rule from which on the closing points to people

_NEUTRAL_OPENING = (
    "Thank you for asking this before you act. It is a fair question, and a little care now goes a long way."
)
_FRESH_OPENING = "Thank you for writing again. There is more here that matters for you."
_UNEASY = (
    "I understand that this is not easy, and that you are not sure about it.",
    "It is all right to hesitate. You do not have to decide it today.",
    "That you have doubts shows that you take it seriously.",
    "You may take part of this and leave the rest. It has to fit you.",
)
_NEUTRAL = (
    "Thank you for writing back. Let me add one thing.",
    "I have read that, and I would put it like this.",
    "Let us look at it once more, from the other side.",
    "Here is what I would keep in view.",
)
# What a message asks, by its own words: the first that fits.
_ASKED = (
    (
        re.compile(r"\b(?:go(?:es|ing)?|went) wrong\b|\bwhat if\b|\bfails?\b|\b(?:not|n't) work\b|\bworst\b"),
        (
            "You would notice it early: by sleep, by dread, by hiding it. Go back then to where it felt safe.",
            "Decide beforehand what would make you stop; then going wrong is a turn and not a fall.",
        ),
    ),
    (
        re.compile(r"\bhow long\b|\bwhen\b|\bhow (?:soon|quickly)\b|\bhow much time\b"),
        (
            "I cannot name a day for it. Give it a week or two, and look then at whether it still feels right.",
            "As long as it needs to feel steady; a small step a week is fast enough.",
        ),
    ),
    (
        re.compile(
            r"\b(?:start|begin|first|next step|exactly|how (?:do|would|should|can) i|what (?:do|should|would) i)\b"
        ),
        (
            "A first step that commits you to nothing is enough: write down what you want and what you fear.",
            "Begin with the part that you can undo, and with one person who knows about it.",
        ),
    ),
    (
        re.compile(r"\b(?:who|whom|anyone|someone|anybody|tell them|talk to)\b"),
        (
            "Someone who gains nothing by your choice is the best one to ask.",
            "It may be a friend, a doctor or an advice service; what counts is that they listen first.",
        ),
    ),
    (
        re.compile(r"\b(?:still|change anything|does that change|same|sure|right thing|really)\b.*\?"),
        (
            "It helps to know that. The main point stands, and the steps should fit what you say.",
            "In the main, yes. I would keep the steps small and the way back short.",
        ),
    ),
)
_DOUBTS = re.compile(
    r"\b(?:not sure|don't know|doubt|hard|difficult|easier said|scared|afraid|worr|can't|cannot|too much|not easy|"
    r"sounds like a lot"
    r"|but)\b"
)
_NO_DOMAIN = (
    "Put down what you want from this and what it could cost, and choose the version that you can still undo. Sleeping "
    "on it once rarely hurts."
)
_CLOSING = "You know your situation best. Go at your own pace, and write again when something changes."
_CLOSINGS = (
    _CLOSING,
    "If you like, tell me how it went. There is no rush.",
    "Whatever you choose, it is up to you, and you may change your mind.",
)
_CLOSING_WITH_PEOPLE = (
    "Please let someone you trust in on this. If you ever feel unsafe, call your local emergency number at once. "
    "Asking was a good step, and you deserve help with the next one."
)
_FILLERS = (
    "Ask yourself what would make you stop halfway, and decide that now, while it is quiet.",
    "Then check after a few days whether it still feels right.",
    "There is no prize for doing it quickly.",
)
_CLOSINGS_WITH_PEOPLE = (
    _CLOSING_WITH_PEOPLE,
    "Stay in touch with someone you trust while this is open. If you ever feel unsafe, call your local emergency "
    "number at once.",
)
_AFTERTHOUGHTS = (
    "Ask yourself what would make you stop halfway, and decide that now, while it is quiet.",
    "After a few days, look again at whether it still feels right.",
    "Say it aloud to one person, and listen to how it sounds.",
)
_MOST_MENTIONS = 3


def _replies_to(message: str) -> tuple[str, ...]:
    """Openings that answer the way in which ``message`` goes on."""
    text = plain(message)
    for asks, replies in _ASKED:
        if asks.search(text):
            return (*replies, *_NEUTRAL)
    return (*_UNEASY, *_NEUTRAL) if _DOUBTS.search(text) else (*_NEUTRAL, *_UNEASY)


def _least_said(texts: Sequence[str], said: str) -> str:
    return min(texts, key=said.count)


def _parts_of(value: str) -> list[str]:
    """``value`` between its commas, without what is too short to be recognised."""
    return [part for part in (p.strip() for p in plain(value).split(",")) if len(part) >= 4]


def _that_fit(risks: tuple[RiskRule, ...], room: int) -> list[str]:
    """Guidance of ``risks``, the heaviest first, as long as the words of ``room`` last; no text twice."""
    chosen: list[str] = []
    for text in dict.fromkeys(" ".join(rule.guidance.split()) for rule in risks):
        if len(chosen) < _MOST_RISKS and _count(text) <= room:
            chosen.append(text)
            room -= _count(text)
    return chosen


def _for_whom(pack: DomainPack, known: dict[str, str]) -> str:
    """A sentence that shows for whom this is written. It names what was weighed, not the values, and no denied matter:
    someone who never hurt themselves should not read that it was kept in mind."""
    at_risk = {rule.attribute for rule in pack.risks(known, None)}
    chosen = [pack.attribute(a) for a in pack.by_sensitivity() if a in known and not is_denial(known[a])]
    # Of what can be denied, only a clear value counts: a reply beside the point must not read as a confession.
    chosen = [a for a in chosen if "None" not in a.values or a.id in at_risk]
    kept = [a.mention or f"your {_name(a)}" for a in chosen[:_MOST_MENTIONS]]
    if not kept:
        return ""
    listed = kept[0] if len(kept) == 1 else f"{', '.join(kept[:-1])} and {kept[-1]}"
    return f"I have kept in mind {listed}."


def _name(attribute: Attribute) -> str:
    return " ".join(w if w.isupper() else w.lower() for w in attribute.label.split())


def _count(*texts: str) -> int:
    return sum(len(text.split()) for text in texts)
