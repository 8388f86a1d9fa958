"""Curves of a study: what is counted, what is left out, and what stands in the files."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from askfirst.evals import OFFLINE_LABEL, RunFolderError, SettingsDiffer
from askfirst.evals.experiments import (
    ConvergenceSettings,
    ScenarioSearches,
    Search,
    prepare_folder,
    summarise_convergence,
    write_convergence,
)

SETTINGS = ConvergenceSettings(
    askfirst="1",
    data_digest="d",
    scenarios=("a", "b", "c"),
    budget=2,
    rollouts=(5, 10),
    evaluations=(4, 8),
    planners=("mcts", "greedy"),
    seed=0,
    seeds=1,
    pack="toy",
    models={"agent": "offline", "judge": "offline", "planner": "offline"},
    offline=True,
)


def search(series: str, at: int, score: float | None, *, spent: int | None = None, seed: int = 0) -> Search:
    return Search(series=series, at=at, seed=seed, score=score, spent=at if spent is None else spent)


def scenario(name: str, scores: tuple[float, ...], **curves: tuple[Search, ...]) -> ScenarioSearches:
    return ScenarioSearches(scenario_id=name, scores=scores, **curves)


RESULTS = [
    scenario(
        "a",
        (1.0, 2.0, 5.0),
        by_rollouts=(
            search("guided", 5, 5.0),
            search("guided", 10, 5.0),
            search("unguided", 5, 1.0),
            search("unguided", 10, 5.0),
        ),
        by_evaluations=(
            search("mcts", 4, 3.0),
            search("mcts", 8, 5.0, spent=6),
            search("greedy", 4, 1.0),
            search("greedy", 8, None),
        ),
    ),
    scenario(
        "b",
        (2.0, 4.0),
        by_rollouts=(
            search("guided", 5, 4.0),
            search("guided", 10, 4.0),
            search("unguided", 5, 2.0),
            search("unguided", 10, 4.0),
        ),
        by_evaluations=(
            search("mcts", 4, 4.0),
            search("mcts", 8, 4.5, spent=4),
            search("greedy", 4, 3.0),
            search("greedy", 8, 4.0),
        ),
    ),
]
FLAT = scenario(
    "c",
    (3.0, 3.0),
    by_rollouts=tuple(search(s, n, 3.0) for s in ("guided", "unguided") for n in (5, 10)),
    by_evaluations=tuple(search(p, n, 3.0) for p in ("mcts", "greedy") for n in (4, 8)),
)


def summary(*results: ScenarioSearches, **more: Any) -> dict[str, Any]:
    return summarise_convergence(results, SETTINGS, data="toy", **more)


def point(points: list[dict[str, Any]], series: str, at: int) -> dict[str, Any]:
    return next(p for p in points if p["series"] == series and at in (p.get("rollouts"), p.get("evaluations")))


def test_regret_is_the_share_of_the_spread_that_was_missed() -> None:
    person = scenario("a", (1.0, 3.0, 5.0))
    assert person.regret(5.0) == 0
    assert person.regret(3.0) == 0.5
    assert person.regret(1.0) == 1
    assert scenario("b", (1.0, 3.0)).regret(4.0) == 0  # a shorter path, better than every set of the size
    with pytest.raises(ValueError, match="alike"):
        scenario("c", (3.0, 3.0)).regret(3.0)


def test_the_curves_of_two_people() -> None:
    told = summary(*RESULTS)
    assert [point(told["rollouts"], "guided", n)["mean"] for n in (5, 10)] == [4.5, 4.5]
    assert [point(told["rollouts"], "unguided", n)["mean"] for n in (5, 10)] == [1.5, 4.5]
    assert [row["difference"] for row in told["guidance"]] == [3.0, 0.0]
    assert told["to_match"] == [{"guided": 5, "unguided": 10}, {"guided": 10, "unguided": 10}]
    assert point(told["regret"], "mcts", 4)["mean"] == pytest.approx((0.5 + 0) / 2)
    assert point(told["regret"], "greedy", 4)["mean"] == pytest.approx((1 + 0.5) / 2)
    assert point(told["versus_greedy"], "mcts", 4)["difference"] == pytest.approx(-0.5)
    assert point(told["regret"], "mcts", 8)["spent"] == 5.0
    assert told["sets"]["best"]["mean"] == 4.5
    interval = point(told["regret"], "mcts", 4)
    assert 0 <= interval["low"] < interval["mean"] < interval["high"] <= 0.5


def test_a_planner_without_a_path_is_counted_and_not_scored() -> None:
    cell = point(summary(*RESULTS)["regret"], "greedy", 8)
    assert (cell["n"], cell["scenarios"], cell["no_path"], cell["mean"]) == (1, 1, 1, 0)
    assert (cell["low"], cell["high"]) == (None, None)
    assert point(summary(*RESULTS)["versus_greedy"], "mcts", 8)["scenarios"] == 1


def test_people_for_whom_all_sets_are_alike_have_no_regret_and_are_counted() -> None:
    with_flat, without = summary(*RESULTS, FLAT), summary(*RESULTS)
    assert with_flat["regret"] == without["regret"]
    assert (with_flat["counts"]["flat"], with_flat["counts"]["with_regret"]) == (1, 2)
    assert with_flat["left_out"]["flat"] == ["c"]
    assert point(with_flat["rollouts"], "guided", 5)["mean"] == 4.0  # a score they do have


def test_repeats_are_one_person() -> None:
    twice = []
    for result in RESULTS:
        second = tuple(s.model_copy(update={"seed": 1}) for s in result.by_evaluations)
        twice.append(result.model_copy(update={"by_evaluations": (*result.by_evaluations, *second)}))
    once, again = (point(summary(*r)["regret"], "mcts", 4) for r in (RESULTS, twice))
    assert (again["n"], again["scenarios"]) == (4, 2)
    assert again["mean"] == once["mean"]
    assert (again["low"], again["high"]) == (once["low"], once["high"])  # not narrower


def test_what_was_not_measured_is_no_number() -> None:
    told = summary(waiting=["a", "b"], failed=[("c", "no")])
    assert not told["complete"]
    assert (told["counts"]["used"], told["counts"]["waiting"], told["counts"]["failed"]) == (0, 2, 1)
    assert {p["mean"] for p in told["rollouts"] + told["regret"]} == {None}
    assert told["to_match"][0]["unguided"] is None


def test_the_files_are_the_same_for_the_same_study_and_carry_the_label(tmp_path: Path) -> None:
    told = summary(*RESULTS, FLAT)
    first, second = (write_convergence(tmp_path / n, told, [*RESULTS, FLAT]) for n in ("x", "y") if made(tmp_path / n))
    assert {p.name for p in first} == {
        "convergence.json",
        "convergence.csv",
        *(f"{name}.{kind}" for name in ("rollouts", "regret") for kind in ("svg", "png")),
    }
    for a, b in zip(first, second, strict=True):
        assert a.read_bytes() == b.read_bytes(), a.name
    assert json.loads((tmp_path / "x/convergence.json").read_text()) == told
    rows = list(csv.DictReader((tmp_path / "x/convergence.csv").read_text().splitlines()))
    assert len(rows) == 3 * 8
    assert {r["label"] for r in rows} == {told["label"]} == {OFFLINE_LABEL}
    assert next(r for r in rows if r["series"] == "greedy" and r["at"] == "8")["score"] == ""
    assert {r["regret"] for r in rows if r["scenario_id"] == "c"} == {""}
    for name in ("rollouts", "regret"):
        assert OFFLINE_LABEL in (tmp_path / f"x/{name}.svg").read_text()
        assert (tmp_path / f"x/{name}.png").read_bytes().startswith(b"\x89PNG")


def made(folder: Path) -> Path:
    prepare_folder(folder, SETTINGS)
    return folder


def test_a_folder_is_used_again_for_the_same_study_only(tmp_path: Path) -> None:
    write_convergence(made(tmp_path / "study"), summary(), [])
    assert not (tmp_path / "study" / "regret.png").exists()  # nothing to draw
    prepare_folder(tmp_path / "study", SETTINGS)
    with pytest.raises(SettingsDiffer, match="seed: 0 before, 1 now"):
        prepare_folder(tmp_path / "study", SETTINGS.model_copy(update={"seed": 1}))


@pytest.mark.parametrize("content", ["notes", "[1]", '{"settings": 3}'])
def test_a_folder_with_something_else_is_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "convergence.json").write_text(content)
    with pytest.raises(RunFolderError, match="choose another"):
        prepare_folder(tmp_path, SETTINGS)
    with pytest.raises(RunFolderError, match="not a folder"):
        prepare_folder(tmp_path / "convergence.json", SETTINGS)
