"""Planned paths in memory, searched exactly: for tests, notebooks and small sets."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Self

from ..models import safe_text
from .embeddings import embedded
from .errors import StoreUnusable
from .path_store import Embedder
from .planned_path import PlannedPath, RetrievedPath

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["InMemoryPathStore"]

_NAME = "in-memory path store"


class InMemoryPathStore:
    """A ``PathStore`` that compares a query with every path. May be used from several threads."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._lock = threading.Lock()
        self._rows: dict[str, tuple[PlannedPath, npt.NDArray[np.float32]]] = {}
        self._closed = False

    def add(self, paths: Sequence[PlannedPath]) -> None:
        self._refuse_if_closed()
        if not paths:
            return
        vectors = embedded(self._embedder, [path.query for path in paths])
        with self._lock:
            self._rows.update({path.id: (path, vector) for path, vector in zip(paths, vectors, strict=True)})

    def search(self, query: str, k: int = 5, *, domain: str | None = None) -> list[RetrievedPath]:
        if k < 1:
            raise ValueError(f"k must be at least 1, not {k}")
        rows = [row for row in self._snapshot() if domain is None or row[0].domain == safe_text(domain)]
        if not rows:
            return []
        import numpy as np

        query_vector = embedded(self._embedder, [query])[0]
        similarities = np.clip(np.stack([vector for _, vector in rows]) @ query_vector, -1.0, 1.0)
        found = [
            RetrievedPath(path=p, similarity=round(float(s), 6)) for (p, _), s in zip(rows, similarities, strict=True)
        ]
        return sorted(found, key=lambda r: (-r.similarity, r.path.id))[:k]

    def paths(self) -> Iterator[PlannedPath]:
        return iter(sorted((path for path, _ in self._snapshot()), key=lambda path: path.id))

    def __len__(self) -> int:
        return len(self._snapshot())

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._rows = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _snapshot(self) -> list[tuple[PlannedPath, npt.NDArray[np.float32]]]:
        self._refuse_if_closed()
        with self._lock:
            return list(self._rows.values())

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise StoreUnusable(_NAME, "is closed", "open a new one")
