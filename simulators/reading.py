"""Read JSON and JSON-lines files so that every problem can be told with its line."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..domains.errors import DataError

__all__ = ["Place", "read_json_items", "read_json_lines"]

_SPACE = re.compile(r"[\s\ufeff]*")
_UNICODE_BOMS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class Place:
    """Where a record stands."""

    file: Path
    line: int | None = None

    def error(self, field: str | None, problem: str) -> DataError:
        """The error that names this place."""
        return DataError(self.file, self.line, field, problem)


def read_json_lines(file: Path) -> Iterator[tuple[Place, Any]]:
    """The objects of a JSON-lines file, one at a time. A byte-order mark, CRLF and blank lines are fine."""
    try:
        with file.open("rb") as stream:
            for number, raw in enumerate(stream, start=1):
                place = Place(file, number)
                text = _decoded(raw, place).strip()
                if text:
                    yield place, _parsed(text, place)
    except OSError as error:
        raise _unreadable(file, error) from error


def read_json_items(file: Path) -> list[tuple[Place, Any]]:
    """The elements of a JSON array, each with the line on which it begins.

    An object that holds one list of objects is taken for that list; any other object for the only element.
    """
    try:
        text = _decoded(file.read_bytes(), Place(file))
    except OSError as error:
        raise _unreadable(file, error) from error
    start = _skip(text, 0)
    if text[start : start + 1] == "[":
        return list(_array(text, start, file))
    value = _parsed(text.strip("\ufeff \t\r\n"), Place(file, text.count("\n", 0, start) + 1))
    lists = [v for v in value.values() if isinstance(v, list)] if isinstance(value, dict) else []
    if len(lists) == 1 and lists[0] and all(isinstance(v, dict) for v in lists[0]) and "Queries" not in value:
        return [(Place(file, n), v) for n, v in enumerate(lists[0], start=1)]
    return [(Place(file, 1), value)]


def _array(text: str, start: int, file: Path) -> Iterator[tuple[Place, Any]]:
    decoder = json.JSONDecoder()
    position, counted, line = start + 1, 0, 1
    while True:
        position = _skip(text, position)
        line += text.count("\n", counted, position)
        counted = position
        place = Place(file, line)
        if text[position : position + 1] == "]":
            break
        try:
            value, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            raise _not_json(error, place) from error
        yield place, value
        position = _skip(text, position)
        if text[position : position + 1] == ",":
            position += 1
        elif text[position : position + 1] != "]":
            line += text.count("\n", counted, position)
            raise Place(file, line).error(None, "is not valid JSON (expected ',' or ']')")
    if text[_skip(text, position + 1) :]:
        raise place.error(None, "is not valid JSON (there is more after the end of the array)")


def _decoded(raw: bytes, place: Place) -> str:
    if raw.startswith(_UNICODE_BOMS):
        raise place.error(None, "is not UTF-8 (it begins like UTF-16 or UTF-32); save it as UTF-8")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = (place.line or 1) + raw.count(b"\n", 0, error.start)
        raise Place(place.file, line).error(None, f"is not UTF-8 (byte 0x{raw[error.start]:02x})") from error


def _parsed(text: str, place: Place) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _not_json(error, place) from error


def _not_json(error: Exception, place: Place) -> DataError:
    if isinstance(error, json.JSONDecodeError):
        # A JSON line is parsed alone; in an array the parser counts from the start of the file.
        whole = error.doc.count("\n") > 0
        line = error.lineno if whole else place.line
        return Place(place.file, line).error(None, f"is not valid JSON ({error.msg}, column {error.colno})")
    return place.error(None, "is not valid JSON (nested too deeply, or a number too long)")


def _unreadable(file: Path, error: OSError) -> DataError:
    missing = isinstance(error, FileNotFoundError)
    return DataError(file, None, None, "no such file" if missing else f"cannot be read ({error.strerror or error})")


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position
