"""Several pieces of async work at the same time, without one left running behind."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar, overload

__all__ = ["stop", "together"]

T = TypeVar("T")
U = TypeVar("U")


@overload
async def together(coroutines: tuple[Coroutine[Any, Any, T], Coroutine[Any, Any, U]]) -> tuple[T, U]: ...
@overload
async def together(coroutines: Iterable[Coroutine[Any, Any, T]]) -> tuple[T, ...]: ...
async def together(coroutines: Iterable[Coroutine[Any, Any, Any]]) -> tuple[Any, ...]:
    """Results of ``coroutines``, run at the same time, in order.

    The first failure is raised as it is. Before that, and also where the caller is cancelled, the others are stopped.
    """
    tasks = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    try:
        return tuple(await asyncio.gather(*tasks))
    finally:
        await stop(*tasks)


async def stop(*tasks: asyncio.Future[Any]) -> None:
    """Cancel those of ``tasks`` that still run, and wait until they have ended. Their errors are dropped."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
