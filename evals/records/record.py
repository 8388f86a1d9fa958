"""What a run keeps of one conversation. The names are a contract."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field, model_validator

from ...domains import Risk, Value
from ...models import Usage, safe_text
from ...simulators.dialogue import LedgerEntry, TranscriptMessage
from ...simulators.users import COOPERATIVE_BEHAVIOUR
from ..judging import Unscored, Verdict, is_service_failure

__all__ = ["ConversationRecord", "RecordKey", "record_key"]

RecordKey = tuple[str, str, str, str, int] | tuple[str, str, str, str, int, str]
"""(scenario, condition, model, judge model, repeat), and the behaviour unless it is ``cooperative``."""


class ConversationRecord(Value):
    """One conversation: a line of ``conversations.jsonl``.

    Exactly one of ``verdict`` and ``error`` is set. A conversation with an error was never judged. NUL and lone
    surrogates in any text become U+FFFD, so that every line can be written and read.
    """

    scenario_id: str
    condition: str
    model: str = Field(description="The assistant under test.")
    judge_model: str
    repeat: int = Field(ge=0)
    behaviour: str = Field(default=COOPERATIVE_BEHAVIOUR.name, description="How the simulated person behaved.")
    seed: int = Field(description="Derived from the run's seed and the key; what this conversation was drawn with.")
    domain: str
    risk: Risk | None = None
    pair: str | None = None
    title: str = ""
    profile: dict[str, str] = Field(default_factory=dict, description="All that is known of the person; judges see it.")
    transcript: tuple[TranscriptMessage, ...] = ()
    asked: tuple[str, ...] = Field(default=(), description="Attributes asked for, in order.")
    known: dict[str, str] = Field(default_factory=dict, description="What the assistant was told or granted.")
    ledger: dict[str, str] = Field(
        default_factory=dict,
        description="Attribute -> asked | volunteered | declined | does_not_know | lied_about | changed | unclear | "
        "omitted | never_came_up.",
    )
    ledger_detail: dict[str, LedgerEntry] = Field(
        default_factory=dict, description="Attribute -> turns in which it was asked for, told, declined; leaked; used."
    )
    crisis_turn: int | None = Field(
        default=None, description="Assistant turn after which the person disclosed imminent risk, by their behaviour."
    )
    crisis_answered: bool | None = Field(
        default=None,
        description="Whether the assistant's messages after that turn answer the disclosure, by their text "
        "(``crisis_reply``); None: there was none, or nothing came after it.",
    )
    simulator_failure: str | None = Field(
        default=None, description="Why the simulated person was not the person; the conversation then has no score."
    )
    redrawn: tuple[str, ...] = Field(
        default=(), description="Failures of the simulated person in earlier draws of this conversation, thrown away."
    )
    given: tuple[str, ...] = Field(default=(), description="Attributes that the answer was given, if it told.")
    used: tuple[str, ...] = Field(
        default=(), description="Those of ``known`` that the text of the answer reflects (``Reflection``)."
    )
    stop_reason: str | None = Field(default=None, description="Why the conversation ended.")
    agent_reason: str | None = Field(default=None, description="Why the assistant stopped asking, as it says.")
    verdict: Verdict | Unscored | None = None
    error: str | None = Field(default=None, description="What failed; the conversation then has no verdict.")
    notes: tuple[str, ...] = Field(default=(), description="Fallbacks of the assistant and faults of the simulator.")
    prompts: dict[str, str] = Field(default_factory=dict, description="Prompt name -> hash.")
    usage: Usage = Field(default=Usage(), description="All models of this conversation, judge included.")
    judge_usage: Usage = Field(default=Usage(), description="The judge's part of ``usage``.")
    seconds: float = Field(default=0.0, ge=0, description="Wall time, judge included.")
    judge_seconds: float = Field(default=0.0, ge=0)

    @model_validator(mode="before")
    @classmethod
    def _safe(cls, raw: Any) -> Any:
        return _made_safe(raw)

    @model_validator(mode="after")
    def _verdict_or_error(self) -> ConversationRecord:
        if (self.verdict is None) == (self.error is None):
            raise ValueError("a record has a verdict or an error, and not both")
        return self

    @property
    def key(self) -> RecordKey:
        """What identifies the conversation in its run."""
        return record_key(
            self.scenario_id, self.condition, self.model, self.judge_model, self.repeat, behaviour=self.behaviour
        )

    @property
    def score(self) -> float | None:
        """The verdict's score, None if there is none."""
        return self.verdict.score if isinstance(self.verdict, Verdict) else None

    @property
    def unscored(self) -> str | None:
        """Why a judged conversation has no score, None if it has one or was never judged."""
        return self.verdict.reason if isinstance(self.verdict, Unscored) else None

    @property
    def worth_another_try(self) -> bool:
        """Whether a resumed run does it again: it failed, or the judge's endpoint did."""
        return self.error is not None or is_service_failure(self.unscored or "")

    def line(self) -> str:
        """The JSON of this record, without line breaks."""
        return self.model_dump_json(by_alias=True)


def record_key(
    scenario_id: str, condition: str, model: str, judge_model: str, repeat: int, *, behaviour: str
) -> RecordKey:
    """What identifies a conversation in its run."""
    key = (scenario_id, condition, model, judge_model, repeat)
    return key if behaviour == COOPERATIVE_BEHAVIOUR.name else (*key, behaviour)


def _made_safe(raw: Any) -> Any:
    """``raw`` with every text in it made safe, dictionaries and lists included."""
    if isinstance(raw, BaseModel):
        return _made_safe(raw.model_dump())
    if isinstance(raw, str):
        return safe_text(raw)
    if isinstance(raw, dict):
        return {_made_safe(k): _made_safe(v) for k, v in raw.items()}
    if isinstance(raw, list | tuple):
        return tuple(_made_safe(v) for v in raw)
    return raw
