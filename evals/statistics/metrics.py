"""From records to a summary: means with intervals, coverage, paired differences, safety against questions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import get_args

from ...domains import Risk
from ...models import Usage
from ..judging import CRITERIA, Verdict
from ..records import (
    Cell,
    ConditionSummary,
    ConversationRecord,
    Difference,
    PairedDifference,
    PairsSummary,
    QuestionsScore,
    RiskScore,
    RunSettings,
    RunSummary,
)
from .intervals import clustered_interval, mean_or_none
from .ledger_metrics import ledger_summary
from .simulator_metrics import crisis_summary, simulator_summary

__all__ = ["paired_difference", "summarise"]


def summarise(records: Sequence[ConversationRecord], settings: RunSettings) -> RunSummary:
    """The content of ``summary.json``: every figure of a run, from its records."""
    by_condition = {c: [r for r in records if r.condition == c] for c in settings.conditions}
    return RunSummary(
        offline=settings.offline,
        model=settings.model,
        user_model=settings.user_model,
        judge_model=settings.judge_model,
        judge_is_model=settings.judge_model == settings.model,
        planned=settings.planned,
        done=len(records),
        complete=len(records) == settings.planned,
        conditions={c: _condition(rs, settings) for c, rs in by_condition.items()},
        paired=tuple(
            PairedDifference(a=a, b=b, **dict(paired_difference(by_condition[a], by_condition[b])))
            for a, b in itertools.combinations(settings.conditions, 2)
        ),
        by_risk={c: _by_risk(rs) for c, rs in by_condition.items()},
        pairs={c: _pairs(rs) for c, rs in by_condition.items()},
        counterfactuals={c: _counterfactuals(rs, settings) for c, rs in by_condition.items()},
        safety_by_questions={c: _by_questions(rs) for c, rs in by_condition.items()},
        turns=settings.turns,
        by_behaviour={b: _behaviour(b, by_condition, settings) for b in settings.behaviours},
        simulator=simulator_summary(records, settings),
        crisis=crisis_summary(records, settings),
        ledger=ledger_summary(records, settings),
        usage=sum((r.usage for r in records), Usage()),
        seconds=round(sum(r.seconds for r in records), 3),
    )


def paired_difference(a: Sequence[ConversationRecord], b: Sequence[ConversationRecord]) -> Difference:
    """Mean over scenarios of (score in ``b`` - score in ``a``), for scenarios that have a score in both.

    Repeats are averaged within a scenario first.
    """
    mean_a, mean_b = _by_scenario(a, fmean), _by_scenario(b, fmean)
    both = [s for s in mean_a if s in mean_b]
    return _difference({s: mean_b[s] - mean_a[s] for s in both})


def _difference(differences: Mapping[str, float]) -> Difference:
    """The mean of ``differences``, each of a scenario or pair of its own."""
    low, high = clustered_interval(list(differences.values()), list(differences))
    return Difference(n=len(differences), difference=mean_or_none(differences.values()), low=low, high=high)


def _condition(records: Sequence[ConversationRecord], settings: RunSettings) -> ConditionSummary:
    domains = list(dict.fromkeys(settings.scenarios.values()))
    each = settings.repeats * len(settings.behaviours)
    planned = {d: each * sum(x == d for x in settings.scenarios.values()) for d in domains}
    return ConditionSummary(
        **dict(_cell(records, sum(planned.values()))),
        domains={d: _cell([r for r in records if r.domain == d], planned[d]) for d in domains},
    )


def _behaviour(
    name: str, by_condition: Mapping[str, Sequence[ConversationRecord]], settings: RunSettings
) -> dict[str, Cell]:
    planned = settings.repeats * len(settings.scenarios)
    return {c: _cell([r for r in rs if r.behaviour == name], planned) for c, rs in by_condition.items()}


def _cell(records: Sequence[ConversationRecord], planned: int) -> Cell:
    scored = [(r, r.verdict, r.verdict.score) for r in records if isinstance(r.verdict, Verdict)]
    low, high = clustered_interval([s for _, _, s in scored], [r.scenario_id for r, _, _ in scored])
    return Cell(
        n=planned,
        scored=len(scored),
        errors=sum(r.error is not None for r in records),
        unscored=sum(r.unscored is not None for r in records),
        excluded=sum(r.simulator_failure is not None and r.error is None for r in records),
        coverage=len(scored) / planned if planned else None,
        mean=mean_or_none(s for _, _, s in scored),
        low=low,
        high=high,
        criteria={c: mean_or_none(getattr(v, c) for _, v, _ in scored) for c in CRITERIA},
        mean_questions=mean_or_none(len(r.asked) for r in records if r.error is None),
        worst_of_repeats=mean_or_none(_by_scenario(records, min).values()),
    )


def _by_scenario(records: Sequence[ConversationRecord], fold: Callable[[Sequence[float]], float]) -> dict[str, float]:
    scores: dict[str, list[float]] = {}
    for record in records:
        if record.score is not None:
            scores.setdefault(record.scenario_id, []).append(record.score)
    return {scenario: fold(values) for scenario, values in scores.items()}


def _by_risk(records: Sequence[ConversationRecord]) -> dict[Risk, RiskScore]:
    levels: dict[Risk, RiskScore] = {}
    for level in get_args(Risk):
        scored = [(r.score, r.scenario_id) for r in records if r.risk == level and r.score is not None]
        low, high = clustered_interval([s for s, _ in scored], [i for _, i in scored])
        levels[level] = RiskScore(scored=len(scored), mean=mean_or_none(s for s, _ in scored), low=low, high=high)
    return levels


def _pairs(records: Sequence[ConversationRecord]) -> PairsSummary:
    """Matched pairs: the same query from a person at low and one at high risk, both scored."""
    scores: dict[str, dict[str, list[float]]] = {}
    for record in records:
        if record.pair is not None and record.risk is not None and record.score is not None:
            scores.setdefault(record.pair, {}).setdefault(record.risk, []).append(record.score)
    both = {p: (fmean(levels["low"]), fmean(levels["high"])) for p, levels in scores.items() if len(levels) == 2}
    return PairsSummary(
        low_risk_mean=mean_or_none(low for low, _ in both.values()),
        high_risk_mean=mean_or_none(high for _, high in both.values()),
        **dict(_difference({p: high - low for p, (low, high) in both.items()})),
    )


def _counterfactuals(records: Sequence[ConversationRecord], settings: RunSettings) -> dict[str, Difference]:
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
    return {attribute: _difference(differences) for attribute, differences in sorted(found.items())}


def _by_questions(records: Sequence[ConversationRecord]) -> tuple[QuestionsScore, ...]:
    scores: dict[int, list[float]] = {}
    for record in records:
        if record.score is not None:
            scores.setdefault(len(record.asked), []).append(record.score)
    return tuple(QuestionsScore(questions=q, scored=len(s), mean=fmean(s)) for q, s in sorted(scores.items()))
