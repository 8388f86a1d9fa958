"""Tells whether a stream of server-sent events came to its ``[DONE]``: the client library stops there and says nothing.

Without it, a connection that closes half-way looks like the end of a reply.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

__all__ = ["EndWatch", "watch_end"]

_DONE = b"[DONE]"


class EndWatch:
    """Sees the end of the stream whose request is sent inside ``watching``.

    Attributes:
        seen: whether it came.
        plain: the server answered with one JSON document and no stream.
    """

    def __init__(self) -> None:
        self.seen = False
        self.plain = False

    @contextmanager
    def watching(self) -> Iterator[None]:
        token = _WATCH.set(self)
        try:
            yield
        finally:
            _WATCH.reset(token)


async def watch_end(response: Any) -> None:
    """A response hook for the client library's HTTP client, whichever that is: serves the ``EndWatch`` around it."""
    watch = _WATCH.get()
    if watch is None:
        return
    is_json = response.headers.get("content-type", "").strip().lower().startswith("application/json")
    read = response.aiter_bytes

    async def watched(*args: Any, **more: Any) -> AsyncIterator[bytes]:
        tail = b""
        async for part in read(*args, **more):
            watch.plain = watch.plain or (is_json and not tail and part.lstrip().startswith(b"{"))
            # Only as an event of its own: inside a reply's JSON the line does not begin with it.
            tail = (tail + part)[-len(part) - 16 :]
            watch.seen = watch.seen or any(
                line.startswith(b"data:") and line[5:].strip() == _DONE for line in tail.splitlines()
            )
            yield part

    response.aiter_bytes = watched


_WATCH: ContextVar[EndWatch | None] = ContextVar("askfirst_stream_end", default=None)
