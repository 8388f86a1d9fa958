"""A log of lines: what it keeps, what it drops, and who may write to it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from askfirst.domains import DataError
from askfirst.simulators.storage import (
    FileHeld,
    LineLog,
    UnreadableLine,
    append_lines,
    different_settings,
    held_lock,
    read_lines,
)

from tests.simulators.storage.full_disk import no_file_longer_than


def number(line: bytes) -> int:
    try:
        return int(json.loads(line)["n"])
    except (ValueError, TypeError, KeyError) as error:
        raise UnreadableLine("is no number", "n") from error


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "log.jsonl"
    path.touch()
    return path


@contextmanager
def opened(path: Path) -> Iterator[LineLog[int]]:
    with closing(LineLog(path, number, held_lock(path.with_name(".lock")))) as log:
        yield log


def test_lines_are_kept_in_order(path: Path) -> None:
    with opened(path) as log:
        log.append('{"n": 2}')
        log.append('{"n": 1}')
        assert read_lines(path, number) == [2, 1]  # on disk at once
    with opened(path) as log:
        assert log.entries == [2, 1]


@pytest.mark.parametrize(("rest", "kept"), [(b'{"n": ', [1]), (b"\xff", [1]), (b"{}", [1]), (b'{"n": 7}', [1, 7])])
def test_a_torn_last_line_is_dropped_and_a_whole_one_kept(path: Path, rest: bytes, kept: list[int]) -> None:
    path.write_bytes(b'{"n": 1}\n' + rest)
    assert read_lines(path, number) == [1]  # it may be under way
    with opened(path) as log:
        assert log.entries == kept
        log.append('{"n": 9}')
    assert read_lines(path, number) == [*kept, 9]


def test_a_line_in_the_middle_that_cannot_be_read_is_named_and_nothing_is_held(path: Path) -> None:
    path.write_bytes(b'{"n": 1}\n{}\n{"n": 2}\n')
    with pytest.raises(DataError, match="is no number") as caught, opened(path):
        pass
    assert (caught.value.line, caught.value.field) == (2, "n")
    held_lock(path.with_name(".lock")).release()


def test_one_at_a_time(path: Path) -> None:
    with opened(path), pytest.raises(FileHeld, match="another process"):
        held_lock(path.with_name(".lock"))
    with opened(path):
        pass


def test_a_full_disk_leaves_the_file_as_it_was_and_the_log_goes_on(path: Path) -> None:
    with opened(path) as log:
        log.append('{"n": 1}')
        before = path.read_bytes()
        with no_file_longer_than(12), pytest.raises(OSError, match=r"log\.jsonl"):
            log.append('{"n": 2}')
        assert path.read_bytes() == before
        with no_file_longer_than(12), pytest.raises(OSError, match=r"log\.jsonl"):
            log.replace(['{"n": 3}', '{"n": 4}'])
        assert path.read_bytes() == before
        log.append('{"n": 5}')
    assert read_lines(path, number) == [1, 5]


def test_a_line_that_is_not_safely_on_disk_is_none(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with opened(path) as log, monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            log.append('{"n": 1}')
    assert path.read_bytes() == b""


def test_what_a_log_holds_is_replaced_and_more_is_added(path: Path) -> None:
    with opened(path) as log:
        log.append('{"n": 1}')
        log.replace(['{"n": 2}', '{"n": 3}'])
        log.append('{"n": 4}')
    append_lines(path, ['{"n": 5}'])
    assert read_lines(path, number) == [2, 3, 4, 5]


@pytest.mark.parametrize(
    ("there", "here", "differences"),
    [
        ({"a": 1}, {"a": 1}, {}),
        ({"a": 1}, {"a": 2, "b": [1, 2]}, {"a": ("1", "2"), "b": ("not set", "1, 2")}),
        ({"a": None}, {}, {}),
        ({"a": {"b": "é"}}, {"a": "x" * 70}, {"a": ('{"b": "é"}', "x" * 57 + "...")}),
    ],
)
def test_settings_that_differ_are_named_in_short(
    there: dict[str, Any], here: dict[str, Any], differences: dict[str, tuple[str, str]]
) -> None:
    assert different_settings(there, here) == differences
