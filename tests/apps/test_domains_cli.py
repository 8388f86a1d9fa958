"""``askfirst domains``: what is installed, and that a check explains every mistake."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from askfirst.domains import PackError, load_pack

from tests.apps.conftest import Outcome

Cli = Callable[..., Outcome]

PACK = """
name: garden
version: "1"
domains:
  - {name: Plants, description: Growing things., guidance: Water first., cues: ['plant']}
attributes:
  - id: soil
    label: Soil
    group: stability
    question: What soil do you have?
    description: What grows depends on it.
    sensitivity: 3.5
    cues: ['what soil']
risk_rules:
  - id: poisoned
    attribute: soil
    matches: [lead]
    concern: lead in the soil
    guidance: Have the soil tested before you eat from it.
    addressed: ['tested']
"""
RESOURCES = """
opening: Thank you for telling me.
closing: Please let a person be there.
again: I am still here.
emergency: Call the emergency number of the country you are in.
services:
  - {country: "*", name: A, contact: a directory, source: "https://example.org", checked: 2026-11-29}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "garden"
    folder.mkdir()
    (folder / "pack.yaml").write_text(PACK, encoding="utf-8")
    (folder / "resources.yaml").write_text(RESOURCES, encoding="utf-8")
    return folder


def change(folder: Path, old: str, new: str, file: str = "pack.yaml") -> None:
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new), encoding="utf-8")


def test_list_and_show_the_shipped_pack(cli: Cli) -> None:
    assert "penguin" in cli("domains", "list").out
    [row] = [p for p in cli("domains", "list", "--json").json["packs"] if p["name"] == "penguin"]
    assert len(row["domains"]) == 7
    assert len(row["attributes"]) == 10
    shown = cli("domains", "show", "penguin")
    assert shown.code == 0
    assert "self_harm_history" in shown.out
    assert cli("domains", "show", "penguin", "--json").json["name"] == "penguin"


def test_show_names_the_nearest_pack(cli: Cli) -> None:
    outcome = cli("domains", "show", "pengiun")
    assert outcome.code == 2
    assert "did you mean 'penguin'?" in outcome.err


def test_a_valid_pack_by_folder_and_by_file(cli: Cli, folder: Path) -> None:
    for path in (folder, folder / "pack.yaml"):
        outcome = cli("domains", "check", path)
        assert outcome.code == 0, outcome.out
        assert outcome.out == "garden 1 is a valid pack: 1 domains, 1 attributes, 1 risk rules.\n"
    assert cli("domains", "check", folder, "--json").json["ok"] is True
    assert cli("domains", "show", folder).code == 0


def test_every_mistake_of_both_files_at_once(cli: Cli, folder: Path) -> None:
    change(folder, "sensitivity: 3.5", "sensitivity: 9\n    qestion: Why?")
    change(folder, "attribute: soil", "attribute: soill\n    by_domain: {Plant: 1}")
    change(folder, "matches: [lead]", "matches: ['(lead']")
    change(folder, "    label: Soil\n", "")
    change(folder, 'country: "*"', "country: FR", "resources.yaml")
    outcome = cli("domains", "check", folder, "--json")
    assert outcome.code == 2
    found = {p["key"]: p for p in outcome.json["problems"]}
    assert set(found) == {
        *("attributes[0].label", "attributes[0].sensitivity", "attributes[0].qestion", "risk_rules[0].matches"),
        *("risk_rules[0].attribute", "risk_rules[0].by_domain", ""),
    }
    assert "did you mean 'question'" in found["attributes[0].qestion"]["fix"]
    assert "did you mean 'soil'" in found["risk_rules[0].attribute"]["problem"]
    assert "did you mean 'Plants'" in found["risk_rules[0].by_domain"]["problem"]
    assert found[""]["file"].endswith("resources.yaml")
    assert all(p["fix"] for p in found.values())
    lines = cli("domains", "check", folder).out.splitlines()
    assert len(lines) == len(found)
    assert all(str(folder) in line for line in lines)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("name: garden", "name: Garden Pack"),
        ('version: "1"', "version: 1.0"),
        ("attribute: soil", "attribute: sol"),
        ("attributes:\n", "attributes: []\nother:\n"),
        ("attributes:\n", "attributes: {}\nother:\n"),
        ("risk_rules:\n", "resources: {}\nrisk_rules:\n"),
        ("risk_rules:\n", "acknowledgements: [{attribute: mood, matches: [x], text: y}]\nrisk_rules:\n"),
        ("attributes:\n", "attributes:\n  - {id: soil, label: A, group: stability, question: q, description: d,"
                          " sensitivity: 2}\n"),
        ("domains:\n", "domains: [\n"),
        (PACK, "- a\n- b\n"),
        (PACK, ""),
    ],
)  # fmt: skip
def test_check_finds_what_load_pack_refuses(cli: Cli, folder: Path, old: str, new: str) -> None:
    change(folder, old, new)
    with pytest.raises(PackError):
        load_pack(folder)
    outcome = cli("domains", "check", folder)
    assert outcome.code == 2
    assert "pack.yaml" in outcome.out


def test_missing_files(cli: Cli, folder: Path) -> None:
    assert cli("domains", "check", "nowhere").code == 2
    (folder / "resources.yaml").unlink()
    outcome = cli("domains", "check", folder)
    assert outcome.code == 2
    assert "resources.yaml: no such file" in outcome.out


def test_hints_do_not_fail(cli: Cli, folder: Path) -> None:
    change(folder, "cues: ['what soil']", "cues: ['colour']\n    aliases: [ground]")
    change(folder, "addressed: ['tested']", "addressed: ['never']")
    outcome = cli("domains", "check", folder, "--json")
    assert outcome.code == 0
    assert [h["key"] for h in outcome.json["hints"]] == ["attributes[0].cues", "risk_rules[0].addressed"]


@pytest.mark.parametrize(
    ("old", "new", "file", "says"),
    [
        ("checked: 2026-11-29", "checked: 2026-13-45", "resources.yaml", "resources.yaml: line 7: '2026-13-45'"),
        ('version: "1"', "version: " + "[" * 20_000, "pack.yaml", "pack.yaml: line 3: is nested deeper"),
        ('version: "1"', "version: " + "9" * 6000, "pack.yaml", "pack.yaml: line 3: is a number that is too long"),
        ("name: garden", "name: garden\nname: other", "pack.yaml", "line 3: the key 'name' already appears in line 2"),
        ("name: garden", "x: &x [a]\ny: [*x, *x]", "pack.yaml", "line 2: anchors and aliases"),
        ("matches: [lead]", "matches: ['(l+)+ead']", "pack.yaml", "risk_rules[0].matches: '(l+)+ead' repeats"),
        ("again: I am still here.", "again: '   '", "resources.yaml", "again: is blank"),
        (
            "attributes:",
            "  - {name: PLANTS, description: Growing., guidance: Water., cues: ['x']}\nattributes:",
            "pack.yaml",
            "domains[1].name: 'PLANTS' already appears in domains[0]",
        ),
    ],
)
def test_hostile_or_careless_files_are_one_line(
    folder: Path, cli: Cli, old: str, new: str, file: str, says: str
) -> None:
    change(folder, old, new, file)
    outcome = cli("domains", "check", folder)
    assert outcome.code == 2
    assert says in outcome.out
    assert len(outcome.out.splitlines()) == 1
    with pytest.raises(PackError):
        load_pack(folder)


@pytest.mark.parametrize("name", ["private", "query", "stability"])
def test_reserved_ids_and_empty_patterns_are_hinted_at(folder: Path, cli: Cli, name: str) -> None:
    change(folder, "id: soil", f"id: {name}")
    change(folder, "attribute: soil", f"attribute: {name}")
    change(folder, "matches: [lead]", "matches: ['']")
    outcome = cli("domains", "check", folder)
    assert outcome.code == 0
    assert f"hint: attributes[0].id: '{name}' has another meaning" in outcome.out
    assert "hint: risk_rules[0].matches[0]: '' matches the empty text" in outcome.out


def test_tables_beside_a_pack_are_checked_and_used(folder: Path, cli: Cli) -> None:
    generate = ("scenarios", "generate", "--pack", folder, "--profiles", "5", "--out", "a.jsonl", "--json")
    without = cli(*generate)
    assert without.code == 2
    assert "write tables.yaml beside its pack.yaml" in without.err
    tables = "pack: garden\ntables: [{attribute: soil, base: {clay: 1, sand: 2}}]\n"
    tables += "titles: {Plants: [{title: x, tone: %s}]}\n"
    (folder / "tables.yaml").write_text(tables % "sad", encoding="utf-8")
    wrong = cli("domains", "check", folder)
    assert wrong.code == 2
    assert "tables.yaml: titles.Plants.0.tone: " in wrong.out
    (folder / "tables.yaml").write_text(tables % "good", encoding="utf-8")
    assert cli("domains", "check", folder).code == 0
    assert cli(*generate).json["profiles"] == 5
