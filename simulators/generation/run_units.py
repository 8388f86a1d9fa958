"""Run many independent units of work with a model: several at once, failures counted, hopeless runs stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TypeVar

from ...domains import AskfirstError
from ...models import AuthenticationFailed, ModelError, ModelSpecError, ModelUnreachable, PromptError

__all__ = ["NothingUsable", "OnProgress", "UnitFailed", "run_units"]

U = TypeVar("U")
OnProgress = Callable[[int, int], None]
"""``(done, total)``."""

_HOPELESS = (AuthenticationFailed, ModelSpecError, ModelUnreachable, PromptError)
_MOST_IN_A_ROW = 8


class UnitFailed(Exception):
    """One unit gave nothing usable. ``str(error)`` is the reason, without anything that a person or a model wrote.

    Attributes:
        rejected: what was tried, by the reason for which it could not be used.
    """

    def __init__(self, reason: str, rejected: Mapping[str, int] | None = None) -> None:
        super().__init__(reason)
        self.rejected = dict(rejected or {})


class NothingUsable(AskfirstError):
    """Unit after unit gave nothing usable, so the run was stopped. What was finished before is kept."""


async def run_units(
    units: Iterable[U],
    work: Callable[[U], Awaitable[None]],
    *,
    total: int,
    skip: Callable[[U], bool],
    concurrency: int,
    on_progress: OnProgress,
) -> list[tuple[U, str]]:
    """Do ``work`` for every unit that ``skip`` does not pass over, and give those that failed, each with the reason.

    Args:
        units: taken one by one, as workers become free.
        total: how many there are, for ``on_progress``.
        concurrency: units at once.

    Raises:
        ModelError: the model cannot be reached or refuses the key, or one failed unit follows another.
        NothingUsable: the same, where the replies are at fault.
    """
    waiting = iter(units)
    failed: list[tuple[U, str]] = []
    finished = in_a_row = 0
    on_progress(finished, total)

    async def worker() -> None:
        nonlocal finished, in_a_row
        for unit in waiting:
            if not skip(unit):
                try:
                    await work(unit)
                except _HOPELESS:
                    raise
                except (ModelError, UnitFailed) as error:
                    failed.append((unit, str(error)))
                    in_a_row += 1
                    _stop_if_hopeless(error, in_a_row)
                else:
                    in_a_row = 0
            finished += 1
            on_progress(finished, total)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(max(1, concurrency)):
                group.create_task(worker())
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return failed


def _stop_if_hopeless(error: ModelError | UnitFailed, in_a_row: int) -> None:
    if in_a_row < _MOST_IN_A_ROW:
        return
    if isinstance(error, ModelError):
        raise error
    raise NothingUsable(f"stopped after {in_a_row} failures one after another; the last: {error}") from error
