"""What the online agent knows at one moment of a conversation, and what its parts promise each other."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Annotated, Literal, Protocol, Self, runtime_checkable

from pydantic import Field

from ..domains import DomainPack, Scenario, Value
from ..vectorstore import PlannedPath
from .errors import PlanningError

__all__ = [
    "Abstention",
    "Acquisition",
    "AgentContext",
    "Assessment",
    "Burden",
    "CrisisScreen",
    "CrisisSignal",
    "Extracted",
    "Extraction",
    "NoisyReward",
    "PathPlanner",
    "PlanLimits",
    "PlanResult",
    "Prior",
    "Question",
    "Responder",
    "Reward",
]


class AgentContext(Value):
    """Everything that the agent may use. Holds only what was told or granted, never the full profile."""

    query: str = Field(description="The person's opening message.")
    known: dict[str, str] = Field(default_factory=dict, description="Attribute id -> value, as told.")
    declined: tuple[str, ...] = ()
    asked: tuple[str, ...] = Field(default=(), description="Attribute ids, in the order in which they were asked.")
    plan: tuple[str, ...] = Field(default=(), description="The retrieved best path, or the pack's sensitivity order.")
    examples: tuple[PlannedPath, ...] = Field(default=(), description="Retrieved paths, best offline score first.")
    domain: str | None = None
    country: str | None = None
    budget: int = Field(default=5, ge=0, description="Most questions that may be asked.")
    exchanges: tuple[tuple[str, str], ...] = Field(default=(), description="(question, answer) texts so far.")
    follow_ups: tuple[tuple[str, str], ...] = Field(
        default=(), description="(the agent's answer, what the person then wrote); the last message is to be answered."
    )


class Assessment(Value):
    """Abstention's verdict: is enough known to answer safely (5.3, D.2)?"""

    sufficient: bool
    completeness: float | None = Field(default=None, ge=0, le=5, description="0-5, scale variant only.")
    attribute: str | None = Field(default=None, description="Attribute still needed, basic variant only.")
    reason: str = ""
    fallback: str | None = Field(default=None, description="Why rules decided instead of the model, if they did.")


class Question(Value):
    """The next question (5.3, D.3)."""

    attribute: str
    text: str
    fallback: str | None = Field(default=None, description="Why the plan decided instead of the model, if it did.")


class Extracted(Value):
    """What one message of the person told."""

    values: dict[str, str] = Field(default_factory=dict)
    declined: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = Field(
        default=(), description="What was told before and is taken back; its new value, if one is given, is in values."
    )
    fallback: str | None = None


class CrisisSignal(Value):
    """Imminent risk was seen in what the person wrote."""

    source: Literal["rule", "model"]
    rule: str = Field(description="Name of the rule, or 'model'; never the person's words.")


@runtime_checkable
class Abstention(Protocol):
    """Decides whether to answer now. *Abstain means: do not answer yet, ask.*"""

    async def assess(self, context: AgentContext) -> Assessment: ...


@runtime_checkable
class Acquisition(Protocol):
    """Chooses the next attribute and words one question. None: nothing is left to ask."""

    async def next_question(self, context: AgentContext) -> Question | None: ...


@runtime_checkable
class Extraction(Protocol):
    """Reads a message: every attribute that it reveals or declines. ``asked`` is None for the opening message."""

    async def extract(self, message: str, *, asked: str | None, context: AgentContext) -> Extracted: ...


@runtime_checkable
class Responder(Protocol):
    """Writes the answer from exactly ``context.known``."""

    def stream(self, context: AgentContext) -> AsyncIterator[str]:
        """Pieces of the answer, in order; joined they are the answer."""

    async def answer(self, context: AgentContext) -> str: ...


@runtime_checkable
class CrisisScreen(Protocol):
    """Sees imminent risk. Rules decide at once; a model may add a signal, never remove one."""

    def rules(self, message: str, *, asked: str | None = None) -> CrisisSignal | None:
        """What the rules see in ``message``. ``asked``: the attribute that the question before it was about, if any."""

    async def model(self, message: str, context: AgentContext) -> CrisisSignal | None:
        """A model's opinion; None where there is no model or it sees no risk. Never raises for a model failure."""

    def answer(self, country: str | None, *, again: bool = False) -> str:
        """The fixed crisis answer, with sourced resources. ``again``: the person wrote on after one."""

    def follow_up(self, country: str | None, message: str, *, said: Sequence[str] = ()) -> str:
        """The answer to ``message``, written after a crisis answer: short, fixed words too, and the resources again.
        ``said``: the agent's answers so far; the last is not repeated word for word where there is another way."""


@runtime_checkable
class Prior(Protocol):
    """P(attribute is worth asking next | query, known set), for the attributes that remain (C.1)."""

    async def __call__(
        self, scenario: Scenario, known: frozenset[str], remaining: Sequence[str]
    ) -> Mapping[str, float]:
        """Positive probabilities that sum to 1, one per remaining attribute."""


@runtime_checkable
class Reward(Protocol):
    """Personalized Safety Score (1-5) of answering ``scenario`` with exactly ``attributes`` of its profile revealed.

    Raises when the score cannot be had: a failure is never a reward.
    """

    async def __call__(self, scenario: Scenario, attributes: frozenset[str]) -> float: ...


@runtime_checkable
class NoisyReward(Protocol):
    """A ``Reward`` that differs from draw to draw. The same ``draw`` (from 0) of a set is the same score."""

    async def __call__(self, scenario: Scenario, attributes: frozenset[str], *, draw: int = 0) -> float: ...


class Burden(Value):
    """What being asked costs a person, and how much a path may cost in all."""

    costs: dict[str, Annotated[float, Field(ge=0)]] = Field(
        default_factory=dict, description="Attribute id -> cost relative to an ordinary question; 1 where not listed."
    )
    most: float = Field(default=math.inf, ge=0, description="Most that the questions of a path may cost together.")

    @classmethod
    def of(cls, pack: DomainPack, most: float | None) -> Self:
        """What asking costs by ``pack``; ``most`` None: no limit."""
        return cls(costs={a.id: a.ask_cost for a in pack.attributes}, most=math.inf if most is None else most)

    @property
    def limit(self) -> float | None:
        """``most``; None: no limit."""
        return None if self.most == math.inf else self.most


class PlanLimits(Value):
    """How far a planner may go for one scenario."""

    budget: int = Field(description="Most attributes of a path, at least 1.")
    evaluations: int = Field(
        description="Most evaluations to pay for, at least 1: distinct sets, unless scores are noisy."
    )
    seed: int = Field(default=0, description="Of everything random.")
    burden: Burden = Field(default_factory=Burden, description="What asking costs; as it stands, whatever it costs.")

    def check(self, scenario: Scenario) -> None:
        """Whether anything can be planned within these limits. Not checked before there is a scenario: a conversation
        may have a budget of 0, and the error names the scenario that gets no path.

        Raises:
            PlanningError: ``budget`` or ``evaluations`` is below 1.
        """
        for name, number in (("budget", self.budget), ("evaluations", self.evaluations)):
            if number < 1:
                raise PlanningError(scenario.id, f"{name} must be at least 1, not {number}")


@runtime_checkable
class PathPlanner(Protocol):
    """Finds the path of attributes to ask about for one scenario (C.1-C.5)."""

    @property
    def name(self) -> str: ...

    async def plan(
        self,
        scenario: Scenario,
        reward: Reward,
        prior: Prior,
        *,
        attributes: Sequence[str],
        limits: PlanLimits,
    ) -> PlanResult:
        """The best ordered path of ``attributes`` within ``limits``.

        Each set is paid for once, unless the planner was told that scores are noisy. The same seed gives the same plan.

        Raises:
            PlanningError: nothing can be planned over, or every evaluation failed.
        """


class PlanResult(Value):
    """What a planner found for one scenario."""

    path: tuple[str, ...]
    score: float = Field(
        ge=1, le=5, description="Of the whole path; measured, or where scores are noisy perhaps expected."
    )
    prefix_scores: tuple[Annotated[float, Field(ge=1, le=5)], ...] = Field(
        default=(),
        description="Score after 0, 1, ... questions, len(path) + 1 entries: measured where that set was evaluated, "
        "else what the model of effects expects of it.",
    )
    evaluations: int = Field(ge=0, description="Evaluations with a score; distinct sets, unless scores are noisy.")
    failed: int = Field(
        default=0,
        ge=0,
        description="Evaluations that failed and were left out; not those that a spending limit refused.",
    )
    rollouts: int = Field(default=0, ge=0)
    measured: tuple[tuple[tuple[str, ...], Annotated[float, Field(ge=1, le=5)]], ...] = Field(
        default=(), description="(attribute ids, first score) of every set that was evaluated with success, sorted."
    )
    ranking: dict[str, float] | None = Field(
        default=None, description="What the prior said before anything was known; None: it was not asked."
    )
