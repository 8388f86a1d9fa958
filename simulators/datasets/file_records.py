"""Read JSON, JSON-lines and CSV files so that every problem can be told with its line.

Each reader gives its records one at a time, so that a file of any size takes the memory of its largest record. A record
that cannot be read goes to ``report``: ``refuse`` (the default) raises, a collector keeps the problem and the reader
goes on where that is possible. A file that cannot be opened always raises.
"""

from __future__ import annotations

import codecs
import csv
import itertools
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NoReturn

from ...domains import DataError
from .strict_json import StrictDecoder

__all__ = ["Place", "Report", "read_csv_rows", "read_json_items", "read_json_lines", "refuse", "stream_json_items"]

Report = Callable[[DataError], None]
"""Takes a problem. May raise it; when it returns, reading goes on."""

_SPACE = re.compile(r"[\s\ufeff]*")
_UNICODE_BOMS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_CHUNK = 1 << 16
_AFTER_VALUE = frozenset(" \t\r\n,]")
_DELIMITERS = ",;\t"
_LONGEST_CELL = 1 << 30  # the csv module's own limit is 128 KiB, which a long background can pass


def refuse(error: DataError) -> NoReturn:
    """The ``Report`` that lets no problem pass."""
    raise error


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record stands."""

    file: Path
    line: int | None = None

    def error(self, field: str | None, problem: str) -> DataError:
        """The error that names this place."""
        return DataError(self.file, self.line, field, problem)


def read_json_lines(file: Path, report: Report = refuse) -> Iterator[tuple[Place, Any]]:
    """The objects of a JSON-lines file, one at a time. A byte-order mark, CRLF and blank lines are fine.

    A key that stands twice in an object and a number that is not finite are problems, here as in JSON arrays.
    """
    decoder = StrictDecoder()
    for place, text in _lines(file, report):
        if stripped := (text or "").strip():
            try:
                value = _parsed(stripped, place, decoder)
            except DataError as error:
                report(error)
            else:
                if _sound(decoder, place, report):
                    yield place, value


def read_csv_rows(file: Path, report: Report = refuse) -> Iterator[tuple[Place, dict[str, str]]]:
    """The rows of a CSV file with a header, one at a time: column name -> cell.

    Comma, semicolon and tab are recognised. A row's line is the one on which it begins. A row with more cells than
    the header has columns is a problem; missing cells at its end are empty, and empty ones beyond the header (a comma
    at the end of each line) count for nothing.
    """
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))
    # An unreadable line stays as an empty one, or the lines after it would be counted wrongly.
    lines = (text or "" for _, text in _lines(file, report))
    first = next(lines, "")
    delimiter = max(_DELIMITERS, key=first.count)
    rows = csv.reader(itertools.chain([first], lines), delimiter=delimiter, strict=True)
    header: list[str] | None = None
    while True:
        place = Place(file, rows.line_num + 1)
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            report(place.error(None, f"is not valid CSV ({error})"))
            if header is None:
                return
            continue
        if not any(row):
            continue
        if header is None:
            header = _without_empty_end([name.strip() for name in row])
            if "" in header:
                report(place.error(None, f"has no name for column {header.index('') + 1}"))
            if repeated := next((n for n in header if n and header.count(n) > 1), None):
                report(place.error(repeated, "names two columns"))
        elif len(row := _without_empty_end(row, len(header))) > len(header):
            report(place.error(None, f"has {len(row)} cells, and the header has {len(header)} columns"))
        else:
            yield place, dict(itertools.zip_longest(header, row, fillvalue=""))


def _without_empty_end(cells: list[str], least: int = 0) -> list[str]:
    while len(cells) > least and not cells[-1]:
        cells = cells[:-1]
    return cells


def read_json_items(file: Path) -> list[tuple[Place, Any]]:
    """All of ``stream_json_items``."""
    return list(stream_json_items(file))


def stream_json_items(file: Path, report: Report = refuse) -> Iterator[tuple[Place, Any]]:
    """The elements of a JSON array, one at a time, each with the line on which it begins.

    An object that holds one list of objects is taken for that list; any other object for the only element. Nothing
    after a place that is not JSON can be read.
    """
    try:
        with file.open("rb") as stream:
            source = _Source(file, stream)
            if source.next_character() == "[":
                yield from source.elements(report)
            else:
                yield from _single(source, report)
    except OSError as error:
        raise _unreadable(file, error) from error
    except DataError as error:
        report(error)


def _single(source: _Source, report: Report) -> Iterator[tuple[Place, Any]]:
    place = source.place()
    decoder = StrictDecoder()
    value = _parsed(source.rest().strip("\ufeff \t\r\n"), place, decoder)
    if not _sound(decoder, place, report):
        return
    lists = [v for v in value.values() if isinstance(v, list)] if isinstance(value, dict) else []
    if len(lists) == 1 and lists[0] and all(isinstance(v, dict) for v in lists[0]) and "Queries" not in value:
        yield from ((Place(source.file, n), v) for n, v in enumerate(lists[0], start=1))
    else:
        yield Place(source.file, 1), value


class _Source:
    """The text of a file, of which only the part in hand is kept, read as JSON."""

    def __init__(self, file: Path, stream: IO[bytes]) -> None:
        self.file = file
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._text = ""
        self._position = 0
        self._line = 1  # of the first character of _text
        self._column = 0  # characters of that line before it
        self._ended = False
        self._started = False
        self._json = StrictDecoder()

    def place(self) -> Place:
        """Where the next character stands."""
        return Place(self.file, self._line + self._text.count("\n", 0, self._position))

    def next_character(self) -> str:
        """The next character that is no space; empty at the end. It stays where it is."""
        while True:
            match = _SPACE.match(self._text, self._position)
            self._position = match.end() if match else self._position
            if self._position < len(self._text) or self._ended:
                return self._text[self._position : self._position + 1]
            self._fill(_CHUNK)

    def rest(self) -> str:
        """Everything from here to the end."""
        while not self._ended:
            self._fill(_CHUNK)
        return self._text[self._position :]

    def elements(self, report: Report) -> Iterator[tuple[Place, Any]]:
        """The elements of the array that begins here."""
        self._position += 1
        while self.next_character() != "]":
            place = self.place()
            value = self._value()
            if _sound(self._json, place, report):
                yield place, value
            if self.next_character() == ",":
                self._position += 1
            elif self.next_character() != "]":
                raise self.place().error(None, "is not valid JSON (expected ',' or ']')")
        place = self.place()
        self._position += 1
        if self.next_character():
            raise place.error(None, "is not valid JSON (there is more after the end of the array)")

    def _value(self) -> Any:
        more = _CHUNK
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._position)
            except json.JSONDecodeError as error:
                if self._ended:
                    raise self._not_json(error) from error
            except (ValueError, RecursionError) as error:
                raise _too_much(self.place()) from error
            else:
                # A number goes on where no delimiter follows: "0" of "0.5".
                if self._ended or self._text[end : end + 1] in _AFTER_VALUE:
                    self._position = end
                    return value
            self._fill(more)
            more *= 2  # or a long element would be parsed anew for every chunk

    def _fill(self, size: int) -> None:
        """Read on, and let go of what is behind."""
        done = self._text[: self._position]
        if breaks := done.count("\n"):
            self._line += breaks
            self._column = len(done) - done.rfind("\n") - 1
        else:
            self._column += len(done)
        raw = self._stream.read(size)
        self._ended = not raw
        if not self._started and raw.startswith(_UNICODE_BOMS):
            raise _wrong_encoding(Place(self.file))
        self._started = True
        kept = self._text[self._position :]
        self._position = 0
        try:
            self._text = kept + self._decoder.decode(raw, final=self._ended)
        except UnicodeDecodeError as error:
            before = self._line + kept.count("\n") + error.object.count(b"\n", 0, error.start)
            raise _not_utf8(Place(self.file, before), error) from error

    def _not_json(self, error: json.JSONDecodeError) -> DataError:
        breaks = self._text.count("\n", 0, error.pos)
        column = error.pos - self._text.rfind("\n", 0, error.pos) if breaks else self._column + error.pos + 1
        place = Place(self.file, self._line + breaks)
        return place.error(None, f"is not valid JSON ({error.msg}, column {column})")


def _lines(file: Path, report: Report) -> Iterator[tuple[Place, str | None]]:
    """The lines of a file; None for one that is not UTF-8, once it is reported."""
    try:
        with file.open("rb") as stream:
            for number, raw in enumerate(stream, start=1):
                place = Place(file, number)
                if number == 1 and raw.startswith(_UNICODE_BOMS):
                    report(_wrong_encoding(place))
                    return
                try:
                    text: str | None = raw.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError as error:
                    report(_not_utf8(place, error))
                    text = None
                yield place, text
    except OSError as error:
        raise _unreadable(file, error) from error


def _parsed(text: str, place: Place, decoder: StrictDecoder) -> Any:
    try:
        return decoder.decode(text)
    except json.JSONDecodeError as error:
        line = (place.line or 1) + error.lineno - 1
        problem = f"is not valid JSON ({error.msg}, column {error.colno})"
        raise Place(place.file, line).error(None, problem) from error
    except (ValueError, RecursionError) as error:
        raise _too_much(place) from error


def _sound(decoder: StrictDecoder, place: Place, report: Report) -> bool:
    """Whether what was decoded last may be used; reports why not."""
    for field, problem in decoder.problems:
        report(place.error(field, problem))
    return not decoder.problems


def _too_much(place: Place) -> DataError:
    return place.error(None, "is not valid JSON (nested too deeply, or a number too long)")


def _wrong_encoding(place: Place) -> DataError:
    return place.error(None, "is not UTF-8 (it begins like UTF-16 or UTF-32); save it as UTF-8")


def _not_utf8(place: Place, error: UnicodeDecodeError) -> DataError:
    return place.error(None, f"is not UTF-8 (byte 0x{error.object[error.start]:02x})")


def _unreadable(file: Path, error: OSError) -> DataError:
    missing = isinstance(error, FileNotFoundError)
    return DataError(file, None, None, "no such file" if missing else f"cannot be read ({error.strerror or error})")
