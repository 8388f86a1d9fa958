"""Stores of planned paths and the embedders behind them. May import ``domains`` and ``models``.

Main path: ``ChromaPathStore(folder, embedder())`` -> ``add([PlannedPath(...)])`` -> ``search("a query", k=5)``.
Light to import: numpy, Chroma and torch are loaded when a store or an embedder is first used.
"""

from .chroma import ChromaPathStore
from .embeddings import MINILM, HashEmbedder, MiniLmEmbedder, SentenceTransformerEmbedder, embedder
from .errors import EmbedderFailed, StoreError, StoreLocked, StoreMismatch, StoreUnusable
from .in_memory import InMemoryPathStore
from .path_store import Embedder, PathStore
from .planned_path import PlannedPath, RetrievedPath

__all__ = [
    "MINILM",
    "ChromaPathStore",
    "Embedder",
    "EmbedderFailed",
    "HashEmbedder",
    "InMemoryPathStore",
    "MiniLmEmbedder",
    "PathStore",
    "PlannedPath",
    "RetrievedPath",
    "SentenceTransformerEmbedder",
    "StoreError",
    "StoreLocked",
    "StoreMismatch",
    "StoreUnusable",
    "embedder",
]
