"""The report's charts, as SVG text to stand in a page. No file, no display, no global state of the plotting library."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Point", "figure", "intervals_chart", "pairs_chart", "questions_chart"]

INK, MUTED, GRID = "#22303c", "#64748b", "#e2e8f0"
LOW_RISK, HIGH_RISK = "#3b8ea5", "#c2573b"
SERIES = ("#2f6f8f", "#c2573b", "#6b8e3d", "#8a5a9e", "#b58a1b", "#4f5d75")


@dataclass(frozen=True)
class Point:
    """One condition of one run."""

    label: str
    mean: float
    low: float | None
    high: float | None
    questions: float | None
    series: str = ""


def intervals_chart(points: Sequence[Point], *, name: str) -> str:
    """Mean score with its interval, one line per condition; series (runs) differ by colour."""
    labels = list(dict.fromkeys(p.label for p in points))
    series = list(dict.fromkeys(p.series for p in points))
    with _figure(max(3.2, 0.9 + 0.34 * len(labels) * max(1, len(series) * 0.6))) as (drawn, axes):
        for point in points:
            offset = (series.index(point.series) - (len(series) - 1) / 2) * 0.22
            height = len(labels) - 1 - labels.index(point.label) - offset
            colour = SERIES[series.index(point.series) % len(SERIES)]
            if point.low is not None and point.high is not None:
                axes.plot([point.low, point.high], [height, height], color=colour, lw=2.4, solid_capstyle="round")
            axes.plot(point.mean, height, "o", color=colour, ms=6.5)
            right = point.mean if point.high is None else point.high
            axes.annotate(f"{point.mean:.2f}", (right, height), (6, 0), textcoords="offset points", va="center",
                          color=INK, fontsize=9)  # fmt: skip
        axes.set_yticks(range(len(labels)), labels[::-1])
        axes.set_ylim(-0.6, len(labels) - 0.4)
        _score_axis(axes, "x")
        _legend(axes, series)
        return _svg(drawn, name, "Mean safety score of each condition with its 95 % interval")


def questions_chart(points: Sequence[Point], *, name: str) -> str:
    """Mean score against mean number of questions."""
    series = list(dict.fromkeys(p.series for p in points))
    placed: list[tuple[float, float]] = []
    with _figure(3.2) as (drawn, axes):
        for point in points:
            if point.questions is None:
                continue
            colour = SERIES[series.index(point.series) % len(SERIES)]
            if point.low is not None and point.high is not None:
                axes.plot([point.questions] * 2, [point.low, point.high], color=colour, lw=1.6, alpha=0.5)
            axes.plot(point.questions, point.mean, "o", color=colour, ms=7)
            # Labels stand to the right; one that would cover another goes to the left.
            crowded = any(abs(point.questions - q) < 0.6 and abs(point.mean - m) < 0.22 for q, m in placed)
            placed.append((point.questions, point.mean))
            axes.annotate(point.label, (point.questions, point.mean), (-8 if crowded else 8, 0),
                          textcoords="offset points", ha="right" if crowded else "left", va="center",
                          color=INK, fontsize=9)  # fmt: skip
        most = max((p.questions for p in points if p.questions is not None), default=0.0)
        axes.set_xlim(-0.9, max(3.0, most) + 1.3)
        axes.set_xlabel("mean questions asked")
        axes.set_xticks(range(int(max(3.0, most)) + 2))
        _score_axis(axes, "y")
        axes.set_ylabel("mean safety score")
        _legend(axes, series)
        return _svg(drawn, name, "Mean safety score against the mean number of questions asked")


def pairs_chart(rows: Sequence[tuple[str, float, float]], *, name: str) -> str:
    """Matched pairs: per condition the mean score for people at low and at high risk who asked the same."""
    with _figure(1.2 + 0.34 * len(rows)) as (drawn, axes):
        for index, (_, low, high) in enumerate(rows):
            height = len(rows) - 1 - index
            axes.plot([low, high], [height, height], color=GRID, lw=4, solid_capstyle="round", zorder=1)
            axes.plot(low, height, "o", color=LOW_RISK, ms=7, label="low risk" if index == 0 else None)
            axes.plot(high, height, "D", color=HIGH_RISK, ms=6, label="high risk" if index == 0 else None)
        axes.set_yticks(range(len(rows)), [label for label, _, _ in rows][::-1])
        axes.set_ylim(-0.6, len(rows) - 0.4)
        _score_axis(axes, "x")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=2, frameon=False, fontsize=9)
        return _svg(drawn, name, "Mean safety score for people at low and at high risk who asked the same question")


@contextmanager
def figure(width: float, height: float, *, font: float) -> Iterator[tuple[Figure, Axes]]:
    """An empty chart of so many inches, with text of ``font`` points, whose bytes are the same for the same data."""
    # On its first use the library reports building its font cache, as a warning on the log.
    logger = logging.getLogger("matplotlib")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        import matplotlib
        from matplotlib.figure import Figure

        with matplotlib.rc_context(
            {
                "svg.fonttype": "none",
                "svg.hashsalt": "askfirst",
                "text.parse_math": False,
                "font.size": font,
                "font.family": "sans-serif",
            }
        ):
            drawn = Figure(figsize=(width, height), layout="constrained")
            axes = drawn.add_subplot()
            for side in ("top", "right"):
                axes.spines[side].set_visible(False)
            for side in ("left", "bottom"):
                axes.spines[side].set_color(GRID)
            axes.tick_params(colors=MUTED, labelcolor=INK, length=0)
            yield drawn, axes
    finally:
        logger.setLevel(level)


@contextmanager
def _figure(height: float) -> Iterator[tuple[Figure, Axes]]:
    with figure(6.2, height, font=10.0) as (drawn, axes):
        axes.spines["left"].set_visible(False)
        axes.xaxis.label.set_color(MUTED)
        axes.yaxis.label.set_color(MUTED)
        yield drawn, axes


def _score_axis(axes: Axes, which: Literal["x", "y"]) -> None:
    if which == "x":
        axes.set_xlim(0.9, 5.35)
        axes.set_xticks(range(1, 6))
    else:
        axes.set_ylim(0.9, 5.1)
        axes.set_yticks(range(1, 6))
    axes.grid(axis=which, color=GRID, lw=0.8)
    axes.set_axisbelow(True)


def _legend(axes: Axes, series: Sequence[str]) -> None:
    if len(series) < 2:
        return
    for index, label in enumerate(series):
        axes.plot([], [], "o-", color=SERIES[index % len(SERIES)], label=label)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=min(3, len(series)), frameon=False, fontsize=9)


def _svg(drawn: Figure, name: str, description: str) -> str:
    """The figure as an ``<svg>`` element, the same for the same data, with ids of its own in a page with others."""
    buffer = io.StringIO()
    drawn.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<(metadata|style)\b.*?</\1>", "", text, flags=re.DOTALL)
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", text)
    text = re.sub(r'font-family: [^;"]*', "font-family: var(--sans)", text)
    text = re.sub(r'<svg [^>]*?viewBox="([^"]*)"[^>]*>', rf'<svg viewBox="\1" role="img" aria-label="{description}">',
                  text, count=1, flags=re.DOTALL)  # fmt: skip
    return text.strip()
