"""Add many paths with progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .path_store import PathStore
from .planned_path import PlannedPath

__all__ = ["add_in_batches"]

_BATCH = 1000


def add_in_batches(
    store: PathStore,
    paths: Sequence[PlannedPath],
    *,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> None:
    """Add ``paths`` to ``store``, some at a time; ``on_progress(done, total)`` follows each batch.

    A batch that was reported is stored: after an interruption the same call, or one with what is missing, completes it.
    """
    on_progress(0, len(paths))
    for start in range(0, len(paths), _BATCH):
        store.add(paths[start : start + _BATCH])
        on_progress(min(start + _BATCH, len(paths)), len(paths))
