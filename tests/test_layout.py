"""Rules of the tree that no linter knows."""

from __future__ import annotations

import ast
import graphlib
from pathlib import Path

from tools import architecture

ROOT = Path(__file__).parents[1]
ROOMS = architecture.packages()
MODULES = architecture.modules()
FOLDERS = sorted({name.split(".")[0] for name in ROOMS})
MOST_MODULES = 15  # of one folder; a dozen is the aim, and the command line has one for each command


def absolute_imports(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.append(node.module or "")
    return found


def test_the_distribution_has_every_folder_with_code() -> None:
    on_disk = {".".join(p.parent.relative_to(ROOT).parts) for f in FOLDERS for p in (ROOT / f).rglob("*.py")}
    assert sorted(on_disk) == sorted(ROOMS)


def test_no_bare_import_of_a_folder() -> None:
    # From the repository root ``import agents`` would load a second copy of the package.
    files = [*MODULES.values(), *(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]
    bare = {str(p): m for p in files for m in absolute_imports(p) if m.split(".")[0] in FOLDERS}
    assert bare == {}


def test_inside_the_project_imports_are_relative() -> None:
    absolute = {m: i for m, path in MODULES.items() for i in absolute_imports(path) if i.split(".")[0] == "askfirst"}
    assert absolute == {}


def test_there_is_no_root_folder_that_would_hide_the_distribution() -> None:
    assert not (ROOT / "askfirst").exists()


def test_every_package_and_room_says_its_public_api() -> None:
    assert all((ROOT / folder / "py.typed").is_file() for folder in FOLDERS)
    silent = []
    for room in ROOMS:
        tree = ast.parse((ROOT / room.replace(".", "/") / "__init__.py").read_text(encoding="utf-8"))
        public = any(isinstance(n, ast.Assign) and getattr(n.targets[0], "id", "") == "__all__" for n in tree.body)
        if not ast.get_docstring(tree) or not (public or room.startswith("domains.packs") or room == "apps.cli"):
            silent.append(room)
    assert silent == []


def test_packages_and_rooms_import_each_other_through_their_public_face() -> None:
    past_it = []
    for each in architecture.imports():
        own, home = architecture.room_of(each.module), architecture.room_of(each.of)
        if each.of not in ROOMS and home != own and not own.startswith(f"{home}."):
            past_it.append(f"{each.module}:{each.line} imports {each.of}")
    assert past_it == []


def test_no_circle_of_rooms_or_modules() -> None:
    rooms = {r: set(t) for r, t in architecture.arrows({r for r in ROOMS if r.count(".")}, 3).items()}
    graphlib.TopologicalSorter(rooms).prepare()
    inside: dict[str, set[str]] = {m: set() for m in MODULES}
    for each in architecture.imports():
        if each.of not in ROOMS and each.module not in ROOMS:
            inside[each.module].add(each.of)
    graphlib.TopologicalSorter(inside).prepare()


def test_no_folder_is_a_warehouse() -> None:
    held = {room: sum(architecture.room_of(m) == room and m != room for m in MODULES) for room in ROOMS}
    assert {room: n for room, n in held.items() if n > MOST_MODULES} == {}


def test_the_pictures_are_drawn_from_the_imports() -> None:
    page = architecture.PAGE.read_text(encoding="utf-8")
    assert architecture.page_with(page) == page, "run: python tools/architecture.py"
