"""What a person's reply to a question is: an answer, a skip, or the wish to get the answer now."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..agents.extraction import only_refuses
from ..domains import plain
from ..models import safe_text
from .errors import InvalidQueryError, InvalidReplyError, MessageTooLongError

__all__ = [
    "LONGEST_MESSAGE",
    "Reply",
    "clean_text",
    "is_reply",
    "joined",
    "read_query",
    "read_reply",
    "unread_messages",
]

LONGEST_MESSAGE = 20_000
"""Most characters of one message; the parts that read it are made for no more."""

# Whole messages only: "skip work tomorrow?" is an answer, and longer refusals are read by the extraction.
_SKIP = "/skip"
# What is left of an unreadable character, and the letters and signs that show as nothing.
_BLANKS = frozenset("\ufffd\u115f\u1160\u3164\uffa0\u2800")
_STOP = re.compile(
    r"stop(?: asking)?(?: me)?(?: (?:these |the )?questions)?|(?:no more|enough) questions"
    r"|(?:can you |could you )?(?:please )?(?:just )?answer(?: me| (?:the|my) question)?"
    r"|(?:no |i |i really |i just )*(?:(?:don't|dont|do not|won't|wont|will not|would rather not|"
    r"'d rather not) (?:want to |wanna |wish to |like to )?"
    r"|(?:'m|am|m) (?:done|tired of|finished|through) |i'm (?:done|tired of|finished|through) (?:with )?)"
    r"(?:answer(?:ing)?|tak(?:e|ing)|with) (?:any |all )?(?:more |further |other |these |your |those |"
    r"the )?(?:of )?(?:these |your |those )?questions"
    r"(?: any ?more)?|(?:no|enough with the|enough of the|enough of these) (?:more|further|other)? ?questions|"
    r"that's enough questions"
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
        MessageTooLongError: it has more than ``LONGEST_MESSAGE`` characters.
    """
    if _is_long(_said(value)):
        raise MessageTooLongError(len(str(_said(value))), LONGEST_MESSAGE)
    if not is_reply(value):
        raise InvalidReplyError(value)
    said = _said(value)
    text = "" if said is None else clean_text(str(said))
    wording = _wording(text)
    if _STOP.fullmatch(wording):
        return Reply("", no_more_questions=True)
    return Reply("" if wording == _SKIP or only_refuses(wording) or only_refuses(text) else text)


def is_reply(value: object) -> bool:
    """Whether ``read_reply`` can read ``value``."""
    said = _said(value)
    return said is None or (isinstance(said, str | int | float) and not isinstance(said, bool) and not _is_long(said))


def read_query(value: object) -> str:
    """The opening message, cleaned; empty if it is blank.

    Raises:
        InvalidQueryError: the value is no text.
        MessageTooLongError: it has more than ``LONGEST_MESSAGE`` characters.
    """
    if not isinstance(value, str):
        raise InvalidQueryError(value)
    if _is_long(value):
        raise MessageTooLongError(len(value), LONGEST_MESSAGE)
    return clean_text(value)


def unread_messages(messages: Sequence[Any]) -> list[str]:
    """The texts of all human messages that came after the last turn of the assistant, oldest first, however long."""
    texts: list[str] = []
    for message in reversed(messages):
        if message.type == "ai":
            break
        if message.type == "human":
            texts.append(str(message.text))
    return texts[::-1]


def joined(texts: Sequence[str]) -> str:
    """``texts`` as one message of at most ``LONGEST_MESSAGE`` characters. The newest come first if not all fit; of one
    that alone is longer, the beginning and the end are kept."""
    kept: list[str] = []
    left = LONGEST_MESSAGE
    for text in reversed(texts):
        if len(text) > left and not kept:
            half = LONGEST_MESSAGE // 2 - 2
            return f"{text[:half]}\n\n{text[-half:]}"
        if len(text) <= left:
            kept.append(text)
            left -= len(text) + 2
    return "\n\n".join(kept[::-1])


def clean_text(text: str) -> str:
    """``safe_text``, trimmed; empty where nothing can be read: a checkpoint holds only valid UTF-8."""
    safe = safe_text(text).strip()
    return safe if any(_is_visible(c) for c in safe) else ""


def _said(value: object) -> object:
    if isinstance(value, str):
        value = _from_json(value)
    return value["text"] if isinstance(value, Mapping) and "text" in value else value


def _from_json(value: str) -> object:
    """What a server sends that puts a reply into JSON: a text in quotes, or an object with ``text``. Else ``value``."""
    if len(value) > 2 * LONGEST_MESSAGE or value.strip()[:1] not in ('"', "{"):
        return value
    try:
        read = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return read if isinstance(read, str) or (isinstance(read, dict) and "text" in read) else value


def _is_long(said: object) -> bool:
    return isinstance(said, str) and len(said) > LONGEST_MESSAGE


def _is_visible(character: str) -> bool:
    return (
        character not in _BLANKS
        and unicodedata.category(character)[0] not in "CZ"
        and (unicodedata.category(character) not in ("Mn", "Me"))
    )


def _wording(text: str) -> str:
    words = re.sub(r"[^\w\s/']", " ", plain(text)).split()
    while words and words[0] in ("please", "sorry"):
        words = words[1:]
    while words and words[-1] in ("please", "sorry", "thanks", "now"):
        words = words[:-1]
    return " ".join(words)
