"""The wheel, built and installed in a clean environment next to ``openai-agents``, whose package is also ``agents``."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest
import typer

ROOT = Path(__file__).parents[2]
FOLDERS = (
    *("agents", "apps", "domains", "evals", "graphs"),
    *("language", "models", "simulators", "testing", "vectorstore"),
)
# What the light parts import. torch, chromadb and langgraph are left out: this test is about names and files.
LIGHT = (
    "filelock",
    "httpx",
    "jinja2",
    "numpy",
    "pydantic",
    "pydantic-settings",
    "pyyaml",
    "rich",
    "tenacity",
    "typer",
    "tzdata",
)

pytestmark = [pytest.mark.packaging, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", str(out), str(ROOT))
    return out


def run(*command: str, cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout


def tracked_files() -> set[str]:
    """Files that the distribution must hold, as git sees them (an unpacked sdist has no git and is not tested)."""
    listed = run("git", "ls-files", "-co", "--exclude-standard", *FOLDERS, cwd=ROOT).splitlines()
    return {"__main__.py", *(name for name in listed if (ROOT / name).is_file())}


def test_wheel_and_sdist_hold_every_file_of_the_packages(built: Path) -> None:
    wheel = zipfile.ZipFile(next(built.glob("*.whl"))).namelist()
    in_wheel = {name.removeprefix("askfirst/") for name in wheel if name.startswith("askfirst/")}
    assert in_wheel == tracked_files()
    assert not [name for name in wheel if not name.startswith(("askfirst/", "askfirst-"))]
    with tarfile.open(next(built.glob("*.tar.gz"))) as sdist:
        in_sdist = {name.split("/", 1)[1] for name in sdist.getnames() if "/" in name}
    assert tracked_files() <= in_sdist


def test_the_wheel_lives_next_to_openai_agents(built: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    python = str(tmp_path / "env" / "bin" / "python")
    pip = (
        python,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "install",
        "--quiet",
        "-c",
        str(ROOT / "constraints.txt"),
    )
    run(*pip, "openai-agents", *LIGHT)
    run(*pip, "--no-deps", str(next(built.glob("*.whl"))))
    code = (
        "import agents, askfirst.agents, askfirst.domains as d, askfirst.simulators as s\n"
        "from pathlib import Path\n"
        "assert hasattr(agents, 'Runner') and Path(agents.__file__).parent.name == 'agents'\n"
        "assert Path(askfirst.agents.__file__).parent.parent.name == 'askfirst'\n"
        "assert agents.__file__ != askfirst.agents.__file__\n"
        "print(len(s.packaged_scenarios(d.get_pack('penguin'))))\n"
    )
    assert run(python, "-c", code, cwd=tmp_path).strip() == "140"
    help_text = run(str(tmp_path / "env" / "bin" / "askfirst"), "--help", cwd=tmp_path)
    assert "demo" in help_text
    assert run(python, "-m", "askfirst", "--help", cwd=tmp_path) == help_text


def test_an_editable_install_runs_as_a_module(tmp_path: Path) -> None:
    """Built as pip would, from a copy, and put where it would: no network is needed."""
    source, site = tmp_path / "source", tmp_path / "site"
    for name in ("pyproject.toml", "README.md", "LICENSE", *sorted(tracked_files())):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, source / name)
    build = "import setuptools.build_meta as backend, sys; backend.build_editable(sys.argv[1])"
    run(sys.executable, "-c", build, str(tmp_path), cwd=source)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        wheel.extractall(site)
    # Without the environment's own askfirst: its packages one by one, and no .pth file but the new one.
    code = (
        "import runpy, site, sys\n"
        f"site.addsitedir({str(site)!r})\n"
        "sys.argv = ['askfirst', '--version']\n"
        "runpy.run_module('askfirst', run_name='__main__', alter_sys=True)\n"
    )
    installed = Path(typer.__file__).parents[1]
    others = tmp_path / "others"
    others.mkdir()
    for entry in installed.iterdir():
        if "askfirst" not in entry.name:
            (others / entry.name).symlink_to(entry)
    bare = (sys.executable, "-IS", "-c", f"import sys; sys.path.append({str(others)!r})\n{code}")
    assert run(*bare, cwd=tmp_path).startswith("askfirst ")
