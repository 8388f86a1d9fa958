"""Conditional tables, rules and titles from YAML: what is read, and how mistakes are told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from askfirst.domains import DataError, DomainPack, InputError, Profile
from askfirst.simulators.generation.constraints import broken_constraints
from askfirst.simulators.generation.tables import SamplingTables, Tone, load_tables

TOY: dict[str, Any] = {
    "pack": "toy",
    "tags": {"rain": "It rains."},
    "tables": [
        {
            "attribute": "age",
            "parents": ["scenario"],
            "base": {"young": 1, "old": 1},
            "given": {"scenario": {"rain": {"old": 2}}},
        },
        {"attribute": "mood", "parents": ["age"], "base": {"glad": 1, "sad": 1}},
    ],
    "rules": [{"name": "a_rule", "why": "Because.", "when": {"age": ["old"]}, "forbid": {"mood": ["sad"]}}],
    "tendencies": [
        {"name": "a_tendency", "why": "x", "share": {"mood": ["sad"]}, "among": {"tag": ["rain"]}, "at_most": 0.5}
    ],
    "titles": {"Everyday": [{"title": "A day", "tone": "good", "tags": ["rain"]}]},
}


@pytest.fixture(scope="module")
def tables(pack: DomainPack) -> SamplingTables:
    return load_tables(None, pack)


def written(folder: Path, raw: Any) -> Path:
    file = folder / "tables.yaml"
    file.write_text(
        raw if isinstance(raw, str) else yaml.safe_dump(json.loads(json.dumps(raw)), sort_keys=False), encoding="utf-8"
    )
    return file


def changed(**changes: Any) -> dict[str, Any]:
    return {**TOY, **changes}


def test_good_tables_load(tmp_path: Path, toy_pack: DomainPack) -> None:
    assert load_tables(written(tmp_path, TOY), toy_pack).allowed == {"age": ("young", "old"), "mood": ("glad", "sad")}


def test_the_packaged_tables_have_a_dozen_titles_of_both_tones_for_each_domain(
    tables: SamplingTables, pack: DomainPack
) -> None:
    assert set(tables.titles) == set(pack.domain_names)
    for titles in tables.titles.values():
        assert len({t.title for t in titles}) >= 12
        assert {t.tone for t in titles} == {"good", "hard"}


@pytest.mark.parametrize(
    ("raw", "key", "says"),
    [
        (changed(pack="penguin"), "pack", "'toy'"),
        (changed(tables=TOY["tables"][:1]), "tables", "'mood'"),
        (changed(tables=TOY["tables"][::-1]), "tables.mood.parents", "'age' must have a table before"),
        (changed(tables=[*TOY["tables"], {"attribute": "moood", "base": {"x": 1}}]), "tables.moood", "'mood'"),
        (changed(tables=[*TOY["tables"], TOY["tables"][1]]), "tables.mood", "twice"),
        (
            changed(tables=[{"attribute": "age", "base": {"young": 0}}, TOY["tables"][1]]),
            "tables.age.base",
            "above 0",
        ),
        (
            changed(tables=[{**TOY["tables"][0], "given": {"mood": {"sad": {"old": 1}}}}, TOY["tables"][1]]),
            "tables.age.given.mood",
            "not among its parents",
        ),
        (
            changed(tables=[{**TOY["tables"][0], "given": {"scenario": {"rian": {"old": 1}}}}, TOY["tables"][1]]),
            "tables.age.given.scenario",
            "'rain'",
        ),
        (
            changed(tables=[{**TOY["tables"][0], "given": {"scenario": {"rain": {"odl": 1}}}}, TOY["tables"][1]]),
            "tables.age.given.scenario.rain",
            "'old'",
        ),
        (changed(rules=[{**TOY["rules"][0], "when": {"age": ["odl"]}}]), "rules.a_rule.age", "'old'"),
        (changed(rules=[{**TOY["rules"][0], "forbid": {"moood": ["sad"]}}]), "rules.a_rule", "'mood'"),
        (changed(tendencies=[{**TOY["tendencies"][0], "at_least": 0.1}]), "tendencies.0", "'at_most'"),
        (
            changed(tendencies=[{**TOY["tendencies"][0], "among": {"tag": ["snow"]}}]),
            "tendencies.a_tendency.tag",
            "snow",
        ),
        (changed(titles={}), "titles", "at least 1"),
        (changed(titles={**TOY["titles"], "Evryday": []}), "titles.Evryday", "'Everyday'"),
        (changed(titles={"Everyday": [{"title": "x", "tone": "good", "tags": ["snow"]}]}), "titles.Everyday", "'snow'"),
        (changed(titles={"Everyday": [{"title": "x", "tone": "bad"}]}), "titles.Everyday.0.tone", "'good' or 'hard'"),
        (changed(mentions={"mood": {"sad": ["("]}}), "mentions.mood.sad", "not a regular expression"),
        (changed(mentions={"mood": {"sda": ["x"]}}), "mentions.mood", "'sad'"),
        (changed(rulez=[]), "rulez", "not permitted"),
    ],
)  # fmt: skip
def test_mistakes_name_the_key_and_the_nearest(
    tmp_path: Path, toy_pack: DomainPack, raw: Any, key: str, says: str
) -> None:
    with pytest.raises(DataError) as caught:
        load_tables(written(tmp_path, raw), toy_pack)
    assert caught.value.field == key
    assert says in caught.value.problem


def test_files_that_cannot_be_read(tmp_path: Path, toy_pack: DomainPack) -> None:
    with pytest.raises(DataError, match="no such file"):
        load_tables(tmp_path / "nowhere.yaml", toy_pack)
    with pytest.raises(DataError, match=r"line 2.*not valid YAML"):
        load_tables(written(tmp_path, "pack: toy\n  x: ["), toy_pack)
    with pytest.raises(DataError):
        load_tables(written(tmp_path, "- 1"), toy_pack)
    with pytest.raises(InputError, match="--tables FILE"):
        load_tables(None, toy_pack)


GOOD = {
    "age": "25-34",
    "education_level": "PhD",
    "mental_health_status": "Severe Depression",
    "emotional_state": "Despair",
    "self_harm_history": "None",
}


@pytest.mark.parametrize(
    ("change", "tone", "broken"),
    [
        ({}, "hard", []),
        ({"age": "18-24"}, "hard", ["no_phd_before_25"]),
        ({"age": "23"}, "hard", ["no_phd_before_25"]),
        ({"mental_health_status": "Mild Depression"}, "hard", ["despair_needs_severe_depression"]),
        ({"mental_health_status": "None"}, None, ["despair_needs_severe_depression"]),
        ({"emotional_state": "Calmness"}, "hard", ["calm_only_in_good_scenarios"]),
        ({"emotional_state": "Satisfaction, after a long week"}, "hard", ["calm_only_in_good_scenarios"]),
        ({"emotional_state": "Calmness"}, "good", []),
        ({"emotional_state": "Calmness"}, None, []),
        (
            {"age": "24, almost 25", "mental_health_status": "Anxiety"},
            "hard",
            ["no_phd_before_25", "despair_needs_severe_depression"],
        ),
        ({"age": "ageless"}, "hard", ["value_not_allowed"]),
        ({"self_harm_history": "Maybe"}, "hard", ["value_not_allowed"]),
    ],
)  # fmt: skip
def test_each_rule_by_its_name(
    tables: SamplingTables, change: dict[str, str], tone: Tone | None, broken: list[str]
) -> None:
    profile = Profile(values={**GOOD, **change})
    assert [b.name for b in broken_constraints(profile, tables, tone)] == broken


def test_what_is_broken_tells_no_value(tables: SamplingTables) -> None:
    [broken] = broken_constraints(Profile(values={"health_status": "a rare secret illness"}), tables, None)
    assert broken.field == "health_status"
    assert "secret" not in broken.why


@pytest.mark.parametrize(
    ("attribute", "value", "canonical"),
    [
        ("age", "41", "35-44"),
        ("age", "55", "55+"),
        ("age", "101", "55+"),
        ("age", "17", None),
        ("age", "25-34", "25-34"),
        ("age", "28-32 years", None),
        ("marital_status", "married, two children", "Married"),
        ("marital_status", "Recently married", None),
        ("self_harm_history", "None", "None"),
    ],
)
def test_values_with_details_and_numbers(
    tables: SamplingTables, attribute: str, value: str, canonical: str | None
) -> None:
    assert tables.canonical(Profile(values={attribute: value})).get(attribute) == canonical


def test_a_listed_value_with_a_comma_is_itself(tmp_path: Path, toy_pack: DomainPack) -> None:
    raw = changed(mentions={}, rules=[], tendencies=[])
    raw["tables"][-1] = {"attribute": "mood", "base": {"sad": 1, "sad, very": 1}}
    tables = load_tables(written(tmp_path, raw), toy_pack)
    told = {v: tables.canonical(Profile(values={"mood": v}))["mood"] for v in ("sad", "Sad, very", "sad, a little")}
    assert told == {"sad": "sad", "Sad, very": "sad, very", "sad, a little": "sad"}
