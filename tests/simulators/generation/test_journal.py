"""The journal of a long run: what it keeps, when it refuses, and what a crash leaves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from askfirst.domains import DataError, InputError
from askfirst.simulators.generation.journal import Journal

from tests.simulators.storage.full_disk import no_file_longer_than

SETTINGS = {"command": "x", "seed": 1, "prompts": {"a": "1"}}


def test_units_are_kept_in_order_and_found_again(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out.jsonl"
    with Journal.open(out, SETTINGS, extra={"salt": "s"}) as journal:
        journal.add("b", {"n": 1, "text": "é\ud800\x00"})
        journal.add("a", {"n": 2})
        assert "b" in journal
        assert not out.exists()
    with Journal.open(out, SETTINGS, extra={"salt": "other"}) as journal:
        assert [(u, r["n"]) for u, r in journal.units()] == [("b", 1), ("a", 2)]
        assert [u for u, _ in journal.units("a")] == ["a"]
        assert (journal.get("b") or {})["text"] == "é\ufffd\x00"
        assert journal.header["salt"] == "s"
        assert len(journal) == 2


def test_a_torn_last_line_is_dropped_and_the_run_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    with Journal.open(out, SETTINGS) as journal:
        journal.add("a", {"n": 1})
    with Journal.path_for(out).open("ab") as file:
        file.write(b'{"unit": "b", "n"')
    with Journal.open(out, SETTINGS) as journal:
        assert [u for u, _ in journal.units()] == ["a"]
        journal.add("b", {"n": 2})
    with Journal.open(out, SETTINGS) as journal:
        assert [u for u, _ in journal.units()] == ["a", "b"]


def test_a_journal_without_a_whole_line_begins_anew(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    Journal.path_for(out).write_bytes(b'{"format": 1, "sett')
    with Journal.open(out, SETTINGS) as journal:
        journal.add("a", {})
    with Journal.open(out, SETTINGS) as journal:
        assert len(journal) == 1


def test_other_settings_are_refused_by_name(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    Journal.open(out, SETTINGS).close()
    with pytest.raises(InputError, match=r"other settings \(seed: 1 before, 2 now\)"):
        Journal.open(out, {**SETTINGS, "seed": 2})
    Journal.open(out, SETTINGS).close()  # the refused one let go of the lock


def test_an_out_that_is_no_run_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text("mine")
    with pytest.raises(InputError, match="already exists"):
        Journal.open(out, SETTINGS)
    assert [p.name for p in tmp_path.iterdir()] == ["out.jsonl"]


def test_two_processes_do_not_share_a_run(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "out.jsonl", SETTINGS), pytest.raises(InputError, match="another process"):
        Journal.open(tmp_path / "out.jsonl", SETTINGS)


@pytest.mark.parametrize("line", [b"{torn\n", b"[]\n", b'{"n": 1}\n'])
def test_a_changed_line_in_the_middle_is_told(tmp_path: Path, line: bytes) -> None:
    out = tmp_path / "out.jsonl"
    Journal.open(out, SETTINGS).close()
    with Journal.path_for(out).open("ab") as file:
        file.write(line + b'{"unit": "b"}\n')
    with pytest.raises(DataError) as caught:
        Journal.open(out, SETTINGS)
    assert caught.value.line == 2


def test_a_journal_of_another_version_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    Journal.path_for(out).write_text(json.dumps({"format": 99, "settings": SETTINGS}) + "\n")
    with pytest.raises(InputError, match="another version"):
        Journal.open(out, SETTINGS)


def test_a_failed_write_leaves_the_journal_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out.jsonl"
    with Journal.open(out, SETTINGS) as journal:
        journal.add("a", {})
        before = journal.path.read_bytes()

        def full(_: int) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", full)
            with pytest.raises(OSError, match="No space"):
                journal.add("b", {})
        assert journal.path.read_bytes() == before
        assert "b" not in journal
        journal.add("b", {})
    with Journal.open(out, SETTINGS) as journal:
        assert len(journal) == 2


def test_a_full_disk_is_told_with_the_name_of_the_journal(tmp_path: Path) -> None:
    with no_file_longer_than(1000), Journal.open(tmp_path / "b.jsonl", {}) as journal:
        with pytest.raises(OSError, match=r"b\.jsonl\.progress"):
            journal.add("unit", {"text": "x" * 5000})
        journal.add("unit", {})
    assert not list(tmp_path.glob(".*"))


def test_what_was_added_before_a_kill_is_there(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    script = (
        "import sys\nfrom askfirst.simulators.generation.journal import Journal\n"
        f"journal = Journal.open({str(out)!r}, {{'seed': 1}})\n"
        "for n in range(100000):\n    journal.add(str(n), {'n': n})\n    print(n, flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        told = [int(process.stdout.readline()) for _ in range(20)]
        process.send_signal(signal.SIGKILL)
        told += [int(line) for line in process.stdout if line.endswith("\n")]
    with Journal.open(out, {"seed": 1}) as journal:
        assert len(journal) >= len(told)
        assert [r["n"] for _, r in journal.units()] == list(range(len(journal)))
