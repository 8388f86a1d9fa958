"""How fast planners come near the best set of attributes: values and statistics, without any planner.

Two curves: the mean score of the path that the published search recommends, against its rollouts, with the planner's
prior and with an even one (Figure 14); and the mean regret of each planner, against the sets that it may evaluate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from pydantic import Field

from ...domains import Value
from ..report import OFFLINE_LABEL
from ..statistics import clustered_interval, mean_or_none

__all__ = ["GUIDED", "UNGUIDED", "ConvergenceSettings", "ScenarioSearches", "Search", "summarise_convergence"]

GUIDED, UNGUIDED = "guided", "unguided"
"""The published search with the planner's prior, and with an even one."""

_REFERENCE = "greedy"
_FORMAT = 1
_ROUNDING = 1e-9


class ConvergenceSettings(Value):
    """Everything that decides the result of a study. Two studies with equal settings have the same result."""

    askfirst: str = Field(description="Version: offline it is the model, and planners change.")
    data_digest: str = Field(description="Digest of the contents of the scenarios, in order.")
    scenarios: tuple[str, ...] = Field(description="Their ids.")
    budget: int = Field(ge=1, description="Attributes of a terminal set.")
    max_burden: float | None = Field(default=None, description="Most that the questions of a path may cost together.")
    rollouts: tuple[int, ...] = Field(description="Checkpoints of the published search.")
    evaluations: tuple[int, ...] = Field(description="Most distinct sets that a planner may evaluate.")
    planners: tuple[str, ...]
    seed: int
    seeds: int = Field(ge=1, description="Repeats, each with a different seed.")
    pack: str = Field(description="Name, version and digest.")
    models: dict[str, str] = Field(description="Role -> model.")
    prompts: dict[str, str] = Field(default_factory=dict, description="Prompt -> hash.")
    sampling: dict[str, dict[str, float | int | None]] = Field(default_factory=dict, description="Role -> sampling.")
    offline: bool = Field(description="Whether no model is used.")


class Search(Value):
    """One search for one scenario."""

    series: str = Field(description="'guided' or 'unguided', or the name of the planner.")
    at: int = Field(ge=1, description="Rollouts, or the most distinct sets that it might evaluate.")
    seed: int
    score: float | None = Field(description="Of the set of the path that it returned, 1 to 5; None: it has no path.")
    spent: int = Field(ge=0, description="Distinct sets that it asked for, whether or not they were paid for already.")


class ScenarioSearches(Value):
    """Every search for one scenario whose terminal sets were all evaluated."""

    scenario_id: str
    scores: tuple[float, ...] = Field(min_length=1, description="Of the terminal sets, failed ones left out.")
    failed: int = Field(default=0, ge=0, description="Evaluations that failed, of sets of any size.")
    by_rollouts: tuple[Search, ...] = ()
    by_evaluations: tuple[Search, ...] = ()
    repeats: bool = Field(default=True, description="Whether each longer search by rollouts began as the shorter one.")

    @property
    def flat(self) -> bool:
        """Whether all sets score alike, so that there is nothing to find."""
        return max(self.scores) == min(self.scores)

    def regret(self, found: float) -> float:
        """(best - found) / (best - worst), and 0 where a shorter path scores more than any terminal set.

        Above 1 where a shorter path scores less than all of them. Raises ``ValueError`` where all sets score alike.
        """
        best, worst = max(self.scores), min(self.scores)
        if best == worst:
            raise ValueError(f"scenario {self.scenario_id!r} has no regret: all its sets score alike")
        return max(0.0, (best - found) / (best - worst))


def summarise_convergence(
    results: Sequence[ScenarioSearches],
    settings: ConvergenceSettings,
    *,
    data: str,
    waiting: Sequence[str] = (),
    failed: Sequence[tuple[str, str]] = (),
    fallback_rankings: int | None = 0,
) -> dict[str, Any]:
    """The content of ``convergence.json``.

    ``rollouts`` and ``regret`` hold the points of the two curves: ``n`` searches with a path over ``scenarios``,
    ``no_path`` without, their ``mean`` with its 95 % interval, and ``spent``, the mean number of distinct sets asked
    for. ``guidance`` is the paired difference guided - unguided, ``versus_greedy`` that of each planner's regret from
    that of ``greedy``. ``to_match`` says from how many rollouts on the unguided mean stays at least the guided one.
    What the data do not give is None.

    Args:
        data: where the scenarios came from.
        waiting: ids of scenarios that a limit on spending cut short; they are in no number.
        failed: (id, reason) of those that cannot be used; neither are these.
        fallback_rankings: rankings that the planner's model did not give, so that the pack's took their place; None:
            not known.
    """
    bent = [r for r in results if not r.flat]
    return {
        "format": _FORMAT,
        "experiment": "convergence",
        "label": OFFLINE_LABEL if settings.offline else None,
        "data": data,
        "settings": settings.model_dump(mode="json"),
        "complete": not waiting,
        "counts": {
            "scenarios": len(settings.scenarios),
            "used": len(results),
            "waiting": len(waiting),
            "failed": len(failed),
            "flat": len(results) - len(bent),
            "with_regret": len(bent),
            "failed_evaluations": sum(r.failed for r in results),
            "fallback_rankings": fallback_rankings,
            "not_repeating": sum(not r.repeats for r in results),
        },
        "left_out": {
            "waiting": list(waiting),
            "failed": [{"scenario_id": i, "reason": reason} for i, reason in failed],
            "flat": [r.scenario_id for r in results if r.flat],
        },
        "sets": {
            "best": _mean((r.scenario_id, max(r.scores)) for r in results),
            "mean": _mean((r.scenario_id, fmean(r.scores)) for r in results),
            "worst": _mean((r.scenario_id, min(r.scores)) for r in results),
        },
        **_curves(results, bent, settings),
    }


def _curves(
    results: Sequence[ScenarioSearches], bent: Sequence[ScenarioSearches], settings: ConvergenceSettings
) -> dict[str, Any]:
    """The points of both curves, and what is compared between them."""
    guided = [(r, s) for r in results for s in r.by_rollouts]
    planned = [(r, s) for r in bent for s in r.by_evaluations]
    names = (GUIDED, UNGUIDED)
    by_rollouts = [_point(guided, name, n, "rollouts", _score) for name in names for n in settings.rollouts]
    return {
        "rollouts": by_rollouts,
        "guidance": [
            {"rollouts": n, **_difference(_values(guided, GUIDED, n, _score), _values(guided, UNGUIDED, n, _score))}
            for n in settings.rollouts
        ],
        "to_match": [{"guided": n, "unguided": _to_match(by_rollouts, n)} for n in settings.rollouts],
        "regret": [
            _point(planned, p, n, "evaluations", _regret) for p in settings.planners for n in settings.evaluations
        ],
        "versus_greedy": [
            {
                "series": p,
                "evaluations": n,
                **_difference(_values(planned, p, n, _regret), _values(planned, _REFERENCE, n, _regret)),
            }
            for p in settings.planners
            if p != _REFERENCE and _REFERENCE in settings.planners
            for n in settings.evaluations
        ],
    }


_Searched = Sequence[tuple[ScenarioSearches, Search]]
_Measure = Callable[[ScenarioSearches, float], float]


def _score(result: ScenarioSearches, found: float) -> float:
    del result
    return found


def _regret(result: ScenarioSearches, found: float) -> float:
    return result.regret(found)


def _point(searched: _Searched, series: str, at: int, unit: str, measure: _Measure) -> dict[str, Any]:
    here = [s for _, s in searched if s.series == series and s.at == at]
    return {
        "series": series,
        unit: at,
        **_mean(_values(searched, series, at, measure)),
        "no_path": sum(s.score is None for s in here),
        "spent": mean_or_none(s.spent for s in here),
    }


def _values(searched: _Searched, series: str, at: int, measure: _Measure) -> list[tuple[str, float]]:
    """(scenario, value) of each search that found a path."""
    return [
        (r.scenario_id, measure(r, s.score))
        for r, s in searched
        if s.series == series and s.at == at and s.score is not None
    ]


def _mean(values: Iterable[tuple[str, float]]) -> dict[str, Any]:
    listed = list(values)
    low, high = clustered_interval([v for _, v in listed], [i for i, _ in listed])
    return {
        "n": len(listed),
        "scenarios": len({i for i, _ in listed}),
        "mean": mean_or_none(v for _, v in listed),
        "low": low,
        "high": high,
    }


def _difference(a: Iterable[tuple[str, float]], b: Iterable[tuple[str, float]]) -> dict[str, Any]:
    """Mean over scenarios of ``a`` - ``b``, for those that have both; repeats are averaged within a scenario first."""
    first, second = _by_scenario(a), _by_scenario(b)
    both = [i for i in first if i in second]
    cell = _mean((i, first[i] - second[i]) for i in both)
    return {"scenarios": len(both), "difference": cell["mean"], "low": cell["low"], "high": cell["high"]}


def _by_scenario(values: Iterable[tuple[str, float]]) -> dict[str, float]:
    grouped: dict[str, list[float]] = {}
    for scenario, value in values:
        grouped.setdefault(scenario, []).append(value)
    return {scenario: fmean(each) for scenario, each in grouped.items()}


def _to_match(points: Sequence[Mapping[str, Any]], rollouts: int) -> int | None:
    """The fewest rollouts from which on the unguided mean is never below the guided mean at ``rollouts``."""
    wanted = next(p["mean"] for p in points if p["series"] == GUIDED and p["rollouts"] == rollouts)
    found: int | None = None
    for point in sorted((p for p in points if p["series"] == UNGUIDED), key=lambda p: p["rollouts"]):
        if wanted is None or point["mean"] is None or point["mean"] < wanted - _ROUNDING:
            found = None
        elif found is None:
            found = point["rollouts"]
    return found
