"""What a path may be made of: attributes that can be revealed, how many, and how much asking may burden a person."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...domains import Scenario
from ..context import Burden, PlanLimits
from ..errors import PlanningError

__all__ = ["Choices", "choices_for"]

_ROUNDING = 1e-9  # 0.1 + 0.2 is to be within a burden of 0.3


@dataclass(frozen=True)
class Choices:
    """The sets among which a planner chooses.

    Attributes:
        attributes: what may be asked, in a fixed order. Ties and random draws go by it, never by the order of a set.
        depth: most attributes of a set.
        burden: what asking costs, and the most that a set may cost.
    """

    attributes: tuple[str, ...]
    depth: int
    burden: Burden = field(default_factory=Burden)

    def cost(self, known: frozenset[str]) -> float:
        """Summed cost of asking for ``known``."""
        return math.fsum(self.burden.costs.get(a, 1.0) for a in known)

    def allows(self, known: frozenset[str]) -> bool:
        """Whether ``known`` is within the depth and the burden."""
        return len(known) <= self.depth and self.cost(known) <= self.burden.most + _ROUNDING

    def extensions(self, known: frozenset[str]) -> list[str]:
        """Attributes that may still be added to ``known``, in fixed order; none: the set is terminal."""
        if len(known) >= self.depth:
            return []
        room = self.burden.most + _ROUNDING - self.cost(known)
        return [a for a in self.attributes if a not in known and self.burden.costs.get(a, 1.0) <= room]

    def fill(self, order: Sequence[str]) -> list[str]:
        """A terminal set: the attributes of ``order``, one after another, that may still be added."""
        chosen: list[str] = []
        for attribute in order:
            if self.allows(frozenset((*chosen, attribute))):
                chosen.append(attribute)
        return chosen

    def terminal_sets(self) -> Iterator[frozenset[str]]:
        """Every terminal set: those of ``depth`` attributes, and with a burden the smaller ones that leave no room."""
        sizes = [self.depth] if self.burden.most == math.inf else range(self.depth, 0, -1)
        for size in sizes:
            for members in itertools.combinations(self.attributes, size):
                known = frozenset(members)
                if self.allows(known) and not self.extensions(known):
                    yield known


def choices_for(scenario: Scenario, attributes: Sequence[str], limits: PlanLimits) -> Choices:
    """The choices for ``scenario``: only a known attribute has a value to reveal, so only those are planned over.

    Raises:
        PlanningError: none is known or within the burden, or ``limits`` allow nothing.
    """
    limits.check(scenario)
    known = tuple(a for a in dict.fromkeys(attributes) if scenario.profile.get(a) is not None)
    if not known:
        raise PlanningError(scenario.id, "its profile has no value for any of the attributes; leave it out of planning")
    everything = Choices(known, min(limits.budget, len(known)), limits.burden)
    affordable = tuple(everything.extensions(frozenset()))
    if not affordable:
        least = min(everything.cost(frozenset({a})) for a in known)
        raise PlanningError(
            scenario.id, f"no question costs at most {everything.burden.most:g}; the cheapest costs {least:g}"
        )
    return Choices(affordable, min(limits.budget, len(affordable)), limits.burden)
