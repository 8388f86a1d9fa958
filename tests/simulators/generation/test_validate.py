"""Validation: every problem of a file, each with its line and field, and what the file holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from askfirst.domains import DataError, DomainPack
from askfirst.simulators.generation.drafts import draft_record
from askfirst.simulators.generation.profile_sampler import sample_drafts
from askfirst.simulators.generation.tables import load_tables
from askfirst.simulators.generation.validate import Checked, holds_drafts, validate_data

GOOD: dict[str, Any] = {"id": "a", "domain": "Life", "query": "Hm?", "profile": {"age": "41"}, "risk": "low"}


def check(path: Path, pack: DomainPack, **options: Any) -> tuple[Checked, list[tuple[int | None, str | None, str]]]:
    problems: list[DataError] = []
    checked = validate_data(path, pack, on_problem=problems.append, **options)
    assert checked.problems == len(problems)
    return checked, [(p.line, p.field, p.problem) for p in problems]


def lines(folder: Path, *records: Any, name: str = "a.jsonl") -> Path:
    file = folder / name
    file.write_text("".join(r if isinstance(r, str) else json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return file


def test_every_problem_of_every_line_and_every_field(tmp_path: Path, pack: DomainPack) -> None:
    file = lines(
        tmp_path,
        GOOD,
        {"id": "", "domain": "Lief", "profile": {"agee": "4", "gender": ["x"], "Age": 1, "age": 2}, "split": "x"},
        "{broken\n",
        {**GOOD, "id": "b", "querry": "x", "risk": "huge", "country": "Portugal", "query": " "},
        "[]\n",
        GOOD,
        {**GOOD, "id": "c", "profile": None},
        {**GOOD, "id": "d"},
    )
    checked, found = check(file, pack)
    assert [(line, field) for line, field, _ in found] == [
        (2, "query"),
        (2, "domain"),
        (2, "profile.agee"),
        (2, "profile.gender"),
        (2, "profile.age"),
        (2, "id"),
        (2, "split"),
        (3, None),
        (4, "querry"),
        (4, "query"),
        (4, "risk"),
        (4, "country"),
        (5, None),
        (6, "id"),
        (7, "profile"),
    ]
    assert "did you mean 'Life'" in found[1][2]
    assert "line 1" in found[13][2]
    assert checked.scenarios == 2
    assert checked.counts["domain"] == {"Life": 2}
    assert checked.counts["known"] == {"age": 2}


def test_problems_in_an_array_in_csv_and_in_the_public_layout(tmp_path: Path, pack: DomainPack) -> None:
    array = tmp_path / "a.json"
    array.write_text(json.dumps([GOOD, {**GOOD, "id": "b", "domain": "x"}, {**GOOD, "id": "c", "query": ""}], indent=0))
    checked, found = check(array, pack)
    assert [(line, field) for line, field, _ in found] == [(11, "domain"), (20, "query")]
    assert checked.scenarios == 1

    table = tmp_path / "a.csv"
    table.write_text('id,domain,query,age\na,Life,"x\ny",4\nb,Lief,,4\nb2,Life,z,4,5\na,Life,z,4\n')
    _, found = check(table, pack)
    assert [(line, field) for line, field, _ in found] == [(4, "query"), (4, "domain"), (5, None), (6, "id")]

    posts = tmp_path / "data" / "real_data" / "health" / "posts.json"
    posts.parent.mkdir(parents=True)
    posts.write_text('[{"query": "x", "age": "4"},\n{"query": " ", "agee": "4", "gendr": "x"}]')
    _, found = check(tmp_path / "data", pack)
    assert [(line, field) for line, field, _ in found] == [(2, "gendr"), (2, "query")]


def test_problems_in_the_published_pair(tmp_path: Path, pack: DomainPack) -> None:
    profile = {"Scenario": "T", "Age": "41", "Gender": "Male", "Profession": "Baker"}
    entries = [
        {"Scenario": "T", "User_Profile": profile, "Queries": ["a?", " ", ""]},
        {"Scenario": "T", "User_Profile": {**profile, "Agge": "1", "Martial Status": "x"}, "Queries": ["b?"]},
        {"Scenario": "T", "User_Profile": "x", "Queries": ["c?"]},
        {"Scenario": "T", "User_Profile": profile, "Queries": [5]},
        {"Scenario": "T", "User_Profile": profile, "Queries": ["d?"]},
    ]
    file = lines(tmp_path, json.dumps(entries, indent=0), name="queries.json")
    checked, found = check(file, pack)
    assert [field for _, field, _ in found] == [
        "User_Profile",
        "Queries",
        "Queries",
        "Queries",
        "Agge",
        "Martial Status",
    ]
    assert checked.scenarios == 2  # "a?" and "d?"


def test_a_file_that_breaks_off_is_told_with_what_was_good(tmp_path: Path, pack: DomainPack) -> None:
    file = tmp_path / "a.json"
    text = json.dumps([GOOD, {**GOOD, "id": "b"}], indent=0)[:-20]
    file.write_text(text)
    checked, found = check(file, pack)
    assert checked.scenarios == 1
    assert [(line, field) for line, field, _ in found] == [(text.count("\n") + 1, None)]


def test_a_file_that_cannot_be_opened_raises(tmp_path: Path, pack: DomainPack) -> None:
    with pytest.raises(DataError, match="no such file"):
        check(tmp_path / "nowhere.jsonl", pack)


def test_an_empty_file_is_one_problem(tmp_path: Path, pack: DomainPack) -> None:
    checked, found = check(lines(tmp_path, "\n"), pack)
    assert [p for _, _, p in found] == ["holds no scenarios"]
    assert checked.scenarios == 0


def test_no_value_of_a_person_is_told(tmp_path: Path, pack: DomainPack) -> None:
    file = lines(tmp_path, {**GOOD, "profile": {"health_status": {"x": "secret"}, "age": "secret age"}, "query": ""})
    _, found = check(file, pack, tables=load_tables(None, pack))
    assert found
    assert "secret" not in str(found)


def test_constraints_only_where_tables_are_given(tmp_path: Path, pack: DomainPack) -> None:
    profile = {"age": "18-24", "education_level": "PhD", "profession": "Baker", "emotional_state": "Calmness"}
    listed = {**GOOD, "title": "A breakup after many years", "domain": "Relationship", "profile": profile}
    file = lines(tmp_path, listed, {**listed, "id": "b", "title": "Something else"})
    assert check(file, pack)[1] == []
    checked, found = check(file, pack, tables=load_tables(None, pack))
    fields = ["profile.profession", "profile.education_level", "profile.emotional_state"]
    assert [(line, field) for line, field, _ in found] == [*((1, f) for f in fields), *((2, f) for f in fields[:2])]
    assert "no_phd_before_25" in found[1][2]
    assert checked.scenarios == 0


class TestProfiles:
    def test_the_samplers_profiles_are_good(self, tmp_path: Path, pack: DomainPack) -> None:
        tables = load_tables(None, pack)
        file = lines(tmp_path, *(draft_record(d) for d in sample_drafts(30, tables, pack, seed=1)))
        assert holds_drafts(file)
        checked, found = check(file, pack, tables=tables)
        assert found == []
        assert (checked.profiles, checked.scenarios) == (30, 0)

    def test_every_problem(self, tmp_path: Path, pack: DomainPack) -> None:
        tables = load_tables(None, pack)
        good = draft_record(next(iter(sample_drafts(1, tables, pack, seed=1))))
        file = lines(
            tmp_path,
            good,
            {**good, "id": "b", "tone": "bad", "tags": "x"},
            {**good, "id": "c", "domain": "Lief", "profile": {"agee": 4}, "extra": 1},
            {k: v for k, v in good.items() if k not in ("id", "title")},
            good,
            {**good, "id": "d", "profile": {**good["profile"], "age": "18-24", "education_level": "PhD"}},
        )
        _, found = check(file, pack, tables=tables)
        assert [(line, field) for line, field, _ in found] == [
            (2, "tone"),
            (2, "tags"),
            (3, "extra"),
            (3, "domain"),
            (3, "profile.agee"),
            (4, "id"),
            (4, "title"),
            (5, "id"),
            (6, "profile.education_level"),
        ]

    def test_where_scenarios_are_wanted_the_message_says_what_to_do(self, tmp_path: Path, pack: DomainPack) -> None:
        tables = load_tables(None, pack)
        draft = draft_record(next(iter(sample_drafts(1, tables, pack, seed=1))))
        file = lines(tmp_path, GOOD, draft)
        _, found = check(file, pack)
        assert [(line, field) for line, field, _ in found] == [(2, "query")]
        assert "scenarios generate --from" in found[0][2]


def test_what_is_valid_and_hardly_meant_is_a_warning(tmp_path: Path, pack: DomainPack) -> None:
    file = lines(
        tmp_path,
        {**GOOD, "profile": {"gender": 5, "age": 41, "profession": "baker"}},
        {**GOOD, "id": "b", "profile": {}},
        {**GOOD, "id": "c", "profile": {"age": "unknown"}},
    )
    warnings: list[DataError] = []
    checked = validate_data(file, pack, on_problem=lambda p: pytest.fail(str(p)), on_warning=warnings.append)
    assert [(w.line, w.field) for w in warnings] == [(1, "profile.gender"), (2, "profile"), (3, "profile")]
    assert (checked.scenarios, checked.warnings, checked.problems) == (3, 3, 0)
