"""Files that appear whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from askfirst.simulators.storage import atomic_folder, atomic_text, write_atomic

from tests.simulators.storage.full_disk import no_file_longer_than


def test_a_file_that_cannot_be_written_in_full_leaves_nothing(tmp_path: Path) -> None:
    def write() -> None:
        with atomic_text(tmp_path / "a.txt") as file:
            file.write("half")
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        write()
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_told_with_the_name_of_the_file_and_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("before")
    with no_file_longer_than(1000):
        with pytest.raises(OSError, match=r"a\.jsonl"), atomic_text(path) as file:
            file.write("x" * 100_000)
        with pytest.raises(OSError, match=r"a\.jsonl"):
            write_atomic(path, "x" * 100_000)
    assert path.read_text() == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["a.jsonl"]


@pytest.mark.parametrize("content", ["a\r\nb\n", b"\x00\xff"])
def test_a_file_is_replaced_as_it_is_given_and_readable_by_others(tmp_path: Path, content: str | bytes) -> None:
    path = tmp_path / "a"
    path.write_text("before")
    write_atomic(path, content)
    assert path.read_bytes() == (content if isinstance(content, bytes) else content.encode())
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    with atomic_folder(tmp_path / "deep" / "a") as draft:
        (draft / "file").write_text("x")
        assert not (tmp_path / "deep" / "a").exists()
    assert (tmp_path / "deep" / "a" / "file").read_text() == "x"
    with pytest.raises(KeyboardInterrupt), atomic_folder(tmp_path / "deep" / "b") as draft:
        raise KeyboardInterrupt
    assert [p.name for p in (tmp_path / "deep").iterdir()] == ["a"]


def test_a_name_as_long_as_a_name_may_be(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 249 + ".jsonl")
    with atomic_text(path) as file:
        file.write("x")
    assert path.read_text() == "x"
    with pytest.raises(OSError, match=r"xxx\.jsonl"), atomic_text(tmp_path / ("x" * 260 + ".jsonl")):
        pass
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
