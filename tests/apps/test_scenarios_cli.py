"""``askfirst scenarios``: each command, its exit code, and that nothing is half-written."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from askfirst.apps import wiring
from askfirst.models import Message, ModelUnreachable, ScriptedChatModel
from askfirst.simulators import load_scenarios

from tests.apps.conftest import SCENARIO, Outcome

Cli = Callable[..., Outcome]
Write = Callable[..., Path]
QUERIES = ["Where do the lanterns go?", "Who tunes an old violin?", "How thick must ice be?", "May pepper be frozen?"]
POST = "I am 34, married, a clerk with a degree, low on money, asthmatic, mildly depressed, never hurt myself, lonely."


def one_line(outcome: Outcome, code: int, *parts: str) -> None:
    assert outcome.code == code, outcome.err
    [line] = outcome.err.strip().splitlines()
    for part in parts:
        assert part in line


def jsonl(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> ScriptedChatModel:
    """Every ``openai:...`` is this model: it writes usable queries and scenarios."""
    monkeypatch.setenv("ASKFIRST_EMBEDDING", "hash")

    def reply(messages: Sequence[Message]) -> Any:
        said = messages[0].content
        if "questions that an invented person asks" in said:
            return {"queries": QUERIES}
        if "Decide which facts" in said:
            return {a: a != "gender" for a in SCENARIO["profile"]}
        if "test case for chat assistants" in said:
            written = {"title": "A winter", "domain": "Life", "query": "What do I pack?", "background": "They wait."}
            return {**SCENARIO["profile"], **written}
        if "are to be published" in said:
            return {"parts": []}
        return "ok"

    scripted = ScriptedChatModel(reply)
    monkeypatch.setattr(wiring, "connect", lambda *args, **kwargs: scripted)
    return scripted


class TestGenerateOffline:
    def test_profiles_with_marginals_repeatably(self, cli: Cli, tmp_path: Path) -> None:
        first = cli("scenarios", "generate", "--profiles", "50", "--seed", "3", "--out", "a.jsonl")
        assert first.code == 0
        assert "emotional_state" in first.out
        assert "Tendency" in first.out
        cli("scenarios", "generate", "--profiles", "50", "--seed", "3", "--out", "b.jsonl", "--json")
        cli("scenarios", "generate", "--profiles", "50", "--seed", "4", "--out", "c.jsonl", "--json")
        a, b, c = ((tmp_path / f"{n}.jsonl").read_bytes() for n in "abc")
        assert a == b != c
        assert len(jsonl(tmp_path / "a.jsonl")) == 50

    def test_json_has_marginals_and_tendencies(self, cli: Cli) -> None:
        record = cli(
            *("scenarios", "generate", "--profiles", "14", "--domain", "health", "--out", "a.jsonl", "--json")
        ).json
        assert record["profiles"] == 14
        assert record["marginals"]["domain"] == {"Health": 1.0}
        assert record["tendencies"][0]["holds"] is None

    def test_what_it_refuses(self, cli: Cli, tmp_path: Path) -> None:
        (tmp_path / "mine.jsonl").write_text("mine")
        generate = ("scenarios", "generate", "--profiles", "5")
        one_line(cli(*generate, "--out", "mine.jsonl"), 2, "mine.jsonl", "exists")
        one_line(cli(*generate, "--out", "a.csv"), 2, "a.csv", "JSON lines")
        one_line(cli(*generate, "--out", "a.jsonl", "--domain", "helth"), 2, "'Health'")
        one_line(cli(*generate, "--out", "a.jsonl", "--sampled"), 2, "--model")
        one_line(cli(*generate, "--out", "a.jsonl", "--tables", "no.yaml"), 2, "no.yaml", "no such file")
        one_line(cli(*generate, "--out", "mine.jsonl/a.jsonl"), 2, "mine.jsonl")
        assert cli("scenarios", "generate", "--profiles", "0", "--out", "a.jsonl").code == 2
        assert "1000000" in cli("scenarios", "generate", "--profiles", "9" * 20, "--out", "a.jsonl").err
        assert [p.name for p in tmp_path.iterdir()] == ["mine.jsonl"]
        assert (tmp_path / "mine.jsonl").read_text() == "mine"


class TestGenerateWithAModel:
    ARGS = (
        "--model",
        "openai:x",
        "--queries",
        "2",
        "--titles",
        "0",
        "--sampled",
        "--profiles",
        "2",
        "--concurrency",
        "1",
    )

    def test_scenarios_reasons_and_going_on(
        self, cli: Cli, tmp_path: Path, model: ScriptedChatModel, pack: Any
    ) -> None:
        first = cli("scenarios", "generate", *self.ARGS, "--out", "a.jsonl")
        assert first.code == 0, first.err
        assert "4 scenarios of 2 profiles written to a.jsonl." in first.out
        assert "Rejected: near_duplicate 2" in first.out
        assert len(load_scenarios(tmp_path / "a.jsonl", pack)) == 4
        calls = len(model.calls)
        again = cli("scenarios", "generate", *self.ARGS, "--out", "a.jsonl", "--json")
        assert again.json["scenarios"] == 4
        assert len(model.calls) == calls
        one_line(
            cli("scenarios", "generate", *self.ARGS, "--out", "a.jsonl", "--seed", "9"), 2, "other settings", "seed"
        )

    def test_profiles_from_a_file(self, cli: Cli, tmp_path: Path, model: ScriptedChatModel, pack: Any) -> None:
        cli("scenarios", "generate", "--profiles", "3", "--out", "people.jsonl", "--json")
        args = ("--model", "openai:x", "--queries", "1", "--from", "people.jsonl", "--out", "a.csv", "--json")
        assert cli("scenarios", "generate", *args).json["profiles"] == 3
        found = load_scenarios(tmp_path / "a.csv", pack)
        assert [s.id for s in found] == [f"profile-0000{n}-01" for n in (1, 2, 3)]
        args = ("--model", "openai:x", "--from", "people.jsonl", "--out", "b.jsonl")
        one_line(cli("scenarios", "generate", *args, "--domain", "Health"), 2, "no profiles of Health")

    def test_a_profile_that_breaks_a_rule_is_refused_before_any_call(
        self, cli: Cli, tmp_path: Path, model: ScriptedChatModel
    ) -> None:
        cli("scenarios", "generate", "--profiles", "1", "--out", "people.jsonl", "--json")
        [draft] = jsonl(tmp_path / "people.jsonl")
        draft["profile"] |= {"age": "18-24", "education_level": "PhD"}
        (tmp_path / "people.jsonl").write_text("\n" + json.dumps(draft) + "\n")
        args = ("--model", "openai:x", "--from", "people.jsonl", "--out", "a.jsonl")
        one_line(cli("scenarios", "generate", *args), 2, "line 2", "no_phd_before_25")
        assert model.calls == []

    def test_an_unreachable_model_leaves_nothing(
        self, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def gone(messages: Sequence[Message]) -> Any:
            raise ModelUnreachable("openai:x", "nothing listens there")

        monkeypatch.setattr(wiring, "connect", lambda *args, **kwargs: ScriptedChatModel(gone))
        one_line(cli("scenarios", "generate", *self.ARGS, "--out", "a.jsonl"), 3, "nothing listens there")
        assert list(tmp_path.iterdir()) == []

    def test_an_interrupt_says_how_to_go_on(
        self, cli: Cli, tmp_path: Path, model: ScriptedChatModel, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import askfirst.apps.scenario_making as making

        def interrupted(coroutine: Any) -> Any:
            coroutine.close()
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(making, "run_sync", interrupted)
            outcome = cli("scenarios", "generate", *self.ARGS, "--out", "a.jsonl")
        assert outcome.code == 130
        assert "Run the same command to continue" in outcome.err
        assert not (tmp_path / "a.jsonl").exists()
        assert cli("scenarios", "generate", *self.ARGS, "--out", "a.jsonl").code == 0

    def test_what_is_missing_is_exit_code_3(
        self, cli: Cli, tmp_path: Path, model: ScriptedChatModel, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        empty = ScriptedChatModel(
            lambda messages: {"queries": []} if "invented person" in messages[0].content else "ok"
        )
        monkeypatch.setattr(wiring, "connect", lambda *args, **kwargs: empty)
        outcome = cli("scenarios", "generate", *self.ARGS, "--out", "a.jsonl")
        assert outcome.code == 3
        assert "2 are missing; run the same command to try them again" in outcome.err
        assert "0.0%" not in outcome.out
        assert cli("scenarios", "generate", *self.ARGS, "--out", "a.jsonl", "--json").json["marginals"] == {}


class TestPairs:
    def test_counterfactuals_and_matched(self, cli: Cli, tmp_path: Path) -> None:
        args = ("scenarios", "pairs", "penguin_mini", "--limit", "10")
        record = cli(*args, "--attribute", "age", "--out", "a.jsonl", "--json").json
        rows = jsonl(tmp_path / "a.jsonl")
        assert len(rows) == 2 * record["pairs"]
        assert record["pairs"] + sum(record["skipped"].values()) == 10
        matched = cli(*args, "--kind", "matched", "--out", "b.csv")
        assert matched.code == 0
        assert "pairs written to b.csv" in matched.out

    def test_what_it_refuses(self, cli: Cli, tmp_path: Path) -> None:
        args = ("scenarios", "pairs", "penguin_mini")
        one_line(cli(*args, "--kind", "mached", "--out", "a.jsonl"), 2, "'matched'")
        one_line(cli(*args, "--attribute", "agee", "--out", "a.jsonl"), 2, "'age'")
        one_line(cli(*args, "--kind", "matched", "--attribute", "age", "--out", "a.jsonl"), 2, "--attribute")
        one_line(cli("scenarios", "pairs", "nowhere.jsonl", "--out", "a.jsonl"), 2, "nowhere.jsonl")
        assert list(tmp_path.iterdir()) == []


class TestExtract:
    def posts(self, folder: Path, *records: Any) -> Path:
        file = folder / "posts.jsonl"
        file.write_text("".join(json.dumps(r) + "\n" for r in records))
        return file

    ARGS = ("--model", "openai:x", "--out", "a.jsonl")

    def test_pass_rate_and_scenarios(self, cli: Cli, tmp_path: Path, model: ScriptedChatModel, pack: Any) -> None:
        self.posts(tmp_path, {"text": POST}, {"text": POST})
        outcome = cli("scenarios", "extract", "posts.jsonl", *self.ARGS)
        assert outcome.code == 0, outcome.err
        assert "1 of 1 posts passed (100.0%)" in outcome.out
        assert "1 posts repeat another" in outcome.err
        [scenario] = load_scenarios(tmp_path / "a.jsonl", pack)
        assert scenario.query == "What do I pack?"
        assert POST not in "".join(p.read_text() for p in tmp_path.iterdir() if p.name != "posts.jsonl")
        again = cli("scenarios", "extract", "posts.jsonl", *self.ARGS, "--json").json
        assert (again["pass_rate"], again["repeated"]) == (1.0, 1)

    def test_keep_source_writes_a_file_apart(self, cli: Cli, tmp_path: Path, model: ScriptedChatModel) -> None:
        self.posts(tmp_path, {"text": POST})
        assert cli("scenarios", "extract", "posts.jsonl", *self.ARGS, "--keep-source").code == 0
        [kept] = jsonl(tmp_path / "a.jsonl.sources")
        [scenario] = jsonl(tmp_path / "a.jsonl")
        assert kept == {"id": scenario["id"], "text": POST}

    def test_lines_that_hold_no_post_are_told_and_passed_over(
        self, cli: Cli, tmp_path: Path, model: ScriptedChatModel
    ) -> None:
        file = self.posts(tmp_path, {"text": ""}, {"text": POST}, {"title": "Only a title", "domain": "Lief"})
        with file.open("a") as more:
            more.write("{broken\n")
        outcome = cli("scenarios", "extract", "posts.jsonl", *self.ARGS)
        assert outcome.code == 0, outcome.err
        assert "1 of 1 posts passed" in outcome.out
        for part in ("line 1, field 'text'", "line 3, field 'text'", "line 3, field 'domain'", "line 4: is not valid"):
            assert outcome.err.count(part) == 1
        assert "3 lines hold no post" in outcome.err
        assert cli("scenarios", "extract", "posts.jsonl", *self.ARGS, "--json").json["unread"] == 3

    def test_what_it_refuses_before_any_call(self, cli: Cli, tmp_path: Path, model: ScriptedChatModel) -> None:
        self.posts(tmp_path, {"text": POST})
        extract = ("scenarios", "extract", "posts.jsonl")
        one_line(cli(*extract, "--out", "a.jsonl"), 2, "needs a model")
        one_line(cli(*extract, *self.ARGS, "--min-attributes", "11"), 2, "11")
        one_line(cli(*extract, "--model", "openai:x", "--out", "a.txt"), 2, "a.txt")
        self.posts(tmp_path)
        one_line(cli(*extract, *self.ARGS), 2, "holds no posts")
        assert model.calls == []
        assert [p.name for p in tmp_path.iterdir()] == ["posts.jsonl"]


class TestFiles:
    def test_validate_tells_every_problem(self, cli: Cli, write_scenarios: Write) -> None:
        data = write_scenarios({}, {"domain": "Lief", "risk": "huge"}, {"query": ""})
        outcome = cli("scenarios", "validate", data)
        assert outcome.code == 2
        problems = outcome.out.splitlines()[:3]
        assert [line.partition(": ")[0].rpartition("data.jsonl, ")[2] for line in problems] == [
            "line 2, field 'domain'",
            "line 2, field 'risk'",
            "line 3, field 'query'",
        ]
        assert "1 scenarios without a problem; 3 problems found." in outcome.out
        record = cli("scenarios", "validate", data, "--json")
        assert record.code == 2
        assert [p["line"] for p in record.json["problems"]] == [2, 2, 3]
        assert record.json["ok"] is False

    def test_validate_a_good_file(self, cli: Cli, write_scenarios: Write) -> None:
        outcome = cli("scenarios", "validate", write_scenarios({}, {}))
        assert outcome.code == 0
        assert "2 scenarios without a problem; no problem found." in outcome.out
        assert "domain: Life 2" in outcome.out

    def test_validate_strange_field_names(self, cli: Cli, tmp_path: Path) -> None:
        (tmp_path / "a.jsonl").write_text('{"id": "a", "\\ud800\\u0000\\n": 1, "domain": "\\udfff"}\n')
        for json_too in ((), ("--json",)):
            outcome = cli("scenarios", "validate", "a.jsonl", *json_too)
            assert outcome.code == 2
            outcome.out.encode()

    def test_validate_profiles_and_constraints(self, cli: Cli, tmp_path: Path, write_scenarios: Write) -> None:
        cli("scenarios", "generate", "--profiles", "20", "--out", "p.jsonl", "--json")
        assert "20 profiles without a problem" in cli("scenarios", "validate", "p.jsonl").out
        broken = {**SCENARIO["profile"], "age": "19", "education_level": "PhD"}
        data = write_scenarios({"profile": broken})
        assert cli("scenarios", "validate", data).code == 0
        outcome = cli("scenarios", "validate", data, "--constraints")
        assert outcome.code == 2
        assert "no_phd_before_25" in outcome.out

    def test_validate_a_missing_file(self, cli: Cli) -> None:
        one_line(cli("scenarios", "validate", "nowhere.jsonl"), 2, "nowhere.jsonl", "no such file")

    def test_convert_there_and_back(self, cli: Cli, tmp_path: Path, pack: Any) -> None:
        assert cli("scenarios", "convert", "penguin_mini", "--out", "a.csv").code == 0
        assert cli("scenarios", "convert", "a.csv", "--out", "b.jsonl").code == 0
        public = cli("scenarios", "convert", "b.jsonl", "--to", "public", "--out", "c")
        assert public.err == ""
        record = cli("scenarios", "convert", "c", "--to", "published", "--out", "d", "--json").json
        assert record["scenarios"] == 140
        first, last = load_scenarios(tmp_path / "b.jsonl", pack), load_scenarios(tmp_path / "d", pack)
        assert sorted(first, key=lambda s: s.id) == sorted(last, key=lambda s: s.id)

    def test_convert_what_it_refuses(self, cli: Cli, tmp_path: Path, write_scenarios: Write) -> None:
        data = write_scenarios({}, {"domain": "Lief"})
        one_line(cli("scenarios", "convert", data, "--out", "a.csv"), 2, "line 2", "'Life'")
        one_line(cli("scenarios", "convert", data, "--out", "a"), 2, "the format is not clear")
        one_line(cli("scenarios", "convert", data, "--out", "a", "--to", "publik"), 2, "'public'")
        one_line(cli("scenarios", "convert", data, "--out", data), 2, "exists")
        assert [p.name for p in tmp_path.iterdir()] == ["data.jsonl"]

    def test_sample_by_domain(self, cli: Cli, tmp_path: Path) -> None:
        args = ("scenarios", "sample", "penguin_mini", "--by", "domain", "-n", "2", "--seed", "5")
        assert cli(*args, "--out", "a.jsonl", "--json").json["groups"] == dict.fromkeys(
            ["Relationship", "Career", "Financial", "Social", "Health", "Life", "Education"], 2
        )
        cli(*args, "--out", "b.jsonl")
        assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
        few = cli("scenarios", "sample", "penguin_mini", "--by", "risk", "-n", "200", "--out", "c.jsonl")
        assert "has only" in few.err
        one_line(cli("scenarios", "sample", "penguin_mini", "--by", "domian", "--out", "d.jsonl"), 2, "'domain'")


def test_help_is_quick_to_import(cli: Cli) -> None:
    assert "extract" in cli("scenarios", "--help").out


class TestValidate:
    def test_the_packaged_scenarios_by_name(self, cli: Cli) -> None:
        outcome = cli("scenarios", "validate", "penguin_mini")
        assert outcome.code == 0
        assert outcome.out.startswith("140 scenarios without a problem")

    def test_warnings_do_not_change_the_exit_code(self, cli: Cli, tmp_path: Path) -> None:
        (tmp_path / "a.jsonl").write_text(json.dumps({**SCENARIO, "profile": {"gender": 5}}) + "\n")
        outcome = cli("scenarios", "validate", "a.jsonl")
        assert outcome.code == 0
        assert "warning: a.jsonl, line 1, field 'profile.gender': is a number" in outcome.out
        record = cli("scenarios", "validate", "a.jsonl", "--json").json
        assert (record["ok"], [w["field"] for w in record["warnings"]]) == (True, ["profile.gender"])

    def test_doubled_keys_and_numbers_that_are_none(self, cli: Cli, tmp_path: Path) -> None:
        line = json.dumps(SCENARIO)
        (tmp_path / "a.jsonl").write_text(line[:-1] + ', "id": "other"}\n' + line.replace('"45"', "1e400") + "\n")
        outcome = cli("scenarios", "validate", "a.jsonl")
        assert outcome.code == 2
        assert "line 1, field 'id': appears twice" in outcome.out
        assert "line 2, field 'profile.age': is not a finite number" in outcome.out


def test_a_polite_kill_leaves_nothing_half_written(tmp_path: Path) -> None:
    command = (sys.executable, "-m", "askfirst.apps.cli.main", "scenarios", "generate", "--profiles", "1000000")
    with subprocess.Popen([*command, "--out", "a.jsonl"], cwd=tmp_path, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 60
        while not list(tmp_path.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.terminate()
        assert process.wait(30) == 143
    assert list(tmp_path.iterdir()) == []
