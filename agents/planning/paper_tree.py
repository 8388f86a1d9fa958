"""The search graph: one node per *set* of attributes, whatever the order in which they were asked (C.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .attribute_sets import Choices

__all__ = ["Node", "SearchTree"]


@dataclass(slots=True)
class Node:
    """Statistics of one set.

    Attributes:
        visits: N, how many rewards were backed up to it.
        total: sum of these rewards, each from 0 to 1.
        pending: rollouts under way through it.
        prior: P of each remaining attribute; None while the node is not expanded.
    """

    visits: int = 0
    total: float = 0.0
    pending: int = 0
    prior: Mapping[str, float] | None = None

    @property
    def mean(self) -> float:
        """Mean reward, 0 without a visit."""
        return self.total / self.visits if self.visits else 0.0


class SearchTree:
    """Nodes by set, made when they are first looked at."""

    def __init__(self, choices: Choices) -> None:
        self._choices = choices
        self._nodes: dict[frozenset[str], Node] = {}

    def node(self, known: frozenset[str]) -> Node:
        """The node of ``known``."""
        return self._nodes.setdefault(known, Node())

    def child(self, known: frozenset[str], attribute: str) -> Node:
        """The node after one more attribute."""
        return self.node(known | {attribute})

    def visited_actions(self, known: frozenset[str]) -> list[str]:
        """Attributes that may be added and lead to a node with a visit, in fixed order."""
        return [a for a in self._choices.extensions(known) if self.child(known, a).visits]

    def back_up(self, trail: Iterable[frozenset[str]], reward: float) -> None:
        """Add ``reward`` (0 to 1) to the nodes of ``trail``."""
        for known in trail:
            node = self.node(known)
            node.visits += 1
            node.total += reward
