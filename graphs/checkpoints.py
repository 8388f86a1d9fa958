"""Where conversations are kept between a question and its answer: in memory, or in a SQLite file."""

from __future__ import annotations

import os
import re
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import CheckpointError

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

__all__ = ["open_checkpointer"]

_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+):")


def open_checkpointer(spec: str | os.PathLike[str] = "memory") -> BaseCheckpointSaver[Any]:
    """The checkpointer that ``spec`` names: ``"memory"``, ``"sqlite:PATH"`` or a path.

    A SQLite checkpointer works from every thread and event loop, sync and async, and shares its file with other
    processes; it has ``close()``. Two processes must not work on the same conversation at the same time.

    Raises:
        CheckpointError: the file cannot be used, or the kind of store is not known.
    """
    text = os.fspath(spec)
    if text == "memory":
        from langgraph.checkpoint.memory import InMemorySaver

        return InMemorySaver()
    scheme = _SCHEME.match(text) if isinstance(spec, str) else None
    if scheme and scheme[1] != "sqlite":
        raise CheckpointError(text, "is not a known kind of checkpoint store", "use 'memory', 'sqlite:PATH' or a path")
    return _open_file(Path(text.removeprefix("sqlite:") if scheme else text))


def _open_file(path: Path) -> BaseCheckpointSaver[Any]:
    if str(path) == ":memory:":
        raise CheckpointError("sqlite::memory:", "is not a file", "write 'memory'")
    if not path.name:
        raise CheckpointError("sqlite:", "names no file", "write 'sqlite:PATH'")
    if not path.parent.is_dir():
        raise CheckpointError(str(path), "its folder does not exist", "create the folder first")
    from .sqlite_saver import SqliteFileSaver

    try:
        return SqliteFileSaver(path)
    except OSError as error:
        raise CheckpointError(
            str(path), f"cannot be opened ({error.strerror})", "check the path and its permissions"
        ) from error
    except sqlite3.Error as error:
        raise CheckpointError(str(path), f"cannot be used ({error})", "use a new file or a checkpoint file") from error
