"""Whether what is begun again is the same as what was begun."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["different_settings"]

_LONGEST = 60  # characters of a value


def different_settings(there: Mapping[str, Any], here: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Setting -> (its value there, its value here), as short text, for those that differ.

    One that is absent is not set: files from before there was such a setting still count as begun with the same.
    """
    return {
        name: (_short(there.get(name)), _short(here.get(name)))
        for name in dict.fromkeys((*there, *here))
        if there.get(name) != here.get(name)
    }


def _short(value: Any) -> str:
    if value is None:
        return "not set"
    if isinstance(value, list):
        text = ", ".join(map(str, value))
    else:
        text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
