"""Stores of planned paths and the embedders behind them. May import ``domains`` and ``models``.

Main path: ``ChromaPathStore(folder, embedder())`` -> ``add([PlannedPath(...)])`` -> ``search("a query", k=5)``.
``ChromaServerPathStore("http://127.0.0.1:8000", embedder())`` is the same for several writing processes.
Light to import: numpy, Chroma and torch are loaded when a store or an embedder is first used.
"""

from .batches import add_in_batches
from .chroma import ChromaPathStore
from .chroma_server import ChromaServerPathStore
from .embeddings import MINILM, HashEmbedder, MiniLmEmbedder, SentenceTransformerEmbedder, embedder
from .errors import EmbedderFailed, StoreError, StoreLocked, StoreMismatch, StoreUnreachable, StoreUnusable
from .in_memory import InMemoryPathStore
from .path_store import Embedder, PathStore
from .planned_path import PlannedPath, RetrievedPath

__all__ = [
    "MINILM",
    "ChromaPathStore",
    "ChromaServerPathStore",
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
    "StoreUnreachable",
    "StoreUnusable",
    "add_in_batches",
    "embedder",
]
