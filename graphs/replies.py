"""What a person's reply to a question is: an answer, a skip, or the wish to get the answer now."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from ..agents.heuristics import only_refuses
from ..models import safe_text
from .errors import InvalidReplyError

__all__ = ["Reply", "clean_text", "is_reply", "read_reply"]

# Whole messages only: "skip work tomorrow?" is an answer, and longer refusals are read by the extraction.
_SKIP = "/skip"
_STOP = re.compile(
    r"stop(?: asking)?(?: me)?(?: (?:these |the )?questions)?|(?:no more|enough) questions"
    r"|(?:can you |could you )?(?:please )?(?:just )?answer(?: me| (?:the|my) question)?"
    r"|/?skip (?:all|everything|the rest|(?:all )?the questions)"
)


class Reply(NamedTuple):
    """One reply. ``text`` is empty exactly when the question was declined."""

    text: str
    no_more_questions: bool = False


def read_reply(value: object) -> Reply:
    """The reply in a resumed value: text, a number, ``{"text": ...}``, or None / blank / skip wording for a skip.

    Raises:
        InvalidReplyError: the value is something else.
    """
    if not is_reply(value):
        raise InvalidReplyError(value)
    said = _said(value)
    text = "" if said is None else clean_text(str(said))
    wording = _wording(text)
    if _STOP.fullmatch(wording):
        return Reply("", no_more_questions=True)
    return Reply("" if wording == _SKIP or only_refuses(wording) else text)


def is_reply(value: object) -> bool:
    """Whether ``read_reply`` can read ``value``."""
    said = _said(value)
    return said is None or (isinstance(said, str | int | float) and not isinstance(said, bool))


def clean_text(text: str) -> str:
    """``safe_text``, trimmed; empty where nothing can be read: a checkpoint holds only valid UTF-8."""
    safe = safe_text(text).strip()
    return safe if safe.replace("\ufffd", "").strip() else ""


def _said(value: object) -> object:
    return value["text"] if isinstance(value, Mapping) and "text" in value else value


def _wording(text: str) -> str:
    plain = re.sub(r"[^\w\s/']", " ", text.casefold().replace("’", "'"))
    words = plain.split()
    while words and words[0] in ("please", "sorry"):
        words = words[1:]
    while words and words[-1] in ("please", "sorry", "thanks", "now"):
        words = words[:-1]
    return " ".join(words)
