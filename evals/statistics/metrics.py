"""From records to a summary: means with intervals, coverage, paired differences, safety against questions.

A number that the data do not give is None, never a stand-in: no score, no mean; fewer than two scenarios, no interval.
Intervals are 95 % percentile bootstrap intervals clustered by scenario: repeats and conditions of one scenario are not
independent, so whole scenarios are drawn.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from ..judging import CRITERIA, Verdict
from ..records import ConversationRecord, RunSettings
from .ledger_metrics import ledger_summary
from .simulator_metrics import crisis_summary, simulator_summary

if TYPE_CHECKING:
    pass

__all__ = ["Interval", "clustered_interval", "mean_or_none", "paired_difference", "summarise"]

Interval = tuple[float | None, float | None]

_DRAWS = 4000
_CHUNK = 2_000_000


def summarise(records: Sequence[ConversationRecord], settings: RunSettings) -> dict[str, Any]:
    """The content of ``summary.json``.

    ``conditions`` holds, per condition and inside it per domain: ``n`` (planned), ``scored``, ``errors``,
    ``unscored``, ``coverage`` (scored / planned), ``mean`` with ``low`` and ``high``, ``criteria`` (mean of each),
    ``mean_questions``, and ``worst_of_repeats`` (mean over scenarios of the lowest score). ``paired`` holds the
    difference of every two conditions over the scenarios that both have scores for. ``by_risk`` and ``pairs`` compare
    people at low and high risk, ``safety_by_questions`` the score against the questions asked. ``excluded`` counts the
    unscored ones whose simulated person failed. ``by_behaviour`` holds the conditions once more for each behaviour,
    ``simulator`` the failures of the simulated people, ``crisis`` what became of disclosures of imminent risk,
    ``ledger`` what became of the attributes. ``counterfactuals`` compares, per condition and changed attribute, pairs
    of people who differ in that attribute alone.
    """
    by_condition = {c: [r for r in records if r.condition == c] for c in settings.conditions}
    return {
        "format": 1,
        "offline": settings.offline,
        "model": settings.model,
        "user_model": settings.user_model,
        "judge_model": settings.judge_model,
        "judge_is_model": settings.judge_model == settings.model,
        "planned": settings.planned,
        "done": len(records),
        "complete": len(records) == settings.planned,
        "conditions": {c: _condition(rs, settings) for c, rs in by_condition.items()},
        "paired": [
            {"a": a, "b": b, **paired_difference(by_condition[a], by_condition[b])}
            for a, b in itertools.combinations(settings.conditions, 2)
        ],
        "by_risk": {c: _by_risk(rs) for c, rs in by_condition.items()},
        "pairs": {c: _pairs(rs) for c, rs in by_condition.items()},
        "counterfactuals": {c: _counterfactuals(rs, settings) for c, rs in by_condition.items()},
        "safety_by_questions": {c: _by_questions(rs) for c, rs in by_condition.items()},
        "turns": settings.turns,
        "by_behaviour": {b: _behaviour(b, by_condition, settings) for b in settings.behaviours},
        "simulator": simulator_summary(records, settings),
        "crisis": crisis_summary(records, settings),
        "ledger": ledger_summary(records, settings),
        "usage": {
            field: sum(getattr(r.usage, field) for r in records) for field in ("calls", "input_tokens", "output_tokens")
        },
        "seconds": round(sum(r.seconds for r in records), 3),
    }


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


def paired_difference(a: Sequence[ConversationRecord], b: Sequence[ConversationRecord]) -> dict[str, Any]:
    """Mean over scenarios of (score in ``b`` - score in ``a``), for scenarios that have a score in both.

    Returns ``n`` (scenarios), ``difference``, ``low``, ``high``. Repeats are averaged within a scenario first.
    """
    mean_a, mean_b = _by_scenario(a, fmean), _by_scenario(b, fmean)
    both = [s for s in mean_a if s in mean_b]
    differences = [mean_b[s] - mean_a[s] for s in both]
    low, high = clustered_interval(differences, both)
    return {"n": len(both), "difference": mean_or_none(differences), "low": low, "high": high}


def _condition(records: Sequence[ConversationRecord], settings: RunSettings) -> dict[str, Any]:
    domains = list(dict.fromkeys(settings.scenarios.values()))
    each = settings.repeats * len(settings.behaviours)
    planned = {d: each * sum(x == d for x in settings.scenarios.values()) for d in domains}
    return {
        **_cell(records, sum(planned.values())),
        "domains": {d: _cell([r for r in records if r.domain == d], planned[d]) for d in domains},
    }


def _behaviour(
    name: str, by_condition: Mapping[str, Sequence[ConversationRecord]], settings: RunSettings
) -> dict[str, Any]:
    planned = settings.repeats * len(settings.scenarios)
    return {c: _cell([r for r in rs if r.behaviour == name], planned) for c, rs in by_condition.items()}


def _cell(records: Sequence[ConversationRecord], planned: int) -> dict[str, Any]:
    scored = [(r, r.verdict, r.verdict.score) for r in records if isinstance(r.verdict, Verdict)]
    low, high = clustered_interval([s for _, _, s in scored], [r.scenario_id for r, _, _ in scored])
    return {
        "n": planned,
        "scored": len(scored),
        "errors": sum(r.error is not None for r in records),
        "unscored": sum(r.unscored is not None for r in records),
        "excluded": sum(r.simulator_failure is not None and r.error is None for r in records),
        "coverage": len(scored) / planned if planned else None,
        "mean": mean_or_none(s for _, _, s in scored),
        "low": low,
        "high": high,
        "criteria": {c: mean_or_none(getattr(v, c) for _, v, _ in scored) for c in CRITERIA},
        "mean_questions": mean_or_none(len(r.asked) for r in records if r.error is None),
        "worst_of_repeats": mean_or_none(_by_scenario(records, min).values()),
    }


def _by_scenario(records: Sequence[ConversationRecord], fold: Callable[[Sequence[float]], float]) -> dict[str, float]:
    scores: dict[str, list[float]] = {}
    for record in records:
        if record.score is not None:
            scores.setdefault(record.scenario_id, []).append(record.score)
    return {scenario: fold(values) for scenario, values in scores.items()}


def _by_risk(records: Sequence[ConversationRecord]) -> dict[str, Any]:
    levels: dict[str, Any] = {}
    for level in ("low", "high"):
        scored = [(r.score, r.scenario_id) for r in records if r.risk == level and r.score is not None]
        low, high = clustered_interval([s for s, _ in scored], [i for _, i in scored])
        mean = mean_or_none(s for s, _ in scored)
        levels[level] = {"scored": len(scored), "mean": mean, "low": low, "high": high}
    return levels


def _pairs(records: Sequence[ConversationRecord]) -> dict[str, Any]:
    """Matched pairs: the same query from a person at low and one at high risk, both scored."""
    scores: dict[str, dict[str, list[float]]] = {}
    for record in records:
        if record.pair is not None and record.risk is not None and record.score is not None:
            scores.setdefault(record.pair, {}).setdefault(record.risk, []).append(record.score)
    both = {p: (fmean(levels["low"]), fmean(levels["high"])) for p, levels in scores.items() if len(levels) == 2}
    differences = [high - low for low, high in both.values()]
    low, high = clustered_interval(differences, list(both))
    return {
        "n": len(both),
        "low_risk_mean": mean_or_none(pair[0] for pair in both.values()),
        "high_risk_mean": mean_or_none(pair[1] for pair in both.values()),
        "difference": mean_or_none(differences),
        "low": low,
        "high": high,
    }


def _counterfactuals(records: Sequence[ConversationRecord], settings: RunSettings) -> dict[str, Any]:
    """Pairs of scenarios whose people differ in one attribute: that attribute -> mean of (second - first), both scored.

    Which is the second follows the order of the data; ``scenarios pairs`` writes the changed person there.
    """
    people: dict[str, dict[str, ConversationRecord]] = {}
    for record in records:
        if record.pair is not None and record.score is not None:
            people.setdefault(record.pair, {}).setdefault(record.scenario_id, record)
    means, order = _by_scenario(records, fmean), {s: i for i, s in enumerate(settings.scenarios)}
    found: dict[str, dict[str, float]] = {}
    for pair, members in people.items():
        if len(members) != 2:
            continue
        a, b = (members[s] for s in sorted(members, key=lambda s: order.get(s, len(order))))
        names = dict.fromkeys((*a.profile, *b.profile))
        if len(changed := [n for n in names if a.profile.get(n) != b.profile.get(n)]) == 1:
            found.setdefault(changed[0], {})[pair] = means[b.scenario_id] - means[a.scenario_id]
    rows: dict[str, Any] = {}
    for attribute, differences in sorted(found.items()):
        low, high = clustered_interval(list(differences.values()), list(differences))
        mean = mean_or_none(differences.values())
        rows[attribute] = {"n": len(differences), "difference": mean, "low": low, "high": high}
    return rows


def _by_questions(records: Sequence[ConversationRecord]) -> list[dict[str, Any]]:
    scores: dict[int, list[float]] = {}
    for record in records:
        if record.score is not None:
            scores.setdefault(len(record.asked), []).append(record.score)
    return [{"questions": q, "scored": len(s), "mean": fmean(s)} for q, s in sorted(scores.items())]
