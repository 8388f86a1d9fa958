"""The thin sync wrapper around the async code."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

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
    return _run_in_thread(coroutine)


def _run_in_thread(coroutine: Coroutine[Any, Any, R]) -> R:
    outcome: Future[R] = Future()
    started: Future[asyncio.AbstractEventLoop] = Future()
    context = contextvars.copy_context()
    thread = threading.Thread(
        target=context.run, args=(_drive, coroutine, started, outcome), name="askfirst-run-sync", daemon=True
    )
    thread.start()
    try:
        return outcome.result()
    except (KeyboardInterrupt, SystemExit):
        loop = started.result()
        with contextlib.suppress(RuntimeError):  # the loop ended in the meantime
            loop.call_soon_threadsafe(_cancel_all, loop)
        raise
    finally:
        thread.join()


def _drive(coroutine: Coroutine[Any, Any, R], started: Future[asyncio.AbstractEventLoop], outcome: Future[R]) -> None:
    try:
        # The factory keeps the runner from touching the event loop policy of the process.
        with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
            started.set_result(runner.get_loop())
            result = runner.run(coroutine)
    except BaseException as error:  # noqa: BLE001 - handed to the caller's thread, which raises it
        outcome.set_exception(error)
    else:
        outcome.set_result(result)


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    for task in asyncio.all_tasks(loop):
        task.cancel()
