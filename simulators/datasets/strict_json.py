"""JSON as data files may hold it: a key that stands twice and a number that is none are told, with their field."""

from __future__ import annotations

import json
import math
from typing import Any

__all__ = ["StrictDecoder"]


class StrictDecoder:
    """A JSON decoder that notes what Python's own lets pass: doubled keys (the last wins), NaN, Infinity, 1e400.

    Attributes:
        problems: (field, problem) of what was decoded last. Its value must not be used then.
    """

    def __init__(self) -> None:
        self._json = json.JSONDecoder(object_pairs_hook=self._object)
        self._found: list[_Found] = []

    @property
    def problems(self) -> list[tuple[str, str]]:
        return [(found.field, found.problem) for found in self._found]

    def decode(self, text: str) -> Any:
        """The one value in ``text``. Raises like ``json.loads``."""
        self._found.clear()
        return self._json.decode(text)

    def raw_decode(self, text: str, start: int) -> tuple[Any, int]:
        """The value that begins at ``start``, and where it ends. Raises like ``json.JSONDecoder``."""
        self._found.clear()
        return self._json.raw_decode(text, start)

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record = dict(pairs)
        # Inner objects come first: what was found in them gets the key under which they stand.
        for found in self._found:
            for key, value in pairs:
                if value is found.holder or (isinstance(value, list) and any(v is found.holder for v in value)):
                    found.field, found.holder = f"{key}.{found.field}", record
                    break
        if len(record) < len(pairs):
            keys = [key for key, _ in pairs]
            self._found += [_Found(record, key, "appears twice") for key in record if keys.count(key) > 1]
        for key, value in pairs:
            if any(isinstance(v, float) and not math.isfinite(v) for v in (value if type(value) is list else (value,))):
                self._found.append(_Found(record, key, "is not a finite number, and JSON allows no others"))
        return record


class _Found:
    """A problem in ``holder``, the innermost object around it so far."""

    def __init__(self, holder: object, field: str, problem: str) -> None:
        self.holder, self.field, self.problem = holder, field, problem
