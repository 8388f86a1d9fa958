"""Reads the text that names a model, and the URL it is served under."""

from __future__ import annotations

import difflib
from urllib.parse import urlsplit

from .errors import ModelSpecError

__all__ = ["check_base_url", "is_loopback", "parse_spec"]

_PROVIDERS = ("openai",)
_FORM = "a model is named openai:NAME, such as openai:gpt-4o-mini"


def parse_spec(spec: str) -> str:
    """``openai:NAME`` -> ``NAME``. Raises ``ModelSpecError`` that says what was meant."""
    provider, colon, name = spec.strip().partition(":")
    shown = repr(spec[:80])
    if provider.casefold() == "offline" and not name:
        raise ModelSpecError(
            shown, f"the offline reference backend is not a chat model and cannot be connected to; {_FORM}"
        )
    if not colon:
        meant = f"did you mean {'openai:' + provider!r}?" if provider else _FORM
        raise ModelSpecError(shown, f"names no provider; {meant}")
    if provider.casefold() not in _PROVIDERS:
        near = difflib.get_close_matches(provider.casefold(), _PROVIDERS, n=1, cutoff=0.5)
        meant = f"did you mean {near[0] + ':' + name!r}?" if near else _FORM
        raise ModelSpecError(
            shown,
            f"unknown provider {provider!r}; {meant} (other providers: pass a LangChain chat model to from_langchain)",
        )
    if not name.strip():
        raise ModelSpecError(shown, f"names no model; {_FORM}")
    return name.strip()


def check_base_url(url: str) -> str:
    """``url`` trimmed. Raises ``ModelSpecError`` where no request could be sent to it."""
    trimmed = url.strip().rstrip("/")
    shown = repr(url[:200])
    try:
        parts = urlsplit(trimmed)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise ModelSpecError(shown, f"is not a base URL: {error}") from None
    if parts.scheme not in ("http", "https") or not host:
        guess = trimmed.rpartition("://")[2]
        hint = (
            f"did you mean {'http://' + guess!r}?"
            if guess.strip(":") not in ("", "http", "https")
            else "it looks like http://localhost:8080/v1"
        )
        raise ModelSpecError(shown, f"is not a base URL (http or https, host); {hint}")
    if parts.username or parts.password:
        raise ModelSpecError(
            repr(host), "the base URL contains a user name or password; give the key as api_key instead"
        )
    if trimmed.endswith("/chat/completions"):
        raise ModelSpecError(
            shown, f"ends in the path of a request; give the base URL: {trimmed.removesuffix('/chat/completions')!r}"
        )
    return trimmed


def is_loopback(url: str) -> bool:
    """Whether ``url`` is served by this machine."""
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")
