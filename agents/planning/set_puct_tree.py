"""PUCT over the sets of attributes: one node per set, an edge adds one attribute (C.2, C.5). Loads numpy."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..context import Burden
from .attribute_sets import Choices
from .effects import Array

__all__ = ["SetTree"]

_MOST_NODES = 6000  # 15 attributes, depth 5; a step over all of them takes about 0.1 s
_SAMPLED_LEAVES = 3000


@dataclass(frozen=True)
class _Lattice:
    """Nodes by size, the empty set first. ``children[node, a]`` is the node with ``a`` added, or -1."""

    members: Array
    children: NDArray[np.int64]
    layers: tuple[slice, ...]


class SetTree:
    """The sets that ``choices`` allows, and a search that goes to those of the highest value.

    Edge priors are a softmax of the best value below each edge, which is backed up exactly, so the first simulation
    reaches the best node. More matter where several evaluations are wanted at once: the visits on the edges, and a
    virtual loss that is total for nodes taken already, send each simulation elsewhere.

    Where there are too many sets, a sample of the terminal ones stands for all: half by ``weights``, half at random.

    Args:
        choices: the sets.
        weights: of the attributes in that sample.
        rng: draws it.
        c: weight of exploration.
        temperature: of the softmax, on values scaled to [0, 1].

    Attributes:
        members: [nodes, n], 0 or 1.
        terminal: nodes to which nothing can be added.
    """

    def __init__(
        self, choices: Choices, weights: Sequence[float], rng: np.random.Generator, *, c: float, temperature: float
    ) -> None:
        self._c, self._temperature = c, temperature
        n, burden = len(choices.attributes), choices.burden
        if sum(math.comb(n, size) for size in range(choices.depth + 1)) <= _MOST_NODES:
            costs = tuple(burden.costs.get(a, 1.0) for a in choices.attributes)
            self._lattice = _whole(n, choices.depth, costs, burden.most)
        else:
            self._lattice = _sampled(choices, np.asarray(weights), rng)
        self.members = self._lattice.members
        self.terminal: NDArray[np.int64] = np.flatnonzero((self._lattice.children < 0).all(1))

    def reach(self, values: Array, count: int) -> list[int]:
        """Up to ``count`` nodes, in the order in which PUCT reaches them. -inf in ``values`` rules one out."""
        finite = values[np.isfinite(values)]
        if not len(finite):
            return []
        values = (values - finite.min()) / max(float(np.ptp(finite)), 1e-12)
        visits = np.zeros(self._lattice.children.shape)
        taken: list[int] = []
        while len(taken) < min(count, len(finite)):
            node = self._simulate(values, visits)
            taken.append(node)
            values[node] = -np.inf  # a virtual loss that is total
        return taken

    def _simulate(self, values: Array, visits: Array) -> int:
        below, node = self._backed_up(values), 0
        while True:
            children = self._lattice.children[node]
            q = np.where(children >= 0, below[children], -np.inf)
            best = q.max()
            if values[node] >= best:
                return node
            prior = np.exp((q - best) / self._temperature)
            explore = self._c * prior / prior.sum() * np.sqrt(visits[node].sum()) / (1 + visits[node])
            action = int(np.argmax(q + explore))
            visits[node, action] += 1
            node = int(children[action])

    def _backed_up(self, values: Array) -> Array:
        """The best value at or below every node."""
        below = values.copy()
        for layer in reversed(self._lattice.layers[:-1]):
            children = self._lattice.children[layer]
            below[layer] = np.maximum(below[layer], np.where(children >= 0, below[children], -np.inf).max(1))
        return below


@lru_cache(maxsize=32)
def _whole(n: int, depth: int, costs: tuple[float, ...], most: float) -> _Lattice:
    names = tuple(str(i) for i in range(n))
    allowed = Choices(names, depth, Burden(costs=dict(zip(names, costs, strict=True)), most=most))
    nodes = (
        combination
        for size in range(depth + 1)
        for combination in itertools.combinations(range(n), size)
        if allowed.allows(frozenset(names[i] for i in combination))
    )
    return _joined(n, nodes)


def _sampled(choices: Choices, weights: Array, rng: np.random.Generator) -> _Lattice:
    """Sampled terminal sets and the way to each in attribute order. Sampling without replacement, by Gumbel's trick."""
    n = len(choices.attributes)
    keys = rng.gumbel(size=(_SAMPLED_LEAVES, n))
    keys[: _SAMPLED_LEAVES // 2] += np.log(np.maximum(weights, 1e-12))
    place = {a: i for i, a in enumerate(choices.attributes)}
    nodes: set[tuple[int, ...]] = {()}
    for order in np.argsort(-keys, axis=1):
        leaf = sorted(place[a] for a in choices.fill([choices.attributes[i] for i in order]))
        nodes.update(tuple(leaf[:size]) for size in range(1, len(leaf) + 1))
    return _joined(n, sorted(nodes, key=lambda members: (len(members), members)))


def _joined(n: int, nodes: Iterable[tuple[int, ...]]) -> _Lattice:
    """``nodes``, smaller ones first, with every edge between them."""
    index = {combination: i for i, combination in enumerate(nodes)}
    members, children = np.zeros((len(index), n)), np.full((len(index), n), -1)
    sizes = np.array([len(combination) for combination in index])
    for combination, i in index.items():
        members[i, list(combination)] = 1.0
        for at, attribute in enumerate(combination):
            parent = index.get(combination[:at] + combination[at + 1 :])
            if parent is not None:
                children[parent, attribute] = i
    bounds = np.searchsorted(sizes, np.arange(sizes.max() + 2))
    for table in (members, children):
        table.flags.writeable = False  # shared by all plans over as many attributes
    return _Lattice(members, children, tuple(slice(a, b) for a, b in itertools.pairwise(bounds.tolist())))
