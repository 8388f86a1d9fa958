"""Under which condition an assistant answers: what it is given beforehand and what it asks (paper, sections 3 to 5)."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, get_args

from pydantic import Field

from ...domains import DomainPack, InputError, Scenario, UnknownNameError, Value
from ...models import CUT_NOTE, collect_usage
from ...simulators.dialogue import AgentTurn
from .assistant import Answerer, Assistant, Extract

__all__ = [
    "Assistants",
    "Condition",
    "ConditionKind",
    "OracleChoice",
    "Prepared",
    "QuestionnaireAssistant",
    "check_conditions",
    "parse_condition",
]

ConditionKind = Literal["context_free", "context_rich", "random", "static", "oracle", "agent", "raise"]
_COUNTED = ("random", "static", "oracle")
_FROM_FACTORY = ("agent", "raise")


class Condition(Value):
    """One way to answer. ``k`` is the number of questions of a fixed questionnaire, None elsewhere."""

    name: str = Field(description="As in records and tables, such as 'static:3'.")
    kind: ConditionKind
    k: int | None = Field(default=None, ge=1)

    @property
    def needs_known(self) -> int:
        """Fewest known attributes that a profile must have for this condition to mean anything."""
        return self.k or (1 if self.kind == "context_rich" else 0)


def parse_condition(text: str, pack: DomainPack) -> Condition:
    """The condition that ``text`` names: ``context_free``, ``context_rich``, ``agent``, ``raise``, or ``random:K``,
    ``static:K``, ``oracle:K`` with K from 1 to the number of the pack's attributes.

    Raises:
        UnknownNameError: no such condition; names the nearest.
        InputError: K is missing, not a number, out of range, or given where none belongs.
    """
    kind, colon, number = text.strip().partition(":")
    kinds = get_args(ConditionKind)
    most = len(pack.attributes)
    example = min(3, most)
    if kind not in kinds:
        raise UnknownNameError("condition", text, [f"{k}:{example}" if k in _COUNTED else k for k in kinds])
    if kind not in _COUNTED:
        if colon:
            raise InputError(f"condition {text!r}: {kind} takes no number; write {kind!r}")
        return Condition(name=kind, kind=kind)
    if not (number.isascii() and number.isdigit() and 1 <= int(number) <= most):
        raise InputError(
            f"condition {text!r}: {kind} needs a number of questions from 1 to {most}, as in '{kind}:{example}'"
        )
    return Condition(name=f"{kind}:{int(number)}", kind=kind, k=int(number))


def check_conditions(
    conditions: Sequence[Condition], scenarios: Sequence[Scenario], *, max_turns: int, turns: int = 0
) -> None:
    """Refuse, before anything runs, conditions that these scenarios or this turn cap cannot serve.

    Raises:
        InputError: a condition is given twice, needs more turns than ``max_turns``, or needs more known attributes than
            some profiles have (names their ids).
    """
    names = [c.name for c in conditions]
    if not names:
        raise InputError("no condition given; give at least one, such as 'context_free'")
    if twice := next((n for n in names if names.count(n) > 1), None):
        raise InputError(f"condition {twice!r} is given twice")
    for condition in conditions:
        needed = (condition.k or 0) + 1 + turns
        if (condition.k is not None or turns) and needed > max_turns:
            raise InputError(f"condition {condition.name!r} needs {needed} assistant turns, but the cap is {max_turns}")
        short = [s.id for s in scenarios if len(s.profile) < condition.needs_known]
        if short:
            listed = ", ".join(short[:5]) + (f" and {len(short) - 5} more" if len(short) > 5 else "")
            raise InputError(
                f"condition {condition.name!r} needs at least {condition.needs_known} known attributes, but "
                f"{len(short)} of {len(scenarios)} scenarios have fewer: {listed}"
            )


class QuestionnaireAssistant:
    """Asks a fixed list of attributes with the pack's questions, one a turn, then answers from what it was told.

    With no attributes it answers at once: ``context_free``, or ``context_rich`` when values are granted. To every
    message after its answer it answers again, with what that message tells and the conversation so far.

    Args:
        name: the model behind ``answerer``, as it stands in the records.
        attributes: ids to ask about, in order.
        answerer: writes the answer from exactly what is known.
        extract: reads each reply; not used when there is nothing to ask.
    """

    def __init__(
        self, name: str, attributes: Sequence[str], *, pack: DomainPack, answerer: Answerer, extract: Extract
    ) -> None:
        self._name = name
        self._questions = tuple((a, pack.attribute(a).question) for a in attributes)
        self._answerer, self._extract = answerer, extract

    @property
    def name(self) -> str:
        return self._name

    def start(
        self, *, scenario_id: str, seed: int, granted: Mapping[str, str], country: str | None
    ) -> _QuestionnaireSession:
        return _QuestionnaireSession(
            self._questions, self._answerer, self._extract, known=dict(granted), country=country, seed=seed
        )


@dataclass
class _QuestionnaireSession:
    questions: tuple[tuple[str, str], ...]
    answerer: Answerer
    extract: Extract
    known: dict[str, str]
    country: str | None
    seed: int
    query: str | None = None
    asked: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    followed_up: list[str] = field(default_factory=list)

    async def reply(self, message: str) -> AgentTurn:
        if self.query is None:
            self.query = message
        elif self.answers:
            return await self._answer_again(self.query, message)
        elif self.asked:
            # What is told now corrects what was told before, as with our own agent: people take answers back.
            self.known = {**self.known, **await self.extract(self.query, message, asked=self.asked[-1])}
        if len(self.asked) < len(self.questions):
            attribute, question = self.questions[len(self.asked)]
            self.asked.append(attribute)
            return AgentTurn(text=question, kind="question", attribute=attribute, known=dict(self.known))
        return await self._answer(self.query, "exhausted")

    async def conclude(self) -> AgentTurn:
        """The answer from what is known so far; the questions that are left are not asked."""
        return await self._answer(self.query or "", "person_left")

    async def _answer(self, query: str, reason: str | None, **more: Any) -> AgentTurn:
        known = dict(self.known)
        with collect_usage() as meter:
            text = await self.answerer(query, known, country=self.country, seed=self.seed, **more)
        self.answers.append(text)
        notes = (CUT_NOTE,) if meter.cut else ()
        return AgentTurn(text=text, kind="answer", stop_reason=reason, used=tuple(known), known=known, notes=notes)

    async def _answer_again(self, query: str, message: str) -> AgentTurn:
        # What is told now corrects what was told before.
        self.known = {**self.known, **await self.extract(query, message, asked=None)}
        self.followed_up.append(message)
        follow_ups = tuple(zip(self.answers, self.followed_up, strict=True))
        return await self._answer(query, None, follow_ups=follow_ups)

    async def aclose(self) -> None:
        return None


class OracleChoice(Protocol):
    """The ``k`` attributes that serve a scenario best, by search over its full profile."""

    async def __call__(self, scenario: Scenario, k: int) -> tuple[str, ...]: ...


@dataclass(frozen=True)
class Prepared:
    """The assistant of one conversation and what the condition grants it."""

    assistant: Assistant
    granted: Mapping[str, str]


class Assistants:
    """Makes the assistant of each condition.

    Args:
        model: name of the model behind ``answerer``.
        answerer, extract: the parts of the questionnaire conditions.
        factories: ``{"agent": ..., "raise": ...}``; each is called once per condition.
        oracle: finds the subset for ``oracle:k``; may be None if that condition is not used.
    """

    def __init__(
        self,
        pack: DomainPack,
        *,
        model: str,
        answerer: Answerer,
        extract: Extract,
        factories: Mapping[str, Callable[[], Assistant]] | None = None,
        oracle: OracleChoice | None = None,
    ) -> None:
        self._pack, self._model, self._answerer, self._extract = pack, model, answerer, extract
        self._factories, self._oracle = dict(factories or {}), oracle
        self._made: dict[str, Assistant] = {}

    def check(self, conditions: Sequence[Condition]) -> None:
        """Raises ``InputError`` if a condition's assistant or search was not given."""
        for condition in conditions:
            if condition.kind in _FROM_FACTORY and condition.kind not in self._factories:
                raise InputError(f"condition {condition.name!r} needs an assistant, but none was given for it")
            if condition.kind == "oracle" and self._oracle is None:
                raise InputError(f"condition {condition.name!r} needs a search over subsets, but none was given")

    def name(self, condition: Condition) -> str:
        """What records of this condition hold as ``model``."""
        return self._factory_made(condition).name if condition.kind in _FROM_FACTORY else self._model

    async def prepare(self, condition: Condition, scenario: Scenario, *, seed: int) -> Prepared:
        """The assistant for one conversation. Only ``context_rich`` grants values; only searches see the profile."""
        if condition.kind in _FROM_FACTORY:
            return Prepared(self._factory_made(condition), {})
        attributes = await self._attributes(condition, scenario, seed)
        granted = dict(scenario.profile.values) if condition.kind == "context_rich" else {}
        assistant = QuestionnaireAssistant(
            self._model, attributes, pack=self._pack, answerer=self._answerer, extract=self._extract
        )
        return Prepared(assistant, granted)

    async def _attributes(self, condition: Condition, scenario: Scenario, seed: int) -> tuple[str, ...]:
        k = condition.k or 0
        if condition.kind == "static":
            return self._pack.by_sensitivity()[:k]
        if condition.kind == "random":
            known = [a for a in self._pack.attribute_ids if a in scenario.profile.values]
            return tuple(random.Random(seed).sample(known, k))
        if condition.kind == "oracle" and self._oracle is not None:
            return await self._oracle(scenario, k)
        return ()

    def _factory_made(self, condition: Condition) -> Assistant:
        if condition.kind not in self._made:
            self._made[condition.kind] = self._factories[condition.kind]()
        return self._made[condition.kind]
