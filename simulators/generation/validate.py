"""Check a data file as a whole: every problem with its line and field, and what the file holds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pydantic import Field

from ...domains import DataError, DomainPack, Profile, Scenario, Value
from ..datasets import Place, Report, is_draft, iter_scenarios, read_json_lines
from .constraints import broken_constraints
from .drafts import Draft, iter_drafts
from .tables import SamplingTables

__all__ = ["Checked", "holds_drafts", "validate_data"]


class Checked(Value):
    """What a file or folder holds.

    Attributes:
        scenarios: those without a problem.
        profiles: the same, where the file holds profiles without queries.
        problems: how many there are.
        warnings: how many things are possible, and probably not meant.
        counts: "domain", "risk", "split" -> value -> how many; "known" -> attribute -> in how many it is known.
    """

    scenarios: int = 0
    profiles: int = 0
    problems: int = 0
    warnings: int = 0
    counts: dict[str, dict[str, int]] = Field(default_factory=dict)


def validate_data(
    path: str | Path,
    pack: DomainPack,
    *,
    tables: SamplingTables | None = None,
    domain: str | None = None,
    on_problem: Callable[[DataError], None],
    on_warning: Callable[[DataError], None] = lambda warning: None,
) -> Checked:
    """Read everything in ``path`` and give every problem to ``on_problem`` as it is found.

    What is valid and probably not meant goes to ``on_warning``: a profile in which nothing is known, and a bare number
    for an attribute among whose values in the pack no digit stands. Other values that the pack does not list are free
    text, as anybody may answer; with ``tables`` they are problems.

    Args:
        tables: with them, profiles that break a constraint are problems too.
        domain: for records that name none.

    Raises:
        DataError: the file cannot be read at all.
    """
    counts: dict[str, Counter[str]] = {name: Counter() for name in ("domain", "risk", "split", "known")}
    found = {"scenarios": 0, "profiles": 0, "problems": 0, "warnings": 0}

    def report(error: DataError) -> None:
        found["problems"] += 1
        on_problem(error)

    def note(item: Scenario | Draft, place: Place) -> None:
        for field, warning in _doubts(item.profile, pack):
            found["warnings"] += 1
            on_warning(place.error(field, warning))
        counts["domain"][item.domain] += 1
        counts["known"].update(item.profile.known)
        if isinstance(item, Scenario):
            counts["risk"][item.risk or "not given"] += 1
            counts["split"][item.split or "not given"] += 1

    file = Path(path)
    try:
        drafts = holds_drafts(file)
        items: Iterator[tuple[Place, Scenario | Draft]] = (
            iter_drafts(file, pack, report=report)
            if drafts
            else iter_scenarios(file, pack, domain=domain, report=report)
        )
        for place, item in items:
            if _keeps(item, place, tables, report):
                found["profiles" if drafts else "scenarios"] += 1
                note(item, place)
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


def _doubts(profile: Profile, pack: DomainPack) -> Iterator[tuple[str, str]]:
    if not profile.known:
        yield "profile", "is empty: nothing is known of this person"
    for name, value in profile.items():
        values = pack.attribute(name).values
        if values and re.fullmatch(r"[\d.,]+", value) and not any(c.isdigit() for v in values for c in v):
            yield f"profile.{name}", f"is a number, and none of its values is: {', '.join(values)}"


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
