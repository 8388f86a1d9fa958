"""Find texts that say what another text has said already, by embedding."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Embed", "NearDuplicates"]


class Embed(Protocol):
    """Turns texts into vectors, one row each. The composition root gives one; this package knows no model."""

    def __call__(self, texts: Sequence[str], /) -> npt.NDArray[np.float32]: ...


class NearDuplicates:
    """The texts that were accepted so far.

    Args:
        embed: gives the vectors.
        threshold: cosine similarity, from which two texts count as the same; 1 or more: only the same words do.
    """

    def __init__(self, embed: Embed, *, threshold: float) -> None:
        self._embed, self._threshold = embed, threshold
        self._words: set[str] = set()
        self._rows = 0
        self._matrix: npt.NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self._words)

    def vectors(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit vectors of ``texts``. The slow part; may run in another thread."""
        import numpy as np

        vectors = np.asarray(self._embed(list(texts)), dtype=np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)

    def accept(self, text: str, vector: npt.NDArray[np.float32]) -> bool:
        """Whether ``text`` is new; then it counts from now on. ``vector`` is its row of ``vectors``."""
        words = " ".join(re.findall(r"\w+", text.casefold()))
        if words in self._words:
            return False
        if self._matrix is not None and self._rows:
            nearest = float((self._matrix[: self._rows] @ vector).max())
            if nearest >= self._threshold:
                return False
        self._words.add(words)
        self._append(vector)
        return True

    def accept_all(self, texts: Sequence[str]) -> list[bool]:
        """``accept`` for each text in turn."""
        if not texts:
            return []
        return [self.accept(text, vector) for text, vector in zip(texts, self.vectors(texts), strict=True)]

    def _append(self, vector: npt.NDArray[np.float32]) -> None:
        import numpy as np

        if self._matrix is None:
            self._matrix = np.zeros((64, vector.shape[0]), dtype=np.float32)
        if self._rows == len(self._matrix):
            self._matrix = np.concatenate([self._matrix, np.zeros_like(self._matrix)])
        self._matrix[self._rows] = vector
        self._rows += 1
