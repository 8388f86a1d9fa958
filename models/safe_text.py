"""Text that went through a model or a person: made safe to send, and freed of the model's reasoning."""

from __future__ import annotations

import re

__all__ = ["ReasoningFilter", "UnclosedReasoning", "safe_text", "strip_reasoning", "visible_text"]

_TAGS = ("think", "thinking", "reasoning")
_TAG = re.compile(rf"<(/?)(?:{'|'.join(_TAGS)})>", re.IGNORECASE)
_WHOLE_TAGS = tuple(f"<{slash}{tag}>" for tag in _TAGS for slash in ("", "/"))
_UNSAFE = re.compile("[\x00\ud800-\udfff]")


class UnclosedReasoning(ValueError):
    """A reasoning block is opened and never closed.

    Attributes:
        before: the text outside of blocks up to it.
    """

    def __init__(self, before: str) -> None:
        super().__init__("a reasoning block is never closed")
        self.before = before


def safe_text(text: str) -> str:
    """``text`` with NUL and lone surrogates replaced by U+FFFD: they break JSON encoders and HTTP servers."""
    return _UNSAFE.sub("\ufffd", text)


def strip_reasoning(text: str) -> str:
    """``text`` without reasoning blocks (``<think>...</think>`` and its like), trimmed.

    A closing tag without its opening one ends a block that the chat template opened in the prompt, so everything
    before it goes too. Raises ``UnclosedReasoning`` when a block is never closed.
    """
    kept: list[str] = []
    position = depth = 0
    for tag in _TAG.finditer(text):
        if not tag.group(1):
            if depth == 0:
                kept.append(text[position : tag.start()])
            depth += 1
            continue
        if depth == 0:
            kept.clear()
        depth = max(0, depth - 1)
        position = tag.end()
    if depth:
        raise UnclosedReasoning("".join(kept).strip())
    return "".join([*kept, text[position:]]).strip()


def visible_text(text: str) -> str:
    """As ``strip_reasoning``; of a block that is never closed, only what stands before it remains."""
    try:
        return strip_reasoning(text)
    except UnclosedReasoning as unclosed:
        return unclosed.before


class ReasoningFilter:
    """``visible_text`` for a stream: ``feed`` gives what of a piece belongs to the reply, ``close`` what was held back.

    It holds back only what may become a tag. What came before a closing tag without an opening one has been given
    already and cannot be taken back.
    """

    def __init__(self) -> None:
        self._held = ""
        self._depth = 0
        self._began = False

    def feed(self, piece: str) -> str:
        """What of ``piece``, and of what was held back, belongs to the reply; may be empty."""
        self._held += piece
        out: list[str] = []
        while tag := _TAG.search(self._held):
            if self._depth == 0 and not tag.group(1):
                out.append(self._held[: tag.start()])
            self._depth = max(0, self._depth + (-1 if tag.group(1) else 1))
            self._held = self._held[tag.end() :]
        cut = _start_of_tag(self._held)
        if self._depth == 0:
            out.append(self._held[:cut])
        self._held = self._held[cut:]
        return self._from_first_word("".join(out))

    def close(self) -> str:
        """What was held back and belongs to the reply, at the end of the stream."""
        return "" if self._depth else self._from_first_word(self._held)

    def _from_first_word(self, text: str) -> str:
        if not self._began:
            text = text.lstrip()
            self._began = bool(text)
        return text


def _start_of_tag(text: str) -> int:
    """Where an unfinished tag begins at the end of ``text``; its length if there is none."""
    start = text.rfind("<")
    if start >= 0 and any(tag.startswith(text[start:].lower()) for tag in _WHOLE_TAGS):
        return start
    return len(text)
