"""Reads the JSON that a model meant to send: fenced, commented, with trailing commas, with prose around it.

Lenient about the wrapping, strict about the value: NaN, infinities, a key given twice with two values, or an object cut
off at the end are unreadable, because guessing would put words into the model's mouth.

Which object is the reply:

* The last one counts. What comes before it is a draft, an example, or a quotation of text under judgement; if the last
  one is broken, an earlier one is not taken in its place. ``read_objects`` gives all, so that a caller that knows the
  schema can refuse a reply with several different objects that fit (``structured.validate_reply`` does).
* It must stand alone in a code fence, or at the end of the reply. Prose after a bare object may take it back ("that is
  what the answer wants me to say, and I do not"), so such a reply is unreadable. Prose before it is harmless.

What cannot be told apart: an object that is quoted at the very end, or alone in a fence, from one that is meant.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from ..safe_text import safe_text
from .reasoning import UnclosedReasoning, strip_reasoning

__all__ = ["UnreadableJson", "read_json", "read_objects"]

_FENCE = re.compile(r"^\s*```[\w-]*\s*\n(.*?)\n?\s*```\s*$", re.DOTALL)
_DEEPEST = 64
# Closing marks only: a full stop, a quotation mark, a closing tag, a token of a chat template.
_NOTHING_MORE = re.compile(r"(?:[\s.!;,`'\"*_)\]]|</\w+>|<\|\w+\|>)*")
_FENCE_OPENS = re.compile(r"```[\w-]*\s*\Z")
_FENCE_CLOSES = re.compile(r"(?:\s|//[^\n]*\n|/\*.*?\*/)*```", re.DOTALL)


class UnreadableJson(ValueError):
    """No JSON value can be read. The message names the reason and quotes nothing of the reply."""


def read_json(text: str) -> Any:
    """The JSON value in a model's reply. Raises ``UnreadableJson``."""
    return read_objects(text)[-1]


def read_objects(text: str) -> list[Any]:
    """Every JSON object in a model's reply, in order; the last one is the reply. Raises ``UnreadableJson``.

    A reply that is one JSON value as a whole, an array too, gives that alone.
    """
    try:
        reply = strip_reasoning(text).lstrip("\ufeff")
    except UnclosedReasoning as error:
        raise UnreadableJson(str(error)) from None
    fenced = _FENCE.match(reply)
    whole = fenced.group(1) if fenced else reply
    if whole.lstrip()[:1] in ("{", "["):
        try:
            return [_loads(whole)]
        except UnreadableJson:
            pass  # perhaps an object with prose or a second object after it
    return _objects(reply)


def _objects(reply: str) -> list[Any]:
    found: list[Any] = []
    alone = True
    for start, end in _object_spans(reply):
        span = reply[start:end]
        try:
            found.append(_loads(span))
        except UnreadableJson:
            if ":" in span:  # an object, but a broken one; braces without a colon are prose, such as {name}
                raise
        else:
            alone = _stands_alone(reply, start, end)
    if not found:
        raise UnreadableJson("there is no JSON object in it")
    if not alone:
        raise UnreadableJson("the JSON object is followed by other text")
    return found


def _stands_alone(reply: str, start: int, end: int) -> bool:
    if _NOTHING_MORE.fullmatch(reply, end):
        return True
    return _FENCE_OPENS.search(reply[:start]) is not None and _FENCE_CLOSES.match(reply, end) is not None


def _object_spans(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of the outermost ``{...}``. Raises ``UnreadableJson`` when the last one is never closed."""
    depth = start = position = 0
    while position < len(text):
        char = text[position]
        if depth and (skipped := _skip_opaque(text, position)):
            position = skipped
            continue
        if char == "{":
            start = start if depth else position
            depth += 1
        elif char == "}" and depth:
            depth -= 1
            if depth == 0:
                yield start, position + 1
        position += 1
    if depth:
        raise UnreadableJson("the JSON object is cut off")


def _loads(text: str) -> Any:
    try:
        value = json.loads(
            _without_extras(text),
            strict=False,  # raw line breaks inside strings are common and harmless
            parse_constant=_no_constant,
            parse_float=_finite,
            object_pairs_hook=_no_conflict,
        )
    except UnreadableJson:
        raise
    except json.JSONDecodeError as error:
        raise UnreadableJson(f"it is not JSON: {error.msg} (line {error.lineno}, column {error.colno})") from None
    except (ValueError, RecursionError):  # a number of thousands of digits; thousands of brackets
        raise UnreadableJson("it is not usable JSON") from None
    return _safe(value)


def _without_extras(text: str) -> str:
    """``text`` without comments and without commas before a closing bracket, strings untouched."""
    out: list[str] = []
    position = 0
    while position < len(text):
        end = _skip_opaque(text, position)
        if end:
            if text[position] == '"':
                out.append(text[position:end])
            position = end
            continue
        if text[position] in "}]":
            _drop_trailing_comma(out)
        out.append(text[position])
        position += 1
    return "".join(out)


def _skip_opaque(text: str, position: int) -> int:
    """End of the string or comment that starts at ``position``; 0 if none does."""
    if text[position] == '"':
        end = position + 1
        while end < len(text) and text[end] != '"':
            end += 2 if text[end] == "\\" else 1
        return min(end + 1, len(text))
    if text.startswith("//", position):
        end = text.find("\n", position)
        return len(text) if end < 0 else end
    if text.startswith("/*", position):
        end = text.find("*/", position + 2)
        return len(text) if end < 0 else end + 2
    return 0


def _drop_trailing_comma(out: list[str]) -> None:
    last = len(out) - 1
    while last >= 0 and out[last].isspace():
        last -= 1
    if last >= 0 and out[last] == ",":
        out[last] = " "


def _no_constant(name: str) -> float:
    raise UnreadableJson(f"{name} is not JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise UnreadableJson("it holds a number that is too large")
    return value


def _no_conflict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result and result[key] != value:
            raise UnreadableJson("it gives one key two values")
        result[key] = value
    return result


def _safe(value: Any, depth: int = 0) -> Any:
    """Strings made safe all through: ``"\\ud800"`` is valid JSON and no valid text."""
    if depth > _DEEPEST:
        raise UnreadableJson("it is nested too deeply")
    if isinstance(value, str):
        return safe_text(value)
    if isinstance(value, list):
        return [_safe(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {safe_text(key): _safe(item, depth + 1) for key, item in value.items()}
    return value
