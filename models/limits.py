"""How hard a model is asked: timeout, retries with backoff, and how many calls run at once."""

from __future__ import annotations

import asyncio
import random
import threading
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from .errors import ModelError, ModelTimeout, ModelUnreachable, ServerFailed

if TYPE_CHECKING:
    from tenacity import RetryCallState

__all__ = ["Gate", "Limits", "Retrier"]

R = TypeVar("R")


class Limits(BaseModel):
    """Limits of one connected model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    timeout: float = Field(
        default=60, gt=0, description="Seconds for one attempt; in a stream, for each wait for the next piece."
    )
    retries: int = Field(default=4, ge=0, description="Attempts after the first.")
    concurrency: int = Field(default=8, ge=1, description="Most requests under way at once, over all event loops.")
    backoff: float = Field(
        default=1.0, ge=0, description="Seconds before the first retry; doubles each time, with jitter."
    )
    max_wait: float = Field(
        default=60, ge=0, description="Longest wait between attempts, seconds. A server that asks for more is given up."
    )


class Retrier:
    """Runs calls with exponential backoff and jitter, and waits as long as a server's Retry-After asks.

    Only errors marked ``retryable`` are retried. Until the endpoint has answered once, one that is unreachable or
    silent, redirects or sends no chat completion gets one retry only: a wrong address should fail in seconds.
    """

    def __init__(
        self,
        limits: Limits,
        *,
        rng: random.Random | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._limits = limits
        self._rng = rng or random.Random()
        self._sleep = sleep
        self._answered = False

    async def run(self, call: Callable[[], Awaitable[R]]) -> R:
        """The result of ``call``, or its last error."""
        from tenacity import AsyncRetrying

        retrying = AsyncRetrying(
            retry=self._again, stop=self._exhausted, wait=self._wait, sleep=self._sleep, reraise=True
        )
        result: R = await retrying(call)
        self._answered = True
        return result

    def _again(self, state: RetryCallState) -> bool:
        error = _error(state)
        if not isinstance(error, ModelError):
            return False
        wrong_address = isinstance(error, ServerFailed) and (error.status or 0) < 400
        if not isinstance(error, ModelUnreachable | ModelTimeout) and not wrong_address:
            self._answered = True
        return error.retryable and (_retry_after(error) or 0) <= self._limits.max_wait

    def _exhausted(self, state: RetryCallState) -> bool:
        retries = self._limits.retries
        if not self._answered:
            retries = min(retries, 1)
        return state.attempt_number > retries

    def _wait(self, state: RetryCallState) -> float:
        base = min(self._limits.backoff * 2.0 ** (state.attempt_number - 1), self._limits.max_wait)
        # Between half and the whole: calls that failed together do not come back together.
        jittered = base * self._rng.uniform(0.5, 1)
        return max(jittered, _retry_after(_error(state)) or 0)


class Gate:
    """At most ``limit`` holders at once, first come first served, in whatever event loops and threads they run.

    ``asyncio.Semaphore`` belongs to one loop, and a connected model may serve several.
    """

    def __init__(self, limit: int) -> None:
        self._free = limit
        self._waiting: deque[Future[None]] = deque()
        self._lock = threading.Lock()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait for a place, and give it back at the end."""
        await self._acquire()
        try:
            yield
        finally:
            self._release()

    async def _acquire(self) -> None:
        with self._lock:
            if self._free:
                self._free -= 1
                return
            ticket: Future[None] = Future()
            self._waiting.append(ticket)
        try:
            await asyncio.wrap_future(ticket)
        except asyncio.CancelledError:
            if not ticket.cancel():  # too late: the place had been given to us already
                self._release()
            raise

    def _release(self) -> None:
        with self._lock:
            while self._waiting:
                ticket = self._waiting.popleft()
                if ticket.set_running_or_notify_cancel():
                    break
            else:
                self._free += 1
                return
        ticket.set_result(None)


def _error(state: RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome is not None and state.outcome.failed else None


def _retry_after(error: BaseException | None) -> float | None:
    told = getattr(error, "retry_after", None)
    return told if isinstance(told, int | float) else None
