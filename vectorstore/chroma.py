"""Planned paths in a Chroma folder on disk (5.3): cosine search over the queries' embeddings."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .collection import REBUILD, CollectionStore, short
from .errors import StoreError, StoreUnusable
from .folder_lock import FolderLock
from .path_store import Embedder

__all__ = ["COLLECTION", "ChromaPathStore"]

COLLECTION = "askfirst_paths"
_DATABASE = "chroma.sqlite3"
_SQLITE_MAGIC = b"SQLite format 3\x00"
# Chroma hands on what its database and the operating system say: nothing is wrong with the index then.
_NOT_DAMAGE = (
    *("readonly database", "unable to open database file", "disk is full", "database is locked"),
    *("Permission denied", "No space left", "Too many open files", "Read-only file system"),
)
_MAX_BATCH = 5461  # Chroma's own limit: rows whose values fit into one SQLite statement
_CHECK = "check permissions, free space and open files"


class ChromaPathStore(CollectionStore):
    """A ``PathStore`` in ``folder``. Reading is always possible; one store at a time may write.

    A folder that does not exist is an empty store, and is made by the first ``add``. The writer lock is taken by the
    first ``add`` (or ``claim``) and held until ``close``. What another process adds is seen by the next operation. May
    be used from several threads; not across a fork. Safe on a local disk: file locks of network disks may not hold.

    Raises, on opening:
        StoreMismatch: the folder was built with another embedding model, dimension, space or layout.
        StoreUnusable: the folder cannot be opened, or belongs to a Chroma server.
    """

    def __init__(self, folder: str | Path, embedder: Embedder) -> None:
        self._folder = Path(folder).absolute()
        super().__init__(str(self._folder), embedder, home=None, batch=_MAX_BATCH)
        self._mutex = threading.RLock()
        self._locks = FolderLock(self._folder)
        self._client: Any = None
        self._collection: Any = None
        self._seen = -1
        with self._reading():
            pass

    def claim(self) -> None:
        """Take the writer lock, and keep it until ``close``. See ``CollectionStore.claim``."""
        with self._mutex:
            self._refuse_if_closed()
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreUnusable(
                    self._folder, f"cannot be created ({error.strerror})", "check the path and its permissions"
                ) from error
            self._locks.become_writer()

    def close(self) -> None:
        with self._mutex:
            if self._closed:
                return
            self._closed = True
            self._disconnect()
            self._locks.release()

    @contextmanager
    def _writing(self) -> Iterator[Any]:
        with self._mutex, self._locks.access(), self._explained():
            self._refuse_if_closed()
            if self._seen != self._locks.generation():
                self._disconnect()
            if self._collection is None:
                self._connect(create=True)
            self._seen = self._locks.advance()
            yield self._collection

    @contextmanager
    def _reading(self) -> Iterator[Any]:
        with self._mutex:
            self._refuse_if_closed()
            if not self._exists():
                yield None
                return
            with self._locks.access(), self._explained():
                generation = self._locks.generation()
                if self._seen != generation:
                    self._disconnect()
                if self._collection is None:
                    self._connect(create=False)
                    self._seen = generation
                yield self._collection

    def _exists(self) -> bool:
        if self._folder.exists() and not self._folder.is_dir():
            raise StoreUnusable(self._folder, "is a file, not a folder", "name a folder")
        return (self._folder / _DATABASE).exists()

    def _connect(self, *, create: bool) -> None:
        import chromadb
        from chromadb.config import Settings

        if self._client is None:
            self._refuse_foreign_database()
            try:
                self._client = chromadb.PersistentClient(
                    str(self._folder), settings=Settings(anonymized_telemetry=False)
                )
            except AttributeError as error:  # what Chroma raises where a start failed before in this process
                raise StoreUnusable(self._folder, "the index could not be opened before", REBUILD) from error
        try:
            self._collection = self._open_collection(self._client, COLLECTION, create=create)
        except StoreError:
            self._disconnect()
            raise

    def _disconnect(self) -> None:
        self._collection = None
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _refuse_foreign_database(self) -> None:
        file = self._folder / _DATABASE
        if file.exists() and file.stat().st_size:
            with file.open("rb") as stream:
                if stream.read(len(_SQLITE_MAGIC)) != _SQLITE_MAGIC:
                    raise StoreUnusable(self._folder, f"{_DATABASE} is damaged", REBUILD)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Chroma's errors as ours; afterwards the folder is opened anew, because its client may be broken."""
        from chromadb.errors import ChromaError

        try:
            yield
        except OSError as error:
            self._forget()
            reason = error.strerror or type(error).__name__
            raise StoreUnusable(self._folder, f"the index cannot be read or written ({reason})", _CHECK) from error
        except ChromaError as error:
            self._forget()
            fix = _CHECK if any(cause in str(error) for cause in _NOT_DAMAGE) else REBUILD
            raise StoreUnusable(self._folder, f"the index cannot be used ({short(error)})", fix) from error

    def _forget(self) -> None:
        self._disconnect()
        self._seen = -1
