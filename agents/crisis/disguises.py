"""The ways in which the crisis rules read a message: as written, and as meant where letters are disguised."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...domains import plain, sentences

__all__ = ["passages", "readings"]

# Messages of people are far shorter. Of a longer text both ends are read, so that the time is bounded.
_LONGEST_MESSAGE = 20_000
_LONGEST_PASSAGE = 600
_OVERLAP = 150

_LEET = str.maketrans({"0": "o", "1": "i", "3": "e", "@": "a", "$": "s", "!": "i"})
_SPACED = re.compile(r"(?<![^\W\d_])(?:[^\W\d_][ .*_·-]{1,2}){2,}[^\W\d_](?![^\W\d_'])(?:(?<=\.[^\W\d_])\.)?")
_MASKED = (
    (re.compile(r"\bk[*#_x]ll(?=\b|ing\b|ed\b)"), "kill"),
    (re.compile(r"\bk[*#]{2}l(?=\b|ing\b|ed\b)|\bk[*#]{3}(?= m)"), "kill"),
    (re.compile(r"\bs[u*#][i*#]c[i*#]d(?=e\b|al\b)"), "suicid"),
    (re.compile(r"\bsuic\*d(?=e\b|al\b)"), "suicid"),
    (re.compile(r"\bd[*#]e\b"), "die"),
)


def readings(message: str) -> tuple[str, ...]:
    """``message`` as written, and as meant where letters are stretched ("diiiie"), swapped ("k1ll"), spaced, masked."""
    if len(message) > _LONGEST_MESSAGE:
        half = _LONGEST_MESSAGE // 2
        message = f"{message[:half]}\n{message[-half:]}"
    # A line break may stand inside a statement, or end one without a full stop: both readings count.
    whole, by_line = plain(message), "\n\n".join(map(plain, message.splitlines()))
    return tuple(dict.fromkeys(r for text in dict.fromkeys((whole, by_line)) for r in _undisguised(text)))


def _undisguised(text: str) -> tuple[str, ...]:
    undone = re.sub(r"(?<=[^\W\d_])[013@$!](?=[^\W\d_])", lambda m: m.group().translate(_LEET), text)
    closed = _SPACED.sub(lambda m: re.sub(r"[ .*_·-]", "", m.group()), undone)
    for masked, word in _MASKED:
        closed = masked.sub(word, closed)
    once = re.sub(r"([^\W\d_])\1{2,}", r"\1", undone)
    twice = re.sub(r"([^\W\d_])\1{2,}", r"\1\1", undone)
    return text, undone, closed, once, twice


def passages(reading: str, *, whole: bool = False) -> Iterator[str]:
    """The sentences of ``reading``, or with ``whole`` all of it on one line; a long one in overlapping pieces."""
    for text in (" ".join(reading.split()),) if whole else sentences(reading):
        if len(text) <= _LONGEST_PASSAGE:
            yield text
            continue
        start = 0
        while start < len(text):
            end = start + _LONGEST_PASSAGE
            cut = text.rfind(" ", start + _LONGEST_PASSAGE // 2, end) if end < len(text) else len(text)
            cut = cut if cut > 0 else end
            yield text[start:cut].strip()
            if cut >= len(text):
                break
            back = text.find(" ", cut - _OVERLAP, cut)
            start = back if back > 0 else cut - _OVERLAP
