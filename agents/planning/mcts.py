"""The default search, to be read downwards: select, expand, evaluate, back up (C.2 to C.5, docs/adr/0003-planner.md).

The published search (``paper_mcts``) knows of a set what its rollouts scored. Here a Bayesian model of effects expects
a score of every set, and learns from each evaluation about all of them. What that makes of the four steps:

* **Select**: go down the graph of sets by PUCT, from the empty set to one worth evaluating; as often as there are
  evaluations to make at a time.
* **Expand**: the prior P of a node's edges comes from the best value below each. No model is asked for a ranking but at
  the root, and no rollout guesses what lies below.
* **Evaluate**: an answer and a judgement for each set that was selected.
* **Back up**: condition the model on the scores. The values of all sets follow from it, and go up the graph exactly.

Loads numpy.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import numpy as np

from ..context import PlanLimits, PlanResult
from .attribute_sets import Choices
from .effects import Array, BayesianEffects, DomainEffects, Hypothesis, hypotheses
from .mcts_settings import MctsSettings
from .path_order import best_path
from .rewards import HIGHEST
from .search_task import SearchTask
from .set_lattice import lattice_of

__all__ = ["SetSearch", "search"]

_BLIND = 8  # most evaluations at a time before any score is known
_MANY = 20  # evaluations: whoever allows more wants the search to go on where it pays, not to be worth less


async def search(
    task: SearchTask, settings: MctsSettings, *, domain: DomainEffects | None = None, tree: bool = True
) -> PlanResult:
    """Evaluate one set after another while that is worth its price; the best, in good order, is the path.

    Args:
        domain: what other scenarios of the domain taught; None: nothing.
        tree: whether PUCT selects, or simply the sets of the highest value are taken.

    Raises:
        PlanningError: every evaluation failed.
    """
    weights, paid = await task.weights(), task.account(concurrency=settings.concurrency, noisy=settings.noisy)
    believed = domain.hypotheses if domain else partial(hypotheses, noisy=settings.noisy)
    beliefs = believed(weights, task.choices.attributes)
    wanted = task.choices.depth if settings.prefix_evaluations is None else settings.prefix_evaluations
    reserve = min(wanted, task.limits.evaluations // 4)

    graph = SetSearch(task.choices, weights, beliefs, settings, task.limits, tree=tree)
    # Rounds grow with what is known: many sets chosen in ignorance are many of the same kind.
    while (room := min(settings.concurrency, max(_BLIND, graph.evaluated), paid.left - reserve)) > 0:
        selected = graph.select(room)  # expands the nodes on its way
        if not selected:
            break
        scores = await paid.measure(selected)  # evaluates
        graph.back_up(scores)

    paid.require_a_score()
    target, rollouts = graph.best() if settings.noisy else None, graph.evaluated
    return await best_path(
        paid, task.choices, weights, beliefs, target=target, most=settings.prefix_evaluations, rollouts=rollouts
    )


class SetSearch:
    """The graph of sets, and what is believed of their scores: which to evaluate next, without any waiting.

    Where scores are exact, only terminal sets are worth an evaluation, each once. Where they are noisy, the question is
    which of two sets is better, and often the best place to ask is neither: smaller sets lie where the link is steep,
    so the same effects stand out further from the noise.

    Args:
        choices: the sets.
        prior: how likely each attribute is worth asking for.
        beliefs: about the scores, before the first evaluation.
        settings: how to search.
        limits: the price of an evaluation falls with how many there may be; the seed breaks ties, and draws a sample
            where there are too many sets.
        tree: whether PUCT selects, or simply the sets of the highest value are taken.

    Attributes:
        lattice: the graph.
        evaluated: how many evaluations were backed up, failures included.
    """

    def __init__(
        self,
        choices: Choices,
        prior: Mapping[str, float],
        beliefs: Sequence[Hypothesis],
        settings: MctsSettings,
        limits: PlanLimits,
        *,
        tree: bool = True,
    ) -> None:
        self._settings, self._with_tree = settings, tree
        self._price = settings.worth / min(limits.evaluations, _MANY)
        self._rng = np.random.default_rng(limits.seed)
        names = choices.attributes
        self.lattice = lattice_of(choices, [prior.get(a, 0.0) for a in names], self._rng)
        members, terminal = self.lattice.members, self.lattice.terminal
        self._nodes = np.arange(1, len(members)) if settings.noisy else terminal
        self._sets = [frozenset(itertools.compress(names, row)) for row in members[self._nodes].tolist()]
        self._row = {s: row for row, s in enumerate(self._sets)}
        self._set_of = dict(zip(self._nodes.tolist(), self._sets, strict=True))
        self._leaves = np.flatnonzero(np.isin(self._nodes, terminal))
        self._belief = BayesianEffects(members[self._nodes], beliefs)
        self._out: list[int] = []  # rows that failed
        self.evaluated, self._highest = 0, -np.inf
        self._stale = 0  # evaluations since the best one

    # ---- select and expand -------------------------------------------------------------------------------------------

    def select(self, count: int) -> list[frozenset[str]]:
        """Up to ``count`` distinct sets to evaluate; none once another evaluation is not worth its price."""
        values = self._values_noisy() if self._settings.noisy else self._values()
        values[self._out] = -np.inf
        if not self._settings.noisy and self._finished(values):
            return []
        if not self._with_tree:
            order = np.argsort(-values, kind="stable")[:count]
            return [self._sets[row] for row in order if np.isfinite(values[row])]
        everywhere = np.full(len(self.lattice.members), -np.inf)
        everywhere[self._nodes] = values
        return [self._set_of[node] for node in self.reach(everywhere, count)]

    def reach(self, values: Array, count: int) -> list[int]:
        """Up to ``count`` nodes, in the order in which PUCT reaches them. -inf in ``values`` rules one out.

        The first simulation reaches the best node. More matter where several evaluations are wanted at once: the visits
        on the edges, and a virtual loss that is total for nodes taken already, send each simulation elsewhere.
        """
        finite = values[np.isfinite(values)]
        if not len(finite):
            return []
        values = (values - finite.min()) / max(float(np.ptp(finite)), 1e-12)
        visits = np.zeros(self.lattice.children.shape)
        taken: list[int] = []
        while len(taken) < min(count, len(finite)):
            node = self._descend(values, visits)
            taken.append(node)
            values[node] = -np.inf
        return taken

    def _descend(self, values: Array, visits: Array) -> int:
        """One simulation: from the empty set to a node that is worth as much as anything below it."""
        best, node = self.lattice.best_below(values), 0
        while True:
            q = self.lattice.along_edges(best, node)
            if values[node] >= q.max():
                return node
            n = visits[node]
            action = int(np.argmax(q + self._settings.c_puct * self._expand(q) * np.sqrt(n.sum()) / (1 + n)))
            visits[node, action] += 1
            node = int(self.lattice.children[node, action])

    def _expand(self, q: Array) -> Array:
        """P of the edges of a node: a softmax of the best value below each."""
        odds = np.exp((q - q.max()) / self._settings.temperature)
        return np.asarray(odds / odds.sum())

    # ---- back up -----------------------------------------------------------------------------------------------------

    def back_up(self, scores: Iterable[tuple[frozenset[str], float | None]]) -> None:
        """Learn the scores of sets that were selected, in this order. None: the evaluation failed, and is left out."""
        for attributes, score in scores:
            self.evaluated += 1
            row = self._row[attributes]
            if score is None:
                self._out.append(row)
                continue
            self._stale = 0 if score > self._highest else self._stale + 1
            self._highest = max(self._highest, score)
            self._belief.update([(row, score)])

    def best(self) -> frozenset[str]:
        """The terminal set of the highest expected score, evaluated or not."""
        rows = np.setdiff1d(self._leaves, self._out)
        if not len(rows):
            rows = self._leaves
        return self._sets[int(rows[np.argmax(self._jittered(self._belief.mean()[rows]))])]

    # ---- what a set is worth -----------------------------------------------------------------------------------------

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
        if self.evaluated < self._settings.least or not self._price or not self._belief.rows:
            return False
        return self._belief.gain(values) < self._price * self._belief.spread()

    def _jittered(self, values: Array) -> Array:
        """A copy whose ties are broken by lot."""
        return values + 1e-9 * self._rng.random(len(values))
