"""Text as it may reach a terminal: what people, models and files wrote may hold escape sequences."""

from __future__ import annotations

import re

__all__ = ["one_line", "shown"]

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # C0 without tab and newline, DEL, C1
_NO_TEXT = re.compile("[\ud800-\udfff]")  # lone surrogates: no encoding takes them


def shown(text: str) -> str:
    """``text`` as it may be shown: without control characters other than newline and tab."""
    return _NO_TEXT.sub("\ufffd", _CONTROL.sub("", text))


def one_line(error: object) -> str:
    """An error or another text for a person, on one line."""
    return " ".join(str(error).split()) or type(error).__name__
