"""Files and folders that appear under their name complete, or not at all: written beside it and renamed."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

__all__ = ["atomic_folder", "atomic_text", "named_errors", "write_atomic"]

_HIDDEN = ".askfirst-"  # and eight letters: no longer than the name itself would be, which may be as long as allowed


def write_atomic(path: Path, content: str | bytes) -> None:
    """Replace ``path``, whose folder exists: a reader, or a crash, sees the old file or the new one.

    Raises ``OSError``; the old file then stays.
    """
    with _draft(path, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def atomic_text(path: Path) -> Iterator[IO[str]]:
    """A text file that takes its name when the block ends without an exception. Parent folders are made.

    An ``OSError`` names ``path``, not the hidden file beside it. That one is removed whatever ends the block, but for
    ``kill -9``.
    """
    with named_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with _draft(path, "w", encoding="utf-8", newline="") as file:
        yield file


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """A new folder that takes its name when the block ends without an exception, and is gone otherwise."""
    with named_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=_HIDDEN, dir=path.parent))
    try:
        with named_errors(path):
            yield draft
            draft.chmod(0o755)
            draft.rename(path)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


@contextmanager
def named_errors(path: Path) -> Iterator[None]:
    """Gives an ``OSError`` that names no file (a full disk does), or a hidden one of ours, the name of ``path``."""
    try:
        yield
    except OSError as error:
        named = Path(os.fsdecode(error.filename)).parts if error.filename is not None else ()
        if not named or any(part.startswith(_HIDDEN) for part in named):
            raise OSError(error.errno, error.strerror or str(error), str(path)) from error
        raise


@contextmanager
def _draft(path: Path, mode: str, **how: Any) -> Iterator[IO[Any]]:
    """A hidden file beside ``path`` that is on disk when it takes that name."""
    with named_errors(path):
        handle, name = tempfile.mkstemp(prefix=_HIDDEN, dir=path.parent)
    try:
        with named_errors(path), os.fdopen(handle, mode, **how) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with named_errors(path):
            os.chmod(name, 0o644)
            os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
