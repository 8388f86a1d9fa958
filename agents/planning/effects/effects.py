"""What evaluated sets tell about all others: a Bayesian model of main and pairwise effects (docs/adr/0003-planner.md).

    latent(S) = level + sum of main effects + sum of pair effects + residual(S)          score(S) = link(latent(S))

* The link saturates towards 5: each further fact helps less. A linear link competes with it.
* The prior over attributes (a model's ranking, a pack's sensitivities) is one more unknown: a main effect contains
  trust x centred log prior, and the trust has a posterior like any effect. A ranking that points the wrong way gets a
  negative trust after a few evaluations, and from then on helps as much as a right one.
* What pairs do not explain goes to the residual: triples, and a private deviation of each set.
* How large effects are is not set for a domain: a few hypotheses (``Scales``) are weighted by their evidence.

Loads numpy, so nothing that must be light imports this module at the top.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .posterior import Array, Posterior, Scales

__all__ = [
    "DIRECTIONS",
    "EXACT",
    "NOISY",
    "Background",
    "BayesianEffects",
    "Directions",
    "Hypothesis",
    "Scales",
    "centred_log_prior",
    "features",
    "hypotheses",
]

_SIZES = (
    Scales(),
    Scales(triple=0.12, private=0.05, weight=0.5),  # much that pairs do not explain
    Scales(main=0.2, pair=0.28, private=0.02, weight=0.3),
    Scales(main=0.15, pair=0.07, weight=0.3),
    Scales(saturating=False, weight=0.1),
)
EXACT: tuple[Scales, ...] = _SIZES
"""Hypotheses where the same set always gets the same score."""
NOISY: tuple[Scales, ...] = tuple(
    replace(s, noise=noise, private=0.03) for s in (_SIZES[0], _SIZES[3]) for noise in (0.1, 0.2, 0.35, 0.6)
)
"""Hypotheses where every evaluation is a fresh draw."""


@dataclass(frozen=True)
class Directions:
    """Mean and sd of the three common unknowns: the level, what any attribute adds, the trust in the prior (latent)."""

    mean: Array
    sd: Array


DIRECTIONS = Directions(mean=np.array([-0.6, 0.2, 0.12]), sd=np.array([0.4, 0.1, 0.2]))
"""A score of about 3.2 while nothing is known; knowing more usually helps; one nat of log prior is worth a little, with
room for a prior that misleads."""


@dataclass(frozen=True)
class Background:
    """What is believed of the effects before the first evaluation, beside their independent scales (latent units).

    Effects are ordered: the level, the n main effects, the n(n-1)/2 pairs.

    Attributes:
        mean: of each effect.
        root: [directions, effects]; the effects share the covariance ``root.T @ root``.
    """

    mean: Array
    root: Array

    @classmethod
    def from_prior(cls, prior: Mapping[str, float] | None, attributes: Sequence[str]) -> Background:
        """Only ``DIRECTIONS`` are known."""
        n = len(attributes)
        loads = np.zeros((3, 1 + n + n * (n - 1) // 2))
        loads[0, 0] = 1.0
        loads[1, 1 : n + 1] = 1.0
        loads[2, 1 : n + 1] = centred_log_prior(prior, attributes)
        return cls(DIRECTIONS.mean @ loads, DIRECTIONS.sd[:, None] * loads)

    def belief(self, scales: Scales, sets: Array, phi: Array) -> Posterior:
        """About the scores of ``sets`` [sets, n], with independent effects of these ``scales``, before any of them.

        ``phi``: the ``features`` of ``sets``.
        """
        return Posterior(scales, sets, phi @ self.mean, phi @ self.root.T)


@dataclass(frozen=True)
class Hypothesis:
    """One belief before the first evaluation; ``scales.weight`` is its own."""

    scales: Scales
    background: Background


def hypotheses(
    prior: Mapping[str, float] | None, attributes: Sequence[str], *, noisy: bool = False
) -> list[Hypothesis]:
    """What is believed of a scenario of which nothing is known but the ``prior``.

    Args:
        noisy: whether every evaluation of a set is a fresh draw.
    """
    background = Background.from_prior(prior, attributes)
    return [Hypothesis(scales, background) for scales in (NOISY if noisy else EXACT)]


def centred_log_prior(prior: Mapping[str, float] | None, attributes: Sequence[str], widest: float = 1.0) -> Array:
    """Log prior less its mean, narrowed to a spread of ``widest`` nats: overconfidence is not information."""
    if prior is None:
        return np.zeros(len(attributes))
    weights = np.array([prior.get(a, 0.0) for a in attributes])
    logs = np.log(np.maximum(weights, 1e-4 * max(weights.max(), 1e-12)))
    logs -= logs.mean()
    return np.asarray(logs * min(1.0, widest / max(float(logs.std()), 1e-12)))


class BayesianEffects:
    """Belief about the scores of ``sets``: exact Gaussian posteriors under several ``Scales``, weighted by evidence.

    Args:
        sets: [sets, n] memberships, 0 or 1. What is asked later are rows of it.
        hypotheses: what is believed before the first evaluation.

    Attributes:
        rows: distinct sets evaluated, in order.
        weights: of the hypotheses; they sum to 1.
    """

    def __init__(self, sets: Array, hypotheses: Sequence[Hypothesis]) -> None:
        self.rows: list[int] = []
        self._place: dict[int, int] = {}
        self._sum: list[float] = []
        self._count: list[int] = []
        self._squares = 0.0  # of the scores about the mean of their set: repeats tell the noise
        phi = features(sets)
        self._models = [h.background.belief(h.scales, sets, phi) for h in hypotheses]
        self._reweigh()

    def update(self, scores: Sequence[tuple[int, float]]) -> None:
        """Learn each (row, score); several scores of one row are averaged."""
        for row, score in scores:
            if row not in self._place:
                self._place[row] = len(self.rows)
                self.rows.append(row)
                self._sum.append(0.0)
                self._count.append(0)
            at = self._place[row]
            if n := self._count[at]:
                self._squares += (score - self._sum[at] / n) ** 2 * n / (n + 1)
            self._sum[at] += score
            self._count[at] += 1
        count = np.array(self._count, float)
        for model in self._models:
            model.condition(self.rows, np.array(self._sum) / count, count, self._squares)
        self._reweigh()

    def mean(self) -> Array:
        """Expected score of every set. Hardly ever, and only where nothing is known, beyond the range of scores."""
        return self._mix(lambda m: m.expected())

    def sd(self) -> Array:
        """Standard deviation of every set's score, by the slope of the link; disagreement of hypotheses included."""
        mean = self.mean()
        return np.sqrt(self._mix(lambda m: (m.slope() * m.sd) ** 2 + (m.expected() - mean) ** 2))

    def optimistic(self, sds: float) -> Array:
        """Upper confidence bound of every set's score: the mean plus so many standard deviations, in latent units."""
        return self._mix(lambda m: m.score(m.mean + sds * m.sd))

    def gain(self, values: Array, candidates: int = 24) -> float:
        """Knowledge gradient: by how much one evaluation, the best among the ``candidates`` most valued, is expected to
        raise the best expected score."""
        rows = np.argsort(-values)[:candidates]
        return float(np.max(self._mix(lambda m: m.gain(rows))))

    def contrast(self, a: int, b: int) -> Array:
        """By how much one draw of every set would lower the variance of score(a) - score(b)."""
        return self._mix(lambda m: m.contrast(a, b))

    def spread(self) -> float:
        """About the best less the worst score of the sets: five standard deviations of a set drawn at random."""
        return 5.0 * float(np.sqrt(np.mean(self.sd() ** 2) + np.var(self.mean())))

    def _reweigh(self) -> None:
        log = np.array([m.evidence + np.log(m.scales.weight) for m in self._models])
        weights = np.exp(log - log.max())
        weights[weights < 0.02 * weights.sum()] = 0.0  # not worth the time
        self.weights: NDArray[np.float64] = weights / weights.sum()

    def _mix(self, quantity: Callable[[Posterior], Array]) -> Array:
        parts = [w * quantity(m) for w, m in zip(self.weights, self._models, strict=True) if w]
        return np.asarray(sum(parts))


def features(sets: Array) -> Array:
    """[sets, effects]: the level, every attribute, every pair."""
    i, j = np.triu_indices(sets.shape[1], 1)
    return np.hstack([np.ones((len(sets), 1)), sets, sets[:, i] * sets[:, j]])
