from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from askfirst.agents import Allowance, Entry, SpendingLimitReached
from askfirst.models import Usage, record_usage
from hypothesis import given, settings
from hypothesis import strategies as st


def piece(calls: int, tokens: int = 0, fails: bool = False) -> Callable[[], Awaitable[str]]:
    async def work() -> str:
        for _ in range(calls):
            await asyncio.sleep(0)
            record_usage(Usage(calls=1))
        record_usage(Usage(input_tokens=tokens))
        if fails:
            raise ValueError("failed")
        return "done"

    return work


def usage(entry: Entry) -> Usage:
    return entry.usage


@settings(max_examples=60)
@given(
    limit=st.integers(1, 40),
    concurrency=st.integers(1, 6),
    costs=st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=25),
)
def test_max_calls_is_never_exceeded_and_nearly_used(
    limit: int, concurrency: int, costs: list[tuple[int, bool]]
) -> None:
    async def run() -> None:
        allowance = Allowance(max_calls=limit, concurrency=concurrency)
        allowance.expect("work", calls=3)
        work = (allowance.pay("work", piece(calls, fails=fails), usage) for calls, fails in costs)
        results = await asyncio.gather(*work, return_exceptions=True)
        assert allowance.spent.calls <= limit
        refused = sum(isinstance(r, SpendingLimitReached) for r in results)
        assert (refused > 0) == allowance.exhausted
        if refused:
            assert allowance.spent.calls > limit - 3

    asyncio.run(run())


async def test_spent_counts_failures_and_what_was_spent_before() -> None:
    allowance = Allowance(max_calls=10, spent=Usage(calls=3))
    with pytest.raises(ValueError, match="failed"):
        await allowance.pay("work", piece(2, tokens=9, fails=True), usage)
    assert allowance.spent == Usage(calls=5, input_tokens=9)


async def test_an_entry_has_usage_and_time() -> None:
    entry = await Allowance().pay("work", piece(2, tokens=5), lambda entry: entry)
    assert (entry.value, entry.usage) == ("done", Usage(calls=2, input_tokens=5))
    assert entry.seconds > 0


async def test_max_tokens_stops_before_what_would_not_fit() -> None:
    allowance = Allowance(max_tokens=1000, concurrency=8)
    work = (allowance.pay("work", piece(1, tokens=90), usage) for _ in range(50))
    results = await asyncio.gather(*work, return_exceptions=True)
    assert sum(isinstance(r, Usage) for r in results) == 11
    assert allowance.spent.input_tokens == 990


async def test_of_unknown_cost_the_first_goes_alone() -> None:
    at_once = most = 0

    async def work() -> None:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0.001)
        record_usage(Usage(calls=1, input_tokens=700))
        at_once -= 1

    allowance = Allowance(max_tokens=1000, concurrency=8)
    await asyncio.gather(*(allowance.pay("work", work, usage) for _ in range(8)), return_exceptions=True)
    assert (most, allowance.spent.calls) == (1, 1)


async def test_one_limit_on_what_is_under_way() -> None:
    at_once = most = 0

    async def work() -> None:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0.001)
        at_once -= 1

    allowance = Allowance(concurrency=3)
    kinds = ("reward", "ranking")
    await asyncio.gather(*(allowance.pay(kinds[n % 2], work, usage) for n in range(12)))
    assert most == 3


async def test_cancelled_work_gives_its_share_back() -> None:
    allowance = Allowance(max_calls=2, concurrency=2)
    allowance.expect("work", calls=2)
    stuck = asyncio.ensure_future(allowance.pay("work", lambda: asyncio.sleep(60), usage))
    waiting = asyncio.ensure_future(allowance.pay("work", piece(2), usage))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    stuck.cancel()
    assert await waiting == Usage(calls=2)
