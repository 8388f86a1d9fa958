"""Work side by side: results in order, the first failure as it is, nothing left running."""

from __future__ import annotations

import asyncio

import pytest
from askfirst.models import together


async def late(result: str, turns: int) -> str:
    for _ in range(turns):
        await asyncio.sleep(0)
    return result


class Endless:
    """Runs until it is stopped, and takes a moment to end."""

    def __init__(self) -> None:
        self.ended = False

    async def __call__(self) -> str:
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0)
            self.ended = True
        return "never"


async def fail(error: Exception) -> str:
    await asyncio.sleep(0)
    raise error


async def test_results_come_in_order_whoever_is_first() -> None:
    assert await together(late(name, turns) for name, turns in (("a", 3), ("b", 1), ("c", 2))) == ("a", "b", "c")
    assert await together([]) == ()


async def test_all_run_at_the_same_time() -> None:
    barrier = asyncio.Barrier(3)
    await asyncio.wait_for(together(barrier.wait() for _ in range(3)), timeout=10)


async def test_the_first_failure_is_raised_as_it_is_after_the_others_have_ended() -> None:
    endless, error = Endless(), KeyError("the first")
    with pytest.raises(KeyError) as caught:
        await together([endless(), fail(error), late("done", 1)])
    assert caught.value is error
    assert endless.ended


async def test_who_cancels_it_leaves_nothing_running() -> None:
    endless = Endless()
    task = asyncio.create_task(together([endless()]))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert endless.ended
