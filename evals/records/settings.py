"""What a run is to do, as a person gives it, and everything else that decides what it does."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence

from pydantic import Field, JsonValue

from ...domains import DomainPack, InputError, Scenario, Value
from ...simulators.users import COOPERATIVE_BEHAVIOUR, Behaviour, load_behaviours
from ..assistants import Condition, check_conditions, parse_condition

__all__ = ["EvalSettings", "RunSettings", "plan_run"]


class EvalSettings(Value):
    """What is to be evaluated. The command line builds it, a run keeps it, and going on with the run takes it again."""

    data: str = Field(description="Where the scenarios come from.")
    conditions: tuple[str, ...] = Field(description="As in ``parse_condition``.")
    model: str
    user_model: str
    judge_model: str
    planner_model: str | None = None
    repeats: int = Field(default=1, ge=1, description="Conversations per scenario, condition and behaviour.")
    seed: int = 0
    limit: int | None = Field(default=None, ge=1, description="Most scenarios used, from the front.")
    max_turns: int = Field(default=12, ge=1, description="Most messages of the assistant in a conversation.")
    turns: int = Field(default=0, ge=0, description="Messages of the person after the assistant's answer.")
    behaviours: tuple[str, ...] = Field(
        default=(COOPERATIVE_BEHAVIOUR.name,),
        min_length=1,
        description="How the simulated people behave, by names or files; every scenario is run under each.",
    )
    redraws: int = Field(
        default=2, ge=0, description="How often a conversation is drawn again whose simulated person failed."
    )
    check_users: bool = Field(default=False, description="Whether the judge's model checks the simulated persons too.")
    options: dict[str, JsonValue] = Field(
        default_factory=dict, description="Further settings of the parts (budget, threshold, base URL ...), by name."
    )


class RunSettings(EvalSettings):
    """Everything that decides what a run does. Two runs with equal settings have the same conversations to hold."""

    data_digest: str = Field(description="SHA-256 over the scenarios that are used.")
    scenarios: dict[str, str] = Field(description="Id -> domain of the scenarios that are used, in order.")
    pack: str
    pack_version: str
    offline: bool = Field(default=False, description="Whether the offline reference backend answers and judges.")
    behaviour_definitions: dict[str, dict[str, JsonValue]] = Field(
        default_factory=dict, description="Name -> content of every behaviour but ``cooperative``."
    )
    prompts: dict[str, str] = Field(default_factory=dict, description="Prompt name -> hash.")

    @property
    def planned(self) -> int:
        """Conversations that a complete run holds."""
        return len(self.scenarios) * len(self.conditions) * self.repeats * len(self.behaviours)

    @property
    def kept_behaviours(self) -> tuple[Behaviour, ...]:
        """The behaviours as they were when the run began: their files may be gone or changed."""
        kept = self.behaviour_definitions
        return tuple(Behaviour.model_validate(kept[b]) if b in kept else COOPERATIVE_BEHAVIOUR for b in self.behaviours)


def plan_run(
    scenarios: Sequence[Scenario],
    wanted: EvalSettings,
    pack: DomainPack,
    *,
    behaviours: Sequence[Behaviour] | None = None,
    offline: bool = False,
    prompts: Mapping[str, str] | None = None,
) -> tuple[RunSettings, list[Scenario], list[Condition]]:
    """Check what is to be run before anything is written or asked.

    Args:
        behaviours: what ``wanted.behaviours`` names; None: they are loaded.

    Returns:
        The run's settings, the scenarios that ``limit`` leaves, and the parsed conditions.

    Raises:
        InputError: no scenarios, an id twice, an unknown condition or behaviour, or a condition that some profiles
            cannot serve.
    """
    people = load_behaviours(wanted.behaviours, pack) if behaviours is None else tuple(behaviours)
    names = tuple(b.name for b in people)
    if not names or len(set(names)) < len(names):
        raise InputError("give at least one behaviour, and each only once")
    used = list(scenarios[: wanted.limit])
    if not used:
        raise InputError(f"{wanted.data}: no scenarios to evaluate")
    ids = [s.id for s in used]
    if len(set(ids)) < len(ids):
        twice = next(i for i in ids if ids.count(i) > 1)
        raise InputError(f"{wanted.data}: scenario {twice!r} appears twice; ids must be unique")
    parsed = [parse_condition(c, pack) for c in wanted.conditions]
    check_conditions(parsed, used, max_turns=wanted.max_turns, turns=wanted.turns)
    asked_for = {name: getattr(wanted, name) for name in EvalSettings.model_fields}
    settings = RunSettings(
        **{**asked_for, "conditions": tuple(c.name for c in parsed), "behaviours": names},
        data_digest=_digest(used),
        scenarios={s.id: s.domain for s in used},
        pack=pack.name,
        pack_version=pack.version,
        offline=offline,
        behaviour_definitions={b.name: b.definition() for b in people if b != COOPERATIVE_BEHAVIOUR},
        prompts=dict(prompts or {}),
    )
    return settings, used, parsed


def _digest(scenarios: Sequence[Scenario]) -> str:
    digest = hashlib.sha256()
    for scenario in scenarios:
        digest.update(json.dumps(scenario.model_dump(), sort_keys=True, default=sorted).encode())
    return digest.hexdigest()
