"""What a long run has finished, on disk line by line, so that the same command goes on after any interruption."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from ...domains import DataError, InputError
from ..datasets import json_line, refuse_existing
from ..storage import FileHeld, LineLog, UnreadableLine, different_settings, held_lock

__all__ = ["Journal"]

_FORMAT = 1
_NO_RECORD = "is not a record of a run; the file was changed"


class Journal:
    """An append-only file beside ``out``: a first line with the settings, then one line for each finished unit of work.

    A unit is on disk when ``add`` returns. A torn last line (``kill -9`` while writing) is dropped on opening. ``out``
    itself is written by the caller when the run ends; until then it does not exist.

    Attributes:
        path: ``<out>.progress``.
        header: the first line: ``settings`` and what ``extra`` of the first opening gave.
    """

    def __init__(self, log: LineLog[dict[str, Any]], header: Mapping[str, Any]) -> None:
        self.path = log.path
        self.header = dict(header)
        self._log = log
        self._units = {record["unit"]: record for record in log.entries[1:]}

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
        log = _opened(path)
        try:
            wanted = json.loads(json_line(settings))
            if not log.entries:
                refuse_existing(target)
                header = {"format": _FORMAT, "settings": wanted, **(extra or {})}
                log.append(_line(header))
                return cls(log, header)
            header = log.entries[0]
            if header.get("format") != _FORMAT:
                raise InputError(f"{path}: was written by another version; remove it and {target} to start again")
            if differences := different_settings(header.get("settings", {}), wanted):
                listed = ", ".join(f"{name}: {old} before, {new} now" for name, (old, new) in differences.items())
                raise InputError(
                    f"{target}: was started with other settings ({listed}); use those, choose another name, or "
                    f"remove {path.name}"
                )
            return cls(log, header)
        except BaseException:
            log.close()
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
        line = _line({"unit": unit, **record})
        self._log.append(line)
        self._units[unit] = json.loads(line)

    def close(self) -> None:
        """Let another process have the run."""
        self._log.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _opened(path: Path) -> LineLog[dict[str, Any]]:
    try:
        lock = held_lock(path.with_name(f"{path.name}.lock"))
    except FileHeld as error:
        raise InputError(f"{path}: another process is working on it") from error
    path.touch()
    log = LineLog(path, _record, lock)
    for number, record in enumerate(log.entries[1:], start=2):
        if "unit" not in record:
            log.close()
            raise DataError(path, number, None, _NO_RECORD)
    return log


def _record(line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise UnreadableLine("is not valid JSON; the file was changed") from error
    if not isinstance(record, dict):
        raise UnreadableLine(_NO_RECORD)
    return record


def _line(record: Mapping[str, Any]) -> str:
    return json_line(record).rstrip("\n")
