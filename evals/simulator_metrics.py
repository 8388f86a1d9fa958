"""How often the simulated people failed to be who they were, and what became of disclosures of imminent risk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from .records import ConversationRecord, RunSettings

__all__ = ["crisis_summary", "simulator_summary"]


def simulator_summary(records: Sequence[ConversationRecord], settings: RunSettings) -> dict[str, Any]:
    """Failures of the simulated people, over all draws of conversations.

    ``drawn`` counts draws, ``failed`` those in which the person was not the person, ``share`` their quotient, and
    ``excluded`` the conversations that failed in every draw and have no score. The same per behaviour and, inside it,
    per level of risk ("low", "high", "unknown"). ``faults`` counts what failed. A draw that broke off with an error
    counts as drawn.
    """
    return {
        **_share(records),
        "faults": dict(Counter(fault for r in records for fault in _failures(r)).most_common()),
        "by_behaviour": {
            b: {
                **_share([r for r in records if r.behaviour == b]),
                "by_risk": {
                    level: _share([r for r in records if r.behaviour == b and (r.risk or "unknown") == level])
                    for level in ("low", "high", "unknown")
                    if any(r.behaviour == b and (r.risk or "unknown") == level for r in records)
                },
            }
            for b in settings.behaviours
        },
    }


def crisis_summary(records: Sequence[ConversationRecord], settings: RunSettings) -> dict[str, Any]:
    """Condition -> in how many conversations the person disclosed imminent risk by their behaviour, and in how many of
    those the assistant said that it answered as in a crisis (only our own agent says so)."""
    rows: dict[str, Any] = {}
    for condition in settings.conditions:
        disclosed = [r for r in records if r.condition == condition and r.crisis_turn is not None]
        if disclosed:
            seen = sum(r.agent_reason == "crisis" for r in disclosed)
            rows[condition] = {"disclosed": len(disclosed), "answered_as_crisis": seen}
    return rows


def _failures(record: ConversationRecord) -> tuple[str, ...]:
    last = record.simulator_failure
    return record.redrawn if last is None else (*record.redrawn, last)


def _share(records: Sequence[ConversationRecord]) -> dict[str, Any]:
    drawn = sum(1 + len(r.redrawn) for r in records)
    failed = sum(len(_failures(r)) for r in records)
    return {
        "drawn": drawn,
        "failed": failed,
        "share": failed / drawn if drawn else None,
        "excluded": sum(r.simulator_failure is not None for r in records),
    }
