"""One event loop in a thread of its own, for code that has none, or that must not use its own.

anyio's blocking portal, also a loop in a thread, was tried instead. It is no shorter with what has to stand beside it:
a portal runs no async generator. And its future counts as done once it is cancelled, not once the clean-up is: after a
stream that was left early the conversation still counts as busy, and an interrupt leaves coroutines behind.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from contextlib import aclosing, suppress
from typing import Any, TypeAlias, TypeVar

__all__ = ["LoopThread"]

T = TypeVar("T")
Entry: TypeAlias = "tuple[T] | asyncio.Task[None]"
"""An item, or at the end the task that made them."""


class LoopThread:
    """Runs coroutines on its own loop. The thread starts with the first call and does not keep the process alive.

    Context variables of the caller are seen by the coroutine.

    Args:
        name: of the thread.
        closed: what the ``RuntimeError`` of a call after ``close`` says.
    """

    def __init__(self, name: str, *, closed: str = "the thread is closed") -> None:
        self._name, self._told = name, closed
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._closed = False

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """The result of ``coroutine``, for sync code. Interrupting the wait cancels it."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop_for(coroutine))
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    async def arun(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """The result of ``coroutine``, for code on another loop. Cancelling the wait cancels it."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(coroutine, self._loop_for(coroutine)))

    def iterate(self, items: AsyncGenerator[T, None]) -> Iterator[T]:
        """The items of an async generator, as they come. Leaving the iteration early closes the generator."""
        inbox: queue.SimpleQueue[Entry[T]] = queue.SimpleQueue()
        cancel = self._pump(items, inbox.put)
        ended: asyncio.Task[None] | None = None
        try:
            while isinstance(entry := inbox.get(), tuple):
                yield entry[0]
            ended = entry
        finally:
            if ended is None:
                cancel()
                while isinstance(inbox.get(), tuple):
                    pass
        ended.result()

    async def aiterate(self, items: AsyncGenerator[T, None]) -> AsyncGenerator[T, None]:
        """The same for code on another loop."""
        inbox: asyncio.Queue[Entry[T]] = asyncio.Queue()
        here = asyncio.get_running_loop()
        cancel = self._pump(items, lambda entry: _put(here, inbox, entry))
        ended: asyncio.Task[None] | None = None
        try:
            while isinstance(entry := await inbox.get(), tuple):
                yield entry[0]
            ended = entry
        finally:
            if ended is None:
                cancel()
                while isinstance(await inbox.get(), tuple):
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

    def _pump(self, items: AsyncGenerator[T, None], put: Callable[[Entry[T]], None]) -> Callable[[], None]:
        """Put the items and then the task that made them; gives what cancels it."""
        loop = self._running_loop()
        tasks: list[asyncio.Task[None]] = []

        async def pump() -> None:
            async with aclosing(items):
                async for item in items:
                    put((item,))

        def begin() -> None:
            task = loop.create_task(pump())
            task.add_done_callback(put)
            tasks.append(task)

        def cancel() -> None:
            tasks[0].cancel()

        loop.call_soon_threadsafe(begin)
        return lambda: _soon(loop, cancel)

    def _loop_for(self, coroutine: Coroutine[Any, Any, Any]) -> asyncio.AbstractEventLoop:
        try:
            return self._running_loop()
        except RuntimeError:
            coroutine.close()
            raise

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._closed:
                raise RuntimeError(self._told)
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


def _put(loop: asyncio.AbstractEventLoop, inbox: asyncio.Queue[Entry[T]], entry: Entry[T]) -> None:
    _soon(loop, lambda: inbox.put_nowait(entry))


def _soon(loop: asyncio.AbstractEventLoop, call: Callable[[], object]) -> None:
    with suppress(RuntimeError):  # the loop ended in the meantime
        loop.call_soon_threadsafe(call)
