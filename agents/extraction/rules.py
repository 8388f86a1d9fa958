"""Extraction: which attributes a message tells or declines, whether or not they were asked for."""

from __future__ import annotations

import random
import re
from typing import Literal, NamedTuple

from pydantic import BaseModel, Field, create_model

from ...domains import Attribute, DomainPack, plain, sentences, tidy
from ...models import ChatModel, ModelError, Prompt, fence, holds_fence, new_nonce
from ..context import AgentContext, Extracted
from ..crisis import load_crisis_rules
from ..prompt_context import attribute_list, question_before
from .asides import corrected, is_aside, is_evasion, speaks_of_oneself, taken_back
from .short_answers import (
    clean_answer,
    is_beside_the_point,
    is_denial,
    is_number_like,
    is_question_back,
    is_unsure,
    refuses,
    stated_value,
    without_fillers,
)
from .statements import Statement, statements

__all__ = ["LlmExtraction", "RuleExtraction"]


class RuleExtraction:
    """The pack's *tells* for every attribute; for the asked one also the answer itself.

    Tells are read clause by clause, and not in questions, conditions, denials, quotations or what others say. Items of
    a list count: "I'm 34, married and a nurse" tells three things. What other attributes took of an answer is no part
    of the asked one's value. Of a message of more than 20,000 characters only the beginning is read.

    A refusal ("skip", "I'd rather not say", nothing at all) declines the asked attribute. "I don't know", a question
    back or an evasion ("It's complicated") tells nothing and declines nothing: the attribute stays unknown, and as it
    has been asked it is not asked again. So with what is about the conversation: a greeting, "just answer my question",
    an aside ("Hold on, the doorbell"), and, where every listed value is a number, an answer without one. A bare "no" is
    the value "None" where the pack lists that among the values. A bare value ("Female.") counts for an attribute that
    was not asked for where it can be no other's.

    A later word corrects an earlier one: "I'm 34, no wait, 43", "what I told you about my health was not right. ...".
    What is taken back without a new value is withdrawn.
    """

    def __init__(self, pack: DomainPack) -> None:
        self._pack = pack
        listed = [(value.casefold(), a.id) for a in pack.attributes for value in a.values]
        self._listed = {value: a for value, a in listed if sum(value == other for other, _ in listed) == 1}

    async def extract(self, message: str, *, asked: str | None, context: AgentContext) -> Extracted:
        """What ``message`` tells. For the opening message (``asked`` is None) only what is plainly stated."""
        reading = self.read(message, asked)
        return Extracted(values=reading.values, declined=reading.declined, withdrawn=reading.withdrawn)

    def read(self, message: str, asked: str | None) -> Reading:
        """The same, and whether the value of ``asked`` is but the answer as it stands."""
        return self._corrected(tidy(message[:_LONGEST_MESSAGE]), asked)

    def _corrected(self, text: str, asked: str | None) -> Reading:
        """``text`` with what it takes back and corrects, the last word standing."""
        if taken := taken_back(text, self._pack):
            # With nothing before it, the question that was asked is passed over and not declined.
            before = self._corrected(taken.before, asked) if taken.before else Reading({}, (), False)
            after = self._plainly(taken.after, taken.attribute) if taken.after else Reading({}, (), False)
            others = {a: v for a, v in before.values.items() if a != taken.attribute}
            declined = tuple(dict.fromkeys((*before.declined, *after.declined)))
            withdrawn = tuple(dict.fromkeys((*before.withdrawn, taken.attribute)))
            return Reading({**others, **after.values}, declined, before.bare, withdrawn)
        if corrects := corrected(text):
            first = self._plainly(corrects.head, asked)
            of = asked if asked in first.values else next(iter(first.values)) if len(first.values) == 1 else None
            then = self._plainly(corrects.tail, of) if of else Reading({}, (), False)
            if of in then.values:
                return Reading({**first.values, **then.values}, first.declined, first.bare)
        return self._plainly(text, asked)

    def _plainly(self, text: str, asked: str | None) -> Reading:
        text = without_fillers(text)
        parts, clauses = sentences(text), statements(text)
        told, takers = self._told(clauses)
        values: dict[str, str] = {}
        used: set[int] = set()
        for attribute in self._pack.attributes:
            asks = attribute.id == asked
            for number, part in enumerate(parts):
                stated = stated_value(attribute, part, least=1)
                if stated and not asks and stated_value(attribute, part) is None:
                    # "I'm ..." proves nothing, unless a listed value follows: "I'm married, for twelve years".
                    head = stated.partition(",")[0].casefold()
                    stated = stated if self._listed.get(head) == attribute.id else None
                    short = True
                else:
                    short = asks
                # "I'm 34 and I work nights": more than the value follows, the tells know where it ends.
                if stated and not (short and self._is_shared(attribute.id, stated, number, clauses, told, takers)):
                    self._keep(values, attribute, stated)
                    used.add(number)
                    break
            else:
                self._keep(values, attribute, told.get(attribute.id))
        for number, part in enumerate(parts):
            if number not in used and (bare := self._bare_value(part, asked)) and bare not in values:
                self._keep(values, self._pack.attribute(bare), part)
                used.add(number)
        if asked is None:
            return Reading(values, (), False)
        answers = self._pack.attribute(asked)
        others = {c: self._pack.attribute(taker) for c, taker in takers.items() if taker != asked}
        personal = all(a.group != "demographic" for a in (answers, *others.values()))
        if not used and len(clauses) == 1 and personal:
            return self._with_answer(values, answers, text, parts)  # "I'm anxious" may answer two questions
        return self._with_answer(values, answers, text, _left_over(parts, clauses, used, set(others)))

    def _told(self, clauses: list[Statement]) -> tuple[dict[str, str], dict[int, str]]:
        """The value of each attribute that a clause tells, and which attribute took each of the writer's clauses."""
        told: dict[str, str] = {}
        takers: dict[int, str] = {}
        for number, clause in enumerate(clauses):
            for attribute in self._pack.attributes:
                value = _trusted(attribute.told_in(clause.text), clause.text) if clause.text else None
                if value is None and clause.own and (item := _ITEM.fullmatch(clause.text)):
                    value = item[1] if self._listed.get(item[1].casefold()) == attribute.id else None
                if value is None:
                    continue
                told.setdefault(attribute.id, _none_of(attribute) or value if _NEVER.match(value) else value)
                if clause.own:
                    takers.setdefault(number, attribute.id)
        return told, takers

    def _bare_value(self, part: str, asked: str | None) -> str | None:
        """The attribute of a sentence that is but a value which no other lists: "Female", "Widowed, two sons".

        In reply to a question only what is no feeling or condition: "Depression." then answers what was asked.
        """
        head = part.partition(",")[0].strip(" .!").casefold()
        attribute = None if head in _EVERYDAY else self._listed.get(head)
        if attribute is None or attribute == asked:
            return None
        return attribute if asked is None or self._pack.attribute(attribute).group == "demographic" else None

    @staticmethod
    def _is_shared(
        asked: str,
        stated: str,
        sentence: int,
        clauses: list[Statement],
        told: dict[str, str],
        takers: dict[int, str],
    ) -> bool:
        """Whether the sentence that is worded as the asked attribute's answer holds other attributes' values too."""
        within = [n for n, clause in enumerate(clauses) if clause.sentence == sentence]
        others = [n for n in within if takers.get(n, asked) != asked]
        if asked in told and (others or _goes_on(stated)):
            return True
        return len(others) == len(within) > 0

    def _with_answer(self, values: dict[str, str], asked: Attribute, text: str, rest: list[str]) -> Reading:
        if refuses(text):
            if told := asked.told_in(text.rpartition(" but ")[2]) if " but " in text else None:
                return Reading({**values, asked.id: told}, (), False)
            return Reading({a: v for a, v in values.items() if a != asked.id}, (asked.id,), False)
        if is_unsure(text) or is_question_back(text):
            return Reading({a: v for a, v in values.items() if a != asked.id or asked.told_in(text)}, (), False)
        rest = self._to_the_point(asked, rest)
        if none := _denied(asked, rest):
            return Reading({**values, asked.id: none}, (), False)
        answer = " ".join(rest)
        if asked.id in values or not answer or (_is_number(asked) and not is_number_like(answer)):
            return Reading(values, (), False)
        self._keep(values, asked, clean_answer(answer))
        return Reading(values, (), asked.id in values)

    def _to_the_point(self, asked: Attribute, rest: list[str]) -> list[str]:
        """The sentences of ``rest`` that may answer. After an aside one must say something of the person."""
        kept: list[str] = []
        astray = False
        for part in rest:
            fits = self._fits(asked, part)
            if is_aside(part) and not fits:
                astray = True
            elif is_beside_the_point(part) or is_evasion(part) or (asked.group != "emotional" and _in_danger(part)):
                continue
            elif not astray or fits or speaks_of_oneself(part):
                kept.append(part)
        return kept

    def _fits(self, asked: Attribute, part: str) -> bool:
        """Whether ``part`` holds a word that the pack knows as one of ``asked``."""
        text = plain(part)
        return (
            any(re.search(rf"\b{re.escape(v.casefold())}\b", text) for v in asked.values)
            or asked.told_in(part) is not None
            or any(asked.told_in(f"{lead} {part[:1].lower()}{part[1:]}") for lead in ("I'm", "I feel", "I have"))
            or any(r.attribute == asked.id and r.triggered_by(part, None) for r in self._pack.risk_rules)
            or any(e.attribute == asked.id and e.fits(part) for e in self._pack.acknowledgements)
            or (_is_number(asked) and is_number_like(part))
        )

    @staticmethod
    def _keep(values: dict[str, str], attribute: Attribute, value: str | None) -> None:
        if value is None or holds_fence(value):  # marks of a prompt's fences: no person wrote that
            return
        if not attribute.is_unknown(cleaned := clean_answer(value)):
            values[attribute.id] = cleaned


class LlmExtraction:
    """A model's reading, joined with the rules'.

    The model must quote the words that show a value; one whose quote is not in the message is dropped. Where the rules
    have a value from a tell, theirs stands; where they have but the bare answer, the model's wording replaces it. What
    the rules see as declined stays declined. If the model fails, the rules decide alone (``Extracted.fallback``).
    """

    def __init__(self, model: ChatModel, pack: DomainPack, *, rng: random.Random | None = None) -> None:
        self._model = model
        self._pack = pack
        self._rules = RuleExtraction(pack)
        self._rng = rng
        self._schema = _schema(pack.attribute_ids)
        self._prompt = Prompt.load(package="askfirst.agents", name="extraction")

    async def extract(self, message: str, *, asked: str | None, context: AgentContext) -> Extracted:
        """What ``message`` tells. A message without a word costs no call."""
        rules = self._rules.read(message, asked)
        if not any(c.isalnum() for c in message):
            return Extracted(values=rules.values, declined=rules.declined, withdrawn=rules.withdrawn)
        nonce = new_nonce(self._rng)
        messages = self._prompt.messages(
            attributes=attribute_list(self._pack, self._pack.attribute_ids),
            question=question_before(self._pack, context, message, asked, nonce),
            message=fence(message, "message", nonce),
        )
        try:
            reply = await self._model.structured(self._schema, messages)
        except ModelError as error:
            failed = type(error).__name__
            return Extracted(values=rules.values, declined=rules.declined, withdrawn=rules.withdrawn, fallback=failed)
        return self._joined(rules, reply, message, asked)

    def _joined(self, rules: Reading, reply: _Reply, message: str, asked: str | None) -> Extracted:
        values = dict(rules.values)
        for finding in reply.found:
            if finding.attribute in rules.declined or not self._is_supported(finding, message):
                continue
            if finding.attribute not in values or (finding.attribute == asked and rules.bare):
                values[finding.attribute] = clean_answer(finding.value)
        told = {f.attribute for f in reply.found}
        declined = dict.fromkeys(rules.declined)
        for attribute in reply.declined:
            # A bare answer such as "that's a lot to ask" is a refusal that the rules took for a value.
            if attribute == asked and rules.bare and attribute not in told:
                values.pop(attribute, None)
            if attribute in self._pack.attribute_ids and attribute not in values:
                declined[attribute] = None
        return Extracted(values=values, declined=tuple(declined), withdrawn=rules.withdrawn)

    def _is_supported(self, finding: _Finding, message: str) -> bool:
        if finding.attribute not in self._pack.attribute_ids:
            return False
        quote = " ".join(plain(finding.quote).split()).strip(" \"'.…")
        if not any(c.isalnum() for c in quote) or quote not in " ".join(plain(message).split()):
            return False
        if holds_fence(finding.value):
            return False
        return not self._pack.attribute(finding.attribute).is_unknown(clean_answer(finding.value))


class Reading(NamedTuple):
    """What the rules read. ``bare``: the asked attribute's value is but the answer as it stands."""

    values: dict[str, str]
    declined: tuple[str, ...]
    bare: bool
    withdrawn: tuple[str, ...] = ()


class _Finding(BaseModel):
    attribute: str = Field(description="Id of the attribute.")
    value: str = Field(description="Its value, short, in the person's own words.")
    quote: str = Field(description="The exact words of the message that show it.")


class _Reply(BaseModel):
    found: list[_Finding] = Field(description="One entry for each attribute that the message reveals; empty if none.")
    declined: list[str] = Field(description="Ids of attributes that the person refuses to tell; empty if none.")


def _schema(attributes: tuple[str, ...]) -> type[_Reply]:
    choice = Literal[attributes]  # type: ignore[valid-type]
    finding = create_model(
        "Finding",
        __base__=_Finding,
        attribute=(choice, Field(description=_Finding.model_fields["attribute"].description)),
    )
    fields = _Reply.model_fields
    return create_model(
        "Findings",
        __base__=_Reply,
        found=(list[finding], Field(description=fields["found"].description)),
        declined=(list[choice], Field(description=fields["declined"].description)),
    )


_LONGEST_MESSAGE = 20_000
# Values that are words of every day: alone, they say nothing of the attribute that lists them.
_EVERYDAY = frozenset(("other", "good", "stable", "moderate", "difficult", "yes", "no", "none", "fine", "happy"))
_ITEM = re.compile(r"i'?m (?:an? |the )([\w' -]+)", re.IGNORECASE)
_NEVER = re.compile(r"never\b", re.IGNORECASE)
_NO_VALUE = frozenset(("myself", "himself", "herself", "it", "this", "that", "them", "him", "her", "you", "us", "free"))


def _trusted(value: str | None, clause: str) -> str | None:
    """``value``, unless it is a pronoun or but the first half of a word ("single" in "single-handed")."""
    if value is None or value.casefold() in _NO_VALUE or value.casefold().split()[0] in ("myself", "free"):
        return None
    at = clause.casefold().find(value.casefold())
    return None if re.match(r"-\w", clause[at + len(value) :]) else value


def _left_over(parts: list[str], clauses: list[Statement], used: set[int], taken: set[int]) -> list[str]:
    """The sentences that no value was read from, without the clauses that other attributes took."""
    rest: list[str] = []
    for number, part in enumerate(parts):
        if number in used:
            continue
        within = [n for n, clause in enumerate(clauses) if clause.sentence == number]
        if not taken.intersection(within):
            rest.append(part)
        elif left := ", ".join(clauses[n].source.strip(" ,;:") for n in within if n not in taken):
            rest.append(left)
    return rest


def _in_danger(part: str) -> bool:
    """Whether ``part`` tells of imminent risk: that is answered as such, and no fact about work or health."""
    return load_crisis_rules().first(plain(part)) is not None


def _none_of(attribute: Attribute) -> str | None:
    return next((v for v in attribute.values if v.casefold() == "none"), None)


def _is_number(attribute: Attribute) -> bool:
    """Whether every listed value is a number or a range of numbers, as with ages."""
    return bool(attribute.values) and all(any(c.isdigit() for c in value) for value in attribute.values)


def _goes_on(value: str) -> bool:
    return any(mark in f" {value.casefold()} " for mark in (" and i ", " and i'", " i am ", " i'm ", " and my "))


def _denied(asked: Attribute, rest: list[str]) -> str | None:
    """The listed value "None", with what follows it, if the answer says so; None if it does not."""
    listed = _none_of(asked)
    answer = without_fillers(" ".join(rest))
    if listed is None or not answer:
        return None
    if is_denial(answer):
        return listed
    opening = asked.answer_none.strip()
    if opening and answer.casefold().startswith(opening.casefold()):
        detail = clean_answer((sentences(answer[len(opening) :]) or [""])[0])
        return f"{listed}, {detail[:1].lower()}{detail[1:]}" if detail else listed
    return None
