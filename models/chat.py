"""What a chat model is here: types and Protocol."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any, Literal, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field, field_validator

from .safe_text import safe_text
from .usage import Usage

__all__ = ["ChatModel", "Completion", "Message", "Role", "Sampling"]

Role = Literal["system", "user", "assistant"]
T = TypeVar("T", bound=BaseModel)


class _Value(BaseModel):
    # Errors name the field, not the input: what a person wrote must not reach a log.
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Message(_Value):
    """One message of a prompt. Lone surrogates and NUL in ``content`` become U+FFFD: they would break the request."""

    role: Role
    content: str

    @field_validator("content", mode="before")
    @classmethod
    def _safe(cls, value: Any) -> Any:
        return safe_text(value) if isinstance(value, str) else value


class Completion(_Value):
    """A model's reply, without its reasoning."""

    text: str = Field(min_length=1)
    usage: Usage = Usage()
    model: str = Field(description="Name of the model as the server tells it, else as it was asked for.")
    finish_reason: str | None = Field(default=None, description="``stop``, ``length`` (cut at max_tokens) ...")
    echoes_prompt: bool = Field(
        default=False,
        description="It contained fence marks of the prompt, which were cut out: the rest may be our data.",
    )

    @field_validator("text", mode="before")
    @classmethod
    def _safe(cls, value: Any) -> Any:
        return safe_text(value) if isinstance(value, str) else value


class Sampling(_Value):
    """How to draw a reply. None leaves a value to the server. The defaults are the paper's (B.4)."""

    temperature: float | None = Field(default=0.7, ge=0, le=2)
    top_p: float | None = Field(default=0.95, gt=0, le=1)
    max_tokens: int | None = Field(default=2048, ge=1)
    seed: int | None = None


@runtime_checkable
class ChatModel(Protocol):
    """A chat model. Every method raises the errors of ``models.errors`` and nothing else for a failing model.

    No reply holds reasoning, or marks of the fences in its prompt.
    """

    @property
    def name(self) -> str:
        """How it was asked for, such as ``openai:gpt-4o-mini``."""

    async def complete(self, messages: Sequence[Message], *, sampling: Sampling | None = None) -> Completion:
        """One reply. ``sampling`` replaces the model's own as a whole. Never empty: raises ``EmptyCompletion``."""

    def stream(self, messages: Sequence[Message], *, sampling: Sampling | None = None) -> AsyncIterator[str]:
        """Pieces of one reply, none of them empty; joined they are the reply.

        Retries only before the first piece. A failure after it raises, a stream that breaks off included; what came so
        far is then no answer. A reply cut at the token limit counts in ``UsageMeter.cut``.
        """

    async def structured(self, schema: type[T], messages: Sequence[Message], *, sampling: Sampling | None = None) -> T:
        """One reply as an instance of ``schema``.

        A reply that does not fit is told to the model once; after that ``InvalidStructuredOutput`` is raised.
        """
