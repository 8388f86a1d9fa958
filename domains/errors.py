"""The errors of the data layer, and the root that the layers above build on.

    AskfirstError                  what the project raises on purpose, but for failures of models
    └── InputError                 what a person gave cannot be used (exit code 2)
        ├── PackError              a domain pack file: names file, key and fix
        ├── DataError              a data file: names file, line and field
        └── UnknownNameError       an attribute, domain, pack ... that does not exist, with the nearest name

The ``models`` package has a tree of its own (``ModelError``): the two layers do not import each other, so who wants all
that the project raises on purpose catches both.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path

__all__ = ["AskfirstError", "DataError", "InputError", "PackError", "UnknownNameError"]


class AskfirstError(Exception):
    """Root of the errors that the project raises on purpose, outside of ``models``. ``str(error)`` is one line."""


class InputError(AskfirstError):
    """Something that a person gave (a file, an option, a value) cannot be used."""


class PackError(InputError):
    """A domain pack cannot be loaded.

    Attributes:
        file: the pack file.
        key: dotted path of the entry at fault, such as ``attributes[3].question``.
        problem: what is wrong with it, with the offending value.
        fix: what to do about it.
    """

    def __init__(self, file: str | Path, key: str, problem: str, fix: str) -> None:
        self.file, self.key, self.problem, self.fix = str(file), key, problem, fix
        where = f"{file}: {key}" if key else str(file)
        super().__init__(f"{where}: {problem}; {fix}")


class DataError(InputError):
    """A data file cannot be read.

    Attributes:
        file: the data file.
        line: 1-based line (or record) number, None if the file as a whole is at fault.
        field: the field at fault, None if the record as a whole is.
        problem: what is wrong, with the offending value.
    """

    def __init__(self, file: str | Path, line: int | None, field: str | None, problem: str) -> None:
        self.file, self.line, self.field, self.problem = str(file), line, field, problem
        where = str(file)
        if line is not None:
            where += f", line {line}"
        if field is not None:
            where += f", field {field!r}"
        super().__init__(f"{where}: {problem}")


class UnknownNameError(InputError):
    """A name that is not among the known ones.

    Attributes:
        kind: what it should have been, such as ``"attribute"``.
        name: the name that was given.
        known: the names that exist.
        nearest: the closest known name, or None.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], where: str = "") -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        lowered = {k.casefold(): k for k in self.known}
        close = difflib.get_close_matches(name.casefold(), lowered, n=1, cutoff=0.5)
        self.nearest = lowered[close[0]] if close else None
        hint = f"did you mean {self.nearest!r}?" if self.nearest else f"known: {', '.join(self.known) or 'none'}"
        super().__init__(f"{where + ': ' if where else ''}unknown {kind} {name!r}; {hint}")
