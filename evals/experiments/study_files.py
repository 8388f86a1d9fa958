"""The folder of a study: ``convergence.json``, ``convergence.csv`` and the figures."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...simulators.storage import different_settings, write_atomic
from ..errors import RunFolderError, SettingsDiffer, folder_errors
from .convergence import ConvergenceSettings, ScenarioSearches
from .figures import regret_figure, rollouts_figure

__all__ = ["prepare_folder", "write_convergence"]

_SUMMARY, _TABLE = "convergence.json", "convergence.csv"
_COLUMNS = ("curve", "series", "at", "scenario_id", "seed", "score", "regret", "spent", "best", "worst", "label")


def prepare_folder(folder: Path, settings: ConvergenceSettings) -> None:
    """Make ``folder``, or find it empty or with a study of the same ``settings``, before anything is spent.

    Raises:
        SettingsDiffer: it holds a study with other settings.
        RunFolderError: it holds something else, or cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise RunFolderError(folder, "cannot be written (no permission)")
        if any(folder.iterdir()):
            _same_study(folder, settings)
    except (FileExistsError, NotADirectoryError) as error:
        raise RunFolderError(folder, "is not a folder; choose another name") from error
    except OSError as error:
        raise RunFolderError(folder, f"cannot be used ({error.strerror or error})") from error


def write_convergence(folder: Path, summary: Mapping[str, Any], results: Sequence[ScenarioSearches]) -> list[Path]:
    """Write the study into ``folder``; each file replaces the one before. No figure is drawn of no result.

    Returns:
        What was written.

    Raises:
        RunFolderError: it cannot be written.
    """
    # First: a folder with this file is known again, should the rest be interrupted.
    texts = {
        _SUMMARY: json.dumps(summary, indent=2, ensure_ascii=False, allow_nan=False) + "\n",
        _TABLE: _csv(summary, results),
    }
    written = [folder / name for name in texts]
    with folder_errors(folder, "written"):
        for name, text in texts.items():
            write_atomic(folder / name, text)
        for name, draw in (("rollouts", rollouts_figure), ("regret", regret_figure)):
            svg, png = folder / f"{name}.svg", folder / f"{name}.png"
            if not results:
                svg.unlink(missing_ok=True)  # of an earlier run into the same folder
                png.unlink(missing_ok=True)
                continue
            drawn = draw(summary)
            write_atomic(svg, drawn[0])
            write_atomic(png, drawn[1])
            written += [svg, png]
    return written


def _same_study(folder: Path, settings: ConvergenceSettings) -> None:
    try:
        stored = json.loads((folder / _SUMMARY).read_text(encoding="utf-8"))["settings"]
        there = dict(stored)
    except (FileNotFoundError, ValueError, KeyError, TypeError) as error:
        problem = f"is not empty and does not hold a study with a readable {_SUMMARY}; choose another folder"
        raise RunFolderError(folder, problem) from error
    if differences := different_settings(there, settings.model_dump(mode="json")):
        raise SettingsDiffer(folder, differences)


def _csv(summary: Mapping[str, Any], results: Sequence[ScenarioSearches]) -> str:
    """One line for each search, so that other statistics can be made of them."""
    buffer = io.StringIO()
    rows = csv.writer(buffer, lineterminator="\n")
    rows.writerow(_COLUMNS)
    for result in results:
        rows.writerows((*row, summary["label"] or "") for row in _rows(result))
    return buffer.getvalue()


def _rows(result: ScenarioSearches) -> Iterator[tuple[object, ...]]:
    best, worst = max(result.scores), min(result.scores)
    for curve, searches in (("rollouts", result.by_rollouts), ("evaluations", result.by_evaluations)):
        for s in searches:
            regret = None if s.score is None or result.flat else result.regret(s.score)
            yield curve, s.series, s.at, result.scenario_id, s.seed, s.score, regret, s.spent, best, worst
