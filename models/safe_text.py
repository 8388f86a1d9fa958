"""Text that went through a model or a person: made safe to send."""

from __future__ import annotations

import re

__all__ = ["safe_text"]

_UNSAFE = re.compile("[\x00\ud800-\udfff]")


def safe_text(text: str) -> str:
    """``text`` with NUL and lone surrogates replaced by U+FFFD: they break JSON encoders and HTTP servers."""
    return _UNSAFE.sub("\ufffd", text)
