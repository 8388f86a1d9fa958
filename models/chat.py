"""What a chat model is here (types and Protocol), and the two ways to get one: ``connect`` and ``from_langchain``."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field, field_validator

from .limits import Limits
from .safe_text import safe_text
from .usage import Usage

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

__all__ = ["ChatModel", "Completion", "Message", "Role", "Sampling", "connect", "from_langchain"]

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
        default=False, description="Fence marks of the prompt stood in it and were cut out: the rest may be our data."
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


def connect(
    spec: str,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    sampling: Sampling = Sampling(),  # noqa: B008 - frozen
) -> ChatModel:
    """The model that ``spec`` names. Contacts nothing until it is used, and then only the model endpoint.

    Args:
        spec: ``openai:NAME``, for OpenAI and every server that speaks its protocol (vLLM, Ollama, llama.cpp, Azure).
        base_url: such as ``http://localhost:11434/v1``. Default: the environment's ``OPENAI_BASE_URL``, else OpenAI.
        api_key: default: the environment's ``OPENAI_API_KEY``; with a base URL none is needed.
        limits: timeout, retries, concurrency.
        sampling: used where a call brings none of its own.

    Raises:
        ModelSpecError: ``spec`` or ``base_url`` cannot be used.
        AuthenticationFailed: no key, and no base URL that could do without.
    """
    from .endpoint.openai_chat import connect_openai
    from .spec import parse_spec

    return connect_openai(parse_spec(spec), base_url=base_url, api_key=api_key, limits=limits, sampling=sampling)


def from_langchain(
    model: BaseChatModel,
    *,
    name: str | None = None,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    sampling: Sampling | None = None,
) -> ChatModel:
    """Any LangChain chat model object as a ``ChatModel``.

    Its own settings stand unless ``sampling`` (or a call) brings others; of those, the ones that its class declares as
    fields are set. Callbacks and tracing are off during our calls. An object that retries by itself (its
    ``max_retries`` is not 0) is not retried by us as well, unless ``limits`` names ``retries``. Whether it may be used
    from several event loops is up to the object.

    Raises:
        ModelSpecError: ``model`` is no LangChain chat model.
    """
    from .endpoint.langchain_chat import LangChainChat
    from .endpoint.langchain_endpoint import ObjectEndpoint

    endpoint = ObjectEndpoint(model, name=name)
    if endpoint.retries and "retries" not in limits.model_fields_set:
        limits = limits.model_copy(update={"retries": 0})
    return LangChainChat(endpoint, limits=limits, sampling=sampling)
