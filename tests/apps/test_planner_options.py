"""Options of ``askfirst plan`` that choose the planner and limit what a path may ask of a person."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from askfirst.domains import get_pack

COSTS = {a.id: a.ask_cost for a in get_pack("penguin").attributes}


def stored(cli: Callable[..., Any]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in cli("paths", "export").out.splitlines()]


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ((), "mcts"),
        (("--preset", "paper"), "mcts-paper"),
        (("--planner", "bayes"), "bayes"),
        (("--preset", "noisy"), "mcts-noisy"),
    ],
)
def test_the_planner_is_the_one_that_was_asked_for(
    options: tuple[str, ...], name: str, cli: Callable[..., Any], write_scenarios: Callable[..., Path]
) -> None:
    assert cli("plan", write_scenarios(), "--split", "all", "--evaluations", "12", *options).code == 0
    (path,) = stored(cli)
    assert path["planner"] == name
    assert len(path["prefix_scores"]) == len(path["path"]) + 1


@pytest.mark.parametrize("by_environment", [False, True])
def test_a_path_keeps_within_the_burden(
    by_environment: bool,
    cli: Callable[..., Any],
    write_scenarios: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    options = ("--max-burden", "1.5")
    if by_environment:
        monkeypatch.setenv("ASKFIRST_MAX_BURDEN", "1.5")
        options = ()
    assert cli("plan", write_scenarios(), "--split", "all", *options).code == 0
    (path,) = stored(cli)
    assert 0 < sum(COSTS[a] for a in path["path"]) <= 1.5


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--preset", "papr"), "did you mean 'paper'"),
        (("--planner", "greedy", "--preset", "paper"), "unknown preset of planner 'greedy'"),
        (("--max-burden", "0"), "--max-burden"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(
    options: tuple[str, ...], told: str, cli: Callable[..., Any], write_scenarios: Callable[..., Path]
) -> None:
    outcome = cli("plan", write_scenarios(), *options)
    assert outcome.code == 2
    assert told in outcome.err
    assert len(outcome.err.strip().splitlines()) == 1


def test_a_dry_run_knows_which_sets_the_burden_leaves_to_an_exhaustive_search(
    cli: Callable[..., Any], write_scenarios: Callable[..., Path]
) -> None:
    command = ("plan", write_scenarios(), "--split", "all", "--planner", "exhaustive", "--max-burden", "1.5")
    few, many = (cli(*command, "--evaluations", n, "--json", "--dry-run") for n in ("2", "60"))
    assert few.json["evaluations"] == 0
    assert cli(*command, "--evaluations", "2").code == 3  # refused before anything is spent
    done = cli(*command, "--evaluations", "60", "--json")
    assert done.code == 0, done.err
    assert done.json["paid"] <= many.json["evaluations"]


@pytest.mark.parametrize(
    "more",
    [("--budget", "2"), ("--max-burden", "2.5"), ("--evaluations", "15"), ("--seed", "1"), ("--planner", "greedy")],
)
def test_other_limits_are_another_plan(
    cli: Callable[..., Any], write_scenarios: Callable[..., Path], more: tuple[str, str]
) -> None:
    data = write_scenarios({"split": "plan"})
    base = ("plan", data, "--json", "--budget", "3", "--evaluations", "20")
    assert cli(*base).json["planned"] == 1
    assert cli(*base).json["kept"] == 1
    other = cli(*base, *more)
    assert (other.json["planned"], other.json["kept"], other.json["stored"]) == (1, 0, 1)
    assert cli(*base, *more).json["kept"] == 1
