"""Rules of the tree that no linter knows."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("agents", "apps", "domains", "evals", "graphs", "models", "simulators", "vectorstore")


def sources(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def imports(path: Path) -> list[tuple[str, int]]:
    """(module, level) of every import in ``path``."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(alias.name, 0) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append((node.module or "", node.level))
    return found


@pytest.mark.parametrize("path", sources(*FOLDERS, "tests", "benchmarks"), ids=lambda p: str(p.relative_to(ROOT)))
def test_no_bare_import_of_a_folder(path: Path) -> None:
    # From the repository root ``import agents`` would load a second copy of the package.
    bare = [m for m, level in imports(path) if level == 0 and m.split(".")[0] in FOLDERS]
    assert bare == []


@pytest.mark.parametrize("path", sources(*FOLDERS), ids=lambda p: str(p.relative_to(ROOT)))
def test_inside_the_project_imports_are_relative(path: Path) -> None:
    assert [m for m, level in imports(path) if level == 0 and m.split(".")[0] == "askfirst"] == []


def test_there_is_no_root_folder_that_would_hide_the_distribution() -> None:
    assert not (ROOT / "askfirst").exists()


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_package_is_typed_and_says_its_public_api(folder: str) -> None:
    assert (ROOT / folder / "py.typed").is_file()
    tree = ast.parse((ROOT / folder / "__init__.py").read_text(encoding="utf-8"))
    assert ast.get_docstring(tree)
    assert any(isinstance(n, ast.Assign) and getattr(n.targets[0], "id", "") == "__all__" for n in tree.body)
