"""What a run may spend on model calls, and how many evaluations are under way at a time over all its scenarios."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from ....models import Gate, Usage, collect_usage
from ...errors import SpendingLimitReached
from .reward_ledger import Entry

__all__ = ["Allowance"]

T = TypeVar("T")


class Allowance:
    """Admits paid work while it fits. What is under way always ends, so nothing that was paid for is thrown away.

    A piece of work is admitted if what it may cost fits beside what was spent and what is under way. Calls are counted
    at their most, so ``max_calls`` is not exceeded. Tokens are only known afterwards: work is taken to cost as much as
    the dearest of its kind so far, and where none is known the first goes alone; so ``max_tokens`` is exceeded only by
    as much as the last pieces cost more than any before.

    Args:
        max_calls: most replies of models; None: no limit.
        max_tokens: most tokens, input and output together; None: no limit.
        concurrency: most pieces of work under way at a time.
        spent: what counts as spent before the first of them.

    Attributes:
        spent: what was used so far, failed work included.
        exhausted: whether something was refused; from then on everything is.
    """

    def __init__(
        self,
        *,
        max_calls: int | None = None,
        max_tokens: int | None = None,
        concurrency: int = 8,
        spent: Usage | None = None,
    ) -> None:
        self._max_calls, self._max_tokens = max_calls, max_tokens
        self._gate = Gate(concurrency)
        self._changed = asyncio.Event()  # replaced each time it is set
        self._calls: dict[str, int] = {}
        self._tokens: dict[str, int] = {}
        self._reserved_calls = self._reserved_tokens = self._under_way = 0
        self.spent = spent or Usage()
        self.exhausted = False

    def expect(self, kind: str, *, calls: int, tokens: int | None = None) -> None:
        """Say what one piece of work of this kind may cost: calls at most, and the most tokens that one cost so far."""
        self._calls[kind] = calls
        if tokens is not None:
            self._tokens[kind] = tokens

    async def pay(self, kind: str, work: Callable[[], Awaitable[object]], keep: Callable[[Entry], T]) -> T:
        """What ``keep`` makes of the result of ``work``, its usage and its time. Errors come through as they are.

        Between the end of ``work`` and ``keep`` nothing is awaited, so a cancelled run loses nothing that was finished.

        Raises:
            SpendingLimitReached: it does not fit any more; nothing was called.
        """
        async with self._gate.slot():
            calls, tokens = await self._admit(kind)
            with collect_usage() as meter:
                start = time.perf_counter()
                try:
                    result = await work()
                finally:
                    self._settle(kind, calls, tokens, meter.total)
            return keep(Entry(value=result, usage=meter.total, seconds=time.perf_counter() - start))

    async def _admit(self, kind: str) -> tuple[int, int]:
        while not self.exhausted:
            calls, tokens = self._calls.get(kind, 1), self._expected_tokens(kind)
            if _fits(self._max_calls, self.spent.calls, self._reserved_calls, calls) and _fits(
                self._max_tokens, self.spent.tokens, self._reserved_tokens, tokens
            ):
                self._reserved_calls += calls
                self._reserved_tokens += tokens
                self._under_way += 1
                return calls, tokens
            if not self._under_way:
                self.exhausted = True
                self._tell()
                break
            await self._changed.wait()  # what is under way may cost less than it might
        raise SpendingLimitReached

    def _expected_tokens(self, kind: str) -> int:
        if self._max_tokens is None:
            return 0
        return self._tokens.get(kind, max(1, self._max_tokens - self.spent.tokens))

    def _settle(self, kind: str, calls: int, tokens: int, used: Usage) -> None:
        self._reserved_calls -= calls
        self._reserved_tokens -= tokens
        self._under_way -= 1
        self.spent = self.spent + used
        self._calls[kind] = max(self._calls.get(kind, 1), used.calls)
        if used.calls:
            self._tokens[kind] = max(self._tokens.get(kind, 0), used.tokens)
        elif not self._calls[kind]:
            self._tokens.setdefault(kind, 0)  # no model is behind it
        self._tell()

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def _fits(limit: int | None, spent: int, reserved: int, more: int) -> bool:
    return limit is None or not more or spent + reserved + more <= limit
