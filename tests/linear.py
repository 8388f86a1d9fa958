"""Whether something takes time in proportion to the length of a text, however busy the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["assert_linear"]

_GROWTH = 4


def assert_linear(read: Callable[[str], object], text: Callable[[int], str], size: int = 5_000) -> None:
    """``read`` of a text of 4n takes less than 10 times what one of n takes: quadratic would be 16, linear is 4.

    Measured in CPU time of this process, the best of three. Where both take but some milliseconds, nothing is said.
    """

    def cost(n: int) -> float:
        given = text(n)
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            read(given)
            best = min(best, time.process_time() - start)
        return best

    short, long = cost(size), cost(size * _GROWTH)
    assert long < 10 * short + 0.02, f"{long:.3f} s for {_GROWTH} times what took {short:.3f} s"
