"""What a long run has finished, on disk line by line, so that the same command goes on after any interruption."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from filelock import FileLock, Timeout

from ...domains import DataError, InputError
from ..datasets import named_errors, refuse_existing, storable

__all__ = ["Journal"]

_FORMAT = 1


class Journal:
    """An append-only file beside ``out``: a first line with the settings, then one line for each finished unit of work.

    A unit is on disk when ``add`` returns. A torn last line (``kill -9`` while writing) is dropped on opening. ``out``
    itself is written by the caller when the run ends; until then it does not exist.

    Attributes:
        path: ``<out>.progress``.
        header: the first line: ``settings`` and what ``extra`` of the first opening gave.
    """

    def __init__(self, path: Path, header: Mapping[str, Any], units: dict[str, dict[str, Any]], lock: FileLock) -> None:
        self.path = path
        self.header = dict(header)
        self._units = units
        self._lock = lock
        self._file: IO[bytes] | None = None

    @classmethod
    def open(cls, out: str | Path, settings: Mapping[str, Any], *, extra: Mapping[str, Any] | None = None) -> Journal:
        """Begin a run that will write ``out``, or go on with it.

        Args:
            settings: plain JSON values; a run goes on only with the same.
            extra: kept in the header from the first opening on, and not compared.

        Raises:
            InputError: ``out`` exists and no journal is beside it; the run was begun with other settings; another
                process works on it.
            DataError: a line in the middle of the journal cannot be read.
        """
        target = Path(out)
        path = cls.path_for(target)
        if not path.exists():
            refuse_existing(target)
            path.parent.mkdir(parents=True, exist_ok=True)
        lock = _locked(path)
        try:
            wanted = json.loads(_line(settings))
            records = list(_records(path))
            if not records:
                refuse_existing(target)
                header = {"format": _FORMAT, "settings": wanted, **(extra or {})}
                journal = cls(path, header, {}, lock)
                journal._append(header)
                return journal
            header = records[0]
            if header.get("format") != _FORMAT:
                raise InputError(f"{path}: was written by another version; remove it and {target} to start anew")
            if different := _differences(header.get("settings", {}), wanted):
                raise InputError(
                    f"{target}: was begun with other settings ({different}); use those, choose another name, or remove "
                    f"{path.name}"
                )
            return cls(path, header, {r["unit"]: r for r in records[1:]}, lock)
        except BaseException:
            lock.release()
            raise

    @staticmethod
    def path_for(out: Path) -> Path:
        """Where the journal of a run that writes ``out`` is."""
        return out.with_name(f"{out.name}.progress")

    def __len__(self) -> int:
        return len(self._units)

    def __contains__(self, unit: str) -> bool:
        return unit in self._units

    def get(self, unit: str) -> dict[str, Any] | None:
        """What was noted for a finished unit."""
        return self._units.get(unit)

    def units(self, prefix: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
        """(unit, what was noted), in the order in which they were finished."""
        yield from ((unit, record) for unit, record in self._units.items() if unit.startswith(prefix))

    def add(self, unit: str, record: Mapping[str, Any]) -> None:
        """Note that ``unit`` is finished. Raises ``OSError`` if it cannot be written; the file is then as before."""
        entry = {"unit": unit, **record}
        self._append(entry)
        self._units[unit] = json.loads(_line(entry))

    def close(self) -> None:
        """Let another process have the run."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self._lock.release()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _append(self, record: Mapping[str, Any]) -> None:
        with named_errors(self.path):
            self._write(record)

    def _write(self, record: Mapping[str, Any]) -> None:
        if self._file is None:
            # Unbuffered: after a failed write nothing may linger in a buffer and reach the file at close.
            self._file = self.path.open("ab", buffering=0)
        end = self._file.seek(0, os.SEEK_END)
        rest = memoryview(_line(record).encode())
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
            os.fsync(self._file.fileno())
        except OSError:
            with suppress(OSError):  # what cannot be cut off now is a torn last line
                os.ftruncate(self._file.fileno(), end)
            raise


def _line(record: Mapping[str, Any]) -> str:
    return storable(json.dumps(record, ensure_ascii=False, allow_nan=False)) + "\n"


def _locked(path: Path) -> FileLock:
    lock = FileLock(path.with_name(f"{path.name}.lock"), blocking=False, thread_local=False)
    try:
        lock.acquire()
    except Timeout as error:
        raise InputError(f"{path}: another process is working on it") from error
    return lock


def _records(path: Path) -> Iterator[dict[str, Any]]:
    """The whole lines of a journal; what stands after the last line break is cut off."""
    if not path.exists():
        return
    with path.open("r+b") as file:
        content = file.read()
        end = content.rfind(b"\n") + 1
        if end < len(content):
            file.truncate(end)
    for number, line in enumerate(content[:end].split(b"\n")[:-1], start=1):
        try:
            record = json.loads(line)
        except ValueError as error:
            raise DataError(path, number, None, "is not valid JSON; the file was changed") from error
        if not isinstance(record, dict) or (number > 1 and "unit" not in record):
            raise DataError(path, number, None, "is no record of a run; the file was changed")
        yield record


def _differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    names = [n for n in (*there, *(n for n in here if n not in there)) if there.get(n) != here.get(n)]
    return ", ".join(f"{n}: {_short(there.get(n))} there, {_short(here.get(n))} here" for n in names)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "..."
