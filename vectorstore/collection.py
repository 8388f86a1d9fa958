"""A ``PathStore`` over one Chroma collection, wherever that collection lives (5.3)."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, NamedTuple, Self

from pydantic import ValidationError

from ..models.safe_text import safe_text
from .embeddings import embedded
from .errors import StoreMismatch, StoreUnusable
from .path_store import Embedder
from .planned_path import PlannedPath, RetrievedPath

__all__ = ["REBUILD", "CollectionStore", "short"]

REBUILD = "delete the folder and plan again or import an export, or name another folder"
_SCHEMA = 1  # layout of a row's metadata; raise it when that changes
_SPACE = "cosine"
_EF_SEARCH = 200  # recall@5 of 0.998 at 14,000 paths instead of 0.993, for a fraction of a millisecond
_DIGITS = 6  # similarities closer than that are equal: float32 cannot tell them apart
_MOST_EQUALS = 4096
_DOMAIN_SHARE = 10  # nearest of any domain looked at for each one wanted of a domain
_WIDEN = 4


class CollectionStore(ABC):
    """What the embedded store and the one on a server have in common.

    Args:
        name: the folder or URL, for error messages.
        embedder: the embedding model.
        home: kept with a collection, and compared when it is opened; None: nothing is kept.
        batch: most rows in one request to Chroma.
    """

    def __init__(self, name: str, embedder: Embedder, *, home: str | None, batch: int) -> None:
        self._name = name
        self._embedder = embedder
        self._home = home
        self._batch = batch
        self._closed = False

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Any]:
        """The collection, as it is now; None where nothing was stored yet."""

    @abstractmethod
    def _writing(self) -> AbstractContextManager[Any]:
        """The collection, made where there was none."""

    @abstractmethod
    def close(self) -> None:
        """See ``PathStore``."""

    @abstractmethod
    def claim(self) -> None:
        """Make sure that this store may write, before anything is spent on what would be written.

        Raises:
            StoreLocked: somebody else writes to it, and only one may.
            StoreUnusable: it cannot be written to.
        """

    def add(self, paths: Sequence[PlannedPath]) -> None:
        latest = list({path.id: path for path in paths}.values())
        self._refuse_if_closed()
        if not latest:
            return
        self.claim()
        for start in range(0, len(latest), self._batch):
            batch = latest[start : start + self._batch]
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
        with self._reading() as collection:
            if collection is None:
                return []  # without loading the embedding model
        vector = embedded(self._embedder, [query])
        with self._reading() as collection:
            return [] if collection is None else self._nearest(collection, vector, k, domain)

    def paths(self) -> Iterator[PlannedPath]:
        with self._reading() as collection:
            ids = [] if collection is None else sorted(collection.get(include=[])["ids"])
        return self._paths(ids)

    def __len__(self) -> int:
        with self._reading() as collection:
            return 0 if collection is None else int(collection.count())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    # ---- searching --------------------------------------------------------------------------------------------------

    def _nearest(self, collection: Any, vector: Any, k: int, domain: str | None) -> list[RetrievedPath]:
        """The ``k`` nearest; equally near ones by id, because Chroma cuts equals in no fixed order."""
        domain = None if domain is None else safe_text(domain)
        found = _query(collection, vector, (2 if domain is None else _DOMAIN_SHARE) * k + 2, rows=True)
        own = found if domain is None else _Found([h for h in found.hits if h.domain == domain], found.last)
        if domain is not None and not own.settle(k):
            # Chroma's filter costs many times what a search costs, so it comes second, for rare domains.
            own = _query(collection, vector, 2 * k + 2, rows=True, domain=domain)
        wanted = 2 * k + 2
        while not own.settle(k) and wanted < _MOST_EQUALS:
            wanted = min(wanted * _WIDEN, _MOST_EQUALS)
            own = _query(collection, vector, wanted, rows=False, domain=domain)
        nearest = sorted(own.hits, key=lambda hit: (-hit.similarity, hit.id))[:k]
        missing = [hit.id for hit in nearest if hit.row is None]
        rows = self._rows(collection, missing) if missing else {}
        # A row may be gone since: it was deleted from the server by somebody else.
        kept = [(hit, hit.row or rows.get(hit.id)) for hit in nearest]
        return [RetrievedPath(path=self._path(row), similarity=hit.similarity) for hit, row in kept if row is not None]

    def _paths(self, ids: Sequence[str]) -> Iterator[PlannedPath]:
        for start in range(0, len(ids), self._batch):
            with self._reading() as collection:
                rows = {} if collection is None else self._rows(collection, ids[start : start + self._batch])
            yield from (self._path(rows[path_id]) for path_id in sorted(rows))

    @staticmethod
    def _rows(collection: Any, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        reply = collection.get(ids=list(ids), include=["metadatas"])
        return dict(zip(reply["ids"], reply["metadatas"], strict=True))

    def _path(self, row: dict[str, Any]) -> PlannedPath:
        try:
            return PlannedPath.model_validate(json.loads(row["path"]))
        except (KeyError, TypeError, ValueError, ValidationError) as error:
            raise StoreUnusable(self._name, "holds a row that is no planned path", REBUILD) from error

    # ---- the collection ---------------------------------------------------------------------------------------------

    def _open_collection(self, client: Any, name: str, *, create: bool) -> Any:
        """The collection of this name; None if there is none and ``create`` is false. Raises ``StoreMismatch``."""
        from chromadb.errors import NotFoundError, UniqueConstraintError

        try:
            # Without embedding_function=None Chroma would fetch a model of its own.
            collection = client.get_collection(name, embedding_function=None)
        except NotFoundError:
            if not create:
                return None
            try:
                collection = client.create_collection(
                    name,
                    embedding_function=None,
                    metadata=self._record(),
                    configuration={"hnsw": {"space": _SPACE, "ef_search": _EF_SEARCH}},
                )
            except UniqueConstraintError:  # another process was faster
                collection = client.get_collection(name, embedding_function=None)
        self._refuse_mismatch(collection.metadata or {})
        return collection

    def _record(self) -> dict[str, str | int]:
        record: dict[str, str | int] = {
            "embedder": self._embedder.name,
            "dimension": self._embedder.dimension,
            "space": _SPACE,
            "schema": _SCHEMA,
        }
        return record if self._home is None else {**record, "home": self._home}

    def _refuse_mismatch(self, metadata: dict[str, Any]) -> None:
        # Chroma itself accepts another space or model silently, so the collection's own record is compared.
        expected = self._record()
        found = {key: metadata.get(key) for key in expected}
        if metadata.get("embedder") is not None and metadata.get("home") != self._home:
            raise StoreUnusable(self._name, *_wrong_home(metadata.get("home")))
        if found != expected:
            raise StoreMismatch(self._name, _described(found), _described(expected))

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise StoreUnusable(self._name, "the store is closed", "open a new one")


class _Hit(NamedTuple):
    id: str
    similarity: float
    row: dict[str, Any] | None = None

    @property
    def domain(self) -> Any:
        return None if self.row is None else self.row.get("domain")


class _Found(NamedTuple):
    """What is near, and how near the last one was that was looked at; -inf: there is nothing else."""

    hits: list[_Hit]
    last: float

    def settle(self, k: int) -> bool:
        """Whether nothing else can be among the ``k`` nearest, equals included."""
        return self.last == float("-inf") or (len(self.hits) >= k and self.hits[k - 1].similarity > self.last)


def _query(collection: Any, vector: Any, wanted: int, *, rows: bool, domain: str | None = None) -> _Found:
    reply = collection.query(
        query_embeddings=vector,
        n_results=wanted,
        where=None if domain is None else {"domain": domain},
        include=["distances", "metadatas"] if rows else ["distances"],
    )
    ids, distances = reply["ids"][0], reply["distances"][0]
    similarities = [max(-1.0, min(1.0, round(1.0 - distance, _DIGITS))) for distance in distances]
    metadatas = reply["metadatas"][0] if rows else [None] * len(ids)
    hits = [_Hit(*hit) for hit in zip(ids, similarities, metadatas, strict=True)]
    return _Found(hits, similarities[-1] if len(hits) == wanted else float("-inf"))


def _row(path: PlannedPath) -> dict[str, str]:
    # Always the same keys: an upsert merges keys, so one left out would keep its old value. JSON in ASCII, because
    # Chroma takes neither lists of mixed depth nor lone surrogates.
    return {"path": json.dumps(path.model_dump(mode="python")), "domain": path.domain}


def _wrong_home(home: Any) -> tuple[str, str]:
    if home is None:
        return (
            "this collection was made in a folder without a server, and two ways into one folder damage its index",
            "start the server on another folder and import an export: askfirst paths export, then import",
        )
    return (
        f"this folder belongs to a Chroma {home}, and writing past it damages its index",
        "use the server: --chroma-url http://HOST:PORT",
    )


def _described(record: dict[str, Any]) -> str:
    if record.get("embedder") is None:
        return "something else than askfirst"
    return "{embedder} ({dimension} dimensions, {space} space, layout {schema})".format(**record)


def short(error: BaseException) -> str:
    """An error of Chroma in one line of at most 160 characters."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 160 else text[:157] + "..."
