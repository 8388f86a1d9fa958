"""Near-duplicates by embedding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from askfirst.simulators.generation.near_duplicates import NearDuplicates
from askfirst.vectorstore import HashEmbedder

VECTORS = {"north": (0.0, 2.0), "nearly north": (0.2, 1.0), "east": (3.0, 0.0), "nowhere": (0.0, 0.0)}


def compass(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    return np.array([VECTORS[text] for text in texts], dtype=np.float32)


def test_what_lies_nearer_than_the_threshold_is_refused() -> None:
    strict = NearDuplicates(compass, threshold=0.9)
    assert strict.accept_all(["north", "nearly north", "east", "nowhere"]) == [True, False, True, True]
    lenient = NearDuplicates(compass, threshold=0.99)
    assert lenient.accept_all(["north", "nearly north", "east"]) == [True, True, True]


def test_the_same_words_are_refused_at_any_threshold() -> None:
    found = NearDuplicates(HashEmbedder().embed, threshold=1.0)
    assert found.accept_all(["Can I go?", "can I go", "Can we go?"]) == [True, False, True]
    assert len(found) == 2


def test_many_texts() -> None:
    found = NearDuplicates(HashEmbedder().embed, threshold=0.999)
    texts = [f"text number {n} about {n * 7919}" for n in range(300)]
    assert all(found.accept_all(texts))
    assert not any(found.accept_all(texts))
    assert found.accept_all([]) == []
