"""The summary of a run: the content of ``summary.json``. The names are a contract.

What the data do not give is None, never a stand-in: no score, no mean; fewer than two scenarios, no interval. ``low``
and ``high`` bound the 95 % interval of the mean or difference beside them.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ...domains import Risk, Value
from ...models import Usage
from ..judging import Criterion

__all__ = [
    "LEDGER_COUNTS",
    "BehaviourFailures",
    "Cell",
    "ConditionSummary",
    "CrisisSummary",
    "Difference",
    "LedgerCounts",
    "PairedDifference",
    "PairsSummary",
    "QuestionsScore",
    "RiskLevel",
    "RiskScore",
    "RunSummary",
    "SimulatorFailures",
    "SimulatorSummary",
]

RiskLevel = Literal["low", "high", "unknown"]


class Cell(Value):
    """The scores of some conversations of a condition."""

    n: int = Field(description="Conversations planned.")
    scored: int
    errors: int
    unscored: int
    excluded: int = Field(description="Unscored ones whose simulated person failed.")
    coverage: float | None = Field(description="Scored / planned.")
    mean: float | None
    low: float | None
    high: float | None
    criteria: dict[Criterion, float | None] = Field(description="Mean of each.")
    mean_questions: float | None
    worst_of_repeats: float | None = Field(description="Mean over scenarios of the lowest score.")


class ConditionSummary(Cell):
    """The scores of a condition, in all and by domain."""

    domains: dict[str, Cell]


class Difference(Value):
    """A mean of differences between scores that belong together."""

    n: int = Field(description="Scenarios or pairs that have both scores.")
    difference: float | None
    low: float | None
    high: float | None


class PairedDifference(Value):
    """Score under ``b`` - score under ``a``, over the scenarios that have a score in both."""

    a: str
    b: str
    n: int
    difference: float | None
    low: float | None
    high: float | None


class RiskScore(Value):
    """The scores of people at one level of risk."""

    scored: int
    mean: float | None
    low: float | None
    high: float | None


class PairsSummary(Value):
    """Matched pairs: the same query from a person at low and one at high risk, both scored; high - low."""

    n: int
    low_risk_mean: float | None
    high_risk_mean: float | None
    difference: float | None
    low: float | None
    high: float | None


class QuestionsScore(Value):
    """The scores of conversations with so many questions."""

    questions: int
    scored: int
    mean: float


class SimulatorFailures(Value):
    """How often simulated people failed to be who they were, over draws of conversations."""

    drawn: int = Field(description="Draws, those that broke off with an error included.")
    failed: int = Field(description="Draws in which the person was not the person.")
    share: float | None = Field(description="Failed / drawn.")
    excluded: int = Field(description="Conversations that failed in every draw and have no score.")


class BehaviourFailures(SimulatorFailures):
    """The same for one behaviour, in all and by level of risk."""

    by_risk: dict[RiskLevel, SimulatorFailures]


class SimulatorSummary(SimulatorFailures):
    """The same for a run, in all and by behaviour."""

    faults: dict[str, int] = Field(description="Fault -> how often; the most frequent first.")
    by_behaviour: dict[str, BehaviourFailures]


class CrisisSummary(Value):
    """What became of disclosures of imminent risk under one condition."""

    conversations: int = Field(description="Those of a person who was to disclose.")
    disclosed: int = Field(
        description="Those in which it came to it; an assistant that answers at once may end the conversation before."
    )
    answered_as_crisis: int = Field(description="Those in which the assistant's text afterwards answers it.")
    mean: float | None = Field(description="Mean score with a disclosure.")
    mean_without: float | None = Field(description="Mean score of all others.")


class LedgerCounts(Value):
    """What became of the attributes, over conversations without an error. One entry may count several times."""

    attributes: int = Field(description="Entries of ledgers.")
    asked: int
    told: int = Field(description="By what the text of the person says.")
    declined: int
    does_not_know: int
    lied: int
    changed: int
    leaked: int
    unclear: int = Field(description="The person was to say it, and perhaps did not.")
    omitted: int = Field(description="The person was to say it, and did not.")
    given: int = Field(description="What the assistant says that its answer had.")
    used: int = Field(description="What the text of the answer reflects.")
    untold: int = Field(
        description="What the assistant holds for known and was never told; not counted where the condition grants it."
    )
    due: int = Field(description="Values that were given to be told, where the person did not fail.")
    due_unclear: int = Field(description="Those of ``due`` of which it stayed open whether they were told.")


LEDGER_COUNTS = tuple(name for name in LedgerCounts.model_fields if not name.startswith("due"))
"""Names of the counts that people read, in their order."""


class RunSummary(Value):
    """What a run found. Keys of the dictionaries are conditions, unless the description says otherwise."""

    format: Literal[1] = 1
    offline: bool
    model: str
    user_model: str
    judge_model: str
    judge_is_model: bool
    planned: int
    done: int
    complete: bool
    conditions: dict[str, ConditionSummary]
    paired: tuple[PairedDifference, ...] = Field(description="Of every two conditions.")
    by_risk: dict[str, dict[Risk, RiskScore]]
    pairs: dict[str, PairsSummary]
    counterfactuals: dict[str, dict[str, Difference]] = Field(
        description="Condition -> changed attribute -> pairs of people who differ in that attribute alone."
    )
    safety_by_questions: dict[str, tuple[QuestionsScore, ...]]
    turns: int
    by_behaviour: dict[str, dict[str, Cell]] = Field(description="Behaviour -> condition -> scores.")
    simulator: SimulatorSummary
    crisis: dict[str, CrisisSummary] = Field(description="Only where a person was to disclose, or did.")
    ledger: dict[str, dict[str, LedgerCounts]] = Field(description="Behaviour -> condition -> counts.")
    usage: Usage
    seconds: float = Field(description="All conversations added up.")
