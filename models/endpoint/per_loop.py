"""One resource per event loop, closed in time. Network connections belong to the loop that opened them."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import weakref
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Generic, TypeVar

__all__ = ["PerLoop"]

R = TypeVar("R")

_LONG = 30 * 24 * 3600.0


class PerLoop(Generic[R]):
    """Makes the resource of a loop on first use there.

    Closes it when the loop shuts down (``asyncio.run`` and every framework around it do that in order), or soon after
    this object is dropped while the loop runs on.

    Args:
        make: makes one resource; called in the loop's thread.
        close: closes it; called in its loop. Must not refer to this object, or it would never be dropped.
    """

    def __init__(self, make: Callable[[], R], close: Callable[[R], Awaitable[None]]) -> None:
        self._make, self._close = make, close
        self._held: dict[asyncio.AbstractEventLoop, _Held[R]] = {}
        self._lock = threading.Lock()

    async def get(self) -> R:
        """The resource of the running loop."""
        loop = asyncio.get_running_loop()
        with self._lock:
            for other in list(self._held):
                if other.is_closed():
                    self._held.pop(other, None)
            held = self._held.get(loop)
            if held is None:
                held = self._held[loop] = _Held(self._make(), self._close)
        if held.lifetime is None:
            await held.begin(self, self._held)
        return held.resource


class _Held(Generic[R]):
    def __init__(self, resource: R, close: Callable[[R], Awaitable[None]]) -> None:
        self.resource, self._close = resource, close
        self.lifetime: AsyncGenerator[None, None] | None = None

    async def begin(self, owner: PerLoop[R], held: dict[asyncio.AbstractEventLoop, _Held[R]]) -> None:
        loop = asyncio.get_running_loop()
        self.lifetime = self._live(loop, held)
        # A loop knows its async generators only weakly. The timer holds this one, or the garbage collector might take
        # it in the loop's last moments, with no time left to close anything.
        self._timer = loop.call_later(_LONG, _nothing, self.lifetime)
        self._dropped = weakref.finalize(owner, _close_soon, loop, self.lifetime)
        self._dropped.atexit = False
        await anext(self.lifetime)

    async def _live(
        self, loop: asyncio.AbstractEventLoop, held: dict[asyncio.AbstractEventLoop, _Held[R]]
    ) -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            self._timer.cancel()
            self._dropped.detach()
            held.pop(loop, None)
            await self._close(self.resource)


def _close_soon(loop: asyncio.AbstractEventLoop, lifetime: AsyncGenerator[None, None]) -> None:
    if loop.is_running():  # else it is about to shut down, and closes the resource then
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(lambda: loop.create_task(_closed(lifetime)))


async def _closed(lifetime: AsyncGenerator[None, None]) -> None:
    await lifetime.aclose()


def _nothing(_: object) -> None:
    pass
