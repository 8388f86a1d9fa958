"""The figures of a study, as SVG text and PNG bytes. No display, no global state of the plotting library."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..report import GRID, INK, MUTED, SERIES, figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["regret_figure", "rollouts_figure"]

_MARKERS = ("o", "s", "^", "D", "v", "P")
_DPI = 160
_SHIFT = 0.1  # of the place on a logarithmic axis, between the first and the last curve


def rollouts_figure(summary: Mapping[str, Any]) -> tuple[str, bytes]:
    """Figure 14: mean score of the recommended path against rollouts, guided and unguided. (SVG, PNG)"""
    from .convergence import GUIDED, UNGUIDED

    points, sets = summary["rollouts"], summary["sets"]
    with _figure() as (drawn, axes):
        for index, (name, label) in enumerate(((GUIDED, "guided by the prior"), (UNGUIDED, "unguided, even prior"))):
            line = [(p["rollouts"], p) for p in points if p["series"] == name]
            _curve(axes, line, label, index, share=index - 0.5)
        for cell, label, style in ((sets["best"], "best of all sets", "--"), (sets["mean"], "mean of all sets", ":")):
            if cell["mean"] is not None:
                axes.axhline(cell["mean"], color=MUTED, ls=style, lw=1.2, label=f"{label} ({cell['mean']:.2f})")
        _log_axis(axes, sorted({p["rollouts"] for p in points}))
        axes.set_xlabel("rollouts of the search")
        axes.set_ylabel("mean score of the recommended path (1–5)")
        _finish(drawn, axes, summary, summary["counts"]["used"], columns=2)
        return _files(drawn)


def regret_figure(summary: Mapping[str, Any]) -> tuple[str, bytes]:
    """Mean regret of each planner against the mean number of distinct sets that it asked for. (SVG, PNG)"""
    points = summary["regret"]
    names = list(dict.fromkeys(p["series"] for p in points))
    with _figure() as (drawn, axes):
        for index, name in enumerate(names):
            line = [(p["spent"], p) for p in points if p["series"] == name and p["spent"] is not None]
            _curve(axes, line, name, index, share=(index - (len(names) - 1) / 2) / max(1, len(names) - 1))
        _log_axis(axes, sorted({p["evaluations"] for p in points}))
        axes.set_ylim(bottom=0)
        axes.set_xlabel("distinct sets evaluated (mean; a planner may stop before its limit)")
        axes.set_ylabel("mean regret: (best − found) / (best − worst)")
        _finish(drawn, axes, summary, summary["counts"]["with_regret"], columns=3)
        return _files(drawn)


def _curve(axes: Axes, line: Sequence[tuple[float, Mapping[str, Any]]], label: str, index: int, share: float) -> None:
    """A line through the means, with their intervals; ``share`` shifts it a little, so that intervals do not cover."""
    colour = SERIES[index % len(SERIES)]
    # A planner that stops by itself gives the same point again and again.
    points = {(x, p["mean"], p["low"], p["high"]): p for x, p in line if p["mean"] is not None}
    known = [(x * (1 + _SHIFT * share), p) for (x, *_), p in points.items()]
    at = [x for x, _ in known]
    # Every other one is dashed, with larger and hollow markers, so that equal curves show as two. Markers may stand on
    # the axis, where the regret is 0.
    hollow = bool(index % 2)
    axes.plot(
        at,
        [p["mean"] for _, p in known],
        color=colour,
        lw=1.8,
        ls="--" if hollow else "-",
        marker=_MARKERS[index % len(_MARKERS)],
        ms=7.5 if hollow else 5,
        mfc="none" if hollow else colour,
        label=label,
        zorder=4 - index * 0.01,
        clip_on=False,
    )
    whole = [(x, p) for x, p in known if p["low"] is not None]
    low, high = [p["low"] for _, p in whole], [p["high"] for _, p in whole]
    axes.vlines([x for x, _ in whole], low, high, color=colour, lw=1.2, alpha=0.5, zorder=2)


def _log_axis(axes: Axes, ticks: Sequence[int]) -> None:
    axes.set_xscale("log")
    axes.set_xticks(list(ticks), [str(t) for t in ticks])
    axes.set_xticks([], minor=True)


def _finish(drawn: Figure, axes: Axes, summary: Mapping[str, Any], scenarios: int, *, columns: int) -> None:
    settings = summary["settings"]
    axes.grid(axis="y", color=GRID, lw=0.8)
    axes.set_axisbelow(True)
    drawn.legend(loc="outside upper center", ncol=columns, frameon=False, fontsize=10, handlelength=3)
    models = settings["models"]
    told = [
        f"{scenarios} scenarios, sets of {settings['budget']}, {settings['seeds']} seed"
        f"{'s' if settings['seeds'] > 1 else ''}; upright lines: 95 % intervals",
        summary["label"] or f"answers: {models['agent']}, judge: {models['judge']}, prior: {models['planner']}",
    ]
    drawn.supxlabel("\n".join(told), fontsize=9, color=MUTED)


@contextmanager
def _figure() -> Iterator[tuple[Figure, Axes]]:
    with figure(8.0, 5.2, font=11.0) as (drawn, axes):
        axes.tick_params(pad=7)
        axes.xaxis.label.set_color(INK)
        axes.yaxis.label.set_color(INK)
        yield drawn, axes


def _files(drawn: Figure) -> tuple[str, bytes]:
    """The same bytes for the same data."""
    svg, png = io.StringIO(), io.BytesIO()
    drawn.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    drawn.savefig(png, format="png", dpi=_DPI, metadata={"Software": None})
    return svg.getvalue(), png.getvalue()
