"""Write scenarios: our JSON lines, CSV, the authors' published pair, the public data set's layout.

Every writer takes an iterable and keeps one record in memory. What it writes appears under its name complete, or not at
all: it is written beside it and renamed. A name that exists is refused.
"""

from __future__ import annotations

import csv
import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Literal, cast, get_args

from ...domains import DomainPack, InputError, Scenario, UnknownNameError
from ..storage import atomic_folder, atomic_text
from .csv_format import csv_columns, csv_row
from .published_format import SYNTHETIC_SOURCE, synthetic_id
from .scenario_fields import EXTRA, REAL_SOURCE, extra_fields, real_source, storable

__all__ = [
    "Format",
    "checked_format",
    "format_of",
    "json_line",
    "refuse_existing",
    "replace_scenarios",
    "scenario_record",
    "write_scenarios",
]

Format = Literal["jsonl", "csv", "published", "public"]

PROFILES_FILE = "ordered_scenario_generated_data_profiles.json"
QUERIES_FILE = "ordered_user_generated_queries.json"
_UNKNOWN = "Not specified"
_SUFFIXES: Mapping[str, Format] = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv"}


def write_scenarios(
    scenarios: Iterable[Scenario], out: str | Path, pack: DomainPack, *, to: Format | None = None
) -> Counter[str]:
    """Write ``scenarios`` to ``out``, and count them.

    Args:
        out: a file for "jsonl" and "csv", a folder for "published" and "public"; its parent folders are made.
        to: the format; None: what the name of ``out`` says (``format_of``).

    Returns:
        ``"scenarios"``; and ``"declined"``: how many had attributes that the person declined to tell, for which no
        format has a place.

    Raises:
        InputError: ``out`` exists, or a name does not say which format.
        OSError: it cannot be written; nothing is left of it.
        whatever ``scenarios`` raises; nothing is left of ``out`` then.
    """
    path = Path(out)
    refuse_existing(path)
    return _write(scenarios, path, pack, to or format_of(out))


def replace_scenarios(scenarios: Iterable[Scenario], out: str | Path, pack: DomainPack) -> Counter[str]:
    """The same for a file that may exist: a reader sees the old one or the new one. For runs that go on."""
    return _write(scenarios, Path(out), pack, format_of(out))


def _write(scenarios: Iterable[Scenario], path: Path, pack: DomainPack, chosen: Format) -> Counter[str]:
    counted: Counter[str] = Counter()
    stream = _counted(scenarios, counted)
    if chosen in ("jsonl", "csv"):
        with atomic_text(path) as file:
            if chosen == "jsonl":
                file.writelines(json_line(scenario_record(s)) for s in stream)
            else:
                table = csv.writer(file)  # CRLF: then a lone CR inside a cell is quoted too
                table.writerow(csv_columns(pack))
                table.writerows(map(storable, csv_row(s, pack)) for s in stream)
    else:
        with atomic_folder(path) as folder:
            (_published if chosen == "published" else _public)(stream, folder, pack)
    return counted


def format_of(out: str | Path) -> Format:
    """The format that the name of ``out`` says: ``.jsonl`` or ``.csv``. Raises ``InputError`` for any other."""
    suffix = Path(out).suffix.lower()
    if suffix not in _SUFFIXES:
        raise InputError(f"{out}: the format is not clear from the name; end it in .jsonl or .csv, or name the format")
    return _SUFFIXES[suffix]


def checked_format(name: str) -> Format:
    """``name`` as a format. Raises ``UnknownNameError`` with the nearest."""
    if name not in get_args(Format):
        raise UnknownNameError("format", name, get_args(Format))
    return cast("Format", name)


def refuse_existing(out: Path) -> None:
    """Raise ``InputError`` if there is something at ``out``."""
    if out.exists() or out.is_symlink():
        raise InputError(f"{out}: already exists and is not overwritten; choose another name or remove it")


def scenario_record(scenario: Scenario) -> dict[str, Any]:
    """A scenario as ``load_scenarios`` reads it; fields that are not given are left out."""
    fields = {name: getattr(scenario, name) for name in type(scenario).model_fields}
    return {k: dict(v.items()) if k == "profile" else v for k, v in fields.items() if k == "profile" or v}


def json_line(record: Mapping[str, Any]) -> str:
    """``record`` as one line that can be written, whatever text is in it; NaN is refused."""
    return storable(json.dumps(record, ensure_ascii=False, allow_nan=False)) + "\n"


def _counted(scenarios: Iterable[Scenario], counted: Counter[str]) -> Iterator[Scenario]:
    for scenario in scenarios:
        counted["scenarios"] += 1
        if scenario.profile.declined:
            counted["declined"] += 1
        yield scenario


def _published(scenarios: Iterable[Scenario], folder: Path, pack: DomainPack) -> None:
    """The authors' two files (A.3): neighbours with one title and profile become one profile with several queries.

    What has no place in them stands under a key of our own, ``EXTRA``, one object for each query.
    """

    def person(scenario: Scenario) -> dict[str, str]:
        values = {a.label: scenario.profile.get(a.id) or _UNKNOWN for a in pack.attributes}
        return {"Scenario": scenario.title, "Domain": scenario.domain, **values}

    with _json_array(folder / PROFILES_FILE) as profiles, _json_array(folder / QUERIES_FILE) as queries:
        for number, (here, group) in enumerate(itertools.groupby(scenarios, person), start=1):
            texts: list[str] = []
            extras: list[dict[str, str]] = []
            for position, scenario in enumerate(group, start=1):
                as_read = {"id": synthetic_id(number, position), "source": SYNTHETIC_SOURCE}
                texts.append(scenario.query)
                extras.append(extra_fields(scenario, as_read))
            profiles(here)
            more = {EXTRA: extras} if any(extras) else {}
            queries({"Scenario": here["Scenario"], "User_Profile": here, "Queries": texts, **more})


Put = Callable[[Mapping[str, Any]], None]


def _public(scenarios: Iterable[Scenario], folder: Path, pack: DomainPack) -> None:
    """``data/real_data/<domain>/posts.json``, with what the original has not, where it is known: the self-harm history,
    and under ``EXTRA`` our other fields."""
    names = {d: re.sub(r"[^\w -]", "_", d.lower()) for d in pack.domain_names}
    with _OpenArrays(folder / "data" / "real_data") as files:
        for scenario in scenarios:
            record: dict[str, Any] = {
                "id": scenario.id,
                "query": scenario.query,
                "background": scenario.background,
                "scenario": scenario.title,
                **{a: scenario.profile.get(a) or _UNKNOWN for a in pack.attribute_ids if a != "self_harm_history"},
            }
            if history := scenario.profile.get("self_harm_history"):
                record["self_harm_history"] = history
            head, _, subreddit = scenario.source.partition(f"{REAL_SOURCE}:")
            record["subreddit"] = "" if head else subreddit.removeprefix("r/")
            source = real_source(record["subreddit"])
            as_read = {"id": scenario.id, "background": scenario.background, "source": source}
            if extra := extra_fields(scenario, as_read):
                record[EXTRA] = extra
            if names[scenario.domain] != scenario.domain.lower():
                record["domain"] = scenario.domain
            files.put(names[scenario.domain], record)


class _OpenArrays:
    """One JSON array for each domain, all open at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._arrays: dict[str, _Array] = {}

    def put(self, domain: str, record: Mapping[str, Any]) -> None:
        if domain not in self._arrays:
            target = self._folder / domain
            target.mkdir(parents=True)
            self._arrays[domain] = _Array((target / "posts.json").open("w", encoding="utf-8"))
        self._arrays[domain].put(record)

    def __enter__(self) -> _OpenArrays:
        return self

    def __exit__(self, *_: object) -> None:
        for array in self._arrays.values():
            array.close()


class _Array:
    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._before = "[\n"

    def put(self, record: Mapping[str, Any]) -> None:
        self._file.write(self._before + json_line(record).rstrip("\n"))
        self._before = ",\n"

    def close(self) -> None:
        with self._file:
            self._file.write("[]\n" if self._before == "[\n" else "\n]\n")


@contextmanager
def _json_array(path: Path) -> Iterator[Put]:
    array = _Array(path.open("w", encoding="utf-8"))
    try:
        yield array.put
    finally:
        array.close()
