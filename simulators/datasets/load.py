"""Load scenarios: our own JSON lines or CSV, the authors' files, the public data set, or the packaged ones."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ...domains import DataError, DomainPack, Scenario, Split, get_pack
from .csv_format import csv_scenarios
from .domain_guess import guess_domain
from .file_records import Place, Report, read_json_lines, refuse, stream_json_items
from .published_format import is_queries, published_scenarios
from .scenario_fields import checked_domain, is_post, is_profile, post_scenario, scenario_of

__all__ = ["PACKAGED_FILE", "iter_scenarios", "load_scenarios", "packaged_scenarios"]

PACKAGED_FILE = Path(__file__).with_name("data") / "penguin_mini.jsonl"
"""The scenarios that come with the project."""
_LINES = (".jsonl", ".ndjson")
_TABLES = (".csv", ".tsv")
_POSTS = "posts.json"
_LOOKED_AT = 20  # elements of a JSON array that decide what it holds
_MOST_FILES = 1 << 16  # of one folder

Found = Iterator[tuple[Place, Scenario]]


def load_scenarios(
    path: str | Path, pack: DomainPack, *, domain: str | None = None, queries: str | Path | None = None
) -> list[Scenario]:
    """The scenarios in a file or folder, in its order: a list of what ``iter_scenarios`` gives.

    Raises:
        DataError: names the file, the line and the field of the first problem.
        UnknownNameError: ``domain`` is no domain of the pack.
    """
    return [scenario for _, scenario in iter_scenarios(path, pack, domain=domain, queries=queries)]


def iter_scenarios(
    path: str | Path,
    pack: DomainPack,
    *,
    domain: str | None = None,
    queries: str | Path | None = None,
    report: Report = refuse,
) -> Iterator[tuple[Place, Scenario]]:
    """The scenarios in a file or folder, one at a time, each with its place.

    Recognised by content:

    * our JSON lines, one scenario a line (``id domain title query profile source split pair risk country background``;
      ``id``, ``domain``, ``query`` and ``profile`` are required);
    * CSV with the same names as columns, and one column for each attribute (``csv_scenarios``);
    * the authors' profiles file and queries file, either of them or their folder;
    * ``posts.json`` of the public data set, or a folder at any height above it. The domain is the record's, else that
      of the folder it stands in;
    * a folder with several of these (but CSV): all of them.

    JSON lines, CSV and the public data set are streamed: memory holds one record, and 100 bytes for each id.

    Args:
        pack: the attributes and domains that may occur.
        domain: for records that name none. Without it the synthetic published files, and posts in a folder that is no
            domain, get the pack's domain whose words are nearest (``guess_domain``): a guess, not a fact.
        queries: the queries file for a published profiles file, where it is not the only one beside it.
        report: takes every problem. With ``refuse`` the first one is raised; otherwise the records that have one are
            left out. An id that comes twice is one, and so is a file without scenarios.

    Raises:
        DataError: a problem, with ``refuse``; a file that cannot be opened, always.
        UnknownNameError: ``domain`` is no domain of the pack.
    """
    source = Path(path)
    given = None if domain is None else pack.domain(domain).name
    refused = 0

    def count(error: DataError) -> None:
        nonlocal refused
        refused += 1
        report(error)

    loader = _Loader(pack, given, None if queries is None else Path(queries), count)
    ids = _Ids()
    for place, scenario in loader.read(source):
        if first := ids.earlier(scenario.id, place):
            count(place.error("id", f"{scenario.id!r} was used before ({first}); every id must be unique"))
        else:
            yield place, scenario
    if not ids and not refused:
        report(DataError(source, None, None, "holds no scenarios"))


def packaged_scenarios(pack: DomainPack | None = None, split: Split | None = None) -> list[Scenario]:
    """The 140 scenarios that come with the project, 20 a domain; ``split`` chooses those for planning or evaluation.

    No query stands on both sides of the split. Needs the ``penguin`` pack, or one with its attributes and domains.
    """
    scenarios = load_scenarios(PACKAGED_FILE, pack or get_pack("penguin"))
    return [s for s in scenarios if split is None or s.split == split]


class _Ids:
    """The ids so far and where they stand, in few bytes each: a data set may have many."""

    def __init__(self) -> None:
        self._files: list[Path] = []
        self._at: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._at)

    def earlier(self, scenario_id: str, place: Place) -> str:
        """Where this id was used before; empty if it is new, and then it is noted."""
        if not self._files or self._files[-1] != place.file:
            self._files.append(place.file)
        there = self._at.get(scenario_id)
        if there is None:
            self._at[scenario_id] = (place.line or 0) * _MOST_FILES + (len(self._files) - 1) % _MOST_FILES
            return ""
        file = self._files[there % _MOST_FILES]
        return f"line {there // _MOST_FILES}" if file == place.file else str(file)


class _Loader:
    def __init__(self, pack: DomainPack, domain: str | None, queries: Path | None, report: Report) -> None:
        self._pack, self._domain, self._queries, self._report = pack, domain, queries, report

    def _guess(self, title: str, query: str) -> str:
        return guess_domain(title, query, self._pack)

    def read(self, path: Path) -> Found:
        if path.is_dir():
            yield from self._folder(path)
        elif path.suffix.lower() in _LINES:
            yield from self._lines(path)
        elif path.suffix.lower() in _TABLES:
            yield from csv_scenarios(path, self._pack, domain=self._domain, report=self._report)
        elif path.suffix.lower() == ".json" or not path.exists():
            yield from self._json(path)
        else:
            raise DataError(path, None, None, "cannot hold scenarios; give a .jsonl, .csv or .json file, or a folder")

    def _folder(self, folder: Path) -> Found:
        try:
            lines = sorted(f for f in folder.iterdir() if f.suffix.lower() in _LINES)
        except OSError as error:
            raise DataError(folder, None, None, f"cannot be read ({error.strerror or error})") from error
        queries = self._beside(folder, "quer")
        posts = sorted(folder.rglob(_POSTS))
        if not (lines or queries or posts):
            raise DataError(
                folder,
                None,
                None,
                f"contains nothing usable: no .jsonl, no published queries file, no {_POSTS} below it",
            )
        for file in lines:
            yield from self._lines(file)
        for file in queries:
            yield from self._pair(file, self._beside(folder, "profile"))
        for file in posts:
            yield from self._posts(file, stream_json_items(file, self._report))

    def _lines(self, file: Path) -> Found:
        for place, record in read_json_lines(file, self._report):
            if is_post(record, self._pack):
                scenario = self._post(record, place, f"{file.stem}-{place.line:04d}", self._domain)
            else:
                scenario = scenario_of(record, place, self._pack, domain=self._domain, report=self._report)
            if scenario is not None:
                yield place, scenario

    def _json(self, file: Path) -> Found:
        items = stream_json_items(file, self._report)
        head = list(itertools.islice(items, _LOOKED_AT))
        records = [record for _, record in head]
        if head and all(is_profile(r, self._pack) for r in records):
            candidates = [self._queries] if self._queries else self._beside(file.parent, "quer")
            if len(candidates) != 1:
                raise DataError(
                    file,
                    None,
                    None,
                    f"holds profiles, and there are {len(candidates)} queries files beside it; name one",
                )
            yield from self._pair(candidates[0], [file])
        elif is_queries(head, self._pack):
            yield from self._pair(file, self._beside(file.parent, "profile"))
        elif records and all(isinstance(r, dict) and "profile" in r for r in records):
            for place, record in itertools.chain(head, items):
                found = scenario_of(record, place, self._pack, domain=self._domain, report=self._report)
                if found is not None:
                    yield place, found
        elif records and any(is_post(r, self._pack) for r in records):
            yield from self._posts(file, itertools.chain(head, items))
        else:
            self._report(
                DataError(
                    file, None, None, "contains nothing in a known shape: no scenarios, profiles, queries or posts"
                )
            )

    def _pair(self, queries: Path, profiles: list[Path]) -> Found:
        if len(profiles) > 1:
            names = ", ".join(p.name for p in profiles)
            raise DataError(
                queries, None, None, f"there are several profiles files beside it ({names}); load one by its name"
            )
        yield from published_scenarios(
            queries,
            profiles[0] if profiles else None,
            self._pack,
            domain=self._domain,
            guess=self._guess,
            report=self._report,
        )

    def _posts(self, file: Path, items: Iterable[tuple[Place, Any]]) -> Found:
        domain = self._folder_domain(file)
        prefix = f"real-{(domain or file.parent.name).lower()}"
        for number, (place, record) in enumerate(items, start=1):
            scenario = self._post(record, place, f"{prefix}-{number:05d}", domain or self._domain)
            if scenario is not None:
                yield place, scenario

    def _post(self, record: object, place: Place, default_id: str, domain: str | None) -> Scenario | None:
        return post_scenario(
            record,
            place,
            self._pack,
            default_id=default_id,
            domain=domain,
            guess=self._guess,
            report=self._report,
        )

    def _folder_domain(self, file: Path) -> str | None:
        """The domain that the folder of a ``posts.json`` names; in the public layout it must name one."""
        name = file.resolve().parent.name
        for known in self._pack.domain_names:
            if known.casefold() == name.casefold():
                return known
        if file.resolve().parent.parent.name.casefold() == "real_data" and self._domain is None:
            checked_domain(name, Place(file), self._pack)
        return None

    @staticmethod
    def _beside(folder: Path, word: str) -> list[Path]:
        return sorted(f for f in folder.glob("*.json") if word in f.name.lower())
