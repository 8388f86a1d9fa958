"""The contract of every store of planned paths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from .planned_path import PlannedPath, RetrievedPath

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Embedder", "PathStore"]


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def name(self) -> str:
        """Name of the embedding model; a store refuses to mix two."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Vectors of ``texts``: shape (len(texts), dimension), float32, L2-normalised.

        A text may be empty, and may hold NUL and lone surrogates.
        """


@runtime_checkable
class PathStore(Protocol):
    """Holds planned paths and finds those whose query is close in meaning. One path per ``PlannedPath.id``."""

    def add(self, paths: Sequence[PlannedPath]) -> None:
        """Store ``paths``; a path with a known id replaces the old one whole."""

    def search(self, query: str, k: int = 5, *, domain: str | None = None) -> list[RetrievedPath]:
        """The ``k`` nearest paths by cosine similarity, nearest first (fewer if the store holds fewer).

        ``domain`` keeps only paths of that domain, by its exact name. Raises ``ValueError`` for ``k`` below 1.

        A store that cannot be searched raises ``StoreError`` or ``OSError``: the agent then goes on without paths.
        """

    def paths(self) -> Iterator[PlannedPath]:
        """Every stored path, ordered by id: the order depends on what is stored, not on when it came."""

    def __len__(self) -> int: ...

    def close(self) -> None:
        """Release locks and files. A closed store refuses further use."""
