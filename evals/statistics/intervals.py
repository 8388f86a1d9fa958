"""Means and their intervals.

A number that the data do not give is None, never a stand-in: no score, no mean; fewer than two scenarios, no interval.
Intervals are 95 % percentile bootstrap intervals clustered by scenario: repeats and conditions of one scenario are not
independent, so whole scenarios are drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean

__all__ = ["Interval", "clustered_interval", "mean_or_none"]

Interval = tuple[float | None, float | None]

_DRAWS = 4000
_CHUNK = 2_000_000


def clustered_interval(values: Sequence[float], clusters: Sequence[str], *, seed: int = 0) -> Interval:
    """95 % percentile bootstrap interval of the mean of ``values``, drawing whole ``clusters``.

    (None, None) with fewer than two clusters. The same input gives the same interval.
    """
    import numpy as np
    from scipy.stats import bootstrap

    names = sorted(set(clusters))
    if len(names) < 2:
        return (None, None)
    index = {name: i for i, name in enumerate(names)}
    sums, counts = np.zeros(len(names)), np.zeros(len(names))
    for value, cluster in zip(values, clusters, strict=True):
        sums[index[cluster]] += value
        counts[index[cluster]] += 1
    drawn = bootstrap(
        (sums, counts),
        lambda s, c, axis: s.sum(axis=axis) / c.sum(axis=axis),
        paired=True,
        n_resamples=_DRAWS,
        batch=max(1, _CHUNK // len(names)),
        method="percentile",
        rng=np.random.default_rng(seed),
    )
    return (float(drawn.confidence_interval.low), float(drawn.confidence_interval.high))


def mean_or_none(values: Iterable[float]) -> float | None:
    """The mean, None of nothing."""
    listed = list(values)
    return fmean(listed) if listed else None
