"""Who may touch a Chroma folder, and when: one writer at a time, and no two processes at the same instant.

Chroma's embedded index is damaged, without an error, when two processes write to one folder; a process that has it
open does not see what another one wrote. So:

* the *writer lock* is held from a store's first write until it is closed, and refuses a second writer at once;
* the *access lock* is held for the milliseconds of each operation, so that reading beside one writer is safe;
* the *generation* counts writes, so that a reader knows when to open the folder anew.

The locks are released by the operating system when a process dies, however it dies.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import StoreLocked, StoreUnusable

__all__ = ["FolderLock"]

_ACCESS_TIMEOUT = 30.0  # seconds; an operation takes milliseconds, the largest batch some seconds
_POLL = 0.002


class FolderLock:
    """The locks of one folder, as seen by one store."""

    def __init__(self, folder: Path) -> None:
        from filelock import FileLock

        self._folder = folder
        self._holder_file = folder / ".writer.json"
        self._generation_file = folder / ".generation"
        # Not thread-local: a store may be closed by another thread than the one that wrote.
        self._writer = FileLock(folder / ".writer.lock", timeout=0, thread_local=False)
        self._access = FileLock(
            folder / ".access.lock", timeout=_ACCESS_TIMEOUT, thread_local=False, poll_interval=_POLL
        )

    def become_writer(self) -> None:
        """Take the writer lock, if it is not held already. Raises ``StoreLocked`` if somebody else has it."""
        from filelock import Timeout

        if self._writer.is_locked:
            return
        try:
            self._writer.acquire()
            self._holder_file.write_text(json.dumps({"pid": os.getpid(), "host": socket.gethostname()}))
        except Timeout as error:
            raise StoreLocked(self._folder, self._writer.lock_file, self._holder()) from error
        except OSError as error:
            raise _unwritable(self._folder, error) from error

    @contextmanager
    def access(self) -> Iterator[None]:
        """Keep every other store, in this process or another, out of the folder for the moment."""
        from filelock import Timeout

        try:
            self._access.acquire()
        except Timeout as error:
            raise StoreLocked(self._folder, self._access.lock_file, self._holder()) from error
        except OSError as error:
            raise _unwritable(self._folder, error) from error
        try:
            yield
        finally:
            self._access.release()

    def generation(self) -> int:
        """How many times the folder was written to."""
        try:
            return int(self._generation_file.read_text())
        except (FileNotFoundError, ValueError):
            return 0

    def advance(self) -> int:
        """Count one more write, before it happens: a write that is cut off must be noticed too."""
        generation = self.generation() + 1
        try:
            self._generation_file.write_text(str(generation))
        except OSError as error:
            raise _unwritable(self._folder, error) from error
        return generation

    def release(self) -> None:
        """Give up the writer lock."""
        self._writer.release()

    def _holder(self) -> str:
        try:
            holder = json.loads(self._holder_file.read_text())
            pid, host = int(holder["pid"]), str(holder["host"])
        except (OSError, ValueError, KeyError, TypeError):
            return "another process"
        if host != socket.gethostname():
            return f"process {pid} on {host}"
        return "another store of this process" if pid == os.getpid() else f"process {pid}"


def _unwritable(folder: Path, error: OSError) -> StoreUnusable:
    reason = error.strerror or type(error).__name__
    return StoreUnusable(
        folder, f"cannot be written to ({reason})", "check permissions and space, or use another folder"
    )
