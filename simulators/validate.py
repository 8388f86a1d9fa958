"""Check a data file as a whole: every problem with its line and field, and what the file holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pydantic import Field

from ..domains.errors import DataError
from ..domains.pack import DomainPack
from ..domains.scenario import Scenario
from ..domains.value import Value
from .constraints import broken_constraints
from .datasets import iter_scenarios
from .drafts import Draft, iter_drafts
from .reading import Place, Report, read_json_lines
from .records import is_draft
from .tables import SamplingTables

__all__ = ["Checked", "holds_drafts", "validate_data"]


class Checked(Value):
    """What a file or folder holds.

    Attributes:
        scenarios: those without a problem.
        profiles: the same, where the file holds profiles without queries.
        problems: how many there are.
        counts: "domain", "risk", "split" -> value -> how many; "known" -> attribute -> in how many it is known.
    """

    scenarios: int = 0
    profiles: int = 0
    problems: int = 0
    counts: dict[str, dict[str, int]] = Field(default_factory=dict)


def validate_data(
    path: str | Path,
    pack: DomainPack,
    *,
    tables: SamplingTables | None = None,
    domain: str | None = None,
    on_problem: Callable[[DataError], None],
) -> Checked:
    """Read everything in ``path`` and give every problem to ``on_problem`` as it is found.

    Args:
        tables: with them, profiles that break a constraint are problems too.
        domain: for records that name none.

    Raises:
        DataError: the file cannot be read at all.
    """
    counts: dict[str, Counter[str]] = {name: Counter() for name in ("domain", "risk", "split", "known")}
    found = {"scenarios": 0, "profiles": 0, "problems": 0}

    def report(error: DataError) -> None:
        found["problems"] += 1
        on_problem(error)

    def note(item: Scenario | Draft) -> None:
        counts["domain"][item.domain] += 1
        counts["known"].update(item.profile.known)
        if isinstance(item, Scenario):
            counts["risk"][item.risk or "not given"] += 1
            counts["split"][item.split or "not given"] += 1

    file = Path(path)
    try:
        if holds_drafts(file):
            for place, draft in iter_drafts(file, pack, report=report):
                if _keeps(draft, place, tables, report):
                    found["profiles"] += 1
                    note(draft)
        else:
            for place, scenario in iter_scenarios(file, pack, domain=domain, report=report):
                if _keeps(scenario, place, tables, report):
                    found["scenarios"] += 1
                    note(scenario)
    except DataError as error:
        if error.line is None and error.field is None and not any(found.values()):
            raise
        report(error)
    return Checked(**found, counts={name: dict(counter) for name, counter in counts.items() if counter})


def holds_drafts(file: Path) -> bool:
    """Whether the first record of a JSON-lines file is a profile without a query."""
    if file.suffix.lower() not in (".jsonl", ".ndjson") or not file.is_file():
        return False
    return is_draft(next(_records(file), None))


def _records(file: Path) -> Iterator[Any]:
    yield from (record for _, record in read_json_lines(file, lambda error: None))


def _keeps(item: Scenario | Draft, place: Place, tables: SamplingTables | None, report: Report) -> bool:
    """Whether a record keeps the constraints; those that it breaks are reported."""
    if tables is None:
        return True
    listed = tables.title(item.domain, item.title) if item.title else None
    tone = item.tone if isinstance(item, Draft) else listed.tone if listed else None
    broken = broken_constraints(item.profile, tables, tone)
    for constraint in broken:
        report(place.error(f"profile.{constraint.field}", f"breaks {constraint.name}: {constraint.why}"))
    return not broken
