"""``askfirst plan`` pays for nothing twice: a killed run, a limited run, a dry run, against a model on loopback."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from askfirst.agents import PlanLimits
from askfirst.apps.planning import PlanRequest, leaves_of

from tests.apps.conftest import SCENARIO, Outcome
from tests.models.conftest import FakeOpenAI, HttpReply, chat, stream

Cli = Callable[..., Outcome]
Write = Callable[..., Path]
VALUES = {name: f"value-{name}" for name in SCENARIO["profile"]}
VALUE, GIVEN, QUERY = re.compile(r"value-(\w+)"), re.compile(r"Given <([\w+]*)>"), re.compile(r"Question (\d+):")


class Planned(FakeOpenAI):
    """Answers, judges and ranks by what it is shown, and counts what each was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.answers: Counter[tuple[str, str]] = Counter()
        self.verdicts: Counter[tuple[str, str]] = Counter()
        self.rankings: Counter[tuple[str, str]] = Counter()
        self.delay = 0.0
        self.broken: set[str] = set()
        self.always(self._serve)

    @property
    def calls(self) -> int:
        return len(self.requests)

    def _serve(self, body: dict[str, Any]) -> HttpReply:
        text = "\n".join(m["content"] for m in body["messages"])
        found = QUERY.search(text)
        if found is None:
            return chat("ok")  # the probe before a run
        number, shown = found.group(1), "+".join(sorted(set(VALUE.findall(text))))
        if "response_format" not in body:
            self.answers[number, shown] += 1
            said = f"Given <{shown}> take your time."
            return stream(said, delay=self.delay) if body.get("stream") else chat(said, delay=self.delay)
        if "ranking" in json.dumps(body["response_format"]):
            names = body["response_format"]["json_schema"]["schema"]["properties"]["ranking"]["items"]["enum"]
            self.rankings[number, "+".join(sorted(names))] += 1
            return chat(json.dumps({"ranking": sorted(names)}))
        given = GIVEN.findall(text)[-1]
        self.verdicts[number, given] += 1
        if given in self.broken:
            return HttpReply(status=500, body={"error": {"message": "no"}})
        level = 1 + min(4, len(given.split("+")) if given else 0)
        level = max(1, level - ("age" in given.split("+")))
        scores = dict.fromkeys(("risk_sensitivity", "emotional_empathy", "user_specific_alignment"), level)
        reasons = {f"{name}_justification": "So." for name in ("risk", "empathy", "alignment")}
        return chat(json.dumps({**reasons, **scores}))


@pytest.fixture
def server() -> Iterator[Planned]:
    fake = Planned()
    yield fake
    fake.close()


@pytest.fixture
def data(write_scenarios: Write) -> Path:
    people = [{"query": f"Question {n}: What shall I do?", "profile": VALUES, "split": "plan"} for n in range(3)]
    return write_scenarios(*people)


def options(server: Planned, data: Path, *more: str) -> list[str]:
    return [
        *("plan", str(data), "--model", "openai:m", "--base-url", server.url, "--evaluations", "20", "--budget", "3"),
        *("--concurrency", "3", "--json", *more),
    ]


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("ASKFIRST_RETRIES", "0")


def exported(cli: Cli) -> list[dict[str, Any]]:
    from askfirst.apps import Wiring, load_settings

    store = Wiring(load_settings()).open_store()
    try:
        return [path.model_dump(exclude={"planned_at"}) for path in store.paths()]
    finally:
        store.close()


def test_a_run_pays_each_evaluation_once_and_the_next_for_nothing(server: Planned, data: Path, cli: Cli) -> None:
    done = cli(*options(server, data))
    assert done.code == 0, done.err
    assert set(server.answers.values()) == set(server.verdicts.values()) == set(server.rankings.values()) == {1}
    assert done.json["paid"] == sum(server.answers.values())
    assert done.json["usage"]["calls"] == server.calls
    paid = server.answers.copy()
    assert cli(*options(server, data)).json["kept"] == 3
    # Another store, the same ledger: the search takes the same course and every score is there.
    again = cli(*options(server, data, "--store", "other", "--rewards", ".askfirst/paths.rewards.sqlite"))
    assert (again.json["paid"], again.json["planned"]) == (0, 3)
    assert server.answers == paid


def test_kill_9_and_a_rerun_never_repeats_a_finished_evaluation(
    server: Planned, data: Path, cli: Cli, tmp_path: Path
) -> None:
    server.delay = 0.02
    command = [sys.executable, "-m", "askfirst.apps.cli.main", *options(server, data)]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 120
    while sum(server.verdicts.values()) < 15:
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.005)
    process.kill()
    process.wait()
    time.sleep(0.2)  # until the last replies of the dead run are counted
    before = server.verdicts.copy()
    done = cli(*options(server, data))
    assert done.code == 0, done.err
    assert done.json["reused"] >= 12
    assert max(server.answers.values()) <= 2
    repeated = [key for key, count in server.verdicts.items() if count > 1]
    assert len(repeated) <= 3  # judged, and not yet read when the run was killed: at most one for each slot
    assert set(repeated) <= set(before)
    interrupted = exported(cli)
    fresh = cli(*options(server, data, "--store", "fresh"))
    assert fresh.code == 0
    assert done.json["planned"] == fresh.json["planned"] == 3
    assert [p["path"] for p in interrupted] == [
        p["path"] for p in cli_paths(tmp_path / "fresh")
    ]  # the course of the search is that of a run without interruption


def cli_paths(folder: Path) -> list[dict[str, Any]]:
    from askfirst.apps import Wiring, load_settings

    store = Wiring(load_settings(store=folder)).open_store()
    try:
        return [path.model_dump() for path in store.paths()]
    finally:
        store.close()


def test_max_calls_stops_with_the_best_so_far_and_the_next_run_goes_on(server: Planned, data: Path, cli: Cli) -> None:
    cut = cli(*options(server, data, "--max-calls", "40"))
    assert cut.code == 0, cut.err
    assert server.calls <= 40
    assert server.calls > 35
    assert cut.json["limit_reached"]
    assert cut.json["usage"]["calls"] == server.calls
    assert "Run the same command to continue" in cut.err
    assert len(cut.json["unfinished"]) + len(cut.json["waiting"]) == 3
    assert cut.json["planned"] == len(exported(cli)) > 0
    paid = cut.json["paid"]
    whole = cli(*options(server, data))
    assert whole.code == 0, whole.err
    assert not whole.json["limit_reached"]
    assert (whole.json["planned"], whole.json["kept"]) == (3, 0)
    assert set(server.answers.values()) == {1}
    assert paid + whole.json["paid"] == sum(server.answers.values())
    assert cli(*options(server, data)).json["kept"] == 3


def test_progress_counts_every_scenario_once_whatever_becomes_of_it(server: Planned, data: Path, cli: Cli) -> None:
    command = [o for o in options(server, data) if o != "--json"]
    cut = cli(*command, "--max-calls", "40")
    assert [f"Planning: {n}/3" in cut.err for n in range(5)] == [True, True, True, True, False]
    assert "Planning: 3/3" in cli(*command).err
    kept = cli(*command)
    assert [line for line in kept.err.splitlines() if line.startswith("Planning")] == ["Planning: 3/3"]


def test_max_tokens_stops_too(server: Planned, data: Path, cli: Cli) -> None:
    cut = cli(*options(server, data, "--max-tokens", "200"))
    assert cut.code == 0, cut.err
    assert cut.json["limit_reached"]
    assert 150 < cut.json["usage"]["input_tokens"] + cut.json["usage"]["output_tokens"] <= 200


def test_a_dry_run_calls_nothing_and_bounds_what_comes(server: Planned, data: Path, cli: Cli, tmp_path: Path) -> None:
    guessed = cli(*options(server, data, "--dry-run"))
    assert guessed.code == 0, guessed.err
    assert server.calls == 0
    assert not (tmp_path / ".askfirst").exists()
    assert "guessed" in guessed.json["basis"]
    cli(*options(server, data, "--limit", "1"))
    spent = server.calls
    measured = cli(*options(server, data, "--dry-run"))
    assert server.calls == spent
    assert "mean of" in measured.json["basis"]
    assert (measured.json["scenarios"], measured.json["kept"]) == (2, 1)
    rest = cli(*options(server, data))
    paid = rest.json["usage"]["calls"]
    assert paid <= measured.json["calls"] <= guessed.json["calls"]
    assert measured.json["calls"] <= 1.6 * paid
    tokens = rest.json["usage"]["input_tokens"] + rest.json["usage"]["output_tokens"]
    assert tokens <= measured.json["tokens"] <= 1.6 * tokens
    assert cli(*options(server, data, "--dry-run")).json["calls"] == 1  # the short test of the model


def test_a_failed_evaluation_is_left_out_not_kept_and_tried_again_later(server: Planned, data: Path, cli: Cli) -> None:
    server.broken = {"gender"}
    first = cli(*options(server, data, "--planner", "greedy"))
    assert first.code == 0, first.err
    failed = sum(1 for key in server.verdicts if key[1] == "gender")
    assert failed == 3
    assert all(server.verdicts[str(n), "gender"] == 1 for n in range(3))
    server.broken = set()
    cli(
        *options(server, data, "--planner", "greedy", "--store", "other", "--rewards", ".askfirst/paths.rewards.sqlite")
    )
    assert all(server.verdicts[str(n), "gender"] == 2 for n in range(3))


def test_a_path_of_which_an_evaluation_failed_is_planned_again(server: Planned, data: Path, cli: Cli) -> None:
    server.broken = {"age+gender+marital_status"}
    first = cli(*options(server, data, "--planner", "exhaustive", "--evaluations", "150"))
    assert (first.code, first.json["planned"], first.json["failed_evaluations"]) == (0, 3, 3)
    assert "3 evaluations failed" in first.err
    server.broken = set()
    again = cli(*options(server, data, "--planner", "exhaustive", "--evaluations", "150"))
    assert (again.json["planned"], again.json["paid"], again.json["failed_evaluations"]) == (3, 3, 0)
    assert cli(*options(server, data, "--planner", "exhaustive", "--evaluations", "150")).json["kept"] == 3


def test_never_more_at_once_than_concurrency(server: Planned, data: Path, cli: Cli) -> None:
    server.gather = 2  # the first request waits for a second one, so that several are under way
    done = cli(*options(server, data, "--concurrency", "5"))
    assert done.code == 0, done.err
    assert 2 <= server.most_at_once <= 5


def test_the_ledger_holds_no_query_and_no_value(server: Planned, data: Path, cli: Cli, tmp_path: Path) -> None:
    cli(*options(server, data))
    content = b"".join(p.read_bytes() for p in (tmp_path / ".askfirst").glob("paths.rewards.sqlite*"))
    assert content
    assert b"value-" not in content
    assert b"Question" not in content


def test_a_file_that_is_no_ledger_is_refused_before_anything_is_planned(
    server: Planned, data: Path, cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("These are my notes. " * 100)
    refused = cli(*options(server, data, "--rewards", "notes.txt"))
    assert refused.code == 2
    assert "notes.txt" in refused.err
    assert not server.answers


@pytest.mark.parametrize(
    ("scenarios", "slots", "leaves"), [(100, 32, 1), (32, 32, 1), (20, 32, 1), (16, 32, 2), (1, 32, 32), (0, 8, 8)]
)
def test_idle_slots_are_filled_with_leaves(scenarios: int, slots: int, leaves: int) -> None:
    limits = PlanLimits(budget=5, evaluations=60)
    assert leaves_of(PlanRequest(limits), scenarios, slots) == leaves
    assert leaves_of(PlanRequest(limits, leaves=3), scenarios, slots) == 3


def test_offline_nothing_is_called_and_limits_do_not_bite(cli: Cli, data: Path) -> None:
    dry = cli("plan", data, "--dry-run", "--json")
    assert (dry.json["calls"], dry.json["basis"]) == (0, "no model is called")
    done = cli("plan", data, "--max-calls", "1", "--max-tokens", "1", "--json")
    assert (done.code, done.json["planned"], done.json["limit_reached"]) == (0, 3, False)


def test_a_dry_run_needs_no_key(cli: Cli, write_scenarios: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    dry = cli("plan", write_scenarios({"split": "plan"}), "--model", "openai:x", "--dry-run", "--json")
    assert dry.code == 0, dry.err
    assert dry.json["calls"] > 0
    assert cli("plan", write_scenarios({"split": "plan"}), "--model", "opneai:x", "--dry-run").code == 2


def test_the_oracle_of_an_evaluation_pays_for_no_set_twice(server: Planned, data: Path, cli: Cli) -> None:
    command = ["eval", str(data), "--split", "all", "--limit", "1", "--condition", "oracle:2", "--json"]
    command += ["--model", "openai:m", "--user-model", "offline", "--base-url", server.url, "--concurrency", "3"]
    assert cli(*command, "--out", "one").code == 0
    sets = sum(1 for number, shown in server.answers if shown.count("+") == 1)
    assert sets == 45
    before = sum(server.answers.values())
    assert cli(*command, "--out", "two").code == 0
    assert sum(server.answers.values()) == before + 1  # the answer to the person
