"""Planned paths in a Chroma folder on disk (5.3): cosine search over the queries' embeddings."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pydantic import ValidationError

from ..models.safe_text import safe_text
from .embeddings import embedded
from .errors import StoreMismatch, StoreUnusable
from .folder_lock import FolderLock
from .path_store import Embedder
from .planned_path import PlannedPath, RetrievedPath

__all__ = ["ChromaPathStore"]

_COLLECTION = "askfirst_paths"
_DATABASE = "chroma.sqlite3"
_SQLITE_MAGIC = b"SQLite format 3\x00"
_SCHEMA = 1  # layout of a row's metadata; raise it when that changes
_SPACE = "cosine"
_MAX_BATCH = 5461  # Chroma's own limit: rows whose values fit into one SQLite statement
_EF_SEARCH = 200  # recall@5 of 0.998 at 14,000 paths instead of 0.993, for a fraction of a millisecond
_EQUAL = 1e-6  # distances closer than float32 can tell apart
_REBUILD = "delete the folder and plan again, or name another folder"


class ChromaPathStore:
    """A ``PathStore`` in ``folder``. Reading is always possible; one store at a time may write.

    A folder that does not exist is an empty store, and is made by the first ``add``. The writer lock is taken by the
    first ``add`` and held until ``close``. What another process adds is seen by the next operation. May be used from
    several threads.

    Raises, on opening:
        StoreMismatch: the folder was built with another embedding model, dimension, space or layout.
        StoreUnusable: the folder cannot be opened.
    """

    def __init__(self, folder: str | Path, embedder: Embedder) -> None:
        self._folder = Path(folder).absolute()
        self._embedder = embedder
        self._mutex = threading.RLock()
        self._locks = FolderLock(self._folder)
        self._client: Any = None
        self._collection: Any = None
        self._seen = -1
        self._closed = False
        with self._reading():
            pass

    def add(self, paths: Sequence[PlannedPath]) -> None:
        latest = list({path.id: path for path in paths}.values())
        self._refuse_if_closed()
        if not latest:
            return
        self._become_writer()
        for start in range(0, len(latest), _MAX_BATCH):
            batch = latest[start : start + _MAX_BATCH]
            vectors = embedded(self._embedder, [path.query for path in batch])
            with self._writing() as collection:
                collection.upsert(
                    ids=[path.id for path in batch],
                    embeddings=vectors,
                    metadatas=[_row(path) for path in batch],
                )

    def search(self, query: str, k: int = 5, *, domain: str | None = None) -> list[RetrievedPath]:
        if k < 1:
            raise ValueError(f"k must be at least 1, not {k}")
        self._refuse_if_closed()
        if not self._exists():
            return []  # without loading the embedding model
        vector = embedded(self._embedder, [query])
        with self._reading() as collection:
            if collection is None:
                return []
            found = self._nearest(collection, vector, k, domain)
        return sorted(found, key=lambda r: (-r.similarity, r.path.id))[:k]

    def _nearest(self, collection: Any, vector: Any, k: int, domain: str | None) -> list[RetrievedPath]:
        """The ``k`` nearest, and all that are as near as the last of them: Chroma cuts equals in no fixed order."""
        wanted = k + 1
        while True:
            reply = collection.query(
                query_embeddings=vector,
                n_results=wanted,
                where=None if domain is None else {"domain": safe_text(domain)},
                include=["metadatas", "distances"],
            )
            distances = reply["distances"][0]
            if len(distances) < wanted or distances[-1] - distances[k - 1] > _EQUAL:
                break
            wanted *= 2
        return [
            RetrievedPath(path=self._path(row), similarity=max(-1.0, min(1.0, 1.0 - distance)))
            for row, distance in zip(reply["metadatas"][0], distances, strict=True)
        ]

    def paths(self) -> Iterator[PlannedPath]:
        with self._reading() as collection:
            ids = [] if collection is None else sorted(collection.get(include=[])["ids"])
        return self._paths(ids)

    def __len__(self) -> int:
        with self._reading() as collection:
            return 0 if collection is None else int(collection.count())

    def close(self) -> None:
        with self._mutex:
            if self._closed:
                return
            self._closed = True
            self._disconnect()
            self._locks.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _paths(self, ids: Sequence[str]) -> Iterator[PlannedPath]:
        for start in range(0, len(ids), _MAX_BATCH):
            with self._reading() as collection:
                reply = collection.get(ids=list(ids[start : start + _MAX_BATCH]), include=["metadatas"])
            rows = dict(zip(reply["ids"], reply["metadatas"], strict=True))
            yield from (self._path(rows[path_id]) for path_id in sorted(rows))

    def _become_writer(self) -> None:
        with self._mutex:
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StoreUnusable(
                    self._folder, f"cannot be made ({error.strerror})", "check the path and its permissions"
                ) from error
            self._locks.become_writer()

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
        """The collection, as it is now; None where nothing was stored yet."""
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
        from chromadb.errors import NotFoundError

        if self._client is None:
            self._refuse_foreign_database()
            try:
                self._client = chromadb.PersistentClient(
                    str(self._folder), settings=Settings(anonymized_telemetry=False)
                )
            except AttributeError as error:  # what Chroma raises where a start failed before in this process
                raise StoreUnusable(self._folder, "the index could not be opened before", _REBUILD) from error
        try:
            # Without embedding_function=None Chroma would fetch a model of its own.
            self._collection = self._client.get_collection(_COLLECTION, embedding_function=None)
        except NotFoundError:
            if not create:
                return
            self._collection = self._client.create_collection(
                _COLLECTION,
                embedding_function=None,
                metadata=self._expected(),
                configuration={"hnsw": {"space": _SPACE, "ef_search": _EF_SEARCH}},
            )
        self._refuse_mismatch()

    def _disconnect(self) -> None:
        self._collection = None
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _expected(self) -> dict[str, str | int]:
        return {
            "embedder": self._embedder.name,
            "dimension": self._embedder.dimension,
            "space": _SPACE,
            "schema": _SCHEMA,
        }

    def _refuse_mismatch(self) -> None:
        # Chroma itself accepts another space or model silently, so the collection's own record is compared.
        expected = self._expected()
        found = {key: (self._collection.metadata or {}).get(key) for key in expected}
        if found != expected:
            self._disconnect()
            raise StoreMismatch(self._folder, _described(found), _described(expected))

    def _refuse_foreign_database(self) -> None:
        file = self._folder / _DATABASE
        if file.exists() and file.stat().st_size:
            with file.open("rb") as stream:
                if stream.read(len(_SQLITE_MAGIC)) != _SQLITE_MAGIC:
                    raise StoreUnusable(self._folder, f"{_DATABASE} is damaged", _REBUILD)

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise StoreUnusable(self._folder, "the store is closed", "open a new one")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Chroma's errors as ours; afterwards the folder is opened anew, because its client may be broken."""
        from chromadb.errors import ChromaError

        try:
            yield
        except (ChromaError, OSError) as error:
            self._disconnect()
            self._seen = -1
            raise StoreUnusable(self._folder, f"the index cannot be used ({_short(error)})", _REBUILD) from error

    def _path(self, row: dict[str, Any]) -> PlannedPath:
        try:
            return PlannedPath.model_validate(json.loads(row["path"]))
        except (KeyError, TypeError, ValueError, ValidationError) as error:
            raise StoreUnusable(self._folder, "holds a row that is no planned path", _REBUILD) from error


def _row(path: PlannedPath) -> dict[str, str]:
    # Always the same keys: an upsert merges keys, so one left out would keep its old value. JSON in ASCII, because
    # Chroma takes neither lists of mixed depth nor lone surrogates.
    return {"path": json.dumps(path.model_dump(mode="python")), "domain": safe_text(path.domain)}


def _described(record: dict[str, Any]) -> str:
    if record.get("embedder") is None:
        return "something else than askfirst"
    return "{embedder} ({dimension} dimensions, {space} space, layout {schema})".format(**record)


def _short(error: BaseException) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 160 else text[:157] + "..."
