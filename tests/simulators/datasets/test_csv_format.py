"""Scenarios from spreadsheets."""

from __future__ import annotations

from pathlib import Path

import pytest
from askfirst.domains import DataError, DomainPack
from askfirst.simulators import load_scenarios
from askfirst.simulators.datasets.load import iter_scenarios


def test_columns_in_any_order_and_spelling(tmp_path: Path, pack: DomainPack) -> None:
    file = tmp_path / "data.csv"
    file.write_text(
        "Query;Past Self-Harm History;Domain;Scenario;Marital Status;profile.age\r\n"
        "How?;None;career;Night shifts;;41\r\n",
        encoding="utf-8-sig",
    )
    [scenario] = load_scenarios(file, pack)
    assert (scenario.id, scenario.domain, scenario.title) == ("data-00002", "Career", "Night shifts")
    assert scenario.profile.values == {"age": "41", "self_harm_history": "None"}


def test_tab_separated(tmp_path: Path, pack: DomainPack) -> None:
    file = tmp_path / "data.tsv"
    file.write_text("id\tquery\tdomain\tage\na\tHow, and when?\tLife\t41\n", encoding="utf-8")
    assert load_scenarios(file, pack)[0].query == "How, and when?"


def test_an_unknown_column_is_told_once_with_the_nearest(tmp_path: Path, pack: DomainPack) -> None:
    file = tmp_path / "data.csv"
    file.write_text("id,query,domain,martial_status\na,How?,Life,Single\nb,How?,Life,Single\n", encoding="utf-8")
    with pytest.raises(DataError, match="did you mean 'marital_status'") as caught:
        load_scenarios(file, pack)
    assert (caught.value.line, caught.value.field) == (1, "martial_status")


def test_an_unknown_column_does_not_stop_the_other_checks(tmp_path: Path, pack: DomainPack) -> None:
    file = tmp_path / "data.csv"
    file.write_text("id,query,domain,hobby\na,How?,Life,x\na,How?,Life,x\nb,,Life,x\nc,How?,Lief,x\n", encoding="utf-8")
    problems: list[DataError] = []
    assert [s.id for _, s in iter_scenarios(file, pack, report=problems.append)] == ["a"]
    assert [(p.line, p.field) for p in problems] == [(1, "hobby"), (3, "id"), (4, "query"), (5, "domain")]


def test_a_comma_at_the_end_of_each_line_counts_for_nothing(tmp_path: Path, pack: DomainPack) -> None:
    file = tmp_path / "data.csv"
    file.write_text("id,query,domain,age,,\na,How?,Life,41,,\nb,How?,Life,42\n", encoding="utf-8")
    assert [s.profile.get("age") for s in load_scenarios(file, pack)] == ["41", "42"]
    file.write_text("id,query,domain,age,\na,How?,Life,41,lost\n", encoding="utf-8")
    with pytest.raises(DataError, match="has 5 cells, and the header has 4 columns"):
        load_scenarios(file, pack)


def test_a_column_without_a_name_and_a_field_in_two(tmp_path: Path, pack: DomainPack) -> None:
    file = tmp_path / "data.csv"
    file.write_text("id,,query,domain,Title,scenario\na,x,How?,Life,one,two\n", encoding="utf-8")
    problems: list[DataError] = []
    list(iter_scenarios(file, pack, report=problems.append))
    assert [(p.field, p.problem) for p in problems] == [
        (None, "has no name for column 2"),
        ("scenario", "gives 'title' again"),
    ]


def test_an_attribute_in_two_columns(tmp_path: Path, pack: DomainPack) -> None:
    file = tmp_path / "data.csv"
    file.write_text("id,query,domain,age,Age Group\na,How?,Life,41,42\n", encoding="utf-8")
    with pytest.raises(DataError, match="gives 'age' again"):
        load_scenarios(file, pack)


@pytest.mark.parametrize(
    ("row", "field", "says"),
    [
        ("a,,Life,41", "query", "missing"),
        ("a,How?,Lief,41", "domain", "did you mean 'Life'"),
        ("a,How?,,41", "domain", "missing"),
    ],
)
def test_a_bad_row(tmp_path: Path, pack: DomainPack, row: str, field: str, says: str) -> None:
    file = tmp_path / "data.csv"
    file.write_text(f'id,query,domain,age\nfirst,"Over\ntwo lines?",Life,41\n{row}\n', encoding="utf-8")
    with pytest.raises(DataError, match=says) as caught:
        load_scenarios(file, pack)
    assert (caught.value.line, caught.value.field) == (4, field)


def test_a_given_domain_serves_rows_without_one(tmp_path: Path, pack: DomainPack) -> None:
    file = tmp_path / "data.csv"
    file.write_text("query,age\nHow?,41\n", encoding="utf-8")
    assert load_scenarios(file, pack, domain="health")[0].domain == "Health"


def test_a_header_alone_holds_nothing(tmp_path: Path, pack: DomainPack) -> None:
    file = tmp_path / "data.csv"
    file.write_text("id,query,domain\n", encoding="utf-8")
    with pytest.raises(DataError, match="holds no scenarios"):
        load_scenarios(file, pack)
