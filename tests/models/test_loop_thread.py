from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing

import pytest
from askfirst.models import LoopThread, run_sync


@pytest.fixture
def thread() -> Iterator[LoopThread]:
    made = LoopThread("test-loop")
    yield made
    made.close()


async def where() -> threading.Thread:
    return threading.current_thread()


def test_everybody_is_served_by_the_same_loop(thread: LoopThread) -> None:
    async def from_another_loop() -> threading.Thread:
        return await thread.arun(where())

    assert thread.run(where()) is run_sync(from_another_loop())
    assert thread.run(where()) is not threading.current_thread()


async def test_items_come_to_another_loop_as_they_are_made(thread: LoopThread) -> None:
    seen: contextvars.ContextVar[str] = contextvars.ContextVar("seen", default="")
    seen.set("mine")

    async def items() -> AsyncGenerator[str, None]:
        async with asyncio.timeout(30):  # held over the yields: all of them are in one task
            for number in range(3):
                yield f"{number} {seen.get()}"

    assert [item async for item in thread.aiterate(items())] == ["0 mine", "1 mine", "2 mine"]
    assert list(thread.iterate(items())) == ["0 mine", "1 mine", "2 mine"]


async def test_leaving_early_waits_for_the_clean_up(thread: LoopThread) -> None:
    ended = []

    async def items() -> AsyncGenerator[int, None]:
        try:
            while True:
                yield 1
                await asyncio.sleep(0)
        finally:
            await asyncio.sleep(0.01)
            ended.append(True)

    async with aclosing(thread.aiterate(items())) as numbers:
        async for _ in numbers:
            break
    assert ended == [True]


async def test_cancelling_the_wait_cancels_the_work(thread: LoopThread) -> None:
    begun, cancelled = threading.Event(), threading.Event()

    async def long() -> None:
        begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    task = asyncio.create_task(thread.arun(long()))
    await asyncio.to_thread(begun.wait, 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(cancelled.wait, 10)


async def test_errors_come_through(thread: LoopThread) -> None:
    async def items() -> AsyncGenerator[int, None]:
        yield 1
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        _ = [item async for item in thread.aiterate(items())]


def test_a_closed_thread_says_so() -> None:
    thread = LoopThread("test-loop", closed="it is over")
    thread.close()
    with pytest.raises(RuntimeError, match="it is over"):
        thread.run(where())
