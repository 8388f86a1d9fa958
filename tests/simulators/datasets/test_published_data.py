"""The authors' files and the public data set, in the shapes in which they are published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from askfirst.domains import DataError, DomainPack
from askfirst.simulators import load_scenarios

PROFILES: list[dict[str, Any]] = [
    {
        "Scenario": "Divorce",
        "Age": "45-54 years",
        "Gender": "Male",
        "Marital Status": "Recently divorced",
        "Profession": "Baker",
        "Economic Status": "Stable",
        "Health Status": "Good",
        "Education Level": "N/A",
        "Mental Health Status": "None",
        "Past Self-Harm History": "None",
        "Emotional State": "Lonely",
    },
    {"Scenario": "Exam failure", "Age": 22, "Gender": "Female", "Profession": "Student", "Past Self-Harm History": ""},
]
TEXTS = [["How do others date again?", "How do I split the rent?"], ["Can I study all night?", "Should I quit school?"]]
WITH_PROFILES = [
    {"Scenario": p["Scenario"], "User_Profile": p, "Queries": q} for p, q in zip(PROFILES, TEXTS, strict=True)
]
FLAT = [text for texts in TEXTS for text in texts]
IDS = ["synthetic-0001-01", "synthetic-0001-02", "synthetic-0002-01", "synthetic-0002-02"]

POST = {
    "query": "Can I skip my tablets for a weekend?",
    "background": "Travels a lot.",
    "scenario": "Missed doses",
    "age": "41",
    "gender": "Not specified",
    "marital_status": "Married",
    "profession": "Driver",
    "economic_status": "Stable",
    "health_status": "Chronic Disease",
    "education_level": "unknown",
    "mental_health_status": "None",
    "emotional_state": "Calm",
    "subreddit": "AskDocs",
    "url": "https://example.org/1",
}


def write(file: Path, value: object) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(value, indent=2, ensure_ascii=False), encoding="utf-8")
    return file


def pair(folder: Path, queries: object) -> tuple[Path, Path]:
    return (
        write(folder / "ordered_scenario_generated_data_profiles.json", PROFILES),
        write(folder / "ordered_user_generated_queries.json", queries),
    )


class TestSyntheticFiles:
    @pytest.mark.parametrize(
        "queries",
        [
            WITH_PROFILES,
            [{k: v for k, v in item.items() if k != "User_Profile"} for item in WITH_PROFILES],
            [{**item, "Queries": [{f"query_{i}": t} for i, t in enumerate(item["Queries"])]} for item in WITH_PROFILES],
            FLAT,
            [{f"query_{i}": text} for i, text in enumerate(FLAT)],
            {f"query_{i}": text for i, text in enumerate(FLAT)},
        ],
        ids=["with profiles", "by order", "named queries inside", "flat", "named", "one object"],
    )
    @pytest.mark.parametrize("start", ["folder", "profiles", "queries"])
    def test_every_published_shape_from_either_file_or_the_folder(
        self, tmp_path: Path, pack: DomainPack, queries: object, start: str
    ) -> None:
        profiles_file, queries_file = pair(tmp_path, queries)
        path = {"folder": tmp_path, "profiles": profiles_file, "queries": queries_file}[start]
        found = load_scenarios(path, pack)
        assert [s.id for s in found] == IDS
        assert [s.query for s in found] == FLAT
        assert [s.title for s in found] == ["Divorce", "Divorce", "Exam failure", "Exam failure"]
        assert [s.domain for s in found] == ["Relationship", "Relationship", "Education", "Education"]
        first, last = found[0].profile, found[3].profile
        assert first.values["self_harm_history"] == first.values["mental_health_status"] == "None"
        assert first.state("education_level") == "unknown"
        assert last.values == {"age": "22", "gender": "Female", "profession": "Student"}

    def test_queries_that_carry_their_profiles_need_no_second_file(self, tmp_path: Path, pack: DomainPack) -> None:
        assert len(load_scenarios(write(tmp_path / "queries.json", WITH_PROFILES), pack)) == 4

    def test_a_queries_file_elsewhere_can_be_named(self, tmp_path: Path, pack: DomainPack) -> None:
        profiles = write(tmp_path / "people.json", PROFILES)
        queries = write(tmp_path / "other" / "texts.json", FLAT)
        assert [s.query for s in load_scenarios(profiles, pack, queries=queries)] == FLAT

    def test_the_domain_can_be_given(self, tmp_path: Path, pack: DomainPack) -> None:
        pair(tmp_path, FLAT)
        assert {s.domain for s in load_scenarios(tmp_path, pack, domain="social")} == {"Social"}

    def test_without_any_hint_the_domain_is_life(self, tmp_path: Path, pack: DomainPack) -> None:
        items = [{"Scenario": "Xyzzy", "User_Profile": PROFILES[1] | {"Scenario": "Xyzzy"}, "Queries": ["Qux?"]}]
        assert load_scenarios(write(tmp_path / "queries.json", items), pack)[0].domain == "Life"

    def test_counts_that_do_not_fit(self, tmp_path: Path, pack: DomainPack) -> None:
        pair(tmp_path, FLAT[:3])
        with pytest.raises(DataError, match=r"queries\.json.*3 queries.*2 profiles"):
            load_scenarios(tmp_path, pack)

    def test_queries_without_profiles(self, tmp_path: Path, pack: DomainPack) -> None:
        with pytest.raises(DataError, match="no profiles file"):
            load_scenarios(write(tmp_path / "queries.json", FLAT), pack)

    def test_profiles_without_queries(self, tmp_path: Path, pack: DomainPack) -> None:
        with pytest.raises(DataError, match="0 queries files"):
            load_scenarios(write(tmp_path / "profiles.json", PROFILES), pack)

    def test_an_unknown_attribute_names_line_and_nearest(self, tmp_path: Path, pack: DomainPack) -> None:
        items = [WITH_PROFILES[0], {**WITH_PROFILES[1], "User_Profile": {**PROFILES[1], "Martial Status": "Single"}}]
        file = write(tmp_path / "queries.json", items)
        with pytest.raises(DataError, match="did you mean 'marital_status'") as caught:
            load_scenarios(file, pack)
        assert caught.value.field == "Martial Status"
        line = caught.value.line
        assert line is not None
        assert file.read_text(encoding="utf-8").splitlines()[line - 1].strip() == "{"

    @pytest.mark.parametrize("cut", [-1, -40, 30])
    def test_a_file_that_was_cut_off(self, tmp_path: Path, pack: DomainPack, cut: int) -> None:
        file = write(tmp_path / "queries.json", WITH_PROFILES)
        text = file.read_text(encoding="utf-8")[:cut]
        file.write_text(text, encoding="utf-8")
        with pytest.raises(DataError, match="not valid JSON") as caught:
            load_scenarios(file, pack)
        assert caught.value.line is not None
        assert 1 <= caught.value.line <= text.count("\n") + 1

    def test_a_byte_order_mark_is_fine(self, tmp_path: Path, pack: DomainPack) -> None:
        file = tmp_path / "queries.json"
        file.write_text(json.dumps(WITH_PROFILES), encoding="utf-8-sig")
        assert len(load_scenarios(file, pack)) == 4


class TestPublicDataSet:
    def test_the_whole_folder(self, tmp_path: Path, pack: DomainPack) -> None:
        for domain in ("career", "health"):
            write(tmp_path / "data" / "real_data" / domain / "posts.json", [POST, POST])
        for start in (tmp_path, tmp_path / "data", tmp_path / "data" / "real_data"):
            found = load_scenarios(start, pack)
            assert [s.domain for s in found] == ["Career", "Career", "Health", "Health"]
            assert len({s.id for s in found}) == 4

    def test_one_file(self, tmp_path: Path, pack: DomainPack) -> None:
        [scenario] = load_scenarios(write(tmp_path / "health" / "posts.json", [POST]), pack)
        assert scenario.id == "real-health-00001"
        assert scenario.domain == "Health"
        assert (scenario.query, scenario.title) == (POST["query"], "Missed doses")
        assert scenario.background == "Travels a lot."
        assert scenario.source == "penguin_real:AskDocs"
        assert scenario.profile.values["mental_health_status"] == "None"
        for attribute in ("self_harm_history", "gender", "education_level"):
            assert scenario.profile.state(attribute) == "unknown"

    def test_the_records_own_domain_comes_first(self, tmp_path: Path, pack: DomainPack) -> None:
        file = write(tmp_path / "health" / "posts.json", [{**POST, "domain": "Life"}])
        assert load_scenarios(file, pack, domain="Career")[0].domain == "Life"

    def test_a_folder_that_is_no_domain(self, tmp_path: Path, pack: DomainPack) -> None:
        file = write(tmp_path / "downloads" / "posts.json", [POST])
        assert load_scenarios(file, pack, domain="Career")[0].domain == "Career"
        assert load_scenarios(file, pack)[0].domain in pack.domain_names
        misnamed = write(tmp_path / "real_data" / "helth" / "posts.json", [POST])
        with pytest.raises(DataError, match="did you mean 'Health'"):
            load_scenarios(misnamed, pack)

    def test_records_as_lines(self, tmp_path: Path, pack: DomainPack) -> None:
        file = tmp_path / "posts.jsonl"
        file.write_text(json.dumps(POST) + "\n" + json.dumps({**POST, "domain": "Career"}) + "\n", encoding="utf-8")
        assert [s.id for s in load_scenarios(file, pack)] == ["posts-0001", "posts-0002"]

    @pytest.mark.parametrize(
        ("change", "field", "says"),
        [
            ({"martial_status": "Single"}, "martial_status", "did you mean 'marital_status'"),
            ({"query": " "}, "query", "empty"),
            ({"age": [41]}, "age", "must be text"),
        ],
    )
    def test_a_bad_record(
        self, tmp_path: Path, pack: DomainPack, change: dict[str, Any], field: str, says: str
    ) -> None:
        with pytest.raises(DataError, match=says) as caught:
            load_scenarios(write(tmp_path / "health" / "posts.json", [POST, {**POST, **change}]), pack)
        assert caught.value.field == field
        assert caught.value.line == 2 + len(POST) + 2
