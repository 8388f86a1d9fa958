"""Draw the packages and their rooms from the imports, and count them: ``python tools/architecture.py``.

Writes the pictures between the marks of ``docs/architecture.md`` and prints the figures. ``tests/test_layout.py`` keeps
both true.
"""

from __future__ import annotations

import ast
import re
import statistics
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "architecture.md"
Arrows = Mapping[str, set[str]]


class Import(NamedTuple):
    """One import inside the project: ``of`` is a package, a room or a module, by its dotted name."""

    module: str
    of: str
    line: int


@cache
def packages() -> tuple[str, ...]:
    """Every package and room of the distribution by dotted name, as ``pyproject.toml`` lists them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = project["tool"]["setuptools"]["packages"]
    return tuple(name.removeprefix("askfirst.") for name in listed if name != "askfirst")  # which is __main__ alone


@cache
def modules() -> dict[str, Path]:
    """Every module by dotted name; a package stands for its ``__init__``."""
    tops = {name.split(".")[0] for name in packages()}
    files = [path for top in tops for path in (ROOT / top).rglob("*.py")]
    names = {path: ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in files}
    return {name.removesuffix(".__init__"): path for path, name in sorted(names.items())}


@cache
def imports() -> tuple[Import, ...]:
    """Every relative import, also those inside functions and for type checkers."""
    known, found = modules(), []
    for module, path in known.items():
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                above = package.split(".")
                base = ".".join([*above[: len(above) - node.level + 1], *(node.module or "").split(".")]).strip(".")
                for alias in node.names:
                    one = f"{base}.{alias.name}"
                    by_name = one in known and alias.name not in _public(base)
                    found.append(Import(module, one if by_name else base, node.lineno))
    return tuple(found)


@cache
def _public(package: str) -> frozenset[str]:
    """The names in ``__all__`` of a package: a function may have the name of its module."""
    tree = ast.parse(modules()[package].read_text(encoding="utf-8")) if package in modules() else ast.Module([], [])
    lists = [n.value for n in tree.body if isinstance(n, ast.Assign) and getattr(n.targets[0], "id", "") == "__all__"]
    return frozenset(name for each in lists for name in ast.literal_eval(each))


def room_of(module: str) -> str:
    """The package or room in which ``module`` stands."""
    return module if module in packages() else module.rpartition(".")[0]


def arrows(among: set[str], depth: int) -> Arrows:
    """Which of ``among`` imports which, where a room counts for the first ``depth`` parts of its name."""
    found: dict[str, set[str]] = {name: set() for name in sorted(among)}
    for each in imports():
        one, other = (".".join(room_of(m).split(".")[:depth]) for m in (each.module, each.of))
        if one != other and one in among and other in among:
            found[one].add(other)
    return found


def reduced(graph: Arrows) -> Arrows:
    """``graph`` without arrows that a longer way implies."""

    def reach(start: str) -> set[str]:
        seen: set[str] = set()
        todo = list(graph[start])
        while todo:
            if (node := todo.pop()) not in seen:
                seen.add(node)
                todo += graph[node]
        return seen

    return {n: {t for t in graph[n] if not any(t in reach(o) for o in graph[n] - {t})} for n in graph}


def pictures() -> dict[str, str]:
    """Mark -> Mermaid text: the packages, and the rooms of each package that has some."""
    tops = {name.split(".")[0] for name in packages()}
    drawn = {"packages": _mermaid(reduced(arrows(tops, 1)))}
    for top in sorted(tops):
        rooms = {name for name in packages() if name.count(".") and name.split(".")[0] == top}
        if len(rooms) > 1 and top not in ("apps", "domains"):
            drawn[top] = _mermaid(reduced(arrows(rooms, 3)))
    return drawn


def figures() -> str:
    """A table: modules and median lines for each room."""
    lines: dict[str, list[int]] = defaultdict(list)
    for module, path in modules().items():
        if path.name != "__init__.py":
            lines[room_of(module)].append(len(path.read_text(encoding="utf-8").splitlines()))
    rows = [f"| `{room}` | {len(n)} | {statistics.median(n):.0f} | {sum(n)} |" for room, n in sorted(lines.items())]
    every = [n for room in lines.values() for n in room]
    total = f"| all | {len(every)} | {statistics.median(every):.0f} | {sum(every)} |"
    return "\n".join(["| room | modules | median lines | lines |", "|---|---|---|---|", *rows, total])


def page_with(page: str) -> str:
    """``page`` with every picture between its marks drawn anew."""
    for name, picture in pictures().items():
        mark = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        if not mark.search(page):
            raise ValueError(f"docs/architecture.md has no marks for {name!r}")
        page = mark.sub(lambda found, drawn=picture: f"{found[1]}```mermaid\n{drawn}\n```\n{found[2]}", page)
    return page


def _mermaid(graph: Arrows) -> str:
    def name(node: str) -> str:
        return node.replace(".", "_")

    def label(node: str) -> str:
        return node.split(".", 1)[-1]

    nodes = [f'    {name(n)}["{label(n)}"]' for n in sorted(graph)]
    edges = [f"    {name(n)} --> {name(t)}" for n in sorted(graph) for t in sorted(graph[n])]
    return "\n".join(["graph TD", *nodes, *edges])


if __name__ == "__main__":
    PAGE.write_text(page_with(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(figures())
