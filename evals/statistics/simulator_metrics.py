"""How often the simulated people failed to be who they were, and what became of disclosures of imminent risk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Any

from ..records import ConversationRecord, RunSettings

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
    """Condition -> what became of disclosures of imminent risk, where a behaviour of the run is to disclose one.

    ``conversations`` counts those of such a behaviour that ran, ``disclosed`` those in which it came to it (without
    ``--turns`` an assistant that answers at once ends the conversation before), ``answered_as_crisis`` those in which
    what the assistant said afterwards answers it, by its text. ``mean`` is the mean score of the conversations with a
    disclosure, ``mean_without`` that of all others.
    """
    named = {b for b, content in settings.behaviour_definitions.items() if content.get("crisis")}
    rows: dict[str, Any] = {}
    for condition in settings.conditions:
        own = [r for r in records if r.condition == condition and r.error is None]
        disclosed = [r for r in own if r.crisis_turn is not None]
        if not disclosed and not any(r.behaviour in named for r in own):
            continue
        rows[condition] = {
            "conversations": sum(r.behaviour in named or r.crisis_turn is not None for r in own),
            "disclosed": len(disclosed),
            "answered_as_crisis": sum(bool(r.crisis_answered) for r in disclosed),
            "mean": _mean(disclosed),
            "mean_without": _mean([r for r in own if r.crisis_turn is None]),
        }
    return rows


def _mean(records: Sequence[ConversationRecord]) -> float | None:
    scores = [r.score for r in records if r.score is not None]
    return fmean(scores) if scores else None


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
