"""What became of the attributes, counted over the conversations of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..records import ConversationRecord, LedgerCounts, RunSettings, RunSummary

__all__ = ["ledger_summary", "unclear_notes"]

_TURNS = {
    "asked": "asked_turn",
    "told": "told_turn",
    "declined": "declined_turn",
    "does_not_know": "unknown_turn",
    "lied": "lied_turn",
    "changed": "changed_turn",
    "unclear": "unclear_turn",
    "omitted": "omitted_turn",
}


def ledger_summary(records: Sequence[ConversationRecord], settings: RunSettings) -> dict[str, dict[str, LedgerCounts]]:
    """Behaviour -> condition -> counts over all attributes of all conversations without an error."""
    rows = {}
    for behaviour in settings.behaviours:
        own = [r for r in records if r.behaviour == behaviour and r.error is None]
        rows[behaviour] = {c: _counts([r for r in own if r.condition == c]) for c in settings.conditions}
    return rows


def unclear_notes(summary: RunSummary) -> tuple[str, ...]:
    """A sentence for each condition of ``summary`` in which more than a fifth of what the people were to tell stayed
    unclear."""
    notes = []
    for condition in summary.conditions:
        rows = [by_condition[condition] for by_condition in summary.ledger.values()]
        due, unclear = sum(row.due for row in rows), sum(row.due_unclear for row in rows)
        if unclear > _MANY_UNCLEAR * due:
            notes.append(
                f"{condition}: of {due} values that the simulated people were to tell, code cannot see whether "
                f"{unclear} were told. Settle them with --check-users, or read the conversations."
            )
    return tuple(notes)


_MANY_UNCLEAR = 0.2


def _counts(records: Sequence[ConversationRecord]) -> LedgerCounts:
    counts = Counter(dict.fromkeys(LedgerCounts.model_fields, 0))
    for record in records:
        counts["attributes"] += len(record.ledger_detail)
        for entry in record.ledger_detail.values():
            counts.update(name for name, turn in _TURNS.items() if getattr(entry, turn) is not None)
            counts["leaked"] += entry.leaked
            if entry.given_turn is not None and record.simulator_failure is None:
                counts["due"] += 1
                counts["due_unclear"] += entry.state == "unclear"
        counts["given"] += len(record.given)
        counts["used"] += len(record.used)
        if record.condition != "context_rich":
            told = {a for a, e in record.ledger_detail.items() if e.told_turn is not None}
            counts["untold"] += sum(a not in told for a in record.known)
    return LedgerCounts(**counts)
