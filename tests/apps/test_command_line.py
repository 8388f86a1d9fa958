"""What holds for every command: help with an example, plain text on a terminal, clear words where it cannot write."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import typer
from askfirst import apps
from askfirst.apps.cli.main import app
from askfirst.apps.cli.terminal import note, out, print_json, say, shown, styled

from tests.apps.conftest import SCENARIO, Outcome
from tests.models.conftest import FakeOpenAI, chat, stream

Cli = Callable[..., Outcome]
Write = Callable[..., Path]
HOSTILE = "Rest \x1b[2J\x1b]0;owned\x07\x1b]52;c;Zm9v\x07well\x9b31m :gemini: [red]now[/red]\r\n\tSleep."
PLAIN = "Rest [2J]0;owned]52;c;Zm9vwell31m :gemini: [red]now[/red]\n\tSleep."
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def commands(group: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command and group, by the words that call it."""
    group = group or typer.main.get_command(app)
    yield path, group
    for name, command in getattr(group, "commands", {}).items():
        yield from commands(command, (*path, name))


ALL = dict(commands())


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_every_help_page_ends_with_an_example_that_parses(cli: Cli, path: tuple[str, ...]) -> None:
    page = cli(*path, "--help").out
    assert "Example" in page
    examples = [line for line in (ALL[path].epilog or "").splitlines() if line.startswith("askfirst ")]
    assert examples
    for line in examples:
        words = shlex.split(line)[1:]
        assert words[: len(path)] == list(path)
        called = max((p for p in ALL if tuple(words[: len(p)]) == p), key=len)
        with ALL[called].make_context(" ".join(called), words[len(called) :]):
            pass


@pytest.mark.parametrize("path", [(), ("scenarios",), ("paths",), ("domains",), ("experiment",)], ids=" ".join)
def test_a_bare_command_prints_its_help(cli: Cli, path: tuple[str, ...]) -> None:
    bare = cli(*path)
    assert (bare.code, bare.err) == (0, "")
    assert bare.out.rstrip() == cli(*path, "--help").out.rstrip()


def test_one_version_everywhere(cli: Cli, tmp_path: Path) -> None:
    expected = version("askfirst")
    assert apps.__version__ == expected
    assert cli("--version").out == f"askfirst {expected}\n"
    run = (sys.executable, "-m", "askfirst", "--version")
    printed = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert printed == f"askfirst {expected}\n"


@pytest.mark.parametrize("command", ["chat", "eval", "demo"])
def test_max_tokens_is_no_limit_of_a_reply(cli: Cli, command: str) -> None:
    refused = cli(command, "--max-tokens", "9")
    assert refused.code == 2
    assert "--reply-tokens" in refused.err


# ---- text that others wrote ------------------------------------------------------------------------------------------


def test_control_characters_are_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(HOSTILE) == PLAIN
    assert shown("caf\u00e9 \u4f60\u597d\n\t\U0001f600") == "caf\u00e9 \u4f60\u597d\n\t\U0001f600"
    say(HOSTILE)
    note(HOSTILE)
    printed = capsys.readouterr()
    assert printed.out == printed.err == PLAIN + "\n"


def test_rich_interprets_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    from rich.table import Table

    table = Table("Name", title=HOSTILE, show_edge=False)
    table.add_row(HOSTILE)
    table.add_row(styled((HOSTILE, "bold")))
    out().print(table)
    out().print(HOSTILE, style="yellow", soft_wrap=True)
    printed = capsys.readouterr().out
    assert not CONTROL.search(printed)
    assert printed.count(":gemini:") == printed.count("[red]") == 4


def test_json_keeps_every_character_and_escapes_controls(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"text": HOSTILE})
    printed = capsys.readouterr().out
    assert not CONTROL.search(printed)
    assert json.loads(printed) == {"text": HOSTILE}


def test_a_models_text_in_chat_is_plain(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    server = FakeOpenAI()
    server.always(lambda body: stream(HOSTILE) if body.get("stream") else chat(HOSTILE))
    monkeypatch.setenv("ASKFIRST_RETRIES", "0")
    said = cli("chat", "Shall I rest?", "--model", "openai:m", "--base-url", server.url, "--budget", "0")
    server.close()
    assert said.code == 0, said.err
    assert ":gemini: [red]now[/red]" in " ".join(said.out.split())
    assert not CONTROL.search(said.out + said.err)


def test_text_of_files_and_options_is_plain(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"id": "\\u001b[2J", "\\u001b]0;x\\u0007": 1}\n', encoding="utf-8")
    for arguments in (
        ("scenarios", "validate", "bad.jsonl"),
        ("domains", "show", "\x1b[2J"),
        ("eval", "penguin_mini", "-c", "\x1b[2J", "--out", "run"),
        ("\x1b[2J",),
        ("doctor", "--model", "openai:gemini\x1b[2J", "--base-url", "http://127.0.0.1:9/v1", "--timeout", "1"),
    ):
        said = cli(*arguments)
        assert said.code in (2, 3)
        assert not CONTROL.search(said.out + said.err), arguments


def test_doctor_shows_names_as_they_are_and_what_it_is_doing(cli: Cli) -> None:
    seen = cli("doctor", "--model", "openai:gemini")
    assert "openai:gemini" in seen.out
    assert "embedding model" in seen.err
    assert cli("doctor", "--json").err == ""


# ---- what cannot be written ------------------------------------------------------------------------------------------


def write_commands(data: Path, into: str) -> dict[str, tuple[str | Path, ...]]:
    """A call of every command that writes a file or a folder, each into the folder ``into``."""
    store = ("--store", "store")
    return {
        "generate": ("scenarios", "generate", "--profiles", "2", "--out", f"{into}/o.jsonl"),
        "pairs": ("scenarios", "pairs", data, "--limit", "1", "--out", f"{into}/o.jsonl"),
        "convert": ("scenarios", "convert", data, "--out", f"{into}/o.csv"),
        "convert to a folder": ("scenarios", "convert", data, "--to", "public", "--out", f"{into}/o"),
        "sample": ("scenarios", "sample", data, "-n", "1", "--out", f"{into}/o.jsonl"),
        "export": ("paths", "export", *store, "--out", f"{into}/o.jsonl"),
        "import": ("paths", "import", "paths.jsonl", "--store", f"{into}/store"),
        "plan": ("plan", data, "--store", f"{into}/store", "--planner", "static"),
        "plan's ledger": ("plan", data, "--store", "other", "--planner", "static", "--rewards", f"{into}/r.sqlite"),
        "eval": ("eval", data, "-c", "context_free", "--out", f"{into}/run"),
        "demo": ("demo", "--limit", "1", "--out", f"{into}/run"),
        "report": ("report", "run", "--out", f"{into}/o.html"),
        "experiment": (
            "experiment",
            "convergence",
            data,
            "--planner",
            "static",
            "--rollouts",
            "5",
            "--out",
            f"{into}/o",
        ),
        "chat": ("chat", "hello", "--checkpoints", f"{into}/c.db"),
    }


@pytest.fixture
def prepared(cli: Cli, write_scenarios: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Scenarios, and what some commands read: a store, its export and a run."""
    monkeypatch.setenv("ASKFIRST_EMBEDDING", "hash")
    data = write_scenarios({"split": None, "profile": {k: SCENARIO["profile"][k] for k in ("age", "gender")}})
    for arguments in (
        ("plan", data, "--store", "store", "--planner", "static"),
        ("paths", "export", "--store", "store", "--out", "paths.jsonl"),
        ("eval", data, "-c", "context_free", "--out", "run"),
    ):
        assert cli(*arguments).code == 0
    return data


def refused(outcome: Outcome, named: str) -> None:
    assert outcome.code in (2, 3), outcome
    lines = outcome.err.strip().splitlines()
    said = lines[-1]
    assert named in said, outcome.err
    assert "Errno" not in outcome.err
    assert ".askfirst-" not in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize("name", write_commands(Path(), ""))
def test_a_file_in_the_place_of_a_folder(cli: Cli, prepared: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    refused(cli(*write_commands(prepared, "file")[name]), "file")
    assert (tmp_path / "file").read_text(encoding="utf-8") == "in the way"


@pytest.mark.parametrize("name", [n for n in write_commands(Path(), "") if n not in ("plan's ledger", "chat")])
def test_a_folder_that_is_read_only(
    cli: Cli, prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """As the system refuses it, whoever runs the tests: root may write everywhere."""
    locked = tmp_path / "locked"
    locked.mkdir()
    real_open, real_mkdir, real_access = os.open, os.mkdir, os.access

    def inside(path: Any) -> bool:
        return isinstance(path, str | Path) and locked in Path(tmp_path, path).parents

    def deny(path: Any) -> None:
        if inside(path):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))

    def opened(path: Any, flags: int, *rest: Any, **more: Any) -> int:
        if flags & 3:
            deny(path)
        return int(real_open(path, flags, *rest, **more))

    def made(path: Any, *rest: Any, **more: Any) -> None:
        deny(path)
        real_mkdir(path, *rest, **more)

    def allowed(path: Any, mode: int, **more: Any) -> bool:
        return bool(real_access(path, mode, **more)) and not (mode & 2 and (inside(path) or Path(path) == locked))

    monkeypatch.setattr("os.open", opened)
    monkeypatch.setattr("os.mkdir", made)
    monkeypatch.setattr("os.access", allowed)
    refused(cli(*write_commands(prepared, "locked")[name]), "locked")
    assert not [left for left in locked.iterdir() if not left.name.endswith(".sqlite")]  # SQLite opens files itself
