"""One event loop in a thread of its own, so that async code can be called from sync code, inside a running loop too."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import AsyncGenerator, Coroutine, Iterator
from contextlib import aclosing
from typing import Any, TypeVar

__all__ = ["LoopThread"]

T = TypeVar("T")


class LoopThread:
    """Runs coroutines on its own loop. The thread starts with the first call and does not keep the process alive.

    Context variables of the caller are seen by the coroutine.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._closed = False

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """The result of ``coroutine``. Interrupting the wait cancels it."""
        try:
            loop = self._running_loop()
        except RuntimeError:
            coroutine.close()
            raise
        future = asyncio.run_coroutine_threadsafe(coroutine, loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def iterate(self, items: AsyncGenerator[T, None]) -> Iterator[T]:
        """The items of an async generator, as they come. Leaving the iteration early closes the generator."""
        loop = self._running_loop()
        inbox: queue.SimpleQueue[tuple[T] | asyncio.Task[None]] = queue.SimpleQueue()
        tasks: list[asyncio.Task[None]] = []

        async def pump() -> None:
            async with aclosing(items):
                async for item in items:
                    inbox.put((item,))

        def begin() -> None:
            task = loop.create_task(pump())
            task.add_done_callback(inbox.put)
            tasks.append(task)

        def cancel() -> None:
            tasks[0].cancel()

        loop.call_soon_threadsafe(begin)
        ended: asyncio.Task[None] | None = None
        try:
            while isinstance(entry := inbox.get(), tuple):
                yield entry[0]
            ended = entry
        finally:
            if ended is None:
                loop.call_soon_threadsafe(cancel)
                while isinstance(inbox.get(), tuple):
                    pass
        ended.result()

    def close(self) -> None:
        """Cancel what runs, end the loop and its thread. Closing twice does nothing."""
        with self._lock:
            self._closed = True
            thread, loop, stop = self._thread, self._loop, self._stop
            self._thread = None
        if thread is not None and loop is not None and stop is not None:
            loop.call_soon_threadsafe(stop.set)
            thread.join()

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._closed:
                raise RuntimeError("the agent is closed")
            if self._thread is None:
                ready = threading.Event()
                self._thread = threading.Thread(target=self._serve, args=(ready,), name=self._name, daemon=True)
                self._thread.start()
                ready.wait()
            if self._loop is None:
                raise RuntimeError("the event loop did not start")
            return self._loop

    def _serve(self, ready: threading.Event) -> None:
        async def until_stopped() -> None:
            self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
            ready.set()
            await self._stop.wait()

        try:
            asyncio.run(until_stopped())
        finally:
            ready.set()
