"""What a run keeps: one record per conversation, and the settings that repeat the run. The names are a contract."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from ..domains.errors import InputError
from ..domains.pack import DomainPack
from ..domains.scenario import Risk, Scenario
from ..models import Usage
from ..models.safe_text import safe_text
from ..simulators.dialogue import TranscriptMessage
from .conditions import Condition, check_conditions, parse_condition
from .judge import is_service_failure
from .verdict import Unscored, Verdict

__all__ = ["ConversationRecord", "RecordKey", "RunSettings", "plan_run"]

RecordKey = tuple[str, str, str, str, int]
"""(scenario, condition, model, judge model, repeat)."""


class ConversationRecord(BaseModel):
    """One conversation: a line of ``conversations.jsonl``.

    Exactly one of ``verdict`` and ``error`` is set. A conversation with an error was never judged. NUL and lone
    surrogates in any text become U+FFFD, so that every line can be written and read.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    scenario_id: str
    condition: str
    model: str = Field(description="The assistant under test.")
    judge_model: str
    repeat: int = Field(ge=0)
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
        description="Attribute -> asked | volunteered | declined | lied_about | never_came_up.",
    )
    used: tuple[str, ...] = Field(default=(), description="Attributes that the answer was given, if it told.")
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
        return (self.scenario_id, self.condition, self.model, self.judge_model, self.repeat)

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


class RunSettings(BaseModel):
    """Everything that decides what a run does. Two runs with equal settings have the same conversations to hold."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    data: str = Field(description="Where the scenarios came from.")
    data_digest: str = Field(description="SHA-256 over the scenarios that are used.")
    scenarios: dict[str, str] = Field(description="Id -> domain of the scenarios that are used, in order.")
    pack: str
    pack_version: str
    conditions: tuple[str, ...]
    model: str
    user_model: str
    judge_model: str
    planner_model: str | None = None
    offline: bool = Field(default=False, description="Whether the offline reference backend answers and judges.")
    repeats: int = Field(default=1, ge=1)
    seed: int = 0
    limit: int | None = Field(default=None, ge=1, description="Most scenarios used, from the front.")
    max_turns: int = Field(default=12, ge=1, description="Most messages of the assistant in a conversation.")
    prompts: dict[str, str] = Field(default_factory=dict, description="Prompt name -> hash.")
    options: dict[str, JsonValue] = Field(
        default_factory=dict, description="Further settings of the parts (budget, threshold, base URL ...), by name."
    )

    @property
    def planned(self) -> int:
        """Conversations that a complete run holds."""
        return len(self.scenarios) * len(self.conditions) * self.repeats


def plan_run(
    scenarios: Sequence[Scenario],
    conditions: Sequence[str],
    pack: DomainPack,
    *,
    data: str,
    model: str,
    user_model: str,
    judge_model: str,
    planner_model: str | None = None,
    offline: bool = False,
    repeats: int = 1,
    seed: int = 0,
    limit: int | None = None,
    max_turns: int = 12,
    prompts: Mapping[str, str] | None = None,
    options: Mapping[str, JsonValue] | None = None,
) -> tuple[RunSettings, list[Scenario], list[Condition]]:
    """Check what is to be run before anything is written or asked.

    Returns:
        The run's settings, the scenarios that ``limit`` leaves, and the parsed conditions.

    Raises:
        InputError: no scenarios, an id twice, a number out of range, an unknown condition, or one that some profiles
            cannot serve.
    """
    for name, value in (("limit", limit), ("repeats", repeats), ("max_turns", max_turns)):
        if value is not None and value < 1:
            raise InputError(f"{name} must be at least 1, not {value}")
    used = list(scenarios[:limit])
    if not used:
        raise InputError(f"{data}: no scenarios to evaluate")
    ids = [s.id for s in used]
    if len(set(ids)) < len(ids):
        twice = next(i for i in ids if ids.count(i) > 1)
        raise InputError(f"{data}: scenario {twice!r} stands there twice")
    parsed = [parse_condition(c, pack) for c in conditions]
    check_conditions(parsed, used, max_turns=max_turns)
    settings = RunSettings(
        data=data,
        data_digest=_digest(used),
        scenarios={s.id: s.domain for s in used},
        pack=pack.name,
        pack_version=pack.version,
        conditions=tuple(c.name for c in parsed),
        model=model,
        user_model=user_model,
        judge_model=judge_model,
        planner_model=planner_model,
        offline=offline,
        repeats=repeats,
        seed=seed,
        limit=limit,
        max_turns=max_turns,
        prompts=dict(prompts or {}),
        options=dict(options or {}),
    )
    return settings, used, parsed


def _digest(scenarios: Sequence[Scenario]) -> str:
    digest = hashlib.sha256()
    for scenario in scenarios:
        digest.update(json.dumps(scenario.model_dump(), sort_keys=True, default=sorted).encode())
    return digest.hexdigest()


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
