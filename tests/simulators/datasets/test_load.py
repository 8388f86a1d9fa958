"""Our own JSON lines, and what every file format has in common."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from askfirst.domains import DataError, DomainPack, UnknownNameError
from askfirst.simulators import load_scenarios, packaged_scenarios

RECORD = {
    "id": "career-01",
    "domain": "Career",
    "title": "Night shifts",
    "query": "How long can I stay up?",
    "profile": {"age": "41", "self_harm_history": "None", "emotional_state": "Calmness"},
}


def record(**changes: Any) -> dict[str, Any]:
    return {k: v for k, v in {**RECORD, **changes}.items() if v is not ...}


def written(folder: Path, *records: object, name: str = "own.jsonl") -> Path:
    file = folder / name
    file.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records), encoding="utf-8")
    return file


def failure(path: Path, pack: DomainPack, **options: Any) -> DataError:
    with pytest.raises(DataError) as caught:
        load_scenarios(path, pack, **options)
    assert str(path) in str(caught.value) or str(path.name) in str(caught.value)
    assert "\n" not in str(caught.value)
    return caught.value


class TestOwnLines:
    def test_every_field_arrives(self, tmp_path: Path, pack: DomainPack) -> None:
        more = {"split": "eval", "pair": "p1", "risk": "high", "country": "PT", "source": "own", "background": "b"}
        [scenario] = load_scenarios(written(tmp_path, record(**more)), pack)
        assert scenario.model_dump(include=set(more)) == more
        assert (scenario.id, scenario.domain, scenario.title) == ("career-01", "Career", "Night shifts")
        assert scenario.query == RECORD["query"]
        assert scenario.profile.values == RECORD["profile"]

    def test_a_byte_order_mark_crlf_and_blank_lines_are_fine(self, tmp_path: Path, pack: DomainPack) -> None:
        lines = [json.dumps(record(id=i)) for i in "ab"]
        file = tmp_path / "own.jsonl"
        file.write_bytes(b"\xef\xbb\xbf" + f"\r\n{lines[0]}\r\n\r\n  \r\n{lines[1]}".encode())
        assert [s.id for s in load_scenarios(file, pack)] == ["a", "b"]

    def test_line_separators_inside_a_text_do_not_split_it(self, tmp_path: Path, pack: DomainPack) -> None:
        query = "one\u2028two\x85three 🙈 مرحبا"
        assert load_scenarios(written(tmp_path, record(query=query)), pack)[0].query == query

    def test_a_lone_surrogate_is_replaced_so_that_it_can_be_written(self, tmp_path: Path, pack: DomainPack) -> None:
        file = tmp_path / "own.jsonl"
        file.write_text(json.dumps(record(query="a\ud800b 😶")), encoding="utf-8")
        assert load_scenarios(file, pack)[0].query.encode() == "a\ufffdb 😶".encode()

    @pytest.mark.parametrize("value", ["None", "none"])
    def test_none_stays_a_value_where_the_attribute_lists_it(
        self, tmp_path: Path, pack: DomainPack, value: str
    ) -> None:
        profile = {"self_harm_history": value, "mental_health_status": value, "profession": value}
        [scenario] = load_scenarios(written(tmp_path, record(profile=profile)), pack)
        assert scenario.profile.values == {"mental_health_status": value, "self_harm_history": value}

    @pytest.mark.parametrize("value", ["", "N/A", "not specified", "Unknown", None, "null", "nan"])
    def test_every_spelling_of_not_specified_is_unknown(
        self, tmp_path: Path, pack: DomainPack, value: str | float | None
    ) -> None:
        [scenario] = load_scenarios(written(tmp_path, record(profile={"age": "41", "profession": value})), pack)
        assert scenario.profile.known == ("age",)

    def test_numbers_and_truth_values_become_text(self, tmp_path: Path, pack: DomainPack) -> None:
        profile = {"age": 41, "self_harm_history": True, "economic_status": 2.0}
        [scenario] = load_scenarios(written(tmp_path, record(profile=profile)), pack)
        assert scenario.profile.values == {"age": "41", "economic_status": "2", "self_harm_history": "Yes"}

    def test_domain_and_attributes_in_any_spelling(self, tmp_path: Path, pack: DomainPack) -> None:
        profile = {"Past Self-Harm History": "None", "maritalStatus": "Single"}
        [scenario] = load_scenarios(written(tmp_path, record(domain="career", profile=profile)), pack)
        assert scenario.domain == "Career"
        assert set(scenario.profile.known) == {"self_harm_history", "marital_status"}

    def test_a_given_domain_serves_records_without_one(self, tmp_path: Path, pack: DomainPack) -> None:
        file = written(tmp_path, record(domain=...), record(id="b"))
        assert [s.domain for s in load_scenarios(file, pack, domain="health")] == ["Health", "Career"]
        with pytest.raises(UnknownNameError, match="did you mean 'Health'"):
            load_scenarios(file, pack, domain="helth")


class TestProblemsNameFileLineAndField:
    @pytest.mark.parametrize(
        ("changes", "field", "says"),
        [
            ({"id": ...}, "id", "missing"),
            ({"query": ...}, "query", "missing"),
            ({"profile": ...}, "profile", "missing"),
            ({"domain": ...}, "domain", "missing"),
            ({"query": "  "}, "query", "empty"),
            ({"id": ""}, "id", "at least 1 character"),
            ({"domain": "Carreer"}, "domain", "did you mean 'Career'?"),
            ({"profile": {"martial_status": "Single"}}, "profile.martial_status", "did you mean 'marital_status'?"),
            ({"profile": ["41"]}, "profile", "must be an object, not a list"),
            ({"profile": {"age": ["41"]}}, "profile.age", "must be text, not a list"),
            ({"profile": {"age": "41", "Age": "41"}}, "profile.Age", "again"),
            ({"querry": "Hm?"}, "querry", "did you mean 'query'?"),
            ({"split": "test"}, "split", "'test'"),
            ({"risk": "medium"}, "risk", "'medium'"),
            ({"country": "Portugal"}, "country", "'Portugal'"),
        ],
    )
    def test_a_bad_record(
        self, tmp_path: Path, pack: DomainPack, changes: dict[str, Any], field: str, says: str
    ) -> None:
        error = failure(written(tmp_path, record(id="first"), record(**changes)), pack)
        assert (error.line, error.field) == (2, field)
        assert "line 2" in str(error)
        assert says in error.problem

    @pytest.mark.parametrize("line", ['{"id": "a"', "[1, 2]", "text", "{'id': 1}", "[" * 100_000, '{"a": 1} {"b": 2}'])
    def test_a_malformed_line(self, tmp_path: Path, pack: DomainPack, line: str) -> None:
        file = tmp_path / "own.jsonl"
        file.write_text(json.dumps(RECORD) + "\n\n" + line + "\n", encoding="utf-8")
        assert failure(file, pack).line == 3

    def test_an_id_used_twice(self, tmp_path: Path, pack: DomainPack) -> None:
        error = failure(written(tmp_path, RECORD, record(id="b"), RECORD), pack)
        assert (error.line, error.field) == (3, "id")
        assert "line 1" in error.problem

    def test_an_id_used_in_two_files_of_a_folder(self, tmp_path: Path, pack: DomainPack) -> None:
        written(tmp_path, RECORD, name="a.jsonl")
        written(tmp_path, RECORD, name="b.jsonl")
        with pytest.raises(DataError, match=r"b\.jsonl, line 1.*used before .*a\.jsonl"):
            load_scenarios(tmp_path, pack)

    def test_bytes_that_are_not_utf8(self, tmp_path: Path, pack: DomainPack) -> None:
        file = tmp_path / "own.jsonl"
        file.write_bytes(json.dumps(RECORD).encode() + b'\n{"id": "caf\xe9"}\n')
        error = failure(file, pack)
        assert error.line == 2
        assert "UTF-8" in error.problem
        file.write_text(json.dumps(RECORD), encoding="utf-16")
        assert "UTF-16" in failure(file, pack).problem

    def test_a_persons_values_are_not_shown(self, tmp_path: Path, pack: DomainPack) -> None:
        profile = {"age": "41", "health_status": {"secret": "illness"}}
        assert "illness" not in str(failure(written(tmp_path, record(profile=profile)), pack))

    def test_missing_file(self, tmp_path: Path, pack: DomainPack) -> None:
        for name in ("nowhere.jsonl", "nowhere.json", "nowhere"):
            error = failure(tmp_path / name, pack)
            assert error.problem == "no such file"

    def test_nothing_usable(self, tmp_path: Path, pack: DomainPack) -> None:
        assert "nothing usable" in failure(tmp_path, pack).problem
        for name, text in (("a.jsonl", "\n \n"), ("a.json", "[]"), ("b.json", '[{"x": 1}]'), ("c.csv", "x")):
            (tmp_path / name).write_text(text, encoding="utf-8")
            assert failure(tmp_path / name, pack).line is None


def test_packaged_scenarios_split(pack: DomainPack) -> None:
    plan, evaluate = packaged_scenarios(pack, "plan"), packaged_scenarios(pack, "eval")
    assert len(plan) + len(evaluate) == len(packaged_scenarios()) == 140
    assert {s.split for s in plan} == {"plan"}
    assert {s.split for s in evaluate} == {"eval"}
