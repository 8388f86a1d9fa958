"""A file of lines that only grows, held by one process at a time: what is finished is never lost.

A line is on disk before ``append`` returns, and a failed write leaves the file as it was. ``kill -9`` loses at most the
line that is being written: what it leaves of that line is dropped when the file is opened again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO, Generic, TypeVar

from filelock import FileLock, Timeout

from ...domains import DataError, InputError
from .replace import named_errors, write_atomic

__all__ = ["FileHeld", "LineLog", "UnreadableLine", "append_lines", "held_lock", "read_lines"]

T = TypeVar("T")


class FileHeld(InputError):
    """Another process works on the file."""


class UnreadableLine(ValueError):
    """What a line holds is not what it should be.

    Attributes:
        problem: what is wrong, without anything that a person wrote.
        field: the field at fault, None if the line as a whole is.
    """

    def __init__(self, problem: str, field: str | None = None) -> None:
        super().__init__(problem)
        self.problem, self.field = problem, field


class LineLog(Generic[T]):
    """An append-only file of lines, opened: mended, read and locked. ``close`` lets another process have it.

    Attributes:
        path: the file, which exists.
        entries: what its lines held when it was opened, in order.
    """

    def __init__(self, path: Path, read: Callable[[bytes], T], lock: FileLock) -> None:
        """Open ``path`` under ``lock`` (``held_lock``), which is let go of when that fails.

        Args:
            read: what a line holds; raises ``UnreadableLine``.

        Raises:
            DataError: a line cannot be read (names it).
            OSError: the file cannot be read or mended.
        """
        self.path, self._lock = path, lock
        self._file: IO[bytes] | None = None
        try:
            _mend(path, read)
            self.entries = read_lines(path, read)
        except BaseException:
            lock.release()
            raise

    def append(self, line: str) -> None:
        """Add ``line``, which has no line break. Raises ``OSError``; the file is then as it was before."""
        with named_errors(self.path):
            try:
                if self._file is None:
                    self._file = _opened(self.path)
                _add(self._file, [line])
            except OSError:
                self._close_file()
                raise

    def replace(self, lines: Iterable[str]) -> None:
        """Put ``lines`` in the place of all that the file holds. Raises ``OSError``; the old file then stays."""
        self._close_file()
        write_atomic(self.path, "".join(f"{line}\n" for line in lines))

    def close(self) -> None:
        """Let another process have the file."""
        self._close_file()
        self._lock.release()

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def held_lock(path: Path) -> FileLock:
    """The lock file ``path``, taken. The system releases it when the process dies, however it dies.

    Raises:
        FileHeld: another process has it, or this one already.
        OSError: the lock file cannot be made.
    """
    lock = FileLock(path, blocking=False, thread_local=False)
    try:
        lock.acquire()
    except Timeout as error:
        raise FileHeld(f"{path}: another process is working on it") from error
    return lock


def read_lines(path: Path, read: Callable[[bytes], T]) -> list[T]:
    """What the whole lines of ``path`` hold. What stands after the last line break is a torn line, or not finished.

    Raises:
        DataError: a line cannot be read (names it).
        OSError: the file cannot be read.
    """
    entries = []
    for number, line in enumerate(path.read_bytes().split(b"\n")[:-1], start=1):
        try:
            entries.append(read(line))
        except UnreadableLine as error:
            raise DataError(path, number, error.field, error.problem) from error
    return entries


def append_lines(path: Path, lines: Iterable[str]) -> None:
    """Add ``lines`` to ``path``, all or none. Raises ``OSError``."""
    with named_errors(path), _opened(path) as file:
        _add(file, lines)


def _opened(path: Path) -> IO[bytes]:
    # Unbuffered: after a failed write nothing may linger in a buffer and reach the file at close.
    return path.open("ab", buffering=0)


def _add(file: IO[bytes], lines: Iterable[str]) -> None:
    end = file.seek(0, os.SEEK_END)
    rest = memoryview("".join(f"{line}\n" for line in lines).encode())
    try:
        while rest:  # an unbuffered write may take only a part
            rest = rest[file.write(rest) :]
        os.fsync(file.fileno())
    except OSError:
        with suppress(OSError):  # what cannot be cut off now is a torn last line, which opening drops
            os.ftruncate(file.fileno(), end)
        raise


def _mend(path: Path, read: Callable[[bytes], object]) -> None:
    """Cut off what stands after the last line break, unless it is a whole line that only lacks it."""
    with path.open("r+b") as file:
        content = file.read()
        end = content.rfind(b"\n") + 1
        if end == len(content):
            return
        try:
            read(content[end:])
            file.write(b"\n")
        except UnreadableLine:
            file.truncate(end)
        file.flush()
        os.fsync(file.fileno())
