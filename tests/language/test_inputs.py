"""From a message to windows of tokens, and back to its exact words."""

from __future__ import annotations

import pytest
from askfirst.language.inputs import LONGEST_CONTEXT, LONGEST_WINDOW, Spelling, context_text
from askfirst.language.reading import Turn
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers


@pytest.fixture(scope="module")
def spelling() -> Spelling:
    letters = "abcdefghijklmnopqrstuvwxyz'.,!?0123456789äöü我想死▁"
    pieces = [
        ("<s>", 0.0),
        ("<pad>", 0.0),
        ("</s>", 0.0),
        ("<unk>", 0.0),
        *((c, -3.0) for c in letters),
        ("▁the", -1.0),
    ]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=3, byte_fallback=False))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    return Spelling(tokenizer)


@given(message=st.text(max_size=900))
def test_the_windows_cover_every_token_of_the_message(spelling: Spelling, message: str) -> None:
    windows = spelling.windows(message, "U: hello")
    assert windows
    assert all(len(w.offsets) <= LONGEST_WINDOW for w in windows)
    assert all(w.start + len(w.offsets) + 1 == len(w.ids) for w in windows)
    places = {place for w in windows for place in w.offsets}
    [whole] = [spelling.windows(message)] if len(message) < 100 else [windows]
    assert {place for w in whole for place in w.offsets} <= places
    assert all(0 <= start <= end <= len(message) for start, end in places)


def test_every_letter_is_found_at_its_place(spelling: Spelling) -> None:
    message = "don’t\nthe  end, 我想"
    [window] = spelling.windows(message)
    covered = {n for a, b in window.offsets for n in range(a, b)}
    assert {n for n, c in enumerate(message) if c.isalnum()} <= covered


def test_of_a_long_conversation_the_end_is_kept(spelling: Spelling) -> None:
    turns = [Turn(role="user", text="a " * 500), Turn(role="assistant", text="the end")]
    context = context_text(turns)
    assert context.endswith("Q: the end")
    [window] = spelling.windows("yes", context)
    assert window.start <= LONGEST_CONTEXT + 2
