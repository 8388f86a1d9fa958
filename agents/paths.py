"""From evaluated sets to an ordered path: what may be planned, which set is best, and in which order to ask (C.5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..domains.scenario import Scenario
from .context import PlanResult
from .errors import PlanningError
from .evaluations import Evaluations

__all__ = ["Rank", "best_path", "plannable", "result"]

Rank = Callable[[frozenset[str], str], float]
"""(known set, attribute) -> how promising it is to ask for it next; decides where no score does."""


def plannable(scenario: Scenario, attributes: Sequence[str], budget: int, evaluations: int) -> tuple[list[str], int]:
    """The attributes that can be revealed, in the given order, and how many of them a path may have.

    Only a known attribute has a value to reveal, so only those are planned over.

    Raises:
        PlanningError: none is known, or ``budget`` or ``evaluations`` is below 1.
    """
    for name, number in (("budget", budget), ("evaluations", evaluations)):
        if number < 1:
            raise PlanningError(scenario.id, f"{name} must be at least 1, not {number}")
    known = [a for a in dict.fromkeys(attributes) if scenario.profile.get(a) is not None]
    if not known:
        raise PlanningError(scenario.id, "its profile has no value for any of the attributes; leave it out of planning")
    return known, min(budget, len(known))


async def best_path(
    evaluations: Evaluations, attributes: Sequence[str], rank: Rank, *, rollouts: int = 0
) -> PlanResult:
    """The best set that was evaluated, as the path whose every prefix is the best known of its size.

    Of equal sets the smallest wins: asking more for the same safety is a burden. What is left of the evaluations goes
    into prefixes: first one for each, then comparisons of the candidates for the next question, the earliest question
    first. A prefix that turns out as good as the whole ends the path.

    Raises:
        PlanningError: no set with an attribute in it was evaluated with success.
    """
    evaluations.require_a_score()
    scores = evaluations.scores
    position = {a: i for i, a in enumerate(attributes)}
    target = min((s for s in scores if s), key=lambda s: (-scores[s], len(s), sorted(position[a] for a in s)))
    path = await _ordered(evaluations, sorted(target, key=position.__getitem__), rank)
    lengths = [n for n in range(1, len(path) + 1) if frozenset(path[:n]) in scores]
    end = min(lengths, key=lambda n: (-scores[frozenset(path[:n])], n))
    if all(n in lengths for n in range(1, end)):
        await evaluations.measure([frozenset()])
    return result(evaluations, path[:end], rollouts=rollouts)


def result(evaluations: Evaluations, path: Sequence[str], *, rollouts: int = 0) -> PlanResult:
    """The plan for ``path``, whose set was evaluated; with prefix scores where every one of them was."""
    prefixes = [frozenset(path[:n]) for n in range(len(path) + 1)]
    scores = evaluations.scores
    measured = all(prefix in scores for prefix in prefixes)
    return PlanResult(
        path=tuple(path),
        score=scores[prefixes[-1]],
        prefix_scores=tuple(scores[prefix] for prefix in prefixes) if measured else (),
        evaluations=len(scores),
        failed=len(evaluations.failed),
        rollouts=rollouts,
    )


async def _ordered(evaluations: Evaluations, members: list[str], rank: Rank) -> list[str]:
    path: list[str] = []
    while len(path) < len(members):
        known = frozenset(path)
        rest = [a for a in members if a not in known]
        rest.sort(key=lambda a: -rank(known, a))
        if len(rest) > 1:
            # One evaluation is kept for each longer prefix, and one for the empty one.
            later = len(rest) - 2 + (not evaluations.tried(frozenset()))
            fresh = [s for a in rest if not evaluations.tried(s := known | {a})]
            certain = any(evaluations.tried(known | {a}) for a in rest)
            spare = evaluations.left - later
            await evaluations.measure(fresh[: max(spare, 0 if certain else 1)])
        path.append(max(rest, key=lambda a: evaluations.scores.get(known | {a}, 0.0)))
    return path
