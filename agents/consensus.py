"""From the retrieved paths to one plan (5.3; docs/adr/0002-consensus-plan.md)."""

from __future__ import annotations

from collections.abc import Sequence

from ..vectorstore import PlannedPath, RetrievedPath

__all__ = ["consensus_plan"]


def consensus_plan(retrieved: Sequence[RetrievedPath], order: Sequence[str]) -> tuple[str, ...]:
    """The attributes of the retrieved paths, the one that helped most across them first.

    A path was planned for one person. What it gained per question (the differences of its prefix scores) is evidence
    about the query; weighted by similarity and added up over the paths, what mattered to one person only falls back.

    Args:
        retrieved: paths with the similarity of their queries.
        order: attribute ids, the likelier first; decides between equals.
    """
    gains: dict[str, float] = {}
    for found in retrieved:
        weight = max(found.similarity, 0.0)
        for attribute, gain in _gains(found.path):
            gains[attribute] = gains.get(attribute, 0.0) + weight * max(gain, 0.0)
    position = {a: i for i, a in enumerate(order)}
    return tuple(sorted(gains, key=lambda a: (-gains[a], position.get(a, len(position)), a)))


def _gains(path: PlannedPath) -> list[tuple[str, float]]:
    scores = path.prefix_scores
    if scores:
        return [(a, scores[i + 1] - scores[i]) for i, a in enumerate(path.path)]
    # Imported paths may carry no scores: earlier questions count more, as in the order that they were given in.
    return [(a, 1 / (i + 1)) for i, a in enumerate(path.path)]
