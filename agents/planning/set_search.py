"""Which set to evaluate next: ask (``propose``) and tell (``observe``), without any waiting. Loads numpy."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from .attribute_sets import Choices
from .effects import Array, BayesianEffects, Hypothesis
from .rewards import HIGHEST
from .set_puct_tree import SetTree

if TYPE_CHECKING:
    from .mcts import MctsSettings

__all__ = ["SetSearch"]

_MANY = 20  # evaluations: whoever allows more wants the search to go on where it pays, not to be worth less


class SetSearch:
    """The search for the best terminal set of one scenario.

    Where scores are exact, only terminal sets are worth an evaluation, each once. Where they are noisy, the question is
    which of two sets is better, and often the best place to ask is neither: smaller sets lie where the link is steep,
    so the same effects stand out further from the noise.

    Args:
        choices: the sets.
        prior: how likely each attribute is worth asking for.
        beliefs: about the scores, before the first evaluation.
        settings: how to search.
        evaluations: how many there may be; the price of one falls with it.
        seed: breaks ties, and draws a sample where there are too many sets.
        tree: whether PUCT chooses the sets, or simply those of the highest value are taken.
    """

    def __init__(
        self,
        choices: Choices,
        prior: Mapping[str, float],
        beliefs: Sequence[Hypothesis],
        settings: MctsSettings,
        *,
        evaluations: int,
        seed: int,
        tree: bool = True,
    ) -> None:
        self._settings, self._with_tree = settings, tree
        self._price = settings.worth / min(evaluations, _MANY)
        self._rng = np.random.default_rng(seed)
        self._attributes = choices.attributes
        weights = [prior.get(a, 0.0) for a in choices.attributes]
        self._tree = SetTree(choices, weights, self._rng, c=settings.c_puct, temperature=settings.temperature)
        self._nodes = np.arange(1, len(self._tree.members)) if settings.noisy else self._tree.terminal
        sets = self._tree.members[self._nodes]
        self._sets = [frozenset(itertools.compress(self._attributes, row)) for row in sets.tolist()]
        self._row = {s: row for row, s in enumerate(self._sets)}
        self._set_of = dict(zip(self._nodes.tolist(), self._sets, strict=True))
        self._leaves = np.flatnonzero(np.isin(self._nodes, self._tree.terminal))
        self._belief = BayesianEffects(sets, beliefs)
        self._out: list[int] = []  # rows that failed
        self._spent, self._highest = 0, -np.inf
        self._stale = 0  # evaluations since the best one

    def propose(self, count: int) -> list[frozenset[str]]:
        """Up to ``count`` distinct sets to evaluate; none once another evaluation is not worth its price."""
        values = self._values_noisy() if self._settings.noisy else self._values()
        values[self._out] = -np.inf
        if not self._settings.noisy and self._finished(values):
            return []
        if not self._with_tree:
            order = np.argsort(-values, kind="stable")[:count]
            return [self._sets[row] for row in order if np.isfinite(values[row])]
        everywhere = np.full(len(self._tree.members), -np.inf)
        everywhere[self._nodes] = values
        return [self._set_of[node] for node in self._tree.reach(everywhere, count)]

    def observe(self, attributes: frozenset[str], score: float) -> None:
        """Learn the score of a set that was proposed."""
        self._spent += 1
        self._stale = 0 if score > self._highest else self._stale + 1
        self._highest = max(self._highest, score)
        self._belief.update([(self._row[attributes], score)])

    def discard(self, attributes: frozenset[str]) -> None:
        """Leave a set that was proposed out: its evaluation failed."""
        self._spent += 1
        self._out.append(self._row[attributes])

    def best(self) -> frozenset[str]:
        """The terminal set of the highest expected score, evaluated or not."""
        rows = np.setdiff1d(self._leaves, self._out)
        if not len(rows):
            rows = self._leaves
        return self._sets[int(rows[np.argmax(self._jittered(self._belief.mean()[rows]))])]

    def _values(self) -> Array:
        """Optimistic scores, or now and then in doubt how little is known. Evaluated sets have nothing left to tell."""
        doubt, belief = self._settings.doubt, self._belief
        in_doubt = doubt is not None and self._stale >= doubt and (self._stale - doubt) % 4 == 0
        values = self._jittered(belief.sd() if in_doubt else belief.optimistic(self._settings.optimism))
        values[self._belief.rows] = -np.inf
        return values

    def _values_noisy(self) -> Array:
        """How much one draw tells about "leader or challenger?"."""
        leaves = self._leaves
        leader = int(np.argmax(self._jittered(self._belief.mean()[leaves])))
        if len(leaves) == 1:
            return self._jittered(self._belief.sd())
        hope = self._jittered(self._belief.optimistic(self._settings.noisy_optimism)[leaves])
        hope[leader] = -np.inf
        return self._jittered(self._belief.contrast(int(leaves[leader]), int(leaves[int(np.argmax(hope))])))

    def _finished(self, values: Array) -> bool:
        """Whether nothing is left, nothing can be better, patience is at its end, or the next is not expected to pay.

        The price of one is a share of the spread between the best and the worst set (``MctsSettings.worth``).
        """
        if not np.isfinite(values).any() or self._highest >= HIGHEST:
            return True
        if self._settings.patience is not None and self._stale >= self._settings.patience:
            return True
        if self._spent < self._settings.least or not self._price or not self._belief.rows:
            return False
        return self._belief.gain(values) < self._price * self._belief.spread()

    def _jittered(self, values: Array) -> Array:
        """A copy whose ties are broken by lot."""
        return values + 1e-9 * self._rng.random(len(values))
