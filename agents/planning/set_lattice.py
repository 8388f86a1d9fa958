"""The sets of attributes as a graph in arrays: one node per set, an edge adds one attribute (C.2). Loads numpy."""

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

__all__ = ["Lattice", "lattice_of"]

_MOST_NODES = 6000  # 15 attributes, depth 5; a step over all of them takes about 0.1 s
_SAMPLED_LEAVES = 3000


@dataclass(frozen=True)
class Lattice:
    """Nodes by size; node 0 is the empty set.

    Attributes:
        members: [nodes, n], 0 or 1.
        children: [nodes, n], the node with that attribute added, or -1.
        layers: the nodes of each size.
    """

    members: Array
    children: NDArray[np.int64]
    layers: tuple[slice, ...]

    @property
    def terminal(self) -> NDArray[np.int64]:
        """Nodes to which nothing can be added."""
        return np.flatnonzero((self.children < 0).all(1))

    def along_edges(self, values: Array, nodes: int | slice) -> Array:
        """The value of every child of ``nodes``; -inf where there is none."""
        children = self.children[nodes]
        return np.where(children >= 0, values[children], -np.inf)

    def best_below(self, values: Array) -> Array:
        """The best value at or below every node."""
        best = values.copy()
        for layer in reversed(self.layers[:-1]):
            best[layer] = np.maximum(best[layer], self.along_edges(best, layer).max(1))
        return best


def lattice_of(choices: Choices, weights: Sequence[float], rng: np.random.Generator) -> Lattice:
    """The sets that ``choices`` allows.

    Where there are too many, a sample of the terminal ones, drawn by ``rng``, stands for all: half by the ``weights``
    of the attributes, half at random.
    """
    n, burden = len(choices.attributes), choices.burden
    if sum(math.comb(n, size) for size in range(choices.depth + 1)) > _MOST_NODES:
        return _sampled(choices, np.asarray(weights), rng)
    costs = tuple(burden.costs.get(a, 1.0) for a in choices.attributes)
    return _whole(n, choices.depth, costs, burden.most)


@lru_cache(maxsize=32)
def _whole(n: int, depth: int, costs: tuple[float, ...], most: float) -> Lattice:
    names = tuple(str(i) for i in range(n))
    allowed = Choices(names, depth, Burden(costs=dict(zip(names, costs, strict=True)), most=most))
    nodes = (
        combination
        for size in range(depth + 1)
        for combination in itertools.combinations(range(n), size)
        if allowed.allows(frozenset(names[i] for i in combination))
    )
    return _joined(n, nodes)


def _sampled(choices: Choices, weights: Array, rng: np.random.Generator) -> Lattice:
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


def _joined(n: int, nodes: Iterable[tuple[int, ...]]) -> Lattice:
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
    return Lattice(members, children, tuple(slice(a, b) for a, b in itertools.pairwise(bounds.tolist())))
