"""The test set of the redaction: invented posts with what identifies somebody marked, and how much of it is found."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).with_name("redaction")
SETS = {
    "posts_a": "made together with the rules",
    "posts_b": "written before the rules, not looked at while they were made",
    "posts_c": "hard cases, hardly anything stands around the details",
}
_MARKED = re.compile(r"\[\[(\w+):(.*?)\]\]")
_NO_NAME = {"Mr", "Mrs", "Ms", "Dr", "Prof", "Professor", "Captain", "Grandpa", "M", "the", "of"}


class MarkedPost(NamedTuple):
    """A post, and its identifying parts as (kind, text)."""

    text: str
    details: tuple[tuple[str, str], ...]


class Recall(NamedTuple):
    """How many details of each kind are gone, of how many; what stayed; and how many clean posts were changed."""

    gone: Counter[str]
    marked: Counter[str]
    stayed: tuple[tuple[str, str], ...]
    clean_changed: int
    clean: int

    def of(self, *kinds: str) -> float:
        """The share that is gone, of these kinds or of all."""
        chosen = kinds or tuple(self.marked)
        return sum(self.gone[k] for k in chosen) / sum(self.marked[k] for k in chosen)

    def line(self) -> str:
        """The figures in one line."""
        kinds = ", ".join(f"{k} {self.gone[k]}/{n}" for k, n in sorted(self.marked.items()))
        total = f"{sum(self.gone.values())}/{sum(self.marked.values())} = {self.of():.1%}"
        return f"{total} ({kinds}); clean posts changed {self.clean_changed}/{self.clean}"


def marked_posts(name: str) -> list[MarkedPost]:
    """The posts of one set."""
    parts = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").split("\n---\n")[1:]
    return [MarkedPost(_MARKED.sub(r"\2", p), tuple(_MARKED.findall(p))) for p in parts]


def recall(name: str, redacted: Callable[[str], str]) -> Recall:
    """What ``redacted`` finds in a set. A detail is gone when none of its telling words stands in the text any more."""
    gone: Counter[str] = Counter()
    marked: Counter[str] = Counter()
    stayed = []
    clean = changed = 0
    for post in marked_posts(name):
        text = redacted(post.text)
        if not post.details:
            clean += 1
            changed += text != post.text
        for kind, detail in post.details:
            marked[kind] += 1
            if any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) for word in _telling(detail)):
                stayed.append((kind, detail))
            else:
                gone[kind] += 1
    return Recall(gone, marked, tuple(stayed), changed, clean)


def _telling(detail: str) -> list[str]:
    words = re.findall(r"[\w@#']+", detail)
    strong = [w for w in words if (w[0].isupper() or any(c.isdigit() for c in w)) and w not in _NO_NAME]
    return strong or words
