"""What the report shows of runs, as plain values that the templates lay out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..judging import CRITERIA, OFFLINE_JUDGE, Verdict
from ..records import LEDGER_COUNTS, ConversationRecord, PairedDifference, Run, RunSummary
from ..statistics import summarise, unclear_notes
from .charts import Point, intervals_chart, pairs_chart, questions_chart

__all__ = ["OFFLINE_LABEL", "Failure", "Report", "RunView", "Sample", "build_report", "crisis_notes", "heat", "human"]

OFFLINE_LABEL = "Offline reference backend: checks the pipeline, says nothing about any LLM."
"""Stands above every table of a run without a language model."""
_SAMPLES = 3
_FAILURES_SHOWN = 50
_MANY_FAILURES = 0.1  # share of draws


@dataclass(frozen=True)
class Failure:
    """A kind of failure and where it happened."""

    reason: str
    kind: str
    count: int
    where: tuple[str, ...]


@dataclass(frozen=True)
class Sample:
    """One person under every condition."""

    why: str
    first: ConversationRecord
    records: tuple[ConversationRecord, ...]


@dataclass(frozen=True)
class RunView:
    """One run, laid out."""

    label: str
    run: Run
    summary: RunSummary
    headline: str
    warnings: tuple[str, ...]
    reference: str
    differences: Mapping[str, PairedDifference]
    samples: tuple[Sample, ...]
    failures: tuple[Failure, ...]
    charts: Mapping[str, str]
    domains: tuple[str, ...]

    @property
    def has_pairs(self) -> bool:
        """Whether any condition has a matched pair with both scored."""
        return any(p.n for p in self.summary.pairs.values())

    @property
    def has_counterfactuals(self) -> bool:
        """Whether any condition has a pair of people who differ in one attribute alone."""
        return any(self.summary.counterfactuals.values())

    @property
    def crisis_notes(self) -> tuple[str, ...]:
        """A sentence for each condition in which the disclosure did not always come to it."""
        return crisis_notes(self.summary)


@dataclass(frozen=True)
class Report:
    """Everything that a report shows."""

    title: str
    runs: tuple[RunView, ...]
    conditions: tuple[str, ...]
    offline_label: str | None
    comparison_chart: str | None = None
    same_people: bool = True
    criteria: tuple[str, ...] = field(default=CRITERIA)
    ledger_counts: tuple[str, ...] = field(default=LEDGER_COUNTS)


def build_report(runs: Sequence[Run]) -> Report:
    """The report of one run, or of several side by side."""
    views = tuple(_view(run, label, f"r{i}") for i, (run, label) in enumerate(zip(runs, _labels(runs), strict=True)))
    conditions = tuple(dict.fromkeys(c for v in views for c in v.summary.conditions))
    points = [p for v in views for p in _points(v.summary, v.label)]
    return Report(
        title=views[0].label if len(views) == 1 else f"{len(views)} runs side by side",
        runs=views,
        conditions=conditions,
        offline_label=OFFLINE_LABEL if any(v.run.settings.offline for v in views) else None,
        same_people=len({v.run.settings.data_digest for v in views}) == 1,
        comparison_chart=intervals_chart(points, name="compare") if len(views) > 1 and points else None,
    )


def crisis_notes(summary: RunSummary) -> tuple[str, ...]:
    """A sentence for each condition under which a person who was to disclose imminent risk did not come to it."""
    hint = "" if summary.turns else "; with --turns 1 or more, the person writes again after the answer"
    return tuple(
        f"{name}: the disclosure did not come up in {row.conversations - row.disclosed} of "
        f"{row.conversations} conversations, as they ended before{hint}."
        for name, row in summary.crisis.items()
        if row.disclosed < row.conversations
    )


def heat(score: float | None) -> str:
    """Background colour for a score from 1 (warm) over 3 (pale) to 5 (cool)."""
    if score is None:
        return "transparent"
    low, middle, high = (240, 188, 166), (250, 243, 224), (158, 208, 196)
    share = (min(5.0, max(1.0, score)) - 1) / 2
    start, end, part = (low, middle, share) if share < 1 else (middle, high, share - 1)
    return "rgb({}, {}, {})".format(*(round(a + (b - a) * part) for a, b in zip(start, end, strict=True)))


def human(name: str) -> str:
    """An identifier as people read it: ``mental_health_status`` -> ``Mental health status``."""
    return name.replace("_", " ").capitalize()


def _labels(runs: Sequence[Run]) -> list[str]:
    """Folder names, with as much of the path as tells them apart."""
    names = [r.path.resolve().name for r in runs]
    return [n if names.count(n) == 1 else str(r.path) for n, r in zip(names, runs, strict=True)]


def _view(run: Run, label: str, prefix: str) -> RunView:
    summary = summarise(run.records, run.settings)
    reference = _reference(summary)
    points = _points(summary)
    pairs = [
        (c, p.low_risk_mean, p.high_risk_mean)
        for c, p in summary.pairs.items()
        if p.low_risk_mean is not None and p.high_risk_mean is not None
    ]
    charts = {
        "intervals": intervals_chart(points, name=f"{prefix}i") if points else "",
        "questions": questions_chart(points, name=f"{prefix}q") if points else "",
        "pairs": pairs_chart(pairs, name=f"{prefix}p") if pairs else "",
    }
    return RunView(
        label=label,
        run=run,
        summary=summary,
        headline=_headline(summary, reference),
        warnings=_warnings(summary),
        reference=reference,
        differences=_against(summary, reference),
        samples=_samples(run, reference, _rival(summary, reference)),
        failures=_failures(run.records),
        charts=charts,
        domains=tuple(dict.fromkeys(run.settings.scenarios.values())),
    )


def _points(summary: RunSummary, series: str = "") -> list[Point]:
    return [
        Point(name, cell.mean, cell.low, cell.high, cell.mean_questions, series)
        for name, cell in summary.conditions.items()
        if cell.mean is not None
    ]


def _reference(summary: RunSummary) -> str:
    """What other conditions are compared with: answering at once if it was run, else the first condition."""
    names = list(summary.conditions)
    return "context_free" if "context_free" in names else names[0]


def _against(summary: RunSummary, reference: str) -> dict[str, PairedDifference]:
    """Condition -> its paired difference from the reference, whichever way round it was computed."""
    found: dict[str, PairedDifference] = {}
    for pair in summary.paired:
        if pair.a == reference:
            found[pair.b] = pair
        elif pair.b == reference:
            turned = {"difference": _negated(pair.difference), "low": _negated(pair.high), "high": _negated(pair.low)}
            found[pair.a] = pair.model_copy(update=turned)
    return found


def _negated(value: float | None) -> float | None:
    return None if value is None else -value


def _headline(summary: RunSummary, reference: str) -> str:
    cells, differences = summary.conditions, _against(summary, reference)
    scored = {c: cell.mean for c, cell in cells.items() if cell.mean is not None}
    best = _rival(summary, reference)
    if reference not in scored or best is None:
        parts = [f"{c} scored {mean:.2f}" for c, mean in scored.items()]
        return ("; ".join(parts) or "Nothing was scored") + "."
    asked = cells[best].mean_questions
    told = f"{best} scored {scored[best]:.2f} of 5 with {asked:.1f} questions on average; "
    told += f"{reference} scored {scored[reference]:.2f}."
    pair = differences[best]
    if pair.difference is None:
        return told
    told += f" Difference on the same {pair.n} scenarios: {pair.difference:+.2f}"
    if pair.low is None or pair.high is None:
        return told + "."
    certain = pair.low > 0 or pair.high < 0
    return told + f" ({pair.low:+.2f} to {pair.high:+.2f}" + (")." if certain else ", so it may be chance).")


def _rival(summary: RunSummary, reference: str) -> str | None:
    """What the reference is compared with in words: ``raise``, else the best that was not given the whole profile."""
    means = {c: cell.mean for c, cell in summary.conditions.items() if cell.mean is not None}
    rivals = [c for c in means if c not in (reference, "context_rich")]
    return "raise" if "raise" in rivals else max(rivals, key=lambda c: means[c], default=None)


def _warnings(summary: RunSummary) -> tuple[str, ...]:
    warnings = []
    if summary.judge_is_model and not summary.offline:
        warnings.append(
            f"The judge ({summary.judge_model}) is the same model as the assistant. Models tend to favour their own "
            "answers; repeat the judging with another model before relying on these scores."
        )
    if summary.judge_model == OFFLINE_JUDGE and not summary.offline:
        warnings.append(
            "The judge is the offline rubric: it looks for patterns in the answers and understands nothing. Use these "
            "scores to check the pipeline, or judge with a language model."
        )
    if not summary.complete:
        warnings.append(
            f"The run is not complete: {summary.done} of {summary.planned} conversations. Resume it to continue."
        )
    simulator = summary.simulator
    if simulator.share and simulator.share > _MANY_FAILURES:
        warnings.append(
            f"The simulated people failed in {simulator.failed} of {simulator.drawn} draws (see below). "
            "What is scored may be a kinder selection of them."
        )
    warnings.extend(unclear_notes(summary))
    uncovered = [c for c, cell in summary.conditions.items() if cell.coverage is not None and cell.coverage < 1]
    if summary.complete and uncovered:
        warnings.append(f"Not every conversation has a score ({', '.join(uncovered)}); the means leave those out.")
    few = max((cell.scored for cell in summary.conditions.values()), default=0)
    if 0 < few < 20:
        warnings.append(f"At most {few} scored conversations per condition: intervals from so few are rough.")
    return tuple(warnings)


def _samples(run: Run, reference: str, rival: str | None) -> tuple[Sample, ...]:
    """The person for whom asking changed the score most for the better, a typical one, and the least helped one."""
    by_scenario: dict[str, dict[str, ConversationRecord]] = {}
    for record in run.records:
        if record.repeat == 0 and record.transcript and record.behaviour == run.settings.behaviours[0]:
            by_scenario.setdefault(record.scenario_id, {})[record.condition] = record
    conditions = run.settings.conditions
    whole = [r for r in by_scenario.values() if all(c in r and r[c].score is not None for c in conditions)]
    if rival is None:
        whole.sort(key=lambda r: r[reference].score or 0.0)
        whys = ("Lowest score", "In the middle", "Highest score")
    else:

        def gain(records: Mapping[str, ConversationRecord]) -> float:
            return (records[rival].score or 0.0) - (records[reference].score or 0.0)

        whole.sort(key=gain, reverse=True)
        most, least = (gain(whole[0]), gain(whole[-1])) if whole else (0.0, 0.0)
        whys = (
            f"Where {rival} gained most over {reference}" if most > 0 else f"Where {rival} came nearest to {reference}",
            "In the middle",
            f"Where {rival} lost most against {reference}" if least < 0 else f"Where {rival} gained least",
        )
    places = sorted({0, len(whole) // 2, len(whole) - 1}) if len(whole) >= _SAMPLES else range(len(whole))
    return tuple(
        Sample(why, whole[i][conditions[0]], tuple(whole[i][c] for c in conditions))
        for why, i in zip(whys, places, strict=False)
    )


def _failures(records: Sequence[ConversationRecord]) -> tuple[Failure, ...]:
    reasons: Counter[tuple[str, str]] = Counter()
    where: dict[tuple[str, str], list[str]] = {}
    for record in records:
        reason = ("error", record.error) if record.error is not None else ("unscored", record.unscored)
        if reason[1] is None:
            continue
        key = (reason[0], reason[1])
        reasons[key] += 1
        condition = " / ".join(str(part) for part in (record.condition, *record.key[5:]))
        place = f"{record.scenario_id} / {condition} / repeat {record.repeat}"
        where.setdefault(key, []).append(place)
    return tuple(
        Failure(text, kind, count, tuple(where[kind, text][:_FAILURES_SHOWN]))
        for (kind, text), count in reasons.most_common()
    )


def justifications(record: ConversationRecord) -> list[tuple[str, int, str]]:
    """Criterion, score and reason of a scored record."""
    verdict = record.verdict
    if not isinstance(verdict, Verdict):
        return []
    return [(human(c), getattr(verdict, c), verdict.justifications.get(c, "")) for c in CRITERIA]
