"""The errors of the path stores. Each names the folder, server or model at fault and what to do.

All but ``StoreUnreachable`` are ``InputError``: what was given (a folder, a model name) cannot be used as it is.

StoreError                     anything that kept a store from doing its work
├── StoreUnreachable           the Chroma server does not answer, or failed
├── StoreMismatch              the store was built with another embedding model, dimension, space or layout
├── StoreLocked                another process (or another store object) writes to the folder
├── StoreUnusable              the folder cannot be read or written, its index is damaged, or the store is closed
└── EmbedderFailed             the embedding model cannot be loaded, or gives something else than it promises
"""

from __future__ import annotations

from pathlib import Path

from ..domains import AskfirstError, InputError

__all__ = ["EmbedderFailed", "StoreError", "StoreLocked", "StoreMismatch", "StoreUnreachable", "StoreUnusable"]


class StoreError(AskfirstError):
    """Root of the errors of path stores."""


class StoreUnreachable(StoreError):
    """A Chroma server does not answer, or failed at what it was asked.

    Attributes:
        url: the server.
        problem: what happened.
    """

    def __init__(self, url: str, problem: str) -> None:
        self.url, self.problem = url, problem
        super().__init__(
            f"{url}: {problem}; start it with 'chroma run', correct --chroma-url, or omit --chroma-url to use a folder"
        )


class StoreMismatch(StoreError, InputError):
    """The store holds vectors that cannot be compared with those of this embedder.

    Attributes:
        folder: the store, or its name.
        built_with: how it was built.
        asked_for: what it was opened with.
    """

    def __init__(self, folder: str | Path, built_with: str, asked_for: str) -> None:
        self.folder, self.built_with, self.asked_for = str(folder), built_with, asked_for
        super().__init__(
            f"{folder}: the store was built with {built_with}, not with {asked_for}; open it with what it was built "
            "with, or rebuild it: plan into an empty folder, or delete this folder first"
        )


class StoreLocked(StoreError, InputError):
    """Somebody else holds a lock of the store.

    Attributes:
        folder: the store.
        lock: the lock file.
        holder: who holds it, as far as is known.
    """

    def __init__(self, folder: str | Path, lock: str | Path, holder: str) -> None:
        self.folder, self.lock, self.holder = str(folder), str(lock), holder
        super().__init__(
            f"{folder}: {holder} is writing to this store (lock file {lock}); wait until it finishes, or use another "
            "folder: two writers in one folder would damage the index"
        )


class StoreUnusable(StoreError, InputError):
    """The store cannot be read or written.

    Attributes:
        folder: the store.
        problem: what is wrong.
        fix: what to do about it.
    """

    def __init__(self, folder: str | Path, problem: str, fix: str) -> None:
        self.folder, self.problem, self.fix = str(folder), problem, fix
        super().__init__(f"{folder}: {problem}; {fix}")


class EmbedderFailed(StoreError, InputError):
    """An embedding model cannot be loaded, or gives something else than it promises.

    Attributes:
        model: its name.
        problem: what is wrong.
        fix: what to do about it.
    """

    def __init__(self, model: str, problem: str, fix: str) -> None:
        self.model, self.problem, self.fix = model, problem, fix
        super().__init__(f"embedding model {model!r}: {problem}; {fix}")
