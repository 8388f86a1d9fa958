"""Going on with a run: what it keeps, what may not contradict it, and where a new one may begin."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from askfirst.apps.evaluation import resume_run
from askfirst.apps.settings import load_settings
from askfirst.domains import InputError
from askfirst.evals import OFFLINE_LABEL, RunProgress

from tests.apps.conftest import Outcome
from tests.models.conftest import FakeOpenAI, chat, error

Cli = Callable[..., Outcome]
Write = Callable[..., Path]
EVAL = ("--condition", "context_free", "--out", "run")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--seed", "3"), "--seed: 0 before, 3 now"),
        (("--max-turns", "4"), "--max-turns: 12 before, 4 now"),
        (("--limit", "1"), "--limit: not set before, 1 now"),
        (("--model", "openai:x"), "--model: offline before, openai:x now"),
        (("--user-model", "openai:x"), "--user-model: offline before, openai:x now"),
        (("--judge-model", "openai:x"), "--judge-model: offline before, openai:x now"),
        (("--planner-model", "openai:x"), "--planner-model: "),
        (("--behaviour", "guarded"), "--behaviour: cooperative before, guarded now"),
        (("--country", "gb"), "--country: not set before, GB now"),
        (("--store", "elsewhere"), "--store"),
        (("--split", "all"), "--split: auto before, all now"),
    ],
)
def test_an_option_that_contradicts_the_run_is_named(
    cli: Cli, write_scenarios: Write, tmp_path: Path, options: tuple[str, str], said: str
) -> None:
    assert cli("eval", write_scenarios(), *EVAL).code == 0
    before = (tmp_path / "run" / "conversations.jsonl").read_bytes()
    refused = cli("eval", "--resume", "run", *options)
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.count("\n") == 1
    assert f"({said}" in refused.err
    assert (tmp_path / "run" / "conversations.jsonl").read_bytes() == before


def test_options_that_say_the_same_or_may_change_are_taken(
    cli: Cli, write_scenarios: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli("eval", write_scenarios(), *EVAL, "--seed", "3", "--threshold", "2", "--behaviour", "guarded").code == 0
    monkeypatch.setenv("ASKFIRST_BUDGET", "1")  # the environment of today contradicts nothing
    same = ("--seed", "3", "--threshold", "2.0", "--behaviour", "guarded", "--model", "offline")
    other = ("--concurrency", "1", "--timeout", "9", "--base-url", "http://127.0.0.1:1/v1")
    resumed = cli("eval", "--resume", "run", *same, *other, "--json")
    assert resumed.code == 0, resumed.err


def test_a_resumed_run_keeps_its_gate_unless_another_is_given(cli: Cli, write_scenarios: Write) -> None:
    assert cli("eval", write_scenarios(), *EVAL, "--fail-under", "4.9").code == 1
    again = cli("eval", "--resume", "run")
    assert (again.code, "Gate failed: mean below 4.9" in again.err) == (1, True)
    assert cli("eval", "--resume", "run", "--fail-under", "1").code == 0
    assert cli("eval", "--resume", "run").code == 1


def test_a_run_without_a_gate_gets_none(cli: Cli, write_scenarios: Write) -> None:
    assert cli("eval", write_scenarios(), *EVAL).code == 0
    assert cli("eval", "--resume", "run", "--fail-under", "4.9").code == 1
    assert cli("eval", "--resume", "run").code == 0


def test_how_far_a_run_is_shows_before_anything_else(cli: Cli, write_scenarios: Write, tmp_path: Path) -> None:
    data = write_scenarios({}, {})
    assert cli("eval", data, *EVAL).code == 0
    log = tmp_path / "run" / "conversations.jsonl"
    first, second = log.read_text(encoding="utf-8").splitlines()
    failed = {**json.loads(second), "verdict": None, "error": "ModelTimeout"}
    log.write_text(f"{first}\n{json.dumps(failed)}\n", encoding="utf-8")
    data.unlink()  # nothing after the first look can work
    seen: list[RunProgress] = []
    with pytest.raises(InputError, match=r"data\.jsonl"):
        resume_run(tmp_path / "run", load_settings(), on_progress=seen.append)
    assert [(p.done, p.planned) for p in seen] == [(1, 2)]


def test_a_bar_never_shows_an_unknown_total(cli: Cli, write_scenarios: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cli("eval", write_scenarios(), *EVAL).code == 0
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    shown = cli("eval", "--resume", "run").err
    assert "1/1" in shown
    assert "/?" not in shown


def test_an_empty_folder_is_used_and_one_that_is_not_is_left_alone(
    cli: Cli, write_scenarios: Write, tmp_path: Path
) -> None:
    data = write_scenarios()
    (tmp_path / "run").mkdir()
    first = cli("eval", data, *EVAL)
    assert first.code == 0, first.err
    assert OFFLINE_LABEL in first.out
    taken = cli("eval", data, *EVAL)
    assert (taken.code, "--resume" in taken.err) == (2, True)
    for command in (("eval", data, "--condition", "context_free"), ("demo",)):
        (tmp_path / "mine").mkdir(exist_ok=True)
        (tmp_path / "mine" / "notes.txt").write_text("mine")
        refused = cli(*command, "--out", "mine")
        assert (refused.code, "is not empty" in refused.err, "resume" in refused.err) == (2, True, False)
    assert [p.name for p in (tmp_path / "mine").iterdir()] == ["notes.txt"]


def test_one_query_that_cannot_be_used_does_not_end_the_run(cli: Cli, write_scenarios: Write) -> None:
    data = write_scenarios({"query": "May I? " * 40_000}, {}, {})
    ended = cli("eval", data, "--condition", "agent", "--out", "run", "--concurrency", "1", "--json")
    assert ended.code == 3
    assert "1 failed" in ended.err
    cell = ended.json["conditions"]["agent"]
    assert (cell["n"], cell["scored"], cell["errors"]) == (3, 2, 1)


def test_several_reports_name_the_option_that_is_missing(cli: Cli, write_scenarios: Write) -> None:
    assert cli("eval", write_scenarios(), *EVAL).code == 0
    refused = cli("report", "run", "run")
    assert (refused.code, "--out FILE" in refused.err) == (2, True)


def test_a_user_server_that_dies_in_mid_run_ends_it_with_one_line_and_resume_goes_on(
    cli: Cli, write_scenarios: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASKFIRST_RETRIES", "0")
    server, alive = FakeOpenAI(), 4
    server.always(
        lambda _: chat("It is despair, to be honest.") if len(server.requests) <= alive else error(500, "worker died")
    )
    try:
        data = write_scenarios(*({"id": f"p{i}"} for i in range(9)))
        model = ("--user-model", "openai:x", "--base-url", server.url, "--concurrency", "1")
        died = cli("eval", data, "-c", "static:1", "--out", "run", *model)
        assert (died.code, died.out) == (3, "")
        last = [line for line in died.err.splitlines() if not line.startswith("Conversations")]
        assert len(last) == 1
        assert "the run stopped after 5 conversations failed: ServerFailed" in last[0]
        assert "askfirst eval --resume run" in last[0]
        alive = 10_000
        resumed = cli("eval", "--resume", "run", "--json")
        assert (resumed.code, resumed.json["complete"]) == (0, True), resumed.err
    finally:
        server.close()
