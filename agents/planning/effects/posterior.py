"""One hypothesis about the sizes of effects, conditioned exactly on the scores of some sets (see ``effects``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..rewards import HIGHEST

__all__ = ["Array", "Posterior", "Scales"]

Array = NDArray[np.float64]

_NEAREST = 0.02  # a score nearer to 5 than this counts as this near: the saturating link is a logarithm
_LINEAR_OFFSET = 3.9  # where the linear link stands beside the saturating one, in whose units the background is
_TINY = 1e-8  # variance of an exact observation: keeps the Cholesky factor from breaking
_NODES, _HEIGHTS = np.polynomial.hermite_e.hermegauss(9)
_HEIGHTS = _HEIGHTS / _HEIGHTS.sum()


@dataclass(frozen=True)
class Scales:
    """Standard deviations in latent units; near a score of 4 a latent unit is a point.

    Attributes:
        saturating: score = 5 - exp(-latent); otherwise score = latent.
        main, pair, triple: of independent effects.
        private: of what belongs to one set alone.
        noise: of one score, in points.
        weight: of the hypothesis before any evaluation.
    """

    saturating: bool = True
    main: float = 0.18
    pair: float = 0.15
    triple: float = 0.03
    private: float = 0.01
    noise: float = 0.0
    weight: float = 1.0


class Posterior:
    """Latent mean and sd of every set. Of its covariance only the rows of evaluated sets are ever formed.

    Args:
        scales: the hypothesis.
        sets: [sets, n] memberships.
        mean: latent mean of every set by the background.
        directions: [sets, r]; the background's covariance of sets is ``directions @ directions.T``.

    Attributes:
        mean, sd: of every set, latent.
        evidence: log marginal likelihood of the scores.
    """

    def __init__(self, scales: Scales, sets: Array, mean: Array, directions: Array) -> None:
        self.scales, self._sets, self._directions = scales, sets, directions
        self._prior_mean = mean if scales.saturating else mean + _LINEAR_OFFSET
        self._by_shared = self._independent(np.arange(sets.shape[1] + 1.0))
        self._prior_var = (directions**2).sum(1) + self._by_shared[sets.sum(1).astype(int)] + scales.private**2
        self.mean, self.sd, self.evidence = self._prior_mean, np.sqrt(self._prior_var), 0.0
        self._rows: list[int] = []
        self._prior_rows = np.zeros((0, len(sets)))  # prior covariance of each evaluated set with every set
        self._root = np.zeros((0, len(sets)))  # posterior covariance = prior covariance - root.T @ root
        self._latent = np.zeros(0)
        self._white, self._var = np.zeros(0), self._prior_var  # of exact scores, carried on from one to the next

    def score(self, latent: Array) -> Array:
        """The link."""
        return np.asarray(HIGHEST - np.exp(-latent)) if self.scales.saturating else latent

    def slope(self) -> Array:
        """Of the link, at every set's mean."""
        return np.exp(-self.mean) if self.scales.saturating else np.ones_like(self.mean)

    def expected(self) -> Array:
        """Expected score of every set; for the saturating link the mean of a log-normal."""
        if not self.scales.saturating:
            return self.mean
        return np.asarray(HIGHEST - np.exp(-self.mean + self.sd**2 / 2))

    def condition(self, rows: Sequence[int], scores: Array, count: Array, squares: float) -> None:
        """Condition on the mean score of each of ``rows`` out of ``count`` draws.

        Args:
            rows: those of the last call, in that order, and any new ones.
            squares: sum of squares of single scores about the mean of their row.
        """
        if new := list(rows[len(self._rows) :]):
            self._rows += new
            fresh = self._prior_covariance(new)
            self._prior_rows = np.vstack([self._prior_rows, fresh])
            if not self.scales.noise:
                self._extend(new, fresh, scores[-len(new) :])
        if not self.scales.noise:
            return  # what was seen before stays as it is
        between, prior = self._prior_rows[:, self._rows], self._prior_mean[self._rows]
        latent, variance, log_jacobian = self._observed(between, prior, scores, count)
        factor = np.linalg.cholesky(between + np.diag(variance))
        both = np.linalg.solve(factor, np.column_stack([latent - prior, self._prior_rows]))
        white, self._root = both[:, 0], both[:, 1:]
        self.mean = self._prior_mean + white @ self._root
        self.sd = np.sqrt(np.maximum(self._prior_var - (self._root**2).sum(0), 0.0))
        self.evidence = log_jacobian - 0.5 * float(white @ white) - float(np.log(np.diag(factor)).sum())
        noise, repeats = self.scales.noise, float(count.sum()) - len(rows)
        self.evidence -= repeats * float(np.log(noise)) + squares / (2 * noise**2)

    def _extend(self, new: Sequence[int], fresh: Array, scores: Array) -> None:
        """Condition on exact scores of new rows alone: the next block of the Cholesky factor and of what it solves."""
        across, prior = self._root[:, new].T, self._prior_mean[new]
        latent, variance, log_jacobian = self._observed(fresh[:, new], prior, scores, np.ones(len(new)))
        factor = np.linalg.cholesky(fresh[:, new] + np.diag(variance) - across @ across.T)
        residual = latent - prior - across @ self._white
        both = np.linalg.solve(factor, np.column_stack([residual, fresh - across @ self._root]))
        white, root = both[:, 0], both[:, 1:]
        self._latent = np.concatenate([self._latent, latent])
        self._white, self._root = np.concatenate([self._white, white]), np.vstack([self._root, root])
        self.mean = self.mean + white @ root
        self._var = self._var - (root**2).sum(0)
        self.sd = np.sqrt(np.maximum(self._var, 0.0))
        self.evidence += log_jacobian - 0.5 * float(white @ white) - float(np.log(np.diag(factor)).sum())

    def observations(self) -> tuple[Array, Array]:
        """Exact scores seen so far, latent, and their covariance before they were seen."""
        return self._latent, self._prior_rows[:, self._rows] + _TINY * np.eye(len(self._rows))

    def contrast(self, a: int, b: int) -> Array:
        """By how much one draw of every set would lower the variance of score(a) - score(b)."""
        rows = [a, b]
        covariance = self._covariance(rows) * self.slope()[rows, None]
        return np.asarray((covariance[0] - covariance[1]) ** 2 / self._draw_variance())

    def gain(self, rows: NDArray[np.int64]) -> Array:
        """Expected rise of the best expected score by one evaluation of each of ``rows``."""
        shift = self._covariance(rows) / np.sqrt(self._draw_variance()[rows])[:, None]
        if self.scales.saturating:  # the best set is that of the highest mean - var / 2, whose variance falls as well
            base = self.mean - self.sd**2 / 2 + shift**2 / 2
        else:
            base = np.broadcast_to(self.mean, shift.shape)
        best = np.stack([(base + z * shift).max(1) for z in _NODES])
        after = _HEIGHTS @ self.score(best)
        return np.where(self.sd[rows] > 3e-5, after - self.expected().max(), 0.0)

    def _independent(self, shared: Array) -> Array:
        """Covariance by independent effects of two sets that share so many attributes."""
        s = self.scales
        per_attribute = s.main**2 + (shared - 1) / 2 * (s.pair**2 + (shared - 2) / 3 * s.triple**2)
        return np.asarray(shared * per_attribute)

    def _prior_covariance(self, rows: Sequence[int] | NDArray[np.int64]) -> Array:
        shared = (self._sets[rows] @ self._sets.T).astype(int)
        out = self._directions[rows] @ self._directions.T + self._by_shared[shared]
        out[np.arange(len(rows)), rows] += self.scales.private**2
        return np.asarray(out)

    def _covariance(self, rows: Sequence[int] | NDArray[np.int64]) -> Array:
        return np.asarray(self._prior_covariance(rows) - self._root[:, rows].T @ self._root)

    def _draw_variance(self) -> Array:
        """Latent variance of one observation of every set, noise included."""
        return np.asarray(self.sd**2 + (self.scales.noise / self.slope()) ** 2 + 1e-12)

    def _observed(self, between: Array, prior: Array, scores: Array, count: Array) -> tuple[Array, Array, float]:
        """Latent observations, their variances, log |d latent / d score|.

        The mean of noisy scores has no exact latent counterpart. Its likelihood is linearised about the posterior mode
        (Laplace, by Gauss-Newton), which gives the same formulas with pseudo-observations.
        """
        noise = self.scales.noise**2 / count
        if not self.scales.saturating:
            return scores, noise + _TINY, 0.0
        if not self.scales.noise:
            latent = -np.log(np.maximum(HIGHEST - scores, _NEAREST))
            return latent, noise + _TINY, float(latent.sum())
        mode = self.mean[self._rows]
        for _ in range(6):
            slope = np.exp(-mode)
            latent = mode + np.clip((scores - self.score(mode)) / slope, -1.0, 1.0)  # damped: far off, slopes mislead
            moved = prior + between @ np.linalg.solve(between + np.diag(noise / slope**2), latent - prior)
            settled = np.abs(moved - mode).max() < 1e-3
            mode = moved
            if settled:
                break
        slope = np.exp(-mode)
        return mode + (scores - self.score(mode)) / slope, noise / slope**2, -float(np.log(slope).sum())
