"""``docs/extend.md``, followed as a newcomer would: its files saved, its commands run."""

from __future__ import annotations

import os
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.apps.conftest import Outcome

PAGE = Path(__file__).parents[2] / "docs" / "extend.md"
_FILE = re.compile(r"^`([\w./]+)`[^\n]*:\n\n```(?:yaml|csv|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_its_files_and_commands_work(
    cli: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASKFIRST_EMBEDDING", "hash")
    page = PAGE.read_text(encoding="utf-8")
    files = dict(_FILE.findall(page))
    assert set(files) == {
        *("moving/pack.yaml", "moving/resources.yaml", "moving/tables.yaml"),
        *("mine.csv", "shy.yaml", "single_best.py"),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    commands = [line for block in _COMMANDS.findall(page) for line in block.splitlines()]
    assert len(commands) == 11
    for command in commands:
        outcome = cli(*shlex.split(command)[1:])
        assert outcome.code == 0, f"{command}\n{outcome.err}"
        assert "hint:" not in outcome.out
    monkeypatch.chdir(tmp_path)
    runpy.run_path("single_best.py")
    assert capsys.readouterr().out.startswith("('age', 'gender') ")
    assert (tmp_path / "shy_run" / "report.html").is_file()
    assert (tmp_path / "report.html").is_file()
    assert len((tmp_path / "counterfactuals.jsonl").read_text("utf-8").splitlines()) == 6


def test_the_shipped_pack_is_copied_by_the_command_as_it_is_printed(
    cli: Callable[..., Outcome], tmp_path: Path
) -> None:
    [command] = re.findall(r"^cp -r .*$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    active = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run(["bash", "-c", command], cwd=tmp_path, env=active, check=True)
    assert cli("domains", "check", "my_pack").code == 0
