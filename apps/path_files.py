"""Files of planned paths: our JSON lines, in and out, and the authors' ``MCTS_path.csv`` (5.3).

The JSON lines are the source of truth: an index is rebuilt from them.
"""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..domains import DataError, DomainPack, UnknownNameError, fold
from ..simulators.datasets import Place, Report, guess_domain, read_csv_rows, read_json_lines
from ..simulators.storage import atomic_text
from ..vectorstore import PathStore, PlannedPath, add_in_batches

__all__ = ["PUBLISHED", "UNKNOWN", "ImportSummary", "import_paths", "path_line", "read_paths", "write_paths"]

PUBLISHED = "published-mcts"
"""The planner of a path that was read from a published file."""
UNKNOWN = "unknown"
"""The model and judge of such a path: the published files do not name them."""

_LONGEST_LIST = 10_000  # characters; Python's parser needs stack and memory for nested text
_QUERY = ("userquery", "query")
_PATH = ("bestpath", "path")


@dataclass(frozen=True)
class ImportSummary:
    """What an import did, in paths."""

    added: int
    replaced: int
    unchanged: int


def path_line(path: PlannedPath) -> str:
    """``path`` as one line of JSON, in ASCII: reading it gives an equal path, and writing that the same line."""
    return json.dumps(path.model_dump(), allow_nan=False) + "\n"


def write_paths(paths: Iterable[PlannedPath], out: Path) -> int:
    """Write ``paths`` as JSON lines; how many. A reader sees the old file or the new one. Raises ``OSError``."""
    count = 0
    with atomic_text(out) as file:
        for path in paths:
            file.write(path_line(path))
            count += 1
    return count


def read_paths(file: Path, pack: DomainPack, report: Report, *, domain: str | None = None) -> list[PlannedPath]:
    """The paths of ``file``: the published CSV where its name ends in .csv, else our JSON lines. No text is executed.

    Args:
        report: takes each problem, with its line. What is returned leaves those rows out.
        domain: of the queries of a published file, which names none; None: guessed from the words (``guess_domain``).

    Raises:
        DataError: the file as a whole cannot be read.
        UnknownNameError: ``domain`` is none of the pack.
    """
    chosen = None if domain is None else pack.domain(domain).name
    rows = _published(file, pack, report, chosen) if file.suffix.lower() == ".csv" else _ours(file, pack, report)
    found: dict[str, tuple[Place, PlannedPath]] = {}
    for place, path in rows:
        earlier = found.setdefault(path.id, (place, path))
        if earlier[1] != path:
            report(
                place.error(None, f"has another path for the same query, domain and scenario as line {earlier[0].line}")
            )
    return [path for _, path in found.values()]


def import_paths(
    store: PathStore, paths: Iterable[PlannedPath], *, on_progress: Callable[[int, int], None]
) -> ImportSummary:
    """Put ``paths`` into ``store``, in batches. What is there already and equal costs no embedding."""
    held = {path.id: path for path in store.paths()}
    new = [path for path in paths if held.get(path.id) != path]
    replaced = sum(path.id in held for path in new)
    given = {path.id for path in new}
    unchanged = sum(path.id not in given for path in paths)
    add_in_batches(store, new, on_progress=on_progress)
    return ImportSummary(added=len(new) - replaced, replaced=replaced, unchanged=unchanged)


# ---- our JSON lines ------------------------------------------------------------------------------------------------


def _ours(file: Path, pack: DomainPack, report: Report) -> Iterator[tuple[Place, PlannedPath]]:
    for place, record in read_json_lines(file, report):
        try:
            path = _checked(PlannedPath.model_validate(record), pack)
        except ValidationError as error:
            first = error.errors(include_input=False)[0]
            field = ".".join(map(str, first["loc"])) or None
            report(place.error(field, first["msg"].removeprefix("Value error, ")))
        except UnknownNameError as error:
            report(place.error("path", str(error)))
        else:
            yield place, path


def _checked(path: PlannedPath, pack: DomainPack) -> PlannedPath:
    # Paths of other packs, and of other versions of this one, may know other attributes.
    if (path.pack, path.pack_version) == (pack.name, pack.version):
        for attribute in path.path:
            pack.attribute(attribute)
    return path


# ---- the published CSV ---------------------------------------------------------------------------------------------


def _published(file: Path, pack: DomainPack, report: Report, domain: str | None) -> Iterator[tuple[Place, PlannedPath]]:
    seen: dict[str, list[tuple[str, ...]]] = {}
    rows = 0
    for place, row in read_csv_rows(file, report):
        rows += 1
        cells = {fold(name): cell for name, cell in row.items()}
        query, listed = (next((cells[n] for n in names if n in cells), None) for names in (_QUERY, _PATH))
        if query is None or listed is None:
            raise DataError(file, 1, None, "has no columns 'User Query' and 'Best Path', so it is not an MCTS_path.csv")
        try:
            path = _attributes(listed, place, pack)
            if not query.strip():
                raise place.error("User Query", "is empty")
        except DataError as error:
            report(error)
            continue
        # One query of several people is several paths; the file names no people, so they are counted.
        paths = seen.setdefault(query, [])
        if path not in paths:
            paths.append(path)
        number = paths.index(path)
        yield place, _imported(query, path, f"{number + 1}" if number else "", pack, domain)
    if not rows:
        report(DataError(file, None, None, "holds no paths"))


def _imported(query: str, path: tuple[str, ...], scenario_id: str, pack: DomainPack, domain: str | None) -> PlannedPath:
    return PlannedPath(
        query=query,
        domain=domain or guess_domain("", query, pack),
        path=path,
        score=None,
        evaluations=0,
        planner=PUBLISHED,
        model=UNKNOWN,
        judge=UNKNOWN,
        pack=pack.name,
        pack_version=pack.version,
        scenario_id=scenario_id,
    )


def _attributes(cell: str, place: Place, pack: DomainPack) -> tuple[str, ...]:
    """The attribute ids of ``"['Age', 'Gender']"``, a list of texts as Python writes it."""
    names = _literal(cell)
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise place.error("Best Path", "must be a list of attribute names, such as ['Age','Gender']")
    if not names:
        raise place.error("Best Path", "is empty")
    ids: list[str] = []
    for name in names:
        attribute = pack.attribute_named(name)
        if attribute is None:
            known = [a.label for a in pack.attributes]
            raise place.error("Best Path", str(UnknownNameError("attribute", name, known)))
        if attribute in ids:
            raise place.error("Best Path", f"repeats {name!r}")
        ids.append(attribute)
    return tuple(ids)


def _literal(cell: str) -> Any:
    """The value of a Python literal, None if it is none. ``literal_eval`` builds values only: it calls nothing."""
    if len(cell) > _LONGEST_LIST:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about escapes such as \d, which mean nothing here
        try:
            return ast.literal_eval(cell.strip())
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return None
