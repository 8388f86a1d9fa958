"""The errors of the model layer. Each tells one cause, names the model and says what to do.

    ModelError                      anything that kept a chat model from giving a usable reply
    ├── ModelSpecError              the model was named wrongly (``openia:x``), or its base URL is not one
    ├── PromptError                 a prompt file or its variables are wrong
    ├── ModelUnreachable            no connection: nothing listens there, or the name does not resolve
    ├── ModelTimeout                connected, but no reply within ``Limits.timeout``
    ├── AuthenticationFailed        no key, or 401/403: never retried
    ├── RateLimited                 429; ``retry_after`` if the server told one
    ├── ServerFailed                5xx, a redirect, a reply that is no chat completion, a stream that breaks off
    ├── ModelRequestRejected        the server refuses the request (400, 404 unknown model, 413, 422 ...): never retried
    ├── EmptyCompletion             a reply without text
    ├── ModelRefused                the model declined, or a content filter cut it off
    └── InvalidStructuredOutput     still not valid for the schema after the one retry

``ModelSpecError`` and ``PromptError`` are faults of the input or of the project; all others are failures of a service.
Messages never hold what a person or a model wrote.
"""

from __future__ import annotations

__all__ = [
    "AuthenticationFailed",
    "EmptyCompletion",
    "InvalidStructuredOutput",
    "ModelError",
    "ModelRefused",
    "ModelRequestRejected",
    "ModelSpecError",
    "ModelTimeout",
    "ModelUnreachable",
    "PromptError",
    "RateLimited",
    "ServerFailed",
]


class ModelError(Exception):
    """Root of the model layer's errors. ``str(error)`` is one line for people.

    Attributes:
        model: name of the model (or of the prompt, for ``PromptError``).
        problem: what went wrong, and what to do about it.
        retryable: whether the same request may succeed later.
    """

    retryable: bool = False

    def __init__(self, model: str, problem: str) -> None:
        self.model, self.problem = model, problem
        # Both as args, so that the error survives pickling (worker processes).
        super().__init__(model, problem)

    def __str__(self) -> str:
        return f"{self.model}: {self.problem}"


class ModelSpecError(ModelError):
    """The text that names a model, or its base URL, cannot be used."""


class PromptError(ModelError):
    """A prompt cannot be loaded, or its variables are not exactly those it uses."""


class ModelUnreachable(ModelError):
    """No connection to the endpoint."""

    retryable = True


class ModelTimeout(ModelError):
    """No reply in time."""

    retryable = True


class AuthenticationFailed(ModelError):
    """The key is missing or refused."""


class RateLimited(ModelError):
    """429.

    Attributes:
        retry_after: seconds the server asks to wait, or None.
    """

    def __init__(self, model: str, problem: str, *, retry_after: float | None = None, retryable: bool = True) -> None:
        super().__init__(model, problem)
        self.retry_after = retry_after
        self.retryable = retryable


class ServerFailed(ModelError):
    """The server failed.

    Attributes:
        status: HTTP status of 300 or more, or None where the reply itself was unusable.
        retry_after: seconds the server asks to wait, or None.
    """

    def __init__(
        self,
        model: str,
        problem: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        retryable: bool = True,
    ) -> None:
        super().__init__(model, problem)
        self.status, self.retry_after = status, retry_after
        self.retryable = retryable


class ModelRequestRejected(ModelError):
    """The server refuses this request; asking again changes nothing.

    Attributes:
        status: HTTP status, or None.
        code: the server's error code, such as ``context_length_exceeded``, or None.
        param: the request parameter that the server objects to, or None.
    """

    def __init__(
        self,
        model: str,
        problem: str,
        *,
        status: int | None = None,
        code: str | None = None,
        param: str | None = None,
    ) -> None:
        super().__init__(model, problem)
        self.status, self.code, self.param = status, code, param


class EmptyCompletion(ModelError):
    """A reply without text.

    Attributes:
        finish_reason: why the model stopped, as the server told it.
    """

    def __init__(self, model: str, problem: str, *, finish_reason: str | None = None) -> None:
        super().__init__(model, problem)
        self.finish_reason = finish_reason


class ModelRefused(ModelError):
    """The model declined to answer, or a content filter stopped it."""


class InvalidStructuredOutput(ModelError):
    """The reply does not fit the schema, also after the one retry.

    Attributes:
        schema: name of the schema.
    """

    def __init__(self, model: str, problem: str, *, schema: str = "") -> None:
        super().__init__(model, problem)
        self.schema = schema
