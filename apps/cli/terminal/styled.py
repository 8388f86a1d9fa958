"""rich, without its habit of reading what it prints: ``[red]`` as markup, ``:gemini:`` as an emoji."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from .plain_text import shown

__all__ = ["SafeConsole", "styled"]


class SafeConsole(Console):
    """Prints text as it is, without its control characters. Styles come as ``styled`` text or ``style=``."""

    def __init__(self, **more: Any) -> None:
        super().__init__(highlight=False, **more)

    def render_str(self, text: str, **more: Any) -> Text:
        return super().render_str(shown(text), **{**more, "markup": False, "emoji": False})


def styled(*parts: str | tuple[str, str]) -> Text:
    """Text in styles: each part is text, or (text, style)."""
    return Text.assemble(*((shown(p), "") if isinstance(p, str) else (shown(p[0]), p[1]) for p in parts))
