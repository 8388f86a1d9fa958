"""A model's reasoning, as the families of models mark it, and the reply without it.

<think> ... </think>     and the other words of ``_WORDS``; also [think] and ◁think▷
<|channel|>analysis<|message|> ... <|end|><|start|>assistant<|channel|>final<|message|> reply <|return|>
"""

from __future__ import annotations

import re

__all__ = ["ReasoningFilter", "UnclosedReasoning", "strip_reasoning", "visible_text"]

_WORDS = (
    *("think", "thinking", "thought", "thoughts", "reasoning", "reflection", "scratchpad", "analysis"),
    *("inner_monologue", "inner monologue"),
)
_TURN_WORDS = ("channel", "message", "start", "end", "return")
_ATTRIBUTES = r"(?:\s[^<>\n]{0,60})?"
_MARKER = re.compile(
    rf"<(?P<slash>/?)(?P<word>{'|'.join(_WORDS)}){_ATTRIBUTES}>"
    rf"|[\[◁](?P<closes>/?)think[\]▷]"
    rf"|<\|(?P<turn>{'|'.join(_TURN_WORDS)})\|>",
    re.IGNORECASE,
)
_WHOLE = (
    *(f"<{slash}{word}>" for word in _WORDS for slash in ("", "/")),
    *("[think]", "[/think]", "◁think▷", "◁/think▷"),
    *(f"<|{word}|>" for word in _TURN_WORDS),
)
_UNFINISHED = re.compile(rf"</?(?:{'|'.join(_WORDS)}){_ATTRIBUTES}", re.IGNORECASE)


class UnclosedReasoning(ValueError):
    """A reasoning block is opened and never closed.

    Attributes:
        before: the text outside of blocks up to it.
    """

    def __init__(self, before: str) -> None:
        super().__init__("a reasoning block is never closed")
        self.before = before


def strip_reasoning(text: str) -> str:
    """``text`` without reasoning, trimmed.

    A closing tag without its opening one ends a block that the chat template opened in the prompt, so everything
    before it goes too. Of a reply in channels only the final one remains. Raises ``UnclosedReasoning`` when a block or
    a channel of reasoning is never closed.
    """
    reading = ReasoningFilter()
    shown = (reading.feed(text) + reading.close()).strip()
    if reading.unclosed:
        raise UnclosedReasoning(shown)
    return shown


def visible_text(text: str) -> str:
    """As ``strip_reasoning``; of a block that is never closed, only what stands before it remains."""
    try:
        return strip_reasoning(text)
    except UnclosedReasoning as unclosed:
        return unclosed.before


class ReasoningFilter:
    """``visible_text`` for a stream: ``feed`` gives what of a piece belongs to the reply, ``close`` what was held back.

    It holds back only what may become a tag. What came before a closing tag without an opening one, in earlier pieces,
    has been given already and cannot be taken back.
    """

    def __init__(self) -> None:
        self._held = ""
        self._began = False
        self._word, self._depth = "", 0  # the block that is open, and how often
        self._channel = ""  # "", or of a reply in channels: "header", "thought", "final", "over"
        self._header = ""

    @property
    def unclosed(self) -> bool:
        """Whether what was fed so far ends inside reasoning."""
        return self._depth > 0 or self._channel in ("header", "thought")

    def feed(self, piece: str) -> str:
        """What of ``piece``, and of what was held back, belongs to the reply; may be empty."""
        text, out = self._held + piece, list[str]()
        start = position = 0
        while marker := _MARKER.search(text, position):
            position = marker.end()
            if self._take(marker, text[start : marker.start()], out):
                start = position
        cut = _start_of_marker(text, position)
        self._keep(text[start:cut], out)
        self._held = text[cut:]
        return self._from_first_word("".join(out))

    def close(self) -> str:
        """What was held back and belongs to the reply, at the end of the stream."""
        out: list[str] = []
        self._keep(self._held, out)
        self._held = ""
        return self._from_first_word("".join(out))

    def _keep(self, text: str, out: list[str]) -> None:
        if self._channel == "header":
            self._header += text
        elif self._depth == 0 and self._channel in ("", "final"):
            out.append(text)

    def _take(self, marker: re.Match[str], before: str, out: list[str]) -> bool:
        """Take in the text ``before`` a marker, and the marker. False: it is none where it stands, but text."""
        if turn := marker["turn"]:
            return self._take_turn(turn.lower(), before, out)
        if self._channel not in ("", "final"):
            return False
        # "<thinking>" is closed by "</think>" too; another word is but mentioned in the reasoning.
        word = (marker["word"] or "think").lower().removesuffix("ing").removesuffix("s")
        closes = bool(marker["slash"] or marker["closes"])
        if self._depth and word != self._word:
            return False
        self._keep(before, out)
        if closes and not self._depth:
            out.clear()
            return True
        self._word, self._depth = word, self._depth + (-1 if closes else 1)
        return True

    def _take_turn(self, turn: str, before: str, out: list[str]) -> bool:
        if turn not in ("start", "channel") and not self._channel:
            return False
        self._keep(before, out)
        if turn in ("start", "channel"):
            self._depth, self._channel, self._header = 0, "header", ""
        elif turn == "message":
            answers = self._header.strip().lower().startswith(("final", "assistant"))
            self._channel = "final" if answers else "thought"
        else:
            self._channel = "over"
        return True

    def _from_first_word(self, text: str) -> str:
        if not self._began:
            text = text.lstrip()
            self._began = bool(text)
        return text


def _start_of_marker(text: str, position: int) -> int:
    """Where, from ``position`` on, an unfinished marker begins at the end of ``text``; its length if there is none."""
    starts = sorted(text.rfind(sign, position) for sign in "<[◁")
    return next((start for start in starts if start >= 0 and _may_become_marker(text[start:])), len(text))


def _may_become_marker(tail: str) -> bool:
    lowered = tail.lower()
    return any(whole.startswith(lowered) for whole in _WHOLE) or _UNFINISHED.fullmatch(tail) is not None
