"""Choose some scenarios of many, at random and repeatably, without holding the others in memory."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Literal, cast, get_args

from ...domains import Scenario, UnknownNameError

__all__ = ["GroupBy", "checked_group", "choose_scenarios"]

GroupBy = Literal["domain", "risk", "split", "source", "title"]


def choose_scenarios(
    scenarios: Iterable[Scenario], count: int, *, seed: int, by: GroupBy | None = None
) -> list[Scenario]:
    """``count`` scenarios, or with ``by`` as many of each group (all of a group that has fewer), in their order.

    Each has the same chance (reservoir sampling). The choice in one group does not depend on the others.
    """
    groups: dict[str, _Reservoir] = {}
    for number, scenario in enumerate(scenarios):
        name = "" if by is None else str(getattr(scenario, by) or "not given")
        if name not in groups:
            groups[name] = _Reservoir(count, random.Random(f"{seed}:{name}"))
        groups[name].offer(number, scenario)
    kept = sorted((entry for group in groups.values() for entry in group.kept), key=lambda entry: entry[0])
    return [scenario for _, scenario in kept]


def checked_group(name: str) -> GroupBy:
    """``name`` as a way to group. Raises ``UnknownNameError`` with the nearest."""
    if name not in get_args(GroupBy):
        raise UnknownNameError("group", name, get_args(GroupBy))
    return cast("GroupBy", name)


class _Reservoir:
    """Algorithm R."""

    def __init__(self, size: int, rng: random.Random) -> None:
        self.kept: list[tuple[int, Scenario]] = []
        self._size, self._rng, self._seen = size, rng, 0

    def offer(self, number: int, scenario: Scenario) -> None:
        self._seen += 1
        if len(self.kept) < self._size:
            self.kept.append((number, scenario))
            return
        place = self._rng.randrange(self._seen)
        if place < self._size:
            self.kept[place] = (number, scenario)
