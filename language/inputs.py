"""From a message and what stood before it to the tokens of the encoder, and back from tokens to exact words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..domains import QUOTES
from .reading import Turn

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["LONGEST_CONTEXT", "LONGEST_WINDOW", "Encoded", "Spelling", "context_text", "padded"]

LONGEST_CONTEXT = 80
"""Most tokens of the conversation so far."""
LONGEST_WINDOW = 176
"""Most tokens of a message that are read at once; longer ones are read in windows that overlap."""
_OVERLAP = 40
_BEGIN, _END = 0, 2  # <s> and </s> of the vocabulary; 1 is padding, 3 unknown
_CONTEXT_CHARACTERS = 600
_NAMES = {"user": "U:", "assistant": "Q:"}


class Encoded(NamedTuple):
    """One window.

    Attributes:
        ids: of the whole input: context, then the window.
        start: place of the window's first token in ``ids``.
        offsets: (start, end) in the message of each of the window's tokens.
    """

    ids: list[int]
    start: int
    offsets: list[tuple[int, int]]


class Spelling:
    """The tokenizer of the encoder: SentencePiece pieces (unigram) as a ``tokenizers`` file."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    @classmethod
    def load(cls, file: Path) -> Spelling:
        """From the file that ``Tokenizer.save`` wrote."""
        from tokenizers import Tokenizer

        return cls(Tokenizer.from_file(str(file)))

    def save(self, file: Path) -> None:
        """Write it for ``load``."""
        self._tokenizer.save(str(file), pretty=False)

    def windows(self, message: str, context: str = "") -> list[Encoded]:
        """``message`` in one window, or in several that overlap; at least one."""
        head = self._tokenizer.encode(_folded(context)).ids[-LONGEST_CONTEXT:] if context else []
        encoding = self._tokenizer.encode(_folded(message))
        ids, offsets = encoding.ids, encoding.offsets
        step = LONGEST_WINDOW - _OVERLAP
        starts = [0, *range(step, max(len(ids) - _OVERLAP, 0), step)]
        lead = [_BEGIN, *head, _END]
        return [
            Encoded([*lead, *ids[at : at + LONGEST_WINDOW], _END], len(lead), offsets[at : at + LONGEST_WINDOW])
            for at in starts
        ]


def context_text(before: Sequence[Turn]) -> str:
    """The conversation so far in the form in which the encoder knows it; of a long one the end."""
    return " ".join(f"{_NAMES[turn.role]} {turn.text}" for turn in before)[-_CONTEXT_CHARACTERS:]


def padded(windows: Sequence[Encoded]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Token ids, mask, and which tokens are the message's own, each [windows, tokens]."""
    longest = max(len(w.ids) for w in windows)
    ids = np.ones((len(windows), longest), np.int64)
    mask, own = np.zeros_like(ids), np.zeros_like(ids)
    for row, window in enumerate(windows):
        ids[row, : len(window.ids)] = window.ids
        mask[row, : len(window.ids)] = 1
        own[row, window.start : window.start + len(window.offsets)] = 1
    return ids, mask, own


def _folded(text: str) -> str:
    # As long as before, so that places stay: the tokenizer does the rest of the folding, and keeps count of it.
    return text.translate(QUOTES).replace("\n", " ").replace("\r", " ")
