"""Whether an assistant has shown understanding, as far as code can tell: the key to what is told ``if_trusted``."""

from __future__ import annotations

import re

from ...domains import tidy

__all__ = ["shows_understanding"]

_SIGNS = re.compile(
    "|".join(
        (
            # It meets the feeling.
            r"\b(?:that|this|it|you) (?:sounds?|must (?:be|feel|have been))\b",
            r"\bi(?:'m| am) (?:so |very |really |truly )*sorry (?:that|to hear|you|for what)\b",
            r"\bmakes (?:\w+ )?sense (?:that|to feel)\b|\bunderstandabl[ey]\b|\bno wonder\b",
            r"\bi (?:can )?(?:hear|understand|see|imagine) (?:that|how|why|you)\b",
            r"\b(?:it is|it's) (?:okay|ok|all right|alright|natural|normal) to feel\b|\byou(?:'re| are) not alone\b",
            # It values that something was told.
            r"\b(?:thank you|thanks|i appreciate you(?:r)?) (?:for )?"
            r"(?:telling|sharing|trusting|opening|being open|honesty)\b",
            r"\btakes courage\b",
            # It says why it asks, or leaves the choice.
            r"\bi ask (?:this |that )?because\b|\bi(?:'m| am) asking (?:this |only )?because\b",
            r"\byou (?:do not|don't) have to (?:say|tell|answer|share)\b|\bonly if you (?:want|feel)\b",
            r"\b(?:no pressure|at your own pace|in your own time)\b",
        )
    ),
    re.IGNORECASE,
)


def shows_understanding(text: str) -> bool:
    """Whether ``text`` meets the person's feelings, values that they told something, says why it asks, or leaves the
    choice to them. English patterns: an unusual wording is missed, and an empty phrase counts."""
    return _SIGNS.search(tidy(text)) is not None
