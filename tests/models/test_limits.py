"""Backoff and the gate, without any model and without waiting."""

from __future__ import annotations

import asyncio
import random
import threading

import pytest
from askfirst.models import (
    AuthenticationFailed,
    Limits,
    ModelError,
    ModelTimeout,
    ModelUnreachable,
    RateLimited,
    ServerFailed,
)
from askfirst.models.limits import Gate, Retrier
from pydantic import ValidationError


class Calls:
    """Raises the given errors in turn, then returns."""

    def __init__(self, *errors: Exception) -> None:
        self.left = list(errors)
        self.made = 0

    async def __call__(self) -> str:
        self.made += 1
        if self.left:
            raise self.left.pop(0)
        return "done"


class Naps:
    """Stands in for ``asyncio.sleep`` and keeps what was asked for."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)


def failed() -> ServerFailed:
    return ServerFailed("m", "no", status=503)


async def test_waits_double_with_jitter_and_stay_under_the_cap() -> None:
    naps = Naps()
    retrier = Retrier(Limits(retries=6, backoff=1, max_wait=8), rng=random.Random(1), sleep=naps)
    assert await retrier.run(Calls(*[failed() for _ in range(6)])) == "done"
    for nap, base in zip(naps.taken, [1, 2, 4, 8, 8, 8], strict=True):
        assert base / 2 <= nap <= base
    other = Naps()
    await Retrier(Limits(retries=6, backoff=1, max_wait=8), rng=random.Random(1), sleep=other).run(
        Calls(*[failed() for _ in range(6)])
    )
    assert other.taken == naps.taken


async def test_retry_after_is_honoured_unless_it_is_too_long() -> None:
    naps = Naps()
    retrier = Retrier(Limits(backoff=1, max_wait=30), sleep=naps)
    await retrier.run(Calls(RateLimited("m", "slow", retry_after=20.0)))
    assert naps.taken == [20.0]
    calls = Calls(RateLimited("m", "slow", retry_after=31.0))
    with pytest.raises(RateLimited):
        await retrier.run(calls)
    assert calls.made == 1


@pytest.mark.parametrize("error", [AuthenticationFailed("m", "no"), ModelError("m", "no"), ValueError("bug")])
async def test_what_cannot_help_is_not_retried(error: Exception) -> None:
    calls = Calls(error)
    with pytest.raises(type(error)):
        await Retrier(Limits(), sleep=Naps()).run(calls)
    assert calls.made == 1


@pytest.mark.parametrize("kind", [ModelUnreachable, ModelTimeout])
async def test_an_endpoint_that_never_answered_gets_one_retry(kind: type[ModelError]) -> None:
    retrier = Retrier(Limits(retries=4), sleep=Naps())
    calls = Calls(*[kind("m", "no") for _ in range(9)])
    with pytest.raises(kind):
        await retrier.run(calls)
    assert calls.made == 2
    assert await retrier.run(Calls()) == "done"
    calls = Calls(*[kind("m", "no") for _ in range(9)])
    with pytest.raises(kind):
        await retrier.run(calls)
    assert calls.made == 5


async def test_the_last_error_comes_through_as_it_is() -> None:
    errors = [failed() for _ in range(3)]
    with pytest.raises(ServerFailed) as caught:
        await Retrier(Limits(retries=2), sleep=Naps()).run(Calls(*errors))
    assert caught.value is errors[-1]


@pytest.mark.parametrize("wrong", [{"timeout": 0}, {"retries": -1}, {"concurrency": 0}, {"surprise": 1}])
def test_limits_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        Limits(**wrong)  # type: ignore[arg-type]


async def test_the_gate_lets_waiters_in_by_turn() -> None:
    gate, order, inside, most = Gate(2), [], 0, 0

    async def visit(number: int) -> None:
        nonlocal inside, most
        async with gate.slot():
            order.append(number)
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

    await asyncio.gather(*(visit(number) for number in range(10)))
    assert order == list(range(10))
    assert most == 2


async def test_a_cancelled_waiter_takes_no_place_with_it() -> None:
    gate = Gate(1)
    entered = asyncio.Event()
    leave = asyncio.Event()

    async def hold() -> None:
        async with gate.slot():
            entered.set()
            await leave.wait()

    async def visit() -> None:
        async with gate.slot():
            pass

    holder = asyncio.create_task(hold())
    await entered.wait()
    early, late = asyncio.create_task(visit()), asyncio.create_task(visit())
    await asyncio.sleep(0)
    early.cancel()
    leave.set()
    await asyncio.sleep(0)
    late.cancel()  # perhaps after the place was handed to it
    await asyncio.gather(holder, early, late, return_exceptions=True)
    async with asyncio.timeout(2):
        await visit()


def test_the_gate_holds_over_several_event_loops() -> None:
    gate, lock = Gate(2), threading.Lock()
    inside = most = visits = 0

    async def visit() -> None:
        nonlocal inside, most, visits
        async with gate.slot():
            with lock:
                inside += 1
                most = max(most, inside)
            await asyncio.sleep(0.002)
            with lock:
                inside -= 1
                visits += 1

    async def crowd() -> None:
        async with asyncio.timeout(20):
            await asyncio.gather(*(visit() for _ in range(10)))

    threads = [threading.Thread(target=asyncio.run, args=(crowd(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert visits == 40
    assert most == 2
