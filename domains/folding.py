"""What people type, folded to one spelling, before any pattern reads it. Everything that reads text uses these."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["QUOTES", "is_soft", "plain", "sentences", "tidy"]

QUOTES = str.maketrans(dict.fromkeys("‘’‛ʼʹʻʽˈ′‵`´＇ꞌ", "'") | dict.fromkeys("“”„‟″＂", '"'))
"""Every apostrophe and quotation mark that keyboards make, to the straight one."""


def tidy(text: str) -> str:
    """``text`` as a person meant it: straight quotes, no invisible characters, single spaces. A single line break is a
    space; paragraphs are told apart by an empty line, points of a list stand on lines of their own."""
    if text.isascii() and text.isprintable() and "`" not in text and "  " not in text:
        return text.strip()
    # Quotes first: to NFKC, an acute accent that stands alone is a space with a combining one.
    composed = unicodedata.normalize("NFKC", text.translate(QUOTES)).translate(QUOTES)
    visible = "".join(_visible(c) for c in composed)
    return _SPACE.sub(_folded, visible).strip()


def plain(text: str) -> str:
    """``tidy`` without case."""
    return tidy(text).casefold()


def sentences(text: str) -> list[str]:
    """The sentences of ``text``, tidied, in order, with their punctuation."""
    return [s.strip() for s in _SENTENCE_END.split(tidy(text)) if s.strip()]


def is_soft(space: re.Match[str]) -> bool:
    """Whether a run of white space ends no paragraph and no point of a list: a full line, or a slip of the thumb."""
    run = space[0]
    breaks = sum(run.count(c) for c in _BREAKS) - run.count("\r\n")
    return breaks == 0 or (breaks == 1 and not _POINT.match(space.string, space.end()))


def _folded(space: re.Match[str]) -> str:
    if is_soft(space):
        return " "
    return "\n" if _POINT.match(space.string, space.end()) else "\n\n"


_BREAKS = "\r\n\x0b\x0c\x85\u2028\u2029"
_SPACE = re.compile(r"\s+")
_POINT = re.compile(r"(?:[-*•–]|\d{1,2}[.)])[ \t]")
_SENTENCE_END = re.compile(r"(?<=[.!?;…。！？।؟])\s+|\n")


def _visible(character: str) -> str:
    if character.isspace() or unicodedata.category(character) not in ("Cf", "Cc", "Cs", "Co"):
        return character
    return ""
