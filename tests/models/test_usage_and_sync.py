"""Usage over async code, and the sync wrapper with and without a running loop."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import AsyncIterator

import pytest
from askfirst.models import Message, ScriptedChatModel, Usage, collect_usage, record_usage, run_sync

ASK = [Message(role="user", content="one two three")]


def test_usage_adds() -> None:
    total = Usage(calls=1, input_tokens=2) + Usage(calls=2, output_tokens=5)
    assert total == Usage(calls=3, input_tokens=2, output_tokens=5)
    assert total.tokens == 7
    assert "tokens" not in total.model_dump()


async def test_tasks_started_inside_are_counted_and_others_are_not() -> None:
    model = ScriptedChatModel(lambda _: "a b")
    with collect_usage() as meter:
        await asyncio.gather(*(model.complete(ASK) for _ in range(5)))
    await model.complete(ASK)
    assert meter.total == Usage(calls=5, input_tokens=15, output_tokens=10)


async def test_parallel_scopes_do_not_mix() -> None:
    model = ScriptedChatModel(lambda _: "a")

    async def conversation(turns: int) -> int:
        with collect_usage() as meter:
            for _ in range(turns):
                await model.complete(ASK)
                await asyncio.sleep(0)
        return meter.total.calls

    with collect_usage() as whole:
        assert await asyncio.gather(*(conversation(n) for n in range(4))) == [0, 1, 2, 3]
    assert whole.total.calls == 6


def test_a_meter_counts_from_threads() -> None:
    with collect_usage() as meter:
        context = contextvars.copy_context()

        def work() -> None:
            for _ in range(200):
                record_usage(Usage(calls=1))

        threads = [threading.Thread(target=context.copy().run, args=(work,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert meter.total.calls == 800


def test_run_sync_outside_a_loop_counts_in_the_callers_scope() -> None:
    with collect_usage() as meter:
        assert run_sync(ScriptedChatModel(["hi"]).complete(ASK)).text == "hi"
    assert meter.total.calls == 1


async def test_run_sync_inside_a_running_loop_counts_in_the_callers_scope() -> None:
    with collect_usage() as meter:
        assert run_sync(ScriptedChatModel(["hi"]).complete(ASK)).text == "hi"
    assert meter.total.calls == 1
    assert asyncio.get_running_loop().is_running()


async def test_run_sync_raises_what_the_coroutine_raises() -> None:
    async def fail() -> None:
        await asyncio.sleep(0)
        raise LookupError("as it is")

    with pytest.raises(LookupError, match="as it is"):
        run_sync(fail())


async def test_run_sync_shuts_down_what_the_coroutine_left_open() -> None:
    closed = []

    async def pieces() -> AsyncIterator[int]:
        try:
            yield 1
            yield 2
        finally:
            closed.append(True)

    async def leave_open() -> AsyncIterator[int]:
        opened = pieces()
        await anext(opened)
        return opened

    run_sync(leave_open())
    assert closed == [True]


async def test_run_sync_keeps_context_variables() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable")
    variable.set("kept")

    async def read() -> str:
        return variable.get()

    assert run_sync(read()) == "kept"


async def test_an_interrupt_cancels_the_coroutine(monkeypatch: pytest.MonkeyPatch) -> None:
    cancelled = threading.Event()
    started = threading.Event()

    async def long() -> None:
        started.set()
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    from concurrent.futures import Future

    real = Future.result

    def interrupted(self: Future[object], timeout: float | None = None) -> object:
        if not self.done():
            started.wait(5)
            raise KeyboardInterrupt
        return real(self, timeout)

    monkeypatch.setattr(Future, "result", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_sync(long())
    assert cancelled.is_set()
