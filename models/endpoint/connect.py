"""The two ways to get a chat model: ``connect`` and ``from_langchain``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..chat import ChatModel, Sampling
from ..limits import Limits

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

__all__ = ["connect", "from_langchain"]


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
    from ..spec import parse_spec
    from .openai_chat import connect_openai

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
    from .langchain_chat import LangChainChat
    from .langchain_endpoint import ObjectEndpoint

    endpoint = ObjectEndpoint(model, name=name)
    if endpoint.retries and "retries" not in limits.model_fields_set:
        limits = limits.model_copy(update={"retries": 0})
    return LangChainChat(endpoint, limits=limits, sampling=sampling)
