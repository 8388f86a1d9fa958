"""From evaluated sets to an ordered path: which set is best, in which order to ask, and what to expect (C.5)."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..context import PlanResult
from .attribute_sets import Choices
from .rewards import HIGHEST, LOWEST, Evaluations

if TYPE_CHECKING:
    from .effects import BayesianEffects, Hypothesis

__all__ = ["best_path", "result"]

_FEW = 7  # attributes: 128 subsets


async def best_path(
    paid: Evaluations,
    choices: Choices,
    prior: Mapping[str, float],
    beliefs: Sequence[Hypothesis] = (),
    *,
    target: frozenset[str] | None = None,
    most: int | None = None,
    rollouts: int = 0,
) -> PlanResult:
    """``target`` as the path whose every prefix is the best known set of its size that extends the one before.

    Known is the score where the set was evaluated, else what the model of effects expects, fitted to all that was
    evaluated. What is left of the evaluations goes into prefixes: a candidate that looks best is evaluated, until the
    best one is. An evaluation for each longer prefix is kept back while there are few. A prefix that turns out as good
    as the whole ends the path, unless scores are noisy.

    Args:
        paid: what was evaluated.
        choices: what may be asked.
        prior: decides between equals.
        beliefs: what the model starts from; none: from what ``prior`` tells.
        target: None: the best set that was evaluated; of equals the one that burdens least.
        most: most evaluations to spend; None: all that are left.
        rollouts: reported in the result.

    Raises:
        PlanningError: no set with an attribute in it was evaluated with success.
    """
    paid.require_a_score()
    scores, place = paid.scores, {a: i for i, a in enumerate(choices.attributes)}
    if target is None:
        target = min((s for s in scores if s), key=lambda s: (-scores[s], choices.cost(s), sorted(place[a] for a in s)))
    keep = 0 if most is None else max(0, paid.left - most)
    known = _Known(paid, choices, prior, beliefs, _subsets(target))
    path: list[str] = []
    while len(path) < len(target):
        rest = sorted(target - set(path), key=lambda a: (-prior.get(a, 0.0), place[a]))
        path.append(rest[0] if len(rest) == 1 else await _next(known, path, rest, keep))
    shortest = _as_good(paid, path)
    if (
        all(frozenset(shortest[:n]) in scores for n in range(1, len(shortest)))
        and paid.left > keep
        and frozenset() not in scores
    ):
        await paid.measure([frozenset()])
    # What was evaluated for later steps may have changed what is expected of earlier ones.
    path = known.ordered(sorted(target, key=lambda a: (-prior.get(a, 0.0), place[a])))
    return _result(known, _as_good(paid, path), rollouts)


def result(
    paid: Evaluations, choices: Choices, prior: Mapping[str, float] | None, path: Sequence[str], *, rollouts: int = 0
) -> PlanResult:
    """The plan for ``path``: the score after each question as measured, else as expected, from 1 to 5."""
    return _result(_Known(paid, choices, prior), path, rollouts)


def _as_good(paid: Evaluations, path: list[str]) -> list[str]:
    """The shortest prefix that was measured to be as good as any measured one; all of it where scores are noisy."""
    measured = [n for n in range(1, len(path) + 1) if frozenset(path[:n]) in paid.scores]
    if not measured or paid.noisy:
        return path
    return path[: min(measured, key=lambda n: (-paid.scores[frozenset(path[:n])], n))]


def _result(known: _Known, path: Sequence[str], rollouts: int) -> PlanResult:
    paid, prefixes = known.paid, [frozenset(path[:n]) for n in range(len(path) + 1)]
    expected = known.scores(prefixes)
    scores = tuple(min(HIGHEST, max(LOWEST, expected[prefix])) for prefix in prefixes)
    return PlanResult(
        path=tuple(path),
        score=scores[-1],
        prefix_scores=scores,
        evaluations=paid.paid,
        failed=paid.failures,
        rollouts=rollouts,
        measured=paid.measured,
    )


async def _next(known: _Known, path: Sequence[str], rest: Sequence[str], keep: int) -> str:
    paid, steps = known.paid, {frozenset((*path, a)): a for a in rest}
    while True:
        expected = known.scores(steps)
        best = max((s for s in steps if s not in paid.failed), key=expected.__getitem__, default=None)
        if best is None or best in paid.scores:
            break
        # One evaluation is kept for each longer prefix, and one for the empty one.
        later = len(rest) - 2 + (not paid.tried(frozenset()))
        certain = any(s in paid.scores for s in steps)
        if paid.left - keep - (later if certain else 0) <= 0:
            break
        await paid.measure([best])
    return rest[0] if best is None else steps[best]


class _Known:
    """Scores of sets: measured, or expected by the model fitted to everything that was evaluated.

    Args:
        likely: sets that will be asked about; others are possible, and cost a new fit.
    """

    def __init__(
        self,
        paid: Evaluations,
        choices: Choices,
        prior: Mapping[str, float] | None,
        beliefs: Sequence[Hypothesis] = (),
        likely: Iterable[frozenset[str]] = (),
    ) -> None:
        self.paid = paid
        self._attributes, self._prior, self._beliefs, self._likely = choices.attributes, prior, beliefs, likely
        self._rows: dict[frozenset[str], int] = {}
        self._learned: Counter[frozenset[str]] = Counter()
        self._model: BayesianEffects

    def scores(self, sets: Collection[frozenset[str]]) -> dict[frozenset[str], float]:
        """Score of each of ``sets``."""
        scores = self.paid.scores
        if all(s in scores for s in sets):
            return {s: scores[s] for s in sets}
        if not self._rows.keys() >= {*scores, *sets}:
            self._fit(dict.fromkeys([*scores, *self._likely, *sets]))
        new = [(s, draw) for s in scores for draw in self.paid.draws(s)[self._learned[s] :]]
        if new:
            self._model.update([(self._rows[s], draw) for s, draw in new])
            self._learned.update(s for s, _ in new)
        expected = self._model.mean()
        return {s: scores[s] if s in scores else float(expected[self._rows[s]]) for s in sets}

    def ordered(self, attributes: Sequence[str]) -> list[str]:
        """``attributes`` so that each prefix is the best that extends the one before: of those that were measured, or
        else by what is expected. The first of equals; where all steps failed, the first."""
        path: list[str] = []
        while rest := [a for a in attributes if a not in path]:
            steps = {a: frozenset((*path, a)) for a in rest}
            open_ = [a for a in rest if steps[a] not in self.paid.failed]
            candidates = [a for a in open_ if steps[a] in self.paid.scores] or open_ or rest[:1]
            scores = self.scores([steps[a] for a in candidates])
            known = [scores[steps[a]] for a in candidates]
            path.append(candidates[known.index(max(known))])
        return path

    def _fit(self, sets: Iterable[frozenset[str]]) -> None:
        import numpy as np

        from .effects import BayesianEffects, hypotheses

        self._rows = {s: row for row, s in enumerate(sets)}
        self._learned.clear()
        members = np.array([[float(a in s) for a in self._attributes] for s in self._rows])
        beliefs = self._beliefs or hypotheses(self._prior, self._attributes, noisy=self.paid.noisy)
        self._model = BayesianEffects(members, beliefs)


def _subsets(target: frozenset[str]) -> list[frozenset[str]]:
    """All of them, as long as they are few."""
    if len(target) > _FEW:
        return []
    return [frozenset(s) for n in range(len(target)) for s in itertools.combinations(sorted(target), n)]
