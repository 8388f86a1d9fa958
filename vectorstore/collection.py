"""A ``PathStore`` over one Chroma collection, wherever that collection lives (5.3)."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Self

from pydantic import ValidationError

from ..models import safe_text
from .embeddings import embedded
from .errors import StoreMismatch, StoreUnusable
from .path_store import Embedder
from .planned_path import PlannedPath, RetrievedPath

__all__ = ["REBUILD", "CollectionStore", "short"]

REBUILD = "delete the folder and plan again or import an export, or use another folder"
_SCHEMA = 1  # layout of a row's metadata; raise it when that changes
_SPACE = "cosine"
_EF_SEARCH = 200  # recall@5 of 0.998 at 14,000 paths instead of 0.993, for a fraction of a millisecond
_DIGITS = 6  # similarities closer than that are equal: float32 cannot tell them apart
_EXACT = 200  # rows: up to here every search looks at all of them, which takes less than 10 ms
_DOMAIN_SHARES = (20, 100)  # nearest of any domain looked at for each one wanted of a domain, one after the other


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
    def _exists(self) -> bool:
        """Whether there may be something to find. Cheap."""

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
        self._refuse_if_closed()
        if not self._exists():
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

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- searching --------------------------------------------------------------------------------------------------

    def _nearest(self, collection: Any, vector: Any, k: int, domain: str | None) -> list[RetrievedPath]:
        """The ``k`` nearest; equally near ones by id."""
        domain = None if domain is None else safe_text(domain)
        hits = _hits(collection, vector, k, domain)
        if len(hits) > k and hits[k - 1].similarity == hits[-1].similarity:
            hits = _with_all_equals(collection, hits, hits[-1].similarity, domain)
        nearest = sorted(hits, key=lambda hit: (-hit.similarity, hit.id))[:k]
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
            raise StoreUnusable(self._name, "holds a row that is not a planned path", REBUILD) from error

    # ---- the collection ---------------------------------------------------------------------------------------------

    def _open_collection(self, client: Any, name: str, *, create: bool) -> Any:
        """The collection of this name; None if there is none and ``create`` is false. Raises ``StoreMismatch``."""
        from chromadb.errors import ChromaError, NotFoundError

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
            except ChromaError as error:  # another process was faster, which the HTTP client has no class for
                try:
                    collection = client.get_collection(name, embedding_function=None)
                except NotFoundError:
                    raise error from None
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


def _hits(collection: Any, vector: Any, k: int, domain: str | None) -> list[_Hit]:
    """The nearest rows, nearest first: more than ``k``, to see whether the cut goes through equals."""
    if collection.count() <= _EXACT:
        return _exact(collection, vector, domain)
    wanted = 2 * k + 2
    if domain is None:
        return _query(collection, vector, wanted)
    # Chroma's filter takes many times what a search takes, so it comes last: for rare domains.
    for share in _DOMAIN_SHARES:
        found = _query(collection, vector, share * k)
        own = [hit for hit in found if hit.row is not None and hit.row.get("domain") == domain]
        if len(found) < share * k or (len(own) >= k and own[k - 1].similarity > found[-1].similarity):
            return own
    return _query(collection, vector, wanted, where={"domain": domain})


def _exact(collection: Any, vector: Any, domain: str | None) -> list[_Hit]:
    """Every row, nearest first. Chroma's index is approximate: among many like queries it may lose the nearest one."""
    import numpy as np

    where = None if domain is None else {"domain": domain}
    reply = collection.get(where=where, include=["embeddings", "metadatas"])
    if not reply["ids"]:
        return []
    rows, wanted = np.asarray(reply["embeddings"], float), np.asarray(vector[0], float)
    lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(wanted)
    cosines = np.clip(rows @ wanted / np.where(lengths == 0, 1, lengths), -1, 1)
    found = zip(reply["ids"], (round(float(c), _DIGITS) for c in cosines), reply["metadatas"], strict=True)
    return sorted((_Hit(*hit) for hit in found), key=lambda hit: -hit.similarity)


def _query(collection: Any, vector: Any, wanted: int, where: dict[str, Any] | None = None) -> list[_Hit]:
    reply = collection.query(query_embeddings=vector, n_results=wanted, where=where, include=["distances", "metadatas"])
    similarities = (max(-1.0, min(1.0, round(1.0 - distance, _DIGITS))) for distance in reply["distances"][0])
    return [_Hit(*hit) for hit in zip(reply["ids"][0], similarities, reply["metadatas"][0], strict=True)]


def _with_all_equals(collection: Any, hits: Sequence[_Hit], similarity: float, domain: str | None) -> list[_Hit]:
    """``hits``, with every row of the queries that are ``similarity`` near.

    Chroma cuts equals in no fixed order, and its index loses some where there are many. Equals are nearly always one
    query of many people. (From a hundred or so on, they also begin to hide what is near them: docs/store.md.)
    """
    texts = {hit.row["query"] for hit in hits if hit.similarity == similarity and hit.row and "query" in hit.row}
    found = {hit.id: hit for hit in hits}
    for text in texts:
        same: dict[str, Any] = {"query": text}
        where = same if domain is None else {"$and": [same, {"domain": domain}]}
        for path_id in collection.get(where=where, include=[])["ids"]:
            found.setdefault(path_id, _Hit(path_id, similarity))
    return list(found.values())


def _row(path: PlannedPath) -> dict[str, str]:
    # Always the same keys: an upsert merges keys, so one left out would keep its old value. JSON in ASCII, because
    # Chroma takes neither lists of mixed depth nor lone surrogates.
    return {
        "path": json.dumps(path.model_dump(mode="python")),
        "domain": path.domain,
        "query": hashlib.sha256(path.query.encode()).hexdigest()[:32],
    }


def _wrong_home(home: Any) -> tuple[str, str]:
    if home is None:
        return (
            "this collection was made in a folder without a server, and using a folder in both ways damages its index",
            "start the server on another folder, then run askfirst paths export and askfirst paths import",
        )
    return (
        f"this folder belongs to a Chroma {home}, and writing to it directly damages its index",
        "use the server: --chroma-url http://HOST:PORT",
    )


def _described(record: dict[str, Any]) -> str:
    if record.get("embedder") is None:
        return "something other than askfirst"
    return "{embedder} ({dimension} dimensions, {space} space, layout {schema})".format(**record)


def short(error: BaseException) -> str:
    """An error of Chroma in one line of at most 160 characters."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 160 else text[:157] + "..."
