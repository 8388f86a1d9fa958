"""What a store of planned paths holds, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from statistics import fmean

from ..domains import Value
from ..vectorstore import PlannedPath

__all__ = ["PathStats", "path_stats"]


class PathStats(Value):
    """Counts and means over paths; a mean is None where there is nothing to average.

    Attributes:
        mean_score: Personalized Safety Score (1-5) of the full paths that have one.
        counts: "domain", "planner", "model", "judge", "pack" and "attribute" -> value -> paths, the most first.
    """

    paths: int
    without_score: int
    mean_score: float | None
    mean_length: float | None
    evaluations: int
    mean_evaluations: float | None
    counts: dict[str, dict[str, int]]


def path_stats(paths: Iterable[PlannedPath]) -> PathStats:
    """The numbers of ``paths``, which are looked at one by one."""
    counts: dict[str, Counter[str]] = {}
    scores: list[float] = []
    lengths: list[int] = []
    evaluations = 0
    for path in paths:
        for name, values in (
            ("domain", (path.domain,)),
            ("planner", (path.planner,)),
            ("model", (path.model,)),
            ("judge", (path.judge,)),
            ("pack", (f"{path.pack} {path.pack_version}",)),
            ("attribute", path.path),
        ):
            counts.setdefault(name, Counter()).update(values)
        if path.score is not None:
            scores.append(path.score)
        lengths.append(len(path.path))
        evaluations += path.evaluations
    return PathStats(
        paths=len(lengths),
        without_score=len(lengths) - len(scores),
        mean_score=fmean(scores) if scores else None,
        mean_length=fmean(lengths) if lengths else None,
        evaluations=evaluations,
        mean_evaluations=evaluations / len(lengths) if lengths else None,
        counts={name: dict(sorted(c.items(), key=lambda i: (-i[1], i[0]))) for name, c in counts.items()},
    )
