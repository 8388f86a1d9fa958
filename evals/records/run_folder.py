"""The run folder: ``run.json``, ``conversations.jsonl``, ``summary.json`` and ``report.html``.

What was finished is never lost. A record is on disk before ``append`` returns; a line torn by a crash is dropped when
the run is resumed; whole files are replaced by renaming, never rewritten in place.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from filelock import FileLock, Timeout
from pydantic import ValidationError

from ...domains import DataError
from ..errors import RunExists, RunFolderError, RunLocked, SettingsDiffer
from .record import ConversationRecord, RecordKey, RunSettings

__all__ = ["Run", "RunFolder", "read_run", "write_atomic"]

_FORMAT = 1
_RUN, _CONVERSATIONS, _SUMMARY = "run.json", "conversations.jsonl", "summary.json"
_SET_ASIDE, _LOCK = "set_aside.jsonl", ".lock"


class RunFolder:
    """One run on disk, held by one process at a time. Use ``create`` or ``resume``, and as a context manager.

    Attributes:
        path: the folder.
        settings: what the run does.
    """

    def __init__(self, path: Path, settings: RunSettings, lock: FileLock, records: list[ConversationRecord]) -> None:
        self.path, self.settings = path, settings
        self._lock, self._records = lock, {r.key: r for r in records}
        self._file: IO[bytes] | None = None

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
            return cls(folder, settings, _begun_in(folder, text), [])
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
            try:
                draft.chmod(0o755)
                write_atomic(draft / _RUN, text)
                (draft / _CONVERSATIONS).touch()
                draft.rename(folder)
            except BaseException:
                shutil.rmtree(draft, ignore_errors=True)
                raise
        except OSError as error:
            raise RunFolderError(folder, f"cannot be made ({error.strerror or error})") from error
        return cls(folder, settings, _locked(folder), [])

    @staticmethod
    def check_free(path: str | Path) -> None:
        """Raises ``RunExists`` unless a run can begin in ``path``: nothing is there, or an empty folder."""
        folder = Path(path)
        if not folder.is_dir():
            if folder.exists() or folder.is_symlink():
                raise RunExists(folder, "is there already and is no folder; choose another name")
            return
        try:
            held = {entry.name for entry in folder.iterdir()}
        except OSError as error:
            raise RunFolderError(folder, f"cannot be read ({error.strerror or error})") from error
        if _RUN in held:
            raise RunExists(folder)
        if held - {_LOCK}:
            raise RunExists(folder, "exists and is not empty; choose another folder")

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
        differences = _differences(stored, settings) if settings is not None else {}
        if differences:
            raise SettingsDiffer(folder, differences)
        lock = _locked(folder)
        try:
            _mend(folder / _CONVERSATIONS)
            records = _read_records(folder / _CONVERSATIONS)
        except OSError as error:
            lock.release()
            raise RunFolderError(folder, f"cannot be read ({error.strerror or error})") from error
        except BaseException:
            lock.release()
            raise
        return cls(folder, stored, lock, records)

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
            raise ValueError(f"conversation {record.key} is in the run already")
        file = self._opened()
        end = file.seek(0, os.SEEK_END)
        try:
            rest = memoryview(record.line().encode() + b"\n")
            while rest:  # an unbuffered write may take only a part
                rest = rest[file.write(rest) :]
            os.fsync(file.fileno())
        except OSError as error:
            with suppress(OSError):  # what cannot be cut off now is a torn last line, which resuming drops
                os.ftruncate(file.fileno(), end)
            self._close_file()
            raise RunFolderError(self.path, f"cannot be written ({error.strerror or error})") from error
        self._records[record.key] = record

    def set_aside_failures(self) -> int:
        """Move records that are worth another try to ``set_aside.jsonl``, so that their keys are free; how many."""
        failed = [r for r in self._records.values() if r.worth_another_try]
        if not failed:
            return 0
        kept = [r for r in self._records.values() if not r.worth_another_try]
        self._close_file()
        try:
            with (self.path / _SET_ASIDE).open("ab") as file:
                file.writelines(r.line().encode() + b"\n" for r in failed)
                file.flush()
                os.fsync(file.fileno())
            write_atomic(self.path / _CONVERSATIONS, "".join(r.line() + "\n" for r in kept))
        except OSError as error:
            raise RunFolderError(self.path, f"cannot be written ({error.strerror or error})") from error
        self._records = {r.key: r for r in kept}
        return len(failed)

    def write_summary(self, summary: Mapping[str, Any]) -> None:
        """Replace ``summary.json``. Raises ``RunFolderError`` if it cannot be written; the old one then stands."""
        text = json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        try:
            write_atomic(self.path / _SUMMARY, text)
        except OSError as error:
            raise RunFolderError(self.path, f"cannot be written ({error.strerror or error})") from error

    def close(self) -> None:
        """Let another process have the run."""
        self._close_file()
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _opened(self) -> IO[bytes]:
        if self._file is None:
            # Unbuffered: after a failed write nothing may linger in a buffer and reach the file at close.
            self._file = (self.path / _CONVERSATIONS).open("ab", buffering=0)
        return self._file

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


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
    try:
        records = _read_records(folder / _CONVERSATIONS)
    except OSError as error:
        raise RunFolderError(folder, f"cannot be read ({error.strerror or error})") from error
    return Run(folder, str(info.get("created", "")), str(info.get("askfirst", "")), settings, tuple(records))


def write_atomic(path: Path, text: str) -> None:
    """Replace ``path``: a reader, or a crash, sees the old file or the new one. Raises ``OSError``."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def _begun_in(folder: Path, run: str) -> FileLock:
    """Begin a run in an empty folder, which may be a mount point that nothing can be renamed onto. Its lock."""
    lock = _locked(folder)
    try:
        RunFolder.check_free(folder)  # another process may have begun between the look and the lock
        try:
            (folder / _CONVERSATIONS).touch()
            write_atomic(folder / _RUN, run)
        except BaseException:
            (folder / _CONVERSATIONS).unlink(missing_ok=True)
            raise
    except BaseException as error:
        lock.release()
        if isinstance(error, OSError):
            raise RunFolderError(folder, f"cannot be written ({error.strerror or error})") from error
        raise
    return lock


def _locked(folder: Path) -> FileLock:
    lock = FileLock(folder / _LOCK, blocking=False, thread_local=False)
    try:
        lock.acquire()
    except Timeout as error:
        raise RunLocked(folder) from error
    except OSError as error:
        raise RunFolderError(folder, f"cannot be written ({error.strerror or error})") from error
    return lock


def _read_settings(folder: Path) -> RunSettings:
    file = folder / _RUN
    try:
        info = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(info, dict) or info.get("format") != _FORMAT:
            raise RunFolderError(folder, f"{_RUN} is not of format {_FORMAT}; was it written by another version?")
        return RunSettings.model_validate(info.get("settings"))
    except FileNotFoundError as error:
        raise RunFolderError(folder, f"is no run folder (there is no {_RUN})") from error
    except OSError as error:
        raise RunFolderError(folder, f"cannot be read ({error.strerror or error})") from error
    except ValidationError as error:
        field = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise RunFolderError(folder, f"{_RUN} cannot be used: settings.{field}: {error.errors()[0]['msg']}") from error
    except ValueError as error:
        raise RunFolderError(folder, f"{_RUN} is not valid JSON") from error


def _read_records(file: Path) -> list[ConversationRecord]:
    """The records of complete lines. What stands after the last line break is a torn line."""
    lines = file.read_bytes().split(b"\n")
    records: dict[RecordKey, ConversationRecord] = {}
    for number, line in enumerate(lines[:-1], start=1):
        try:
            record = ConversationRecord.model_validate_json(line)
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            field = ".".join(str(part) for part in first["loc"]) or None
            raise DataError(file, number, field, f"is no conversation record ({first['msg']})") from error
        if record.key in records:
            raise DataError(file, number, None, f"conversation {record.key} stands there twice")
        records[record.key] = record
    return list(records.values())


def _mend(file: Path) -> None:
    """Cut off what stands after the last line break, unless it is a whole record that only lacks it."""
    with file.open("r+b") as handle:
        content = handle.read()
        end = content.rfind(b"\n") + 1
        if end == len(content):
            return
        try:
            ConversationRecord.model_validate_json(content[end:])
            handle.write(b"\n")
        except ValidationError:
            handle.truncate(end)
        handle.flush()
        os.fsync(handle.fileno())


def _differences(stored: RunSettings, now: RunSettings) -> dict[str, tuple[str, str]]:
    """Setting -> (there, now). Where the data stand does not matter, what they hold does."""
    there, here = _flat(stored), _flat(now)
    absent = "nothing"
    return {
        name: (_short(there.get(name, absent)), _short(here.get(name, absent)))
        for name in (*there, *(n for n in here if n not in there))
        if there.get(name, absent) != here.get(name, absent)
    }


def _flat(settings: RunSettings) -> dict[str, Any]:
    flat = settings.model_dump(mode="json", exclude={"data", "scenarios", "options", "prompts"})
    flat |= {f"prompt {name}": value for name, value in settings.prompts.items()}
    return flat | dict(settings.options)


def _short(value: Any) -> str:
    if value is None:
        return "not set"
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _own_version() -> str:
    try:
        return version("askfirst")
    except PackageNotFoundError:
        return "unknown"
