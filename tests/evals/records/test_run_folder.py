from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from askfirst.domains import DataError, DomainPack
from askfirst.evals import (
    ConversationRecord,
    RunExists,
    RunFolder,
    RunFolderError,
    RunLocked,
    RunSettings,
    RunSummary,
    SettingsDiffer,
    read_run,
    summarise,
)
from askfirst.simulators import TranscriptMessage

from tests.evals.support import CREATED, people, planned, record
from tests.simulators.storage.full_disk import no_file_longer_than


@pytest.fixture
def settings(toy_pack: DomainPack) -> RunSettings:
    return of_four(toy_pack)


def of_four(pack: DomainPack, **update: Any) -> RunSettings:
    return planned(pack, people(4), ["context_free", "static:1"], **update)


@pytest.fixture
def summary(settings: RunSettings) -> RunSummary:
    return summarise([], settings)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (path / "conversations.jsonl").read_text("utf-8").splitlines()]


def test_a_record_has_the_names_that_are_a_contract(path: Path, settings: RunSettings) -> None:
    with RunFolder.create(path, settings, created=CREATED) as folder:
        folder.append(
            record("s1", asked=("mood",), known={"mood": "Low"}, ledger={"mood": "asked", "age": "never_came_up"})
        )
        folder.append(record("s2", unscored="ModelRefused"))
        folder.append(record("s3", error="ModelTimeout: m: no reply"))
    scored, unscored, failed = lines(path)
    wanted = (
        "scenario_id condition model judge_model repeat seed transcript asked known ledger stop_reason verdict error"
    )
    assert set(wanted.split()) | {"usage", "seconds"} <= scored.keys()
    assert scored["transcript"][0] == {"role": "user", "content": "May I?"}
    assert scored["verdict"]["score"] == 3
    assert {
        k: scored["verdict"][k] for k in ("risk_sensitivity", "emotional_empathy", "user_specific_alignment")
    } == dict.fromkeys(("risk_sensitivity", "emotional_empathy", "user_specific_alignment"), 3)
    assert scored["usage"] == {"calls": 0, "input_tokens": 0, "output_tokens": 0}
    assert scored["error"] is None
    assert unscored["verdict"] == {"unscored": "ModelRefused"}
    assert (failed["verdict"], failed["error"]) == (None, "ModelTimeout: m: no reply")


def test_a_record_has_a_verdict_or_an_error_and_not_both() -> None:
    for wrong in ({"verdict": None}, {"error": "x"}):
        with pytest.raises(ValueError, match="verdict or an error"):
            ConversationRecord.model_validate({**record().model_dump(), **wrong})


def test_run_json_repeats_the_run(path: Path, settings: RunSettings) -> None:
    RunFolder.create(path, settings, created=CREATED).close()
    info = json.loads((path / "run.json").read_text("utf-8"))
    assert RunSettings.model_validate(info["settings"]) == settings
    assert info["created"] == "2026-01-02T03:04:05+00:00"
    assert read_run(path).settings == settings


def test_an_output_that_exists_is_refused_and_left_alone(path: Path, settings: RunSettings) -> None:
    path.mkdir()
    (path / "notes.txt").write_text("mine")
    with pytest.raises(RunExists, match="is not empty"):
        RunFolder.create(path, settings, created=CREATED)
    assert [p.name for p in path.iterdir()] == ["notes.txt"]
    with pytest.raises(RunExists, match="is not a folder"):
        RunFolder.create(path / "notes.txt", settings, created=CREATED)


def test_a_run_in_the_folder_is_one_to_resume(path: Path, settings: RunSettings) -> None:
    RunFolder.create(path, settings, created=CREATED).close()
    with pytest.raises(RunExists, match="--resume"):
        RunFolder.create(path, settings, created=CREATED)


def test_an_empty_folder_is_used(path: Path, tmp_path: Path, settings: RunSettings) -> None:
    path.mkdir()
    inode = path.stat().st_ino  # a mount point can neither be removed nor replaced
    with RunFolder.create(path, settings, created=CREATED) as folder:
        folder.append(record("everyday-00"))
        with pytest.raises(RunLocked):
            RunFolder.resume(path)
    assert path.stat().st_ino == inode
    assert len(read_run(path).records) == 1
    (tmp_path / "empty").mkdir()
    with no_file_longer_than(100), pytest.raises(RunFolderError, match="cannot be written"):
        RunFolder.create(tmp_path / "empty", settings, created=CREATED)
    RunFolder.create(tmp_path / "empty", settings, created=CREATED).close()


def test_a_folder_that_cannot_be_made_leaves_nothing_half_written(tmp_path: Path, settings: RunSettings) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(RunFolderError, match="cannot be made"):
        RunFolder.create(tmp_path / "file" / "run", settings, created=CREATED)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_folder_whose_settings_cannot_be_written_does_not_appear(tmp_path: Path, settings: RunSettings) -> None:
    with no_file_longer_than(100), pytest.raises(RunFolderError):
        RunFolder.create(tmp_path / "run", settings, created=CREATED)
    assert list(tmp_path.iterdir()) == []


def test_two_processes_cannot_have_one_run(path: Path, settings: RunSettings) -> None:
    with RunFolder.create(path, settings, created=CREATED):
        with pytest.raises(RunLocked):
            RunFolder.resume(path, settings)
        other = subprocess.run([sys.executable, "-c", _RESUME, str(path)], capture_output=True, text=True, check=False)
        assert "RunLocked" in other.stderr
    RunFolder.resume(path, settings).close()


_RESUME = "import sys; from askfirst.evals import RunFolder; RunFolder.resume(sys.argv[1])"


def test_the_same_key_never_stands_there_twice(path: Path, settings: RunSettings) -> None:
    with RunFolder.create(path, settings, created=CREATED) as folder:
        folder.append(record("s1", repeat=0))
        folder.append(record("s1", repeat=1))
        with pytest.raises(ValueError, match="already"):
            folder.append(record("s1", score=5, repeat=0))
    assert [line["repeat"] for line in lines(path)] == [0, 1]


@pytest.mark.parametrize("torn", [b"{", b'{"scenario_id": "s2", "cond', b"\xff\xfe", b'"text"'])
def test_a_torn_last_line_is_dropped_on_resume(path: Path, settings: RunSettings, torn: bytes) -> None:
    with RunFolder.create(path, settings, created=CREATED) as folder:
        folder.append(record("s1"))
    with (path / "conversations.jsonl").open("ab") as file:
        file.write(torn)
    assert [r.scenario_id for r in read_run(path).records] == ["s1"]
    with RunFolder.resume(path, settings) as folder:
        assert [r.scenario_id for r in folder.records] == ["s1"]
        folder.append(record("s2"))
    assert [line["scenario_id"] for line in lines(path)] == ["s1", "s2"]


def test_a_whole_last_line_that_only_lacks_its_line_break_is_kept(path: Path, settings: RunSettings) -> None:
    with RunFolder.create(path, settings, created=CREATED) as folder:
        folder.append(record("s1"))
    file = path / "conversations.jsonl"
    file.write_bytes(file.read_bytes().rstrip(b"\n"))
    with RunFolder.resume(path, settings) as folder:
        folder.append(record("s2"))
    assert [line["scenario_id"] for line in lines(path)] == ["s1", "s2"]


def test_a_broken_line_in_the_middle_is_named(path: Path, settings: RunSettings) -> None:
    with RunFolder.create(path, settings, created=CREATED) as folder:
        folder.append(record("s1"))
    with (path / "conversations.jsonl").open("ab") as file:
        file.write(b'{"scenario_id": "secret value"}\n' + record("s2").line().encode() + b"\n")
    for read in (read_run, RunFolder.resume):
        with pytest.raises(DataError, match="line 2") as caught:
            read(path)
        assert "secret" not in str(caught.value)


def test_a_failed_resume_lets_go_of_the_run(path: Path, settings: RunSettings) -> None:
    RunFolder.create(path, settings, created=CREATED).close()
    file = path / "conversations.jsonl"
    file.write_bytes(b"nonsense\n")
    with pytest.raises(DataError):
        RunFolder.resume(path)
    file.write_bytes(b"")
    RunFolder.resume(path).close()


def test_a_disk_that_fills_up_in_the_middle_of_a_record_costs_only_that_record(
    path: Path, settings: RunSettings
) -> None:
    with RunFolder.create(path, settings, created=CREATED) as folder:
        folder.append(record("s1"))
        size = (path / "conversations.jsonl").stat().st_size
        with no_file_longer_than(size + 40), pytest.raises(RunFolderError, match="cannot be written"):
            folder.append(record("s2"))
        assert (path / "conversations.jsonl").stat().st_size == size
        folder.append(record("s2"))
    assert [line["scenario_id"] for line in lines(path)] == ["s1", "s2"]


def test_a_summary_that_cannot_be_written_leaves_the_old_one(
    path: Path, settings: RunSettings, summary: RunSummary
) -> None:
    with RunFolder.create(path, settings, created=CREATED) as folder:
        folder.write_summary(summary)
        with no_file_longer_than(50), pytest.raises(RunFolderError):
            folder.write_summary(summary.model_copy(update={"done": 8}))
    assert RunSummary.model_validate_json((path / "summary.json").read_text()) == summary
    assert sorted(p.name for p in path.iterdir() if p.name != ".lock") == [
        "conversations.jsonl",
        "run.json",
        "summary.json",
    ]


def test_a_summary_holds_no_nan(path: Path, settings: RunSettings, summary: RunSummary) -> None:
    with RunFolder.create(path, settings, created=CREATED) as folder, pytest.raises(ValueError, match="JSON"):
        folder.write_summary(summary.model_copy(update={"seconds": float("nan")}))


def test_kill_9_while_writing_loses_nothing_that_was_finished(path: Path, settings: RunSettings) -> None:
    RunFolder.create(path, settings, created=CREATED).close()
    writer = subprocess.Popen(
        [sys.executable, "-c", _WRITE, str(path)], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3]
    )
    assert writer.stdout is not None
    finished = [int(writer.stdout.readline()) for _ in range(5)]
    time.sleep(0.02)
    writer.kill()
    finished += [int(line) for line in writer.stdout.read().split("\n")[:-1]]
    writer.wait()
    writer.stdout.close()
    with RunFolder.resume(path, settings) as folder:
        repeats = [r.repeat for r in folder.records]
        folder.append(record("s1", repeat=10**6))
    assert repeats[: len(finished)] == finished
    assert len(repeats) <= len(finished) + 1
    stored = [line["repeat"] for line in lines(path)]
    assert stored == [*repeats, 10**6]


_WRITE = """
import sys
from askfirst.evals import RunFolder
from tests.evals.support import record
folder = RunFolder.resume(sys.argv[1])
for repeat in range(10**6):
    folder.append(record("s1", repeat=repeat))
    print(repeat, flush=True)
"""


def test_other_settings_are_refused_and_the_difference_is_named(
    path: Path, settings: RunSettings, toy_pack: DomainPack
) -> None:
    RunFolder.create(path, settings, created=CREATED).close()
    with pytest.raises(SettingsDiffer) as caught:
        RunFolder.resume(path, of_four(toy_pack, seed=4, options={"budget": 3}, prompts={"judge": "abc"}))
    assert caught.value.differences == {
        "seed": ("0", "4"),
        "budget": ("not set", "3"),
        "prompt judge": ("not set", "abc"),
    }
    assert "seed: 0 before, 4 now" in str(caught.value)
    with pytest.raises(SettingsDiffer, match="data_digest"):
        RunFolder.resume(path, of_four(toy_pack, limit=2))
    RunFolder.resume(path, of_four(toy_pack, data="/elsewhere/toy")).close()


def test_data_that_changed_under_the_same_ids_is_another_run(toy_pack: DomainPack) -> None:
    changed = people(4)
    changed[0] = changed[0].model_copy(update={"query": "Something else?"})
    assert planned(toy_pack, changed).data_digest != of_four(toy_pack).data_digest


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "not a run folder"),
        ("{", "not valid JSON"),
        ("[]", "format"),
        ('{"format": 99}', "format"),
        ('{"format": 1, "settings": {}}', "settings.data"),
    ],
)
def test_what_is_no_run_is_said_in_one_line(path: Path, content: str | None, problem: str) -> None:
    path.mkdir()
    if content is not None:
        (path / "run.json").write_text(content)
    for read in (read_run, RunFolder.resume):
        with pytest.raises(RunFolderError, match=problem) as caught:
            read(path)
        assert "\n" not in str(caught.value)


def test_text_that_breaks_encodings_is_made_safe(path: Path, settings: RunSettings) -> None:
    nasty = "a\x00b\ud800c\u2028d\r\ne"
    with RunFolder.create(path, settings, created=CREATED) as folder:
        folder.append(
            record(
                "s1",
                transcript=(TranscriptMessage(role="user", content=nasty),),
                known={"mood": nasty},
                profile={"mood": nasty},
                notes=(nasty,),
            )
        )
        folder.append(record("s2", error=nasty))
    with RunFolder.resume(path, settings) as folder:
        first, second = folder.records
    safe = "a\ufffdb\ufffdc\u2028d\r\ne"
    assert first.transcript[0].content == first.known["mood"] == first.notes[0] == second.error == safe


@pytest.mark.parametrize("value", ["None", "NA", "null", "nan", "N/A"])
def test_values_that_look_like_nothing_stay_the_text_that_they_are(
    path: Path, settings: RunSettings, value: str
) -> None:
    with RunFolder.create(path, settings, created=CREATED) as folder:
        folder.append(record("s1", known={"mood": value}, profile={"mood": value}))
    kept = read_run(path).records[0]
    assert kept.known == kept.profile == {"mood": value}


def test_failures_are_set_aside_and_never_lost(path: Path, settings: RunSettings) -> None:
    with RunFolder.create(path, settings, created=CREATED) as folder:
        folder.append(record("s1"))
        folder.append(record("s2", error="ModelTimeout"))
        folder.append(record("s3", unscored="RateLimited"))
        folder.append(record("s4", unscored="InvalidStructuredOutput"))
        assert folder.set_aside_failures() == 2
        assert folder.set_aside_failures() == 0
        folder.append(record("s2"))
    assert [line["scenario_id"] for line in lines(path)] == ["s1", "s4", "s2"]
    aside = [json.loads(line) for line in (path / "set_aside.jsonl").read_text("utf-8").splitlines()]
    assert [line["scenario_id"] for line in aside] == ["s2", "s3"]


def test_a_full_disk_while_setting_aside_keeps_the_old_file(path: Path, settings: RunSettings) -> None:
    with RunFolder.create(path, settings, created=CREATED) as folder:
        for i in range(20):
            folder.append(record(f"s{i}"))
        folder.append(record("failed", error="ModelTimeout"))
        before = (path / "conversations.jsonl").read_bytes()
        with no_file_longer_than(len(before) // 2), pytest.raises(RunFolderError):
            folder.set_aside_failures()
        assert (path / "conversations.jsonl").read_bytes() == before


def test_the_folder_is_readable_by_others(path: Path, settings: RunSettings, summary: RunSummary) -> None:
    with RunFolder.create(path, settings, created=CREATED) as folder:
        folder.write_summary(summary)
    assert os.stat(path).st_mode & 0o055 == 0o055
    assert os.stat(path / "summary.json").st_mode & 0o044 == 0o044
