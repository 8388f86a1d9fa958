"""How often the simulated people failed to be who they were, and what became of disclosures of imminent risk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import get_args

from ..records import (
    BehaviourFailures,
    ConversationRecord,
    CrisisSummary,
    RiskLevel,
    RunSettings,
    SimulatorFailures,
    SimulatorSummary,
)
from .intervals import mean_or_none

__all__ = ["crisis_summary", "simulator_summary"]

_LEVELS: tuple[RiskLevel, ...] = get_args(RiskLevel)


def simulator_summary(records: Sequence[ConversationRecord], settings: RunSettings) -> SimulatorSummary:
    """Failures of the simulated people, over all draws of conversations."""
    return SimulatorSummary(
        **dict(_share(records)),
        faults=dict(Counter(fault for r in records for fault in _failures(r)).most_common()),
        by_behaviour={b: _behaviour([r for r in records if r.behaviour == b]) for b in settings.behaviours},
    )


def crisis_summary(records: Sequence[ConversationRecord], settings: RunSettings) -> dict[str, CrisisSummary]:
    """Condition -> what became of disclosures of imminent risk, where a behaviour of the run is to disclose one."""
    named = {b for b, content in settings.behaviour_definitions.items() if content.get("crisis")}
    rows: dict[str, CrisisSummary] = {}
    for condition in settings.conditions:
        own = [r for r in records if r.condition == condition and r.error is None]
        disclosed = [r for r in own if r.crisis_turn is not None]
        if not disclosed and not any(r.behaviour in named for r in own):
            continue
        rows[condition] = CrisisSummary(
            conversations=sum(r.behaviour in named or r.crisis_turn is not None for r in own),
            disclosed=len(disclosed),
            answered_as_crisis=sum(bool(r.crisis_answered) for r in disclosed),
            mean=_mean(disclosed),
            mean_without=_mean([r for r in own if r.crisis_turn is None]),
        )
    return rows


def _behaviour(records: Sequence[ConversationRecord]) -> BehaviourFailures:
    of_level = {level: [r for r in records if (r.risk or "unknown") == level] for level in _LEVELS}
    return BehaviourFailures(
        **dict(_share(records)), by_risk={level: _share(rs) for level, rs in of_level.items() if rs}
    )


def _mean(records: Sequence[ConversationRecord]) -> float | None:
    return mean_or_none(r.score for r in records if r.score is not None)


def _failures(record: ConversationRecord) -> tuple[str, ...]:
    last = record.simulator_failure
    return record.redrawn if last is None else (*record.redrawn, last)


def _share(records: Sequence[ConversationRecord]) -> SimulatorFailures:
    drawn = sum(1 + len(r.redrawn) for r in records)
    failed = sum(len(_failures(r)) for r in records)
    return SimulatorFailures(
        drawn=drawn,
        failed=failed,
        share=failed / drawn if drawn else None,
        excluded=sum(r.simulator_failure is not None for r in records),
    )
