"""Finds the marks of our own fences in replies: small models repeat what they were sent, fences included."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

__all__ = ["FenceMarks", "holds_fence"]

_LABEL = r"[A-Za-z][A-Za-z0-9 _-]{0,39}"
_SENT = re.compile(rf"<<<({_LABEL}) ([0-9a-f]{{8,64}})$", re.MULTILINE)
_ANY = re.compile(
    rf"<<<[ \t]*{_LABEL} [0-9a-f]{{8,64}}\b|\b[0-9a-f]{{8,64}}[ \t]*>>>|^[ \t]*<<<[ \t]*{_LABEL}[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)


def holds_fence(text: str) -> bool:
    """Whether ``text`` holds a mark as ``fence`` makes them, whatever prompt it is of."""
    return _ANY.search(text) is not None


class _HasContent(Protocol):
    @property
    def content(self) -> str: ...


class FenceMarks:
    """The marks that stand in ``messages``: they are of the prompt and no part of any reply to it.

    Attributes:
        found: whether a reply that was cut or fed so far held one. What stands beside it may be our own data.
    """

    def __init__(self, messages: Sequence[_HasContent]) -> None:
        sent = {pair for message in messages for pair in _SENT.findall(message.content)}
        self._pattern = _pattern_of(sent)
        self._whole = [form for pair in sent for form in _forms(*pair)]
        self._longest = max(map(len, self._whole), default=0)
        self._held = ""
        self.found = False

    def cut(self, text: str) -> str:
        """``text`` without marks."""
        if self._pattern is None:
            return text
        kept, count = self._pattern.subn("", text)
        self.found = self.found or count > 0
        return kept

    def feed(self, piece: str) -> str:
        """What of a stream's ``piece``, and of what was held back, is no mark and cannot become one; may be empty."""
        text = self._held + piece
        start = self._start_of_mark(text)
        self._held = text[start:]
        return self.cut(text[:start])

    def close(self) -> str:
        """What was held back, at the end of the stream."""
        text, self._held = self._held, ""
        return self.cut(text)

    def _start_of_mark(self, text: str) -> int:
        for start in range(max(0, len(text) - self._longest), len(text)):
            if any(form.startswith(text[start:]) for form in self._whole):
                return start
        return len(text)


def _forms(label: str, nonce: str) -> tuple[str, ...]:
    return f"<<<{label} {nonce}>>>", f"{label} {nonce}>>>", f"{nonce}>>>"


def _pattern_of(sent: set[tuple[str, str]]) -> re.Pattern[str] | None:
    if not sent:
        return None
    # The longest first: one label may begin with another.
    labels = "|".join(re.escape(label) for label in sorted({label for label, _ in sent}, key=len, reverse=True))
    nonces = "|".join(sorted({nonce for _, nonce in sent}))
    return re.compile(
        rf"<<<[ \t]*(?:{labels})(?:[ \t]+(?:{nonces}|[0-9a-f]{{6,64}}\b))?(?:[ \t]*>>>)?"
        rf"|(?:\b(?:{labels})[ \t]+)?(?:{nonces})(?:[ \t]*>>>)?"
        rf"|\b(?:{labels})[ \t]+[0-9a-f]{{6,64}}[ \t]*>>>"
    )
