"""What the search believes of sets that it has not evaluated: the value of a leaf, and a prior that learns.

A leaf model hears of every evaluation. The search asks it for the value of nodes with few visits, and lets it correct
the prior of a node each time it passes. A model of main and pairwise effects fits behind the same Protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from ..domains.scenario import Scenario

__all__ = ["LeafModel", "LeafModelFactory", "MainEffects", "RunningMean"]


@runtime_checkable
class LeafModel(Protocol):
    """Beliefs about one scenario's rewards, all on a scale of 0 to 1."""

    def observe(self, attributes: frozenset[str], reward: float) -> None:
        """Learn that the terminal set ``attributes`` was worth ``reward``."""

    def value(self, known: frozenset[str]) -> float:
        """Expected reward of the terminal sets that contain ``known``."""

    def prior(self, known: frozenset[str], remaining: Sequence[str], prior: Mapping[str, float]) -> Mapping[str, float]:
        """``prior`` over ``remaining`` in the light of what was observed: positive numbers, any sum."""


LeafModelFactory = Callable[[Scenario, Sequence[str], int], LeafModel]
"""(scenario, plannable attributes, depth) -> a fresh model for one plan."""


class RunningMean:
    """Every set is worth the mean of what was seen: plain first-play urgency."""

    def __init__(self) -> None:
        self._count, self._total = 0, 0.0

    def observe(self, attributes: frozenset[str], reward: float) -> None:
        self._count += 1
        self._total += reward

    def value(self, known: frozenset[str]) -> float:
        return self._total / self._count if self._count else 0.5

    def prior(self, known: frozenset[str], remaining: Sequence[str], prior: Mapping[str, float]) -> Mapping[str, float]:
        return prior


class MainEffects(RunningMean):
    """A set is worth the mean plus what each of its attributes was worth so far, as if they did not interact.

    An attribute's effect is the mean reward of the sets that hold it, less the mean of all, shrunk towards 0 as if it
    had been seen once more without effect.
    """

    def __init__(self) -> None:
        super().__init__()
        self._by_attribute: dict[str, tuple[int, float]] = {}

    def observe(self, attributes: frozenset[str], reward: float) -> None:
        super().observe(attributes, reward)
        for attribute in attributes:
            count, total = self._by_attribute.get(attribute, (0, 0.0))
            self._by_attribute[attribute] = (count + 1, total + reward)

    def value(self, known: frozenset[str]) -> float:
        mean = super().value(known)
        effects = 0.0
        for attribute in sorted(known):  # sorted: sums of floats depend on their order
            count, total = self._by_attribute.get(attribute, (0, 0.0))
            effects += (total - count * mean) / (count + 1)
        return min(1.0, max(0.0, mean + effects))
