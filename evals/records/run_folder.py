"""The run folder: ``run.json``, ``conversations.jsonl``, ``summary.json`` and ``report.html``.

What was finished is never lost. A record is on disk before ``append`` returns; a line torn by a crash is dropped when
the run is resumed; whole files are replaced by renaming, never rewritten in place.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from filelock import FileLock
from pydantic import ValidationError

from ...domains import DataError
from ...simulators.storage import (
    FileHeld,
    LineLog,
    UnreadableLine,
    append_lines,
    atomic_folder,
    different_settings,
    held_lock,
    read_lines,
    write_atomic,
)
from ..errors import RunExists, RunFolderError, RunLocked, SettingsDiffer, folder_errors
from .record import ConversationRecord, RecordKey
from .settings import RunSettings
from .summary import RunSummary

__all__ = ["Run", "RunFolder", "read_run"]

_FORMAT = 1
_RUN, _CONVERSATIONS, _SUMMARY = "run.json", "conversations.jsonl", "summary.json"
_SET_ASIDE, _LOCK = "set_aside.jsonl", ".lock"


class RunFolder:
    """One run on disk, held by one process at a time. Use ``create`` or ``resume``, and as a context manager.

    Attributes:
        path: the folder.
        settings: what the run does.
    """

    def __init__(self, path: Path, settings: RunSettings, lock: FileLock) -> None:
        self.path, self.settings = path, settings
        with folder_errors(path, "read"):
            self._log = LineLog(path / _CONVERSATIONS, _record, lock)
        try:
            self._records = _by_key(self._log.path, self._log.entries)
        except DataError:
            self._log.close()
            raise

    @classmethod
    def create(cls, path: str | Path, settings: RunSettings, *, created: datetime) -> Self:
        """Make the folder with its ``run.json``. A new folder appears complete or not at all; an empty one is used.

        Raises:
            RunExists: something is there already.
            RunLocked: another process is beginning a run in the same empty folder.
            RunFolderError: it cannot be written.
        """
        folder = Path(path)
        cls.check_free(folder)
        info = {
            "format": _FORMAT,
            "created": created.isoformat(timespec="seconds"),
            "askfirst": _own_version(),
            "python": platform.python_version(),
            "settings": settings.model_dump(mode="json"),
        }
        text = json.dumps(info, indent=2, ensure_ascii=False) + "\n"
        if folder.is_dir():
            return cls(folder, settings, _begun_in(folder, text))
        with folder_errors(folder, "made"), atomic_folder(folder) as draft:
            write_atomic(draft / _RUN, text)
            (draft / _CONVERSATIONS).touch()
        return cls(folder, settings, _locked(folder))

    @staticmethod
    def check_free(path: str | Path) -> None:
        """Raises ``RunExists`` unless a run can begin in ``path``: nothing is there, or an empty folder."""
        folder = Path(path)
        if not folder.is_dir():
            if folder.exists() or folder.is_symlink():
                raise RunExists(folder, "already exists and is not a folder; choose another name")
            return
        with folder_errors(folder, "read"):
            held = {entry.name for entry in folder.iterdir()}
        if _RUN in held:
            raise RunExists(folder)
        if held - {_LOCK}:
            raise RunExists(folder, "already exists and is not empty; choose another folder")

    @classmethod
    def resume(cls, path: str | Path, settings: RunSettings | None = None) -> Self:
        """Open an existing run to go on with it. A torn last line is dropped.

        Args:
            settings: what the caller is about to do; None: whatever the run was started with.

        Raises:
            RunFolderError: there is no run.
            RunLocked: another process writes to it.
            SettingsDiffer: it was started with other settings.
            DataError: a line in the middle cannot be read.
        """
        folder = Path(path)
        stored = _read_settings(folder)
        if settings is not None and (differences := different_settings(_flat(stored), _flat(settings))):
            raise SettingsDiffer(folder, differences)
        return cls(folder, stored, _locked(folder))

    @property
    def done(self) -> int:
        """Number of records."""
        return len(self._records)

    @property
    def records(self) -> list[ConversationRecord]:
        """Every record, in the order of the file."""
        return list(self._records.values())

    @property
    def finished(self) -> frozenset[RecordKey]:
        """Keys that need no conversation any more."""
        return frozenset(self._records)

    def append(self, record: ConversationRecord) -> None:
        """Add a record. When this returns it is on disk, whatever happens afterwards.

        Raises:
            ValueError: its key is there already.
            RunFolderError: it cannot be written; the file is as it was before.
        """
        if record.key in self._records:
            raise ValueError(f"conversation {record.key} is already in the run")
        with folder_errors(self.path, "written"):
            self._log.append(record.line())
        self._records[record.key] = record

    def set_aside_failures(self) -> int:
        """Move records that are worth another try to ``set_aside.jsonl``, so that their keys are free; how many."""
        failed = [r for r in self._records.values() if r.worth_another_try]
        if not failed:
            return 0
        kept = [r for r in self._records.values() if not r.worth_another_try]
        with folder_errors(self.path, "written"):
            append_lines(self.path / _SET_ASIDE, (r.line() for r in failed))
            self._log.replace(r.line() for r in kept)
        self._records = {r.key: r for r in kept}
        return len(failed)

    def write_summary(self, summary: RunSummary) -> None:
        """Replace ``summary.json``. Raises ``RunFolderError`` if it cannot be written; the old one then stands."""
        text = json.dumps(summary.model_dump(mode="json"), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        with folder_errors(self.path, "written"):
            write_atomic(self.path / _SUMMARY, text)

    def close(self) -> None:
        """Let another process have the run."""
        self._log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@dataclass(frozen=True)
class Run:
    """A run as it stands on disk, for reports."""

    path: Path
    created: str
    askfirst: str
    settings: RunSettings
    records: tuple[ConversationRecord, ...]


def read_run(path: str | Path) -> Run:
    """Read a run without touching it, also while another process writes to it. A torn last line is left out.

    Raises:
        RunFolderError: there is no run, or it cannot be read.
        DataError: a line cannot be read (names it).
    """
    folder = Path(path)
    settings = _read_settings(folder)
    info = json.loads((folder / _RUN).read_text(encoding="utf-8"))
    file = folder / _CONVERSATIONS
    with folder_errors(folder, "read"):
        records = _by_key(file, read_lines(file, _record))
    return Run(folder, str(info.get("created", "")), str(info.get("askfirst", "")), settings, tuple(records.values()))


def _begun_in(folder: Path, run: str) -> FileLock:
    """Begin a run in an empty folder, which may be a mount point that nothing can be renamed onto. Its lock."""
    lock = _locked(folder)
    try:
        RunFolder.check_free(folder)  # another process may have begun between the look and the lock
        with folder_errors(folder, "written"):
            try:
                (folder / _CONVERSATIONS).touch()
                write_atomic(folder / _RUN, run)
            except BaseException:
                (folder / _CONVERSATIONS).unlink(missing_ok=True)
                raise
    except BaseException:
        lock.release()
        raise
    return lock


def _locked(folder: Path) -> FileLock:
    try:
        with folder_errors(folder, "written"):
            return held_lock(folder / _LOCK)
    except FileHeld as error:
        raise RunLocked(folder) from error


def _read_settings(folder: Path) -> RunSettings:
    file = folder / _RUN
    try:
        info = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(info, dict) or info.get("format") != _FORMAT:
            raise RunFolderError(folder, f"{_RUN} is not of format {_FORMAT}; was it written by another version?")
        return RunSettings.model_validate(info.get("settings"))
    except FileNotFoundError as error:
        raise RunFolderError(folder, f"is not a run folder (it has no {_RUN})") from error
    except OSError as error:
        raise RunFolderError(folder, f"cannot be read ({error.strerror or error})") from error
    except ValidationError as error:
        field = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise RunFolderError(folder, f"{_RUN} cannot be used: settings.{field}: {error.errors()[0]['msg']}") from error
    except ValueError as error:
        raise RunFolderError(folder, f"{_RUN} is not valid JSON") from error


def _record(line: bytes) -> ConversationRecord:
    try:
        return ConversationRecord.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or None
        raise UnreadableLine(f"is not a conversation record ({first['msg']})", field) from error


def _by_key(file: Path, records: Iterable[ConversationRecord]) -> dict[RecordKey, ConversationRecord]:
    found: dict[RecordKey, ConversationRecord] = {}
    for number, record in enumerate(records, start=1):
        if record.key in found:
            raise DataError(file, number, None, f"conversation {record.key} appears twice")
        found[record.key] = record
    return found


def _flat(settings: RunSettings) -> dict[str, Any]:
    """Setting -> value, by the names of options. Where the data are does not matter, what they hold does."""
    flat = settings.model_dump(mode="json", exclude={"data", "scenarios", "options", "prompts"})
    flat |= {f"prompt {name}": value for name, value in settings.prompts.items()}
    return flat | dict(settings.options)


def _own_version() -> str:
    try:
        return version("askfirst")
    except PackageNotFoundError:
        return "unknown"
