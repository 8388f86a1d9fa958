"""Scenarios as CSV: one row a scenario, our field names and the attributes as columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...domains import DomainPack, Scenario, UnknownNameError, fold
from .file_records import Place, Report, read_csv_rows, refuse
from .scenario_fields import OWN_FIELDS, scenario_of

__all__ = ["csv_columns", "csv_row", "csv_scenarios"]

_PREFIX = "profile."
_FIELDS = tuple(name for name in OWN_FIELDS if name != "profile")
_TITLES = ("scenario",)
"""Other names for the title, as in the published files."""


def csv_columns(pack: DomainPack) -> tuple[str, ...]:
    """The columns that are written: the attributes of ``pack`` stand where the profile would.

    An attribute whose id is the name of a field is written as ``profile.<id>``.
    """
    attributes = tuple(_PREFIX + a if a in OWN_FIELDS else a for a in pack.attribute_ids)
    place = OWN_FIELDS.index("profile")
    return (*_FIELDS[:place], *attributes, *_FIELDS[place:])


def csv_row(scenario: Scenario, pack: DomainPack) -> list[str]:
    """The cells of one scenario in the order of ``csv_columns``; empty is unknown, "None" stays "None"."""
    fields: dict[str, Any] = {name: getattr(scenario, name) for name in _FIELDS}
    attributes = {(_PREFIX + a if a in OWN_FIELDS else a): scenario.profile.get(a) for a in pack.attribute_ids}
    cells = {**fields, **attributes}
    return [cells[name] or "" for name in csv_columns(pack)]


def csv_scenarios(
    file: Path, pack: DomainPack, *, domain: str | None = None, report: Report = refuse
) -> Iterator[tuple[Place, Scenario]]:
    """The scenarios of a CSV file, one at a time, each with the line on which its row begins.

    Columns in any order and any spelling of the attributes ("Past Self-Harm History"); ``profile.age`` is ``age``. A
    row without an id gets one from the file's name and its line. An empty cell is a field that is not given.
    """
    known = _FIELDS + tuple(pack.attribute_ids)
    reported: set[str] = set()
    for place, row in read_csv_rows(file, report):
        record: dict[str, Any] = {}
        profile: dict[str, str] = {}
        for name, cell in row.items():
            field, attribute = _field(name), pack.attribute_named(name.removeprefix(_PREFIX))
            if not name:
                continue  # reported, as what the header has no name for
            if field is not None and field not in record and not name.startswith(_PREFIX):
                record[field] = cell or None
            elif field is None and attribute is not None and attribute not in profile:
                profile[attribute] = cell
            elif name not in reported:  # once for the file: every row has this column
                reported.add(name)
                again = f"gives {field or attribute!r} again" if field or attribute else ""
                report(Place(file, 1).error(name, again or str(UnknownNameError("column", name, known))))
        record["profile"] = profile
        record["id"] = record.get("id") or f"{file.stem}-{place.line:05d}"
        record = {key: value for key, value in record.items() if value is not None}
        scenario = scenario_of(record, place, pack, domain=domain, report=report)
        if scenario is not None:
            yield place, scenario


def _field(name: str) -> str | None:
    folded = fold(name)
    return "title" if folded in _TITLES else folded if folded in _FIELDS else None
