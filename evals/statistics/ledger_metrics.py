"""What became of the attributes, counted over the conversations of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..records import ConversationRecord, RunSettings

__all__ = ["LEDGER_COUNTS", "ledger_summary", "unclear_notes"]

LEDGER_COUNTS = (
    "attributes",
    "asked",
    "told",
    "declined",
    "does_not_know",
    "lied",
    "changed",
    "leaked",
    "unclear",
    "omitted",
    "given",
    "used",
    "untold",
)
"""Names of the counts, in the order in which people read them."""

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


def ledger_summary(records: Sequence[ConversationRecord], settings: RunSettings) -> dict[str, Any]:
    """Behaviour -> condition -> counts over all attributes of all conversations without an error.

    ``attributes`` counts ledger entries. One entry may count several times: asked, declined and told later. ``told`` is
    what the text of the person says; ``unclear`` and ``omitted`` what they were to say and perhaps or surely did not.
    ``given`` is what the assistant says that its answer had, ``used`` what the text of the answer reflects, ``untold``
    what the assistant holds for known and the person never told (not counted where the condition grants it). Of the
    conversations whose person did not fail, ``due`` counts the values that were given to be told, ``due_unclear`` those
    of which it stayed open whether they were.
    """
    rows: dict[str, Any] = {}
    for behaviour in settings.behaviours:
        own = [r for r in records if r.behaviour == behaviour and r.error is None]
        rows[behaviour] = {c: _counts([r for r in own if r.condition == c]) for c in settings.conditions}
    return rows


def unclear_notes(summary: Mapping[str, Any]) -> tuple[str, ...]:
    """A sentence for each condition of ``summary`` in which more than a fifth of what the people were to tell stayed
    unclear."""
    notes = []
    for condition in summary["conditions"]:
        rows = [by_condition[condition] for by_condition in summary["ledger"].values()]
        due, unclear = (sum(row[name] for row in rows) for name in ("due", "due_unclear"))
        if unclear > _MANY_UNCLEAR * due:
            notes.append(
                f"{condition}: of {due} values that the simulated people were to tell, code cannot see whether "
                f"{unclear} were told. Settle them with --check-users, or read the conversations."
            )
    return tuple(notes)


_MANY_UNCLEAR = 0.2


def _counts(records: Sequence[ConversationRecord]) -> dict[str, int]:
    counts: Counter[str] = Counter()
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
    return {name: counts[name] for name in (*LEDGER_COUNTS, "due", "due_unclear")}
