"""Find domain packs by name: the shipped one and those that other distributions register.

A distribution registers a pack under the entry-point group ``askfirst.packs``; the entry point names a Python package
that holds ``pack.yaml`` and ``resources.yaml``.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from .errors import PackError, UnknownNameError
from .pack import DomainPack, load_pack

__all__ = ["PACK_GROUP", "get_pack", "pack_file", "pack_names", "pack_source"]

PACK_GROUP = "askfirst.packs"


def pack_names() -> tuple[str, ...]:
    """Names of the packs that are installed, sorted."""
    return tuple(sorted(_entries()))


def get_pack(name_or_path: str | Path = "penguin") -> DomainPack:
    """The pack with this name, or the one in this folder or file.

    Raises:
        UnknownNameError: no pack of that name is installed and no such path exists.
        PackError: the pack's files cannot be used.
    """
    entry = _entries().get(name_or_path) if isinstance(name_or_path, str) else None
    return _installed(entry) if entry else load_pack(pack_source(name_or_path))


def pack_source(name_or_path: str | Path) -> Path:
    """Where the files of a pack are that ``get_pack`` would load, readable or not: a folder, or a ``pack.yaml``.

    Raises:
        UnknownNameError: no pack of that name is installed and no such path exists.
        PackError: the package of an installed pack cannot be imported.
    """
    entries = _entries()
    if isinstance(name_or_path, str) and name_or_path in entries:
        return _folder(entries[name_or_path])
    path = Path(name_or_path)
    if not path.exists():
        raise UnknownNameError("pack", str(name_or_path), entries)
    return path


def pack_file(name_or_path: str | Path, file: str) -> Path | None:
    """A further file of a pack, such as ``tables.yaml``, where it stands beside its ``pack.yaml``; None where not.

    Takes what ``get_pack`` takes.
    """
    entry = _entries().get(str(name_or_path))
    folder = _folder(entry) if entry else Path(name_or_path)
    found = (folder if folder.is_dir() else folder.parent) / file
    return found if found.is_file() else None


def _entries() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=PACK_GROUP)}


@cache
def _installed(entry: EntryPoint) -> DomainPack:
    return load_pack(_folder(entry))


def _folder(entry: EntryPoint) -> Path:
    try:
        module = import_module(entry.value)
    except ImportError as error:
        raise PackError(entry.value, "", f"cannot be imported ({error})", "reinstall the distribution") from error
    if not module.__file__:
        raise PackError(entry.value, "", "is not a package with files", "name a package that holds pack.yaml")
    return Path(module.__file__).parent
