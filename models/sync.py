"""The thin sync wrapper around the async code."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import closing
from typing import Any, TypeVar

from .loop_thread import LoopThread

__all__ = ["run_sync"]

R = TypeVar("R")


def run_sync(coroutine: Coroutine[Any, Any, R]) -> R:
    """Run ``coroutine`` to its end and give its result; errors come through as they are.

    Works with no event loop in this thread, and inside a running one (notebook, FastAPI handler): then a helper thread
    runs it, and the running loop stands still until it is done. Context variables are visible in both cases.
    An interrupt (Ctrl-C) cancels the coroutine, waits for its clean-up and is raised again.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    with closing(LoopThread("askfirst-run-sync")) as thread:
        return thread.run(coroutine)
