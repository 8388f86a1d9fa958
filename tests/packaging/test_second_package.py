"""A pack of another distribution: the example, installed beside askfirst, is found by its entry point."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from askfirst.domains import pack_names

EXAMPLE = Path(__file__).parents[2] / "examples" / "new_parents"
ASKFIRST = (sys.executable, "-m", "askfirst.apps.cli.main")

pytestmark = [pytest.mark.packaging, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example package in it, built from a copy so that the source tree stays clean."""
    source = tmp_path_factory.mktemp("source") / "new_parents"
    shutil.copytree(EXAMPLE, source)
    target = tmp_path_factory.mktemp("target")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet")
    run(*pip, "--no-deps", "--no-build-isolation", "--target", str(target), str(source))
    return target


def run(*command: str, cwd: Path | None = None, path: Path | None = None) -> str:
    env = {**os.environ, **({"PYTHONPATH": str(path)} if path else {})}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout


def test_the_pack_is_found_by_its_entry_point(installed: Path, tmp_path: Path) -> None:
    packs = {
        p["name"]: p
        for p in json.loads(run(*ASKFIRST, "domains", "list", "--json", cwd=tmp_path, path=installed))["packs"]
    }
    assert {"new-parents", "penguin"} <= packs.keys()
    assert packs["new-parents"]["domains"] == ["Sleep", "Feeding", "Work", "Recovery"]
    code = (
        "import askfirst_new_parents as package\n"
        "from askfirst.domains import get_pack\n"
        "print(package.__file__, get_pack('new-parents').name)\n"
    )
    file, name = run(sys.executable, "-c", code, cwd=tmp_path, path=installed).split()
    assert Path(file).is_relative_to(installed)
    assert name == "new-parents"


def test_commands_take_it_by_name(installed: Path, tmp_path: Path) -> None:
    data = str(EXAMPLE / "scenarios.jsonl")
    checked = run(
        *ASKFIRST, "scenarios", "validate", data, "--pack", "new-parents", "--json", cwd=tmp_path, path=installed
    )
    assert json.loads(checked)["ok"] is True


def test_its_sampling_tables_come_along(installed: Path, tmp_path: Path) -> None:
    pack = ("--pack", "new-parents", "--json")
    sampled = run(
        *(*ASKFIRST, "scenarios", "generate", *pack, "--profiles", "20", "--out", "people.jsonl"),
        cwd=tmp_path,
        path=installed,
    )
    assert json.loads(sampled)["profiles"] == 20


@pytest.mark.skipif(
    "new-parents" in pack_names(), reason="the example is installed in this environment, as docs/extend.md shows"
)
def test_without_the_package_the_name_is_unknown(tmp_path: Path) -> None:
    done = subprocess.run(
        [*ASKFIRST, "domains", "show", "new-parents"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "unknown pack 'new-parents'" in done.stderr
