"""The one reader of YAML files that people write: packs, crisis resources, behaviours, sampling tables."""

from __future__ import annotations

from collections.abc import Hashable
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import yaml

__all__ = ["YamlProblem", "parse_yaml", "read_yaml_file"]

_DEEPEST = 40
_LONGEST_NUMBER = 60


class YamlProblem(Exception):
    """A YAML file that cannot be used.

    Attributes:
        line: 1-based, None if the file as a whole is at fault.
        problem: what is wrong.
        fix: what to do about it.
        missing: whether there is no such file.
    """

    def __init__(self, line: int | None, problem: str, fix: str, *, missing: bool = False) -> None:
        self.line, self.problem, self.fix, self.missing = line, problem, fix, missing
        super().__init__(f"{f'line {line}: ' if line else ''}{problem}; {fix}")

    @property
    def where(self) -> str:
        """The line as a key: "line 3", or empty."""
        return f"line {self.line}" if self.line else ""


def read_yaml_file(file: Path | Traversable) -> Any:
    """What ``file`` holds, in time and memory that grow with its size alone. Raises ``YamlProblem``."""
    try:
        raw = file.read_bytes()
    except FileNotFoundError as error:
        raise YamlProblem(None, "no such file", "check the path", missing=True) from error
    except OSError as error:
        problem = f"cannot be read ({error.strerror or error})"
        raise YamlProblem(None, problem, "check path and permissions") from error
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise YamlProblem(line, f"is not UTF-8 (byte 0x{raw[error.start]:02x})", "save it as UTF-8") from error
    return parse_yaml(text)


def parse_yaml(text: str) -> Any:
    """The one document in ``text``, of plain values: mappings, lists, texts, numbers, dates, true, false and null.

    Stricter than YAML where a file could mean something other than it seems to, or take for ever: a key that stands
    twice, anchors and aliases, tags (``!!...``), nesting deeper than 40 and very long numbers are refused.

    Raises:
        YamlProblem: with the line.
    """
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise YamlProblem(
            line, f"contains a character that YAML forbids (U+{error.character:04X})", "remove it"
        ) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlProblem(
            mark.line + 1 if mark else None, "is not valid YAML", "check indentation and quotes"
        ) from error


class _Loader(yaml.SafeLoader):
    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise YamlProblem(line, "anchors and aliases (&, *) are not supported", "write it out, or quote the text")
        if getattr(event, "tag", None) is not None:
            raise YamlProblem(line, "tags (!) are not supported", "remove it, or quote the text")
        if self._depth >= _DEEPEST:
            raise YamlProblem(line, f"is nested deeper than {_DEEPEST} levels", "check brackets and quotes")
        self._depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        number = node.tag in ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
        if number and len(node.value) > _LONGEST_NUMBER:
            raise YamlProblem(node.start_mark.line + 1, "is a number that is too long", "quote it if it is text")
        try:
            return super().construct_object(node, deep=deep)
        except ValueError as error:  # what looks like a date or a number, and is none
            fix = "correct it, or quote it if it is text"
            raise YamlProblem(node.start_mark.line + 1, f"{node.value!r} is not a possible value", fix) from error

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: dict[Hashable, int] = {}
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            line = key_node.start_mark.line + 1
            if isinstance(key, Hashable) and key in seen:
                raise YamlProblem(line, f"the key {key!r} already appears in line {seen[key]}", "remove one of them")
            if isinstance(key, Hashable):
                seen[key] = line
        return super().construct_mapping(node, deep=deep)
