"""The search graph: one node per *set* of attributes, whatever the order in which they were asked (C.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Node", "SearchTree"]


@dataclass(slots=True)
class Node:
    """Statistics of one set.

    Attributes:
        visits: N, how many rewards were backed up to it.
        total: sum of these rewards, each from 0 to 1.
        pending: rollouts under way through it.
        prior: P of each remaining attribute; None while the node is not expanded.
        closed: nothing below it is left to evaluate.
    """

    visits: int = 0
    total: float = 0.0
    pending: int = 0
    prior: Mapping[str, float] | None = None
    closed: bool = False

    @property
    def mean(self) -> float:
        """Mean reward, 0 without a visit."""
        return self.total / self.visits if self.visits else 0.0


class SearchTree:
    """Nodes by set, made when they are first looked at.

    Args:
        attributes: what may be asked, in a fixed order. Ties and random draws go by it, never by the order of a set.
        depth: size of a terminal set.
        share: whether a reward reaches every node that is a subset of the set it was paid for, not only those of the
            order in which the rollout happened to ask. All of them lie on some path to it.
    """

    def __init__(self, attributes: Sequence[str], depth: int, *, share: bool) -> None:
        self.attributes, self.depth, self.share = tuple(attributes), depth, share
        self._nodes: dict[frozenset[str], Node] = {}
        self._rewards: list[tuple[frozenset[str], float]] = []

    def node(self, known: frozenset[str]) -> Node:
        """The node of ``known``. A new one of a sharing tree starts with the rewards that it missed."""
        node = self._nodes.get(known)
        if node is None:
            node = self._nodes[known] = Node()
            if self.share:
                for terminal, reward in self._rewards:
                    if known <= terminal:
                        node.visits += 1
                        node.total += reward
        return node

    def child(self, known: frozenset[str], attribute: str) -> Node:
        """The node after one more attribute."""
        return self.node(known | {attribute})

    def open_actions(self, known: frozenset[str]) -> list[str]:
        """Attributes that are not known and lead to a node that is not closed, in fixed order."""
        return [a for a in self.attributes if a not in known and not self.child(known, a).closed]

    def visited_actions(self, known: frozenset[str]) -> list[str]:
        """Attributes that are not known and lead to a node with a visit, in fixed order."""
        return [a for a in self.attributes if a not in known and self.child(known, a).visits]

    def back_up(self, trail: Iterable[frozenset[str]], terminal: frozenset[str], reward: float) -> None:
        """Add ``reward`` (0 to 1) of ``terminal`` to the nodes of ``trail``, or to all its subsets if sharing."""
        if self.share:
            self._rewards.append((terminal, reward))
            reached = [node for known, node in self._nodes.items() if known <= terminal]
        else:
            reached = [self.node(known) for known in trail]
        for node in reached:
            node.visits += 1
            node.total += reward
