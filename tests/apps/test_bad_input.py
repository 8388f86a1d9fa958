"""Each mistake: one clear line on stderr, the right exit code, no traceback, nothing half-written."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from askfirst.vectorstore import ChromaPathStore, HashEmbedder, PlannedPath

from tests.apps.conftest import SCENARIO, Outcome

Cli = Callable[..., Outcome]
Write = Callable[..., Path]
EVAL = ("--condition", "context_free", "--out", "run")


def assert_one_line(outcome: Outcome, code: int, *parts: str) -> None:
    assert outcome.code == code, outcome.err
    assert outcome.out == ""
    lines = outcome.err.strip().splitlines()
    assert len(lines) == 1, outcome.err
    assert "Traceback" not in outcome.err
    for part in parts:
        assert part in lines[0]


def test_missing_file(cli: Cli, tmp_path: Path) -> None:
    assert_one_line(cli("eval", "nowhere.jsonl", *EVAL), 2, "nowhere.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_malformed_line(cli: Cli, write_scenarios: Write, tmp_path: Path) -> None:
    data = write_scenarios({}, {})
    data.write_text(data.read_text() + '{"id": "s3", "query"\n')
    assert_one_line(cli("eval", data, *EVAL), 2, "data.jsonl", "line 3")
    assert not (tmp_path / "run").exists()


def test_unknown_domain(cli: Cli, write_scenarios: Write) -> None:
    assert_one_line(cli("eval", write_scenarios({}, {"domain": "Finacial"}), *EVAL), 2, "line 2", "'Financial'")


def test_unknown_attribute(cli: Cli, write_scenarios: Write) -> None:
    data = write_scenarios({"profile": {**SCENARIO["profile"], "maritl_status": "Single"}})
    assert_one_line(cli("eval", data, *EVAL), 2, "line 1", "maritl_status", "'marital_status'")


def test_unknown_condition(cli: Cli, write_scenarios: Write) -> None:
    outcome = cli("eval", write_scenarios(), "--condition", "contxt_free", "--out", "run")
    assert_one_line(outcome, 2, "'contxt_free'", "'context_free'")


def test_a_profile_that_cannot_serve_the_condition(cli: Cli, write_scenarios: Write, tmp_path: Path) -> None:
    data = write_scenarios({}, {"profile": {"age": "45", "gender": "N/A"}})
    assert_one_line(cli("eval", data, "--condition", "static:3", "--out", "run"), 2, "static:3", "s2")
    assert not (tmp_path / "run").exists()


def test_a_folder_that_cannot_be_written(cli: Cli, write_scenarios: Write, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    outcome = cli("eval", write_scenarios(), "--condition", "context_free", "--out", "file/run")
    assert_one_line(outcome, 2, "file/run")
    assert (tmp_path / "file").read_text() == "in the way"


def test_an_output_that_exists_is_left_alone(cli: Cli, write_scenarios: Write, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "mine.txt").write_text("keep")
    assert_one_line(cli("eval", write_scenarios(), *EVAL), 2, "run", "exists")
    assert [p.name for p in (tmp_path / "run").iterdir()] == ["mine.txt"]
    assert_one_line(cli("demo", "--out", "run"), 2, "run", "exists")


def test_a_store_of_another_embedding_model(cli: Cli, write_scenarios: Write, tmp_path: Path) -> None:
    path = PlannedPath(
        query="Should I go?", domain="Life", path=("age",), score=3, evaluations=1,
        planner="static", model="offline", judge="offline", pack="penguin", pack_version="1.0",
    )  # fmt: skip
    with ChromaPathStore(tmp_path / "paths", HashEmbedder()) as store:
        store.add([path])
    outcome = cli("eval", write_scenarios(), "--condition", "raise", "--out", "run", "--store", "paths")
    assert_one_line(outcome, 2, "all-MiniLM-L6-v2", HashEmbedder().name)
    assert not (tmp_path / "run").exists()


def test_an_unreachable_model(cli: Cli, write_scenarios: Write, tmp_path: Path, unused_url: str) -> None:
    outcome = cli("eval", write_scenarios(), *EVAL, "--model", "openai:any", "--base-url", unused_url)
    assert_one_line(outcome, 3, "openai:any", unused_url)
    assert not (tmp_path / "run").exists()


def test_a_wrong_key(cli: Cli, write_scenarios: Write, tmp_path: Path, refusing_url: str) -> None:
    outcome = cli("eval", write_scenarios(), *EVAL, "--model", "openai:any", "--base-url", refusing_url)
    assert_one_line(outcome, 3, "openai:any", "key")
    assert not (tmp_path / "run").exists()


def test_a_missing_key(cli: Cli, write_scenarios: Write) -> None:
    assert_one_line(cli("eval", write_scenarios(), *EVAL, "--model", "openai:gpt-4o-mini"), 3, "OPENAI_API_KEY")


@pytest.mark.parametrize("spec", ["gpt-4o-mini", "opnai:gpt-4o-mini", "openai:", "ofline"])
def test_a_model_name_that_means_nothing(cli: Cli, write_scenarios: Write, spec: str) -> None:
    assert_one_line(cli("eval", write_scenarios(), *EVAL, "--model", spec), 2, spec)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("eval", "--condition", "raise"), "--resume"),
        (("eval", "penguin_mini", *EVAL, "--budget", "-1"), "--budget"),
        (("eval", "penguin_mini", *EVAL, "--threshold", "9"), "--threshold"),
        (("eval", "penguin_mini", *EVAL, "--abstention", "guess"), "--abstention"),
        (("eval", "penguin_mini", *EVAL, "--split", "tset"), "'tset'"),
        (("eval", "penguin_mini", *EVAL, "--country", "GBR"), "--country"),
        (("eval", "--resume", "no-run"), "no-run"),
        (("plan", "penguin_mini", "--planner", "mtcs"), "'mcts'"),
        (("report", "no-run"), "no-run"),
        (("chat", "--thread", "x"), "--checkpoints"),
        (("eval", "penguin_mini", *EVAL, "--pack", "pengiun"), "'penguin'"),
    ],
)
def test_options_that_cannot_be(cli: Cli, tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    assert_one_line(cli(*arguments), 2, said)
    assert list(tmp_path.iterdir()) == []


def test_unknown_option_is_usage(cli: Cli) -> None:
    assert cli("eval", "--no-such-option").code == 2


def test_debug_shows_the_traceback(cli: Cli) -> None:
    from askfirst.apps.cli.main import run

    with pytest.raises(Exception, match="no-run"):
        run(["report", "no-run", "--debug"])


@pytest.fixture
def unused_url() -> str:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"


@pytest.fixture
def refusing_url() -> Iterator[str]:
    """An endpoint that refuses every key, as a real one does."""

    class Refusing(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            body = json.dumps({"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}).encode()
            self.send_response(401)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            return

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    server.shutdown()
    thread.join()
    server.server_close()
