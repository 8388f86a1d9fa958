"""The readers of JSON, JSON lines and CSV: one record at a time, each problem with its line."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from askfirst.domains import DataError
from askfirst.simulators.datasets import file_records as reading
from askfirst.simulators.datasets.file_records import read_csv_rows, read_json_items, read_json_lines, stream_json_items
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
in_one_folder = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


@in_one_folder
@given(
    items=st.lists(anything, max_size=6),
    chunk=st.integers(1, 40),
    indent=st.sampled_from([None, 1]),
    ascii_=st.booleans(),
)
def test_an_array_in_small_pieces_is_the_array(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, items: list[Any], chunk: int, indent: int | None, ascii_: bool
) -> None:
    monkeypatch.setattr(reading, "_CHUNK", chunk)
    file = tmp_path / "a.json"
    text = json.dumps(items, indent=indent, ensure_ascii=ascii_)
    file.write_bytes(text.encode("utf-8", "replace"))
    expected = json.loads(file.read_bytes())
    found = read_json_items(file)
    assert [value for _, value in found] == expected


def test_elements_have_the_line_on_which_they_begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_CHUNK", 7)
    file = tmp_path / "a.json"
    file.write_text('\n[\n1, 22,\n\n{"a":\n "x\\n"},\n  [333\n]\n]\n')
    assert [(p.line, v) for p, v in read_json_items(file)] == [(3, 1), (3, 22), (5, {"a": "x\n"}), (7, [333])]


@pytest.mark.parametrize("chunk", [3, 1 << 16])
@pytest.mark.parametrize(
    ("text", "line", "says", "before"),
    [
        ('[1,\n 2,\n {"a": tru}]', 3, "column 8", 2),
        ('[1,\n "never closed\n', 2, "not valid JSON", 1),
        ("[1\n 2]", 2, "expected ',' or ']'", 1),
        ("[1, 2]\nx", 1, "more after the end", 2),
        ("[1,\n2", 2, "expected ',' or ']'", 2),
        ('{"a": 1,\n "b" 2}', 2, "column 6", 0),
        ("", 1, "not valid JSON", 0),
        ("[" * 100_000, 1, "nested too deeply", 0),
    ],
)
def test_what_is_not_json_is_told_after_what_could_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int, text: str, line: int, says: str, before: int
) -> None:
    if len(text) > 1000 and chunk < 1000:
        chunk = 1000
    monkeypatch.setattr(reading, "_CHUNK", chunk)
    file = tmp_path / "a.json"
    file.write_text(text)
    problems: list[DataError] = []
    found = list(stream_json_items(file, problems.append))
    assert len(found) == before
    [problem] = problems
    assert problem.line == line
    assert says in problem.problem


def test_bytes_that_are_not_utf8_in_an_array(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_CHUNK", 5)
    file = tmp_path / "a.json"
    file.write_bytes(b'[1,\n2,\n"caf\xe9"]')
    with pytest.raises(DataError, match="0xe9") as caught:
        read_json_items(file)
    assert caught.value.line == 3


def test_lines_go_on_after_each_bad_one(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b'{"a": 1}\n{bad\n\xff\xff\n{"a": 2}\n[\n')
    problems: list[DataError] = []
    found = [(p.line, v) for p, v in read_json_lines(file, problems.append)]
    assert found == [(1, {"a": 1}), (4, {"a": 2})]
    assert [p.line for p in problems] == [2, 3, 5]


def test_an_array_is_not_held_in_memory(tmp_path: Path) -> None:
    import tracemalloc

    file = tmp_path / "a.json"
    file.write_text("[" + ",\n".join(json.dumps({"a": "x" * 1000}) for _ in range(6000)) + "]")
    assert file.stat().st_size > 6_000_000
    tracemalloc.start()
    count = sum(1 for _ in stream_json_items(file))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 6000
    assert peak < 1_500_000


class TestCsv:
    def rows(self, file: Path, text: str | bytes) -> tuple[list[tuple[int | None, dict[str, str]]], list[DataError]]:
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        problems: list[DataError] = []
        return [(p.line, r) for p, r in read_csv_rows(file, problems.append)], problems

    def test_cells_over_several_lines_quotes_and_delimiters(self, tmp_path: Path) -> None:
        text = '\ufeffid;text\r\na;"one\r\ntwo;""x"""\r\n\r\nb;\r\n'
        found, problems = self.rows(tmp_path / "a.csv", text)
        assert found == [(2, {"id": "a", "text": 'one\r\ntwo;"x"'}), (5, {"id": "b", "text": ""})]
        assert problems == []

    def test_problems_have_the_line_on_which_their_row_begins(self, tmp_path: Path) -> None:
        text = b'id,text\na,"x\ny"\nb,1,2\nc,"x"y\nd\ne,\xff\nf,"open\n\n'
        found, problems = self.rows(tmp_path / "a.csv", text)
        assert [(line, row["id"]) for line, row in found] == [(2, "a"), (6, "d")]
        assert sorted((p.line, p.problem.split()[0]) for p in problems) == [(4, "has"), (5, "is"), (7, "is"), (8, "is")]

    def test_a_column_named_twice(self, tmp_path: Path) -> None:
        _, problems = self.rows(tmp_path / "a.csv", "id,age,age\n")
        assert [(p.line, p.field) for p in problems] == [(1, "age")]

    def test_a_cell_longer_than_the_csv_modules_limit(self, tmp_path: Path) -> None:
        found, problems = self.rows(tmp_path / "a.csv", "id,text\na," + "x" * 200_000 + "\n")
        assert len(found[0][1]["text"]) == 200_000
        assert problems == []

    @in_one_folder
    @given(
        rows=st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=2, max_size=2), max_size=5)
    )
    def test_what_the_csv_module_writes_is_read(self, tmp_path: Path, rows: list[list[str]]) -> None:
        file = tmp_path / "a.csv"
        with file.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([["a", "b"], *rows])
        expected = [{"a": a, "b": b} for a, b in rows if a or b]
        assert [row for _, row in read_csv_rows(file)] == expected


DOUBTFUL = [
    ('{"id": "a", "id": "b"}', "id", "twice"),
    ('{"id": "a", "profile": {"age": "41", "age": "42"}}', "profile.age", "twice"),
    ('{"id": NaN}', "id", "not a finite number"),
    ('{"profile": {"age": 1e400}}', "profile.age", "not a finite number"),
    ('{"tags": ["x", -Infinity]}', "tags", "not a finite number"),
    ('{"entries": [{"a": {"b": Infinity}}]}', "entries.a.b", "not a finite number"),
]


@pytest.mark.parametrize("chunk", [5, 1 << 16])
@pytest.mark.parametrize(("record", "field", "says"), DOUBTFUL)
def test_doubled_keys_and_numbers_that_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int, record: str, field: str, says: str
) -> None:
    monkeypatch.setattr(reading, "_CHUNK", chunk)
    lines, array = tmp_path / "a.jsonl", tmp_path / "a.json"
    lines.write_text(f'{{"id": "first"}}\n{record}\n{{"id": "last"}}\n')
    array.write_text(f'[{{"id": "first"}},\n{record},\n{{"id": "last"}}]')
    for read, file in ((read_json_lines, lines), (stream_json_items, array)):
        problems: list[DataError] = []
        assert [value["id"] for _, value in read(file, problems.append)] == ["first", "last"]
        assert [(p.line, p.field) for p in problems] == [(2, field)]
        assert says in problems[0].problem
        with pytest.raises(DataError):
            list(read(file))


def test_the_only_object_of_a_file_is_checked_too(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('{"id": "a",\n "id": "b"}')
    with pytest.raises(DataError, match="field 'id': appears twice"):
        read_json_items(file)
