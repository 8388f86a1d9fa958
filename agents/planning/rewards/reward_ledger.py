"""What was paid for, on disk: scores of attribute sets and rankings of attributes, so that nothing is bought twice.

A row is committed before anything uses it. It holds digests, attribute ids and numbers: no query and no person's value.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field

from ....domains import Value
from ....models import Usage
from .lesson import Lesson

__all__ = ["Costs", "Entry", "LedgerUnusable", "Recipe", "RewardLedger", "digest"]

_SCHEMA = 3
_WAIT = 60.0  # seconds for another process's commit, each of which takes well below one
_TABLES = """
CREATE TABLE IF NOT EXISTS recipe (
    id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, content TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS entry (
    recipe INTEGER NOT NULL REFERENCES recipe (id),
    scenario TEXT NOT NULL,
    item TEXT NOT NULL,
    draw INTEGER NOT NULL,
    value TEXT NOT NULL,
    calls INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    seconds REAL NOT NULL,
    PRIMARY KEY (recipe, scenario, item, draw)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS unfinished (plan TEXT PRIMARY KEY) WITHOUT ROWID;
DROP TABLE IF EXISTS lesson;
CREATE TABLE lesson (
    recipe INTEGER NOT NULL REFERENCES recipe (id),
    domain TEXT NOT NULL,
    scenario TEXT NOT NULL,
    settings TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (recipe, domain, scenario, settings)
) WITHOUT ROWID;
"""


class LedgerUnusable(OSError):
    """The ledger cannot be opened, read or written. Names the file and what to do.

    No ``AskfirstError``: a planner leaves out an evaluation that raises one, and would go on to spend what is not kept.
    """

    def __init__(self, path: Path | None, problem: str) -> None:
        self.path, self.problem = path, problem
        super().__init__(f"{path or 'the ledger in memory'}: {problem}")


class Recipe(Value):
    """Everything besides scenario and set that a value depends on: with another recipe, other values."""

    kind: Literal["reward", "ranking"]
    models: dict[str, str] = Field(description="Role -> model, such as agent: openai:gpt-4o-mini.")
    prompts: dict[str, str] = Field(default_factory=dict, description="Prompt -> hash.")
    sampling: dict[str, dict[str, float | int | None]] = Field(default_factory=dict, description="Role -> sampling.")
    pack: str = Field(description="Name, version and digest of the domain pack.")

    @property
    def digest(self) -> str:
        """32 hex digits, the same in every process."""
        return digest(self.model_dump(mode="json"))


@dataclass(frozen=True)
class Entry:
    """What is kept: a score, or attribute -> probability; what it cost, and how many seconds it took."""

    value: Any
    usage: Usage
    seconds: float


@dataclass(frozen=True)
class Costs:
    """What the finished entries of a recipe cost.

    Attributes:
        count: how many there are.
        total: their usage.
        most_tokens: input and output tokens of the dearest one.
    """

    count: int
    total: Usage
    most_tokens: int


class RewardLedger:
    """An SQLite file of ``Entry`` by recipe, scenario, item and draw. Made on first use; ``None`` keeps all in memory.

    Any number of threads and processes may use one file at a time, on a local disk: it runs in WAL mode. Where two of
    them pay for the same at the same moment, the first commit stands and both get its value. What was committed
    survives the end of the process, ``kill -9`` included; after a power failure the last moments may be missing.

    Raises, at any time:
        LedgerUnusable: the file is none of ours, from a newer version, locked, or cannot be read or written.
    """

    def __init__(self, path: str | Path | None) -> None:
        self.path = Path(path) if path is not None else None
        self._lock = threading.RLock()
        self._ids: dict[str, int] = {}
        with self._told():
            if self.path is not None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(
                str(self.path or ":memory:"), timeout=_WAIT, isolation_level=None, check_same_thread=False
            )
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    def get(self, recipe: Recipe, scenario: str, item: str, *, draw: int = 0) -> Entry | None:
        """What is kept of ``item`` for the scenario with the digest ``scenario``, None if nothing is."""
        with self._told():
            row = self._db.execute(
                "SELECT value, calls, input_tokens, output_tokens, seconds FROM entry"
                " WHERE recipe = (SELECT id FROM recipe WHERE digest = ?) AND scenario = ? AND item = ? AND draw = ?",
                (recipe.digest, scenario, item, draw),
            ).fetchone()
            if row is None:
                return None
            usage = Usage(calls=row[1], input_tokens=row[2], output_tokens=row[3])
            return Entry(value=json.loads(row[0]), usage=usage, seconds=row[4])

    def put(self, recipe: Recipe, scenario: str, item: str, entry: Entry, *, draw: int = 0) -> Entry:
        """Keep ``entry``; when this returns it is committed. Gives what is kept: an earlier entry stays."""
        value = json.dumps(entry.value, allow_nan=False)
        usage = entry.usage
        with self._told():
            # One statement outside of a transaction commits by itself.
            added = self._db.execute(
                "INSERT OR IGNORE INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(self._recipe_id(recipe), scenario, item, draw, value),
                    *(usage.calls, usage.input_tokens, usage.output_tokens, entry.seconds),
                ),
            )
        return entry if added.rowcount else self.get(recipe, scenario, item, draw=draw) or entry

    def items(self, recipe: Recipe, scenario: str) -> list[str]:
        """The item of each entry that is kept of a scenario; one with several draws comes as often."""
        with self._told():
            rows = self._db.execute(
                "SELECT item FROM entry WHERE recipe = (SELECT id FROM recipe WHERE digest = ?) AND scenario = ?",
                (recipe.digest, scenario),
            ).fetchall()
        return [row[0] for row in rows]

    def costs(self, recipe: Recipe) -> Costs:
        """What the entries of ``recipe`` cost so far."""
        with self._told():
            row = self._db.execute(
                "SELECT count(*), total(calls), total(input_tokens), total(output_tokens),"
                " coalesce(max(input_tokens + output_tokens), 0) FROM entry"
                " WHERE recipe = (SELECT id FROM recipe WHERE digest = ?)",
                (recipe.digest,),
            ).fetchone()
        total = Usage(calls=int(row[1]), input_tokens=int(row[2]), output_tokens=int(row[3]))
        return Costs(count=int(row[0]), total=total, most_tokens=int(row[4]))

    def unfinished(self) -> frozenset[str]:
        """Digests of the plans that were cut short, or of which an evaluation failed."""
        with self._told():
            return frozenset(row[0] for row in self._db.execute("SELECT plan FROM unfinished"))

    def mark_unfinished(self, plan: str, unfinished: bool = True) -> None:
        """Note that the plan with this digest is to be made again, or is complete now."""
        statement = (
            "INSERT OR IGNORE INTO unfinished VALUES (?)" if unfinished else "DELETE FROM unfinished WHERE plan = ?"
        )
        with self._told():
            self._db.execute(statement, (plan,))

    def lessons(self, recipe: Recipe, domain: str) -> dict[tuple[str, str], Lesson]:
        """(Digest of the scenario, digest of the settings) -> what planning it measured, in the order of the keys."""
        with self._told():
            rows = self._db.execute(
                "SELECT scenario, settings, value FROM lesson"
                " WHERE recipe = (SELECT id FROM recipe WHERE digest = ?) AND domain = ? ORDER BY scenario, settings",
                (recipe.digest, domain),
            ).fetchall()
            return {(scenario, settings): Lesson.model_validate_json(value) for scenario, settings, value in rows}

    def keep_lesson(self, recipe: Recipe, domain: str, scenario: str, settings: str, lesson: Lesson) -> Lesson:
        """Keep ``lesson``. Gives what is kept: an earlier one stays, since others learned from it."""
        with self._told():
            key = (self._recipe_id(recipe), domain, scenario, settings)
            self._db.execute("INSERT OR IGNORE INTO lesson VALUES (?, ?, ?, ?, ?)", (*key, lesson.model_dump_json()))
            row = self._db.execute(
                "SELECT value FROM lesson WHERE recipe = ? AND domain = ? AND scenario = ? AND settings = ?", key
            ).fetchone()
            return Lesson.model_validate_json(row[0])

    def close(self) -> None:
        """Release the file."""
        with self._lock:
            self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _prepare(self) -> None:
        _patiently(lambda: self._db.execute("PRAGMA journal_mode = WAL"))
        # Enough in WAL mode for the end of a process at any point; FULL would cost a disk flush for each evaluation.
        self._db.execute("PRAGMA synchronous = NORMAL")
        with self._db:  # ends the transaction, either way
            self._db.execute("BEGIN IMMEDIATE")
            version = self._db.execute("PRAGMA user_version").fetchone()[0]
            foreign = version == 0 and self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] > 0
            if foreign or version > _SCHEMA:
                what = "another program's database" if foreign else "written by a newer version of askfirst"
                raise LedgerUnusable(self.path, f"is {what}; name another file with --rewards")
            if version < _SCHEMA:  # later versions brought tables, and another form of lessons
                for statement in _TABLES.split(";"):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA user_version = {_SCHEMA}")

    def _recipe_id(self, recipe: Recipe) -> int:
        key = recipe.digest
        if key not in self._ids:
            content = recipe.model_dump_json()
            self._db.execute("INSERT OR IGNORE INTO recipe (digest, content) VALUES (?, ?)", (key, content))
            row = self._db.execute("SELECT id FROM recipe WHERE digest = ?", (key,)).fetchone()
            self._ids[key] = int(row[0])
        return self._ids[key]

    @contextmanager
    def _told(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except sqlite3.Error as error:
                hint = "check permissions, free space and who else uses it, or name another file with --rewards"
                raise LedgerUnusable(self.path, f"cannot be used ({error}); {hint}") from error
            except (ValueError, TypeError) as error:
                hint = "restore a copy, or name another file with --rewards"
                raise LedgerUnusable(self.path, f"holds a damaged entry; {hint}") from error


def digest(content: Mapping[str, Any] | list[Any] | tuple[Any, ...]) -> str:
    """32 hex digits of JSON values, independent of the order of keys."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _patiently(step: Callable[[], object]) -> None:
    # SQLite does not wait by itself for the lock that a change of the journal mode needs.
    end = time.monotonic() + _WAIT
    while True:
        try:
            step()
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.02)
