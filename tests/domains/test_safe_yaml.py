"""The reader of YAML files: whatever stands in one, it ends soon, with one line that says where."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from askfirst.domains.safe_yaml import YamlProblem, parse_yaml, read_yaml_file

BOMB = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10))


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("a: 1\nchecked: 2026-13-45\n", 2, "'2026-13-45' is not a possible value"),
        ("a: 2020-01-01T99:00:00Z\n", 1, "not a possible value"),
        ("a: " + "[" * 20_000, 1, "nested deeper"),
        ("[" * 20_000 + "]" * 20_000, 1, "nested deeper"),
        ("".join(" " * depth + "a:\n" for depth in range(300)), 40, "nested deeper"),
        ("a: b\nc: " + "9" * 6000, 2, "too long"),
        ("a: 0x" + "f" * 6000, 1, "too long"),
        (BOMB, 1, "anchors and aliases"),
        ("stances:\n  age: declines\n  age: volunteers\n", 3, "the key 'age' already appears in line 2"),
        ("a: {b: 1, c: 2,\n b: 3}\n", 2, "'b' already appears in line 1"),
        ("a: !!int x\n", 1, "tags (!)"),
        ("a: !!python/object/apply:os.getcwd []\n", 1, "tags (!)"),
        ("a: b\nc: \x00\n", 2, "U+0000"),
        ("a: [\n", 2, "not valid YAML"),
        ("a: 1\n---\nb: 2\n", 2, "not valid YAML"),
        ("? [a]\n: 1\n", 1, "not valid YAML"),
    ],
)
def test_what_cannot_be_used_is_told_with_its_line(text: str, line: int, says: str) -> None:
    with pytest.raises(YamlProblem) as caught:
        parse_yaml(text)
    assert caught.value.line == line
    assert says in caught.value.problem
    assert len(str(caught.value)) < 300


def test_ordinary_files_are_read(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(b"\xef\xbb\xbfa: [1, 2.5, null, true]\r\nb: {c: 'Yes', d: 2026-11-29}\r\n")
    assert read_yaml_file(file) == {"a": [1, 2.5, None, True], "b": {"c": "Yes", "d": date(2026, 11, 29)}}


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    latin = tmp_path / "latin.yaml"
    latin.write_bytes(b"a: b\nc: caf\xe9\n")
    with pytest.raises(YamlProblem, match=r"line 2: is not UTF-8 \(byte 0xe9\)"):
        read_yaml_file(latin)
    with pytest.raises(YamlProblem, match="no such file"):
        read_yaml_file(tmp_path / "nowhere.yaml")
    with pytest.raises(YamlProblem, match="cannot be read"):
        read_yaml_file(tmp_path)
