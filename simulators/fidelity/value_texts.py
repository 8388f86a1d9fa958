"""What the text of a value says: its head, and whether it is nothing, or nothing to worry about."""

from __future__ import annotations

import re

__all__ = ["head_of", "is_harmless", "is_none"]


def is_none(value: str) -> bool:
    """Whether ``value`` says that there is nothing ("None", or "No", where that is a value)."""
    return head_of(value).casefold() in ("none", "no")


def is_harmless(value: str) -> bool:
    """Whether ``value`` says that there is nothing, or that all is well."""
    return is_none(value) or _HARMLESS.match(value) is not None


_HARMLESS = re.compile(r"(?:good|stable|moderate|calm\w*|satisf\w+|happ\w+|excite\w+|indifferent)\b", re.IGNORECASE)


def head_of(value: str) -> str:
    """What stands before the first comma: ``"Divorced, living alone"`` -> ``"Divorced"``. The category "Other" is
    dropped before its detail."""
    head, _, detail = (part.strip() for part in value.partition(","))
    if head.casefold() == "other" and detail:
        return head_of(detail)
    return head or value.strip()
