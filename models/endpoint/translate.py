"""Turns whatever a client library raises into one of the errors of ``models.errors``.

It looks at what the error tells (status, code, class names), not at one library's classes: the OpenAI client, the other
LangChain providers and plain httpx say the same things in much the same way.
"""

from __future__ import annotations

import math
import os
import re
import socket
import ssl
from collections.abc import Iterator, Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import Any

from ..chat import Message
from ..errors import (
    AuthenticationFailed,
    ModelError,
    ModelRefused,
    ModelRequestRejected,
    ModelTimeout,
    ModelUnreachable,
    RateLimited,
    ServerFailed,
)
from ..safe_text import safe_text

__all__ = ["quotes", "translate_error"]

_TIMEOUTS = frozenset({"TimeoutError", "APITimeoutError", "TimeoutException", "ModelTimeoutError", "ReadTimeout"})
_CONNECTIONS = frozenset(
    {"ConnectionError", "APIConnectionError", "TransportError", "ModelConnectionError", "gaierror"}
)
_REFUSALS = frozenset({"ModelRefusalError", "ContentFilterFinishReasonError"})
_TOO_LONG = frozenset({"ContextOverflowError"})
_BAD_REPLIES = frozenset({"JSONDecodeError", "APIResponseValidationError", "DecodingError"})
_BY_NAME: Mapping[str, int] = {
    "ModelAuthenticationError": 401,
    "ModelPermissionDeniedError": 403,
    "ModelInvalidRequestError": 400,
    "ModelNotFoundError": 404,
    "ModelRateLimitError": 429,
    "ModelAPIError": 500,
}
_WAITING = frozenset({408, 409, 425})
_NOT_SERVED = frozenset({501, 505})


def translate_error(
    error: Exception, *, model: str, endpoint: str, timeout: float, messages: Sequence[Message]
) -> ModelError:
    """``error`` as a ``ModelError``.

    Args:
        error: what the library raised.
        model: name for the message.
        endpoint: the base URL, or a description where none is known.
        timeout: seconds waited, for the message.
        messages: what was sent. A server's message that quotes it is left out.
    """
    if isinstance(error, ModelError):
        return error
    names = {cls.__name__ for cls in type(error).__mro__}
    status = _status(error, names)
    if names & _REFUSALS or _code(error) == "content_filter":
        return ModelRefused(model, "the model declined, or a content filter stopped it")
    if status is not None:
        return _from_status(error, status, model, endpoint, messages)
    if names & _TIMEOUTS:
        return ModelTimeout(
            model, f"no reply from {endpoint} within {timeout:g} s; raise the timeout or check the server"
        )
    if names & _CONNECTIONS:
        return ModelUnreachable(
            model, f"cannot reach {endpoint} ({_reason(error)}); check that the server is running and the URL is right"
        )
    if "APIError" in names:  # an error event inside a stream
        return _from_event(error, model, endpoint, messages)
    if names & _BAD_REPLIES or isinstance(error, ValueError | LookupError | TypeError | AttributeError):
        return ServerFailed(
            model,
            f"the reply from {endpoint} is not a chat completion ({type(error).__name__}); check the base URL",
        )
    return ModelError(model, f"the model's client failed with {type(error).__name__}")


def _from_status(error: Exception, status: int, model: str, endpoint: str, messages: Sequence[Message]) -> ModelError:
    if status in (401, 403):
        return _key_refused(model, endpoint, f"HTTP {status}")
    detail = _detail(error, messages)
    told = f"HTTP {status}{': ' + detail if detail else ''}"
    code = _code(error)
    if status == 429:
        return _rate_limited(error, model, endpoint, told, code)
    if (status >= 500 and status not in _NOT_SERVED) or status in _WAITING:
        return ServerFailed(
            model, f"{endpoint} failed ({told})", status=status, retry_after=_retry_after(_headers(error))
        )
    if 300 <= status < 400:
        problem = f"{endpoint} redirects (HTTP {status}), and redirects are not followed; give the final base URL"
        return ServerFailed(model, problem, status=status)
    if status == 404:
        hint = "check the model's name, and that the base URL is complete (most end in /v1)"
        problem = f"{endpoint} does not know the model or the path ({told}); {hint}"
    else:
        problem = f"{endpoint} rejected the request ({told})"
    return ModelRequestRejected(model, problem, status=status, code=code, param=_param(error))


def _key_refused(model: str, endpoint: str, told: str) -> AuthenticationFailed:
    """Without the server's own words: they may repeat a part of the key."""
    hint = "check the key (api_key, OPENAI_API_KEY) and its permissions"
    return AuthenticationFailed(model, f"{endpoint} refused the key ({told}); {hint}")


def _rate_limited(error: Exception, model: str, endpoint: str, told: str, code: str | None) -> RateLimited:
    if code in ("insufficient_quota", "billing_hard_limit_reached"):
        return RateLimited(model, f"the quota at {endpoint} is used up ({told}); check the account", retryable=False)
    wait = _retry_after(_headers(error))
    asks = f"; it asks to wait {_span(wait)}" if wait is not None else ""
    return RateLimited(model, f"too many requests for {endpoint} ({told}){asks}", retry_after=wait)


def _from_event(error: Exception, model: str, endpoint: str, messages: Sequence[Message]) -> ModelError:
    kind = f"{_code(error)} {getattr(error, 'type', '')}"
    if "api_key" in kind or "authentication" in kind or "permission" in kind:
        return _key_refused(model, endpoint, "inside the reply")
    detail = _detail(error, messages)
    told = f"{endpoint} cut off the reply{' (' + detail + ')' if detail else ''}"
    if "rate_limit" in kind:
        return RateLimited(model, told)
    return ServerFailed(model, told)


def _status(error: Exception, names: set[str]) -> int | None:
    for holder in (error, getattr(error, "response", None)):
        status = getattr(holder, "status_code", None)
        # A 200 whose body is unusable is a bad reply, not a status.
        if isinstance(status, int) and status >= 300:
            return status
    if names & _TOO_LONG:
        return 400
    told = _body(error).get("code")
    if isinstance(told, int) and 300 <= told < 600:
        return told
    return next((status for name, status in _BY_NAME.items() if name in names), None)


def _code(error: Exception) -> str | None:
    if "ContextOverflowError" in {cls.__name__ for cls in type(error).__mro__}:
        return "context_length_exceeded"
    body = _body(error)
    for value in (getattr(error, "code", None), body.get("code"), body.get("type")):
        if isinstance(value, str) and not value.isdigit():
            return value
    return None


def _param(error: Exception) -> str | None:
    value = getattr(error, "param", None) or _body(error).get("param")
    if isinstance(value, str):
        return value
    named = re.search(r"nsupported (?:value|parameter): '(\w+)'", str(_body(error).get("message", "")))
    return named.group(1) if named else None


def _body(error: Exception) -> Mapping[str, Any]:
    body = getattr(error, "body", None)
    if isinstance(error, ValueError) and error.args and isinstance(error.args[0], Mapping):
        body = error.args[0]  # langchain-openai's way to tell of an error object in a reply with status 200
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        return inner if isinstance(inner, Mapping) else {"message": str(inner)}
    return {}


def _detail(error: Exception, messages: Sequence[Message]) -> str:
    """The server's own words, one short line; empty where they quote what was sent."""
    told = _body(error).get("message") or ""
    line = " ".join(safe_text(str(told)).split())
    if not line:
        return ""
    if quotes(line, messages):
        return "its message quotes the request and is left out"
    return line if len(line) <= 200 else line[:199] + "…"


def quotes(line: str, messages: Sequence[Message]) -> bool:
    """Whether ``line``, an error's text, repeats what was sent.

    Counted as repeating: four words in a row, a part in quotes that was sent, a short message as a whole.
    """
    words = line.casefold().split()
    runs = {" ".join(words[i : i + 4]) for i in range(len(words) - 3)}
    quoted = [part.casefold() for pair in re.findall(r"'([^']{2,})'|\"([^\"]{2,})\"", line) for part in pair if part]
    for message in messages:
        sent = message.content.casefold().split()
        whole = " ".join(sent)
        if any(" ".join(sent[i : i + 4]) in runs for i in range(len(sent) - 3)):
            return True
        if any(" ".join(part.split()) in whole for part in quoted):
            return True
        if len(sent) < 4 and len(whole) > 3 and whole in " ".join(words):
            return True
    return False


def _headers(error: Exception) -> Mapping[str, str]:
    headers = getattr(getattr(error, "response", None), "headers", None)
    return headers if isinstance(headers, Mapping) else {}


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds, from ``retry-after-ms`` or from ``Retry-After`` as a number or an HTTP date."""
    try:
        if (millis := headers.get("retry-after-ms")) is not None:
            return max(0.0, float(millis) / 1000)
    except ValueError:
        pass
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        return _until(value, headers.get("date"))
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _until(value: str, sent: str | None) -> float | None:
    """Seconds from the server's own ``Date`` to the date ``value``: our clock may differ from its clock."""
    try:
        span = parsedate_to_datetime(value) - parsedate_to_datetime(sent or "")
    except (ValueError, TypeError):  # no date, or one with and one without a time zone
        return None
    return max(0.0, span.total_seconds())


def _span(seconds: float) -> str:
    """``seconds`` in the unit in which people would say it."""
    if seconds < 120:
        return f"{seconds:.3g} s"
    for unit, size, most in (("min", 60, 120), ("hours", 3600, 48), ("days", 86400, 730)):
        if seconds / size < most:
            return f"{seconds / size:.0f} {unit}"
    return "more than two years"


def _reason(error: BaseException) -> str:
    """What the operating system said, from whatever the libraries have wrapped around it."""
    chain = list(_causes(error))
    for cause in chain:
        if isinstance(cause, socket.gaierror):
            return "name not resolved"
        if isinstance(cause, ssl.SSLError):
            return "no secure connection: " + safe_text(getattr(cause, "verify_message", "") or "TLS failed")
        if isinstance(cause, TimeoutError):
            return "timed out"
        if isinstance(cause, OSError) and cause.errno and cause.errno > 0:
            # asyncio puts "Connect call failed" in place of the system's word.
            return os.strerror(cause.errno).lower()
    told = {type(cause).__name__ for cause in chain}
    if "ProxyError" in told:
        return "the proxy refuses"
    if told & {"RemoteProtocolError", "ReadError", "WriteError", "CloseError"}:
        return "connection closed by the server"
    return "no connection"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """``error``, then everything behind it, the members of groups too; each once."""
    waiting: list[BaseException | None] = [error]
    seen: set[int] = set()
    while waiting:
        cause = waiting.pop(0)
        if cause is None or id(cause) in seen:
            continue
        seen.add(id(cause))
        yield cause
        members = cause.exceptions if isinstance(cause, BaseExceptionGroup) else ()
        waiting += [cause.__cause__, cause.__context__, *members]
