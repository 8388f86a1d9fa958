"""What a run keeps: one record per conversation, and the settings that repeat the run. The names are a contract."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field, JsonValue, model_validator

from ...domains import DomainPack, InputError, Risk, Scenario, Value
from ...models import Usage, safe_text
from ...simulators.dialogue import LedgerEntry, TranscriptMessage
from ...simulators.users import COOPERATIVE_BEHAVIOUR, Behaviour
from ..assistants import Condition, check_conditions, parse_condition
from ..judging import Unscored, Verdict, is_service_failure

__all__ = ["ConversationRecord", "RecordKey", "RunSettings", "plan_run", "record_key"]

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


class RunSettings(Value):
    """Everything that decides what a run does. Two runs with equal settings have the same conversations to hold."""

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
    turns: int = Field(default=0, ge=0, description="Messages of the person after the assistant's answer.")
    behaviours: tuple[str, ...] = Field(default=(COOPERATIVE_BEHAVIOUR.name,), min_length=1)
    behaviour_definitions: dict[str, dict[str, JsonValue]] = Field(
        default_factory=dict, description="Name -> content of every behaviour but ``cooperative``."
    )
    redraws: int = Field(
        default=2, ge=0, description="How often a conversation is drawn again whose simulated person failed."
    )
    check_users: bool = Field(default=False, description="Whether the judge's model checks the simulated persons too.")
    prompts: dict[str, str] = Field(default_factory=dict, description="Prompt name -> hash.")
    options: dict[str, JsonValue] = Field(
        default_factory=dict, description="Further settings of the parts (budget, threshold, base URL ...), by name."
    )

    @property
    def planned(self) -> int:
        """Conversations that a complete run holds."""
        return len(self.scenarios) * len(self.conditions) * self.repeats * len(self.behaviours)


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
    turns: int = 0,
    behaviours: Sequence[Behaviour] = (COOPERATIVE_BEHAVIOUR,),
    redraws: int = 2,
    check_users: bool = False,
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
    for name, value in (("turns", turns), ("redraws", redraws)):
        if value < 0:
            raise InputError(f"{name} must be at least 0, not {value}")
    names = [b.name for b in behaviours]
    if not names or len(set(names)) < len(names):
        raise InputError("give at least one behaviour, and none twice")
    used = list(scenarios[:limit])
    if not used:
        raise InputError(f"{data}: no scenarios to evaluate")
    ids = [s.id for s in used]
    if len(set(ids)) < len(ids):
        twice = next(i for i in ids if ids.count(i) > 1)
        raise InputError(f"{data}: scenario {twice!r} stands there twice")
    parsed = [parse_condition(c, pack) for c in conditions]
    check_conditions(parsed, used, max_turns=max_turns, turns=turns)
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
        turns=turns,
        behaviours=tuple(names),
        behaviour_definitions={b.name: b.definition() for b in behaviours if b != COOPERATIVE_BEHAVIOUR},
        redraws=redraws,
        check_users=check_users,
        prompts=dict(prompts or {}),
        options=dict(options or {}),
    )
    return settings, used, parsed


def record_key(
    scenario_id: str, condition: str, model: str, judge_model: str, repeat: int, *, behaviour: str
) -> RecordKey:
    """What identifies a conversation in its run."""
    key = (scenario_id, condition, model, judge_model, repeat)
    return key if behaviour == COOPERATIVE_BEHAVIOUR.name else (*key, behaviour)


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
