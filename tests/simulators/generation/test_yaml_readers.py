"""Behaviours and sampling tables are read by the same strict YAML reader as packs."""

from __future__ import annotations

from pathlib import Path

import pytest
from askfirst.domains import DataError, DomainPack, InputError
from askfirst.simulators.generation.tables import load_tables
from askfirst.simulators.users.behaviour_files import load_behaviours

MISTAKES = [
    ("name: x\nstyle: 2020-99-99\n", "line 2.* not a possible value"),
    ("name: x\nstyle: " + "[" * 20_000, "line 2.* nested deeper"),
    ("name: x\nstyle: " + "9" * 6000, "line 2.* too long"),
    ("name: x\nstances:\n  age: declines\n  age: volunteers\n", "line 4.* 'age' already appears in line 3"),
    ("a: &a [x]\nname: *a\n", "line 1.* anchor"),
    (b"name: caf\xe9\n", "line 1.* UTF-8"),
]


@pytest.mark.timeout(20)
@pytest.mark.parametrize(("text", "says"), MISTAKES)
def test_each_mistake_has_its_line(tmp_path: Path, pack: DomainPack, text: str | bytes, says: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=says):
        load_behaviours([str(file)], pack)
    with pytest.raises(DataError, match=says):
        load_tables(file, pack)


def test_a_rewrite_that_may_take_for_ever_is_refused(tmp_path: Path, pack: DomainPack) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("name: x\ndescription: d\nspeech: {rewrites: [{pattern: '(a+)+$', to: b}]}\n", encoding="utf-8")
    with pytest.raises(InputError, match="may take forever"):
        load_behaviours([str(file)], pack)
