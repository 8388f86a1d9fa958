"""The example pack in ``examples/new_parents``: checked, planned, evaluated and reported as its README says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from askfirst.domains import DomainPack, load_pack
from askfirst.simulators import load_scenarios

from tests.apps.conftest import Outcome

Cli = Callable[..., Outcome]

EXAMPLE = Path(__file__).parents[2] / "examples" / "new_parents"
PACK = EXAMPLE / "askfirst_new_parents"
DATA = EXAMPLE / "scenarios.jsonl"


@pytest.fixture(scope="module")
def example() -> DomainPack:
    return load_pack(PACK)


def test_the_check_has_nothing_to_say(cli: Cli) -> None:
    record = cli("domains", "check", PACK, "--json").json
    assert record["ok"] is True
    assert record["hints"] == []


def test_it_is_outside_the_shipped_domains(example: DomainPack, pack: DomainPack) -> None:
    assert not set(example.domain_names) & set(pack.domain_names)
    assert not set(example.attribute_ids) & set(pack.attribute_ids)
    assert [s.country for s in example.resources.services] == ["*"]
    assert set(example.resources.services) <= set(pack.resources.services)


def test_the_scenarios_fit_the_pack(example: DomainPack, cli: Cli) -> None:
    assert cli("scenarios", "validate", DATA, "--pack", PACK).code == 0
    scenarios = load_scenarios(DATA, example)
    assert len(scenarios) == 12
    assert {s.split for s in scenarios if s.domain == "Sleep"} == {"plan", "eval"}
    planned = {s.query for s in scenarios if s.split == "plan"}
    assert not planned & {s.query for s in scenarios if s.split == "eval"}
    for scenario in scenarios:
        assert example.domain_of(scenario.query) == scenario.domain
        assert scenario.profile.known == example.attribute_ids
        weight = sum(rule.weight for rule in example.risks(scenario.profile.values, scenario.domain))
        assert (weight >= 2) == (scenario.risk == "high"), scenario.id


def test_profiles_and_pairs_from_its_tables(cli: Cli, tmp_path: Path) -> None:
    common = ("--pack", PACK, "--json")
    sampled = cli("scenarios", "generate", "--profiles", "300", "--out", "people.jsonl", *common)
    assert sampled.code == 0, sampled.err
    assert [t["holds"] for t in sampled.json["tendencies"]] == [True]
    assert cli("scenarios", "validate", "people.jsonl", *common).json["profiles"] == 300
    assert cli("scenarios", "validate", DATA, "--constraints", *common).code == 0
    for kind in ("counterfactual", "matched"):
        made = cli("scenarios", "pairs", DATA, "--kind", kind, "--out", f"{kind}.jsonl", *common)
        assert made.json["pairs"] == 12


def test_planned_evaluated_and_reported(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ASKFIRST_EMBEDDING", "hash")
    common = ("--pack", PACK, "--store", "store", "--json")
    planned = cli("plan", DATA, "--evaluations", "20", *common)
    assert planned.code == 0, planned.err
    assert planned.json["planned"] == 4
    conditions = ("-c", "context_free", "-c", "raise", "-c", "context_rich")
    evaluated = cli("eval", DATA, *conditions, "--out", "run", *common)
    assert evaluated.code == 0, evaluated.err
    rows = [json.loads(line) for line in (tmp_path / "run" / "conversations.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) == 8 * 3
    assert not [r["error"] for r in rows if r["error"]]
    asked = {a for r in rows if r["condition"] == "raise" for a in r["asked"]}
    assert asked
    assert asked <= set(load_pack(PACK).attribute_ids)
    means = {
        name: row["mean"]
        for name, row in json.loads((tmp_path / "run" / "summary.json").read_text())["conditions"].items()
    }
    assert means["context_free"] < means["raise"] <= means["context_rich"]
    assert cli("report", "run", "--out", "page.html").code == 0
    assert "Feeding" in (tmp_path / "page.html").read_text(encoding="utf-8")
