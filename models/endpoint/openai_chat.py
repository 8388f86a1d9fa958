"""OpenAI and every server that speaks its protocol, through langchain-openai."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, SecretStr

from ..chat import Sampling
from ..errors import AuthenticationFailed, ModelRequestRejected
from ..limits import Limits
from ..spec import check_base_url, is_loopback
from ..structured_output import Method
from .langchain_chat import LangChainChat
from .per_loop import PerLoop
from .stream_end import watch_end
from .strict_schema import is_strict, strict_schema

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage
    from langchain_core.runnables import Runnable
    from langchain_openai.chat_models.base import BaseChatOpenAI

__all__ = ["connect_openai"]

_OPENAI = "https://api.openai.com/v1"
_LOG = logging.getLogger(__name__)


def connect_openai(
    model: str, *, base_url: str | None, api_key: str | None, limits: Limits, sampling: Sampling
) -> LangChainChat:
    """See ``models.connect``."""
    name = f"openai:{model}"
    # Always explicit: without one, LangChain may route requests through LANGSMITH_GATEWAY.
    given = base_url or os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_BASE")
    url = check_base_url(given) if given else _OPENAI
    key = _key(name, api_key, needed=not given)
    return LangChainChat(OpenAIEndpoint(model, url, key, limits.timeout), limits=limits, sampling=sampling)


class OpenAIEndpoint:
    """One model behind one OpenAI-compatible base URL."""

    def __init__(self, model: str, base_url: str, key: SecretStr, timeout: float) -> None:
        self._model, self._base_url, self._key, self._timeout = model, base_url, key, timeout
        self._is_openai = base_url == _OPENAI
        self._left_out: set[str] = set()
        self._models = PerLoop(self._build, _close)

    @property
    def name(self) -> str:
        return f"openai:{self._model}"

    @property
    def address(self) -> str:
        return self._base_url

    @property
    def tells_end(self) -> bool:
        return True

    async def runnable(
        self, sampling: Sampling | None, output: tuple[Method, type[BaseModel]] | None
    ) -> Runnable[Any, Any]:
        if "langchain_openai" not in sys.modules:
            await asyncio.to_thread(_load)  # seconds, in which the loop must not stand still
        model = await self._models.get()
        options = self._sampling_options(sampling)
        if output is not None:
            options |= _output_options(*output)
        if "stream_options" in self._left_out:
            model = model.model_copy(update={"stream_usage": False})
        return model.bind(**options) if options else model

    def recover(self, error: Exception) -> AIMessage | None:
        """With a schema, the OpenAI client raises for a reply that was cut at ``max_tokens``; the reply is in it."""
        from langchain_core.messages import AIMessage
        from openai import LengthFinishReasonError

        if not isinstance(error, LengthFinishReasonError) or not error.completion.choices:
            return None
        choice, used = error.completion.choices[0], error.completion.usage
        counted = {
            "input_tokens": used.prompt_tokens if used else 0,
            "output_tokens": used.completion_tokens if used else 0,
            "total_tokens": used.total_tokens if used else 0,
        }
        return AIMessage(
            content=choice.message.content or "",
            response_metadata={"finish_reason": "length", "model_name": error.completion.model},
            usage_metadata=counted,
        )

    def adapt(self, rejected: ModelRequestRejected) -> bool:
        """Reasoning models take no temperature, some servers no ``stream_options``: left out from then on."""
        param = (rejected.param or "").split(".")[0]
        if param not in _OPTIONAL:
            return False
        if rejected.code not in _UNSUPPORTED_CODES and "support" not in rejected.problem:
            return False
        if param not in self._left_out:
            self._left_out.add(param)
            _LOG.warning("%s does not take %r: left out from now on", self.name, param)
        return True

    def _sampling_options(self, sampling: Sampling | None) -> dict[str, Any]:
        options = sampling.model_dump(exclude_none=True) if sampling is not None else {}
        if "max_tokens" in options and (self._is_openai or "max_tokens" in self._left_out):
            # OpenAI wants the new name; most other servers know only the old one, and ignore the new one silently.
            options["max_completion_tokens"] = options.pop("max_tokens")
        return {name: value for name, value in options.items() if name not in self._left_out}

    def _build(self) -> BaseChatOpenAI:
        from langchain_openai import ChatOpenAI
        from langchain_openai.chat_models.base import BaseChatOpenAI
        from openai import DefaultAsyncHttpxClient

        http = DefaultAsyncHttpxClient(
            timeout=self._timeout,
            follow_redirects=False,  # a conversation goes to the configured endpoint and nowhere else
            verify=self._base_url.startswith("https"),  # without TLS, loading certificates is time for nothing
            trust_env=not is_loopback(self._base_url),  # no proxy on the way to this machine
            event_hooks={"response": [watch_end]},
        )
        kind = ChatOpenAI if self._is_openai else BaseChatOpenAI
        return kind(
            model=self._model,
            base_url=self._base_url,
            api_key=self._key,
            timeout=self._timeout,
            max_retries=0,  # retried by Limits
            stream_usage=True,
            stream_chunk_timeout=None,
            cache=False,
            http_async_client=http,
            http_socket_options=(),
            openai_proxy=None,
            use_responses_api=None if self._is_openai else False,
            store=False if self._is_openai else None,  # OpenAI's newer API keeps conversations unless told not to
        )


async def _close(model: BaseChatOpenAI) -> None:
    await model.root_async_client.close()


def _load() -> None:
    import langchain_openai  # noqa: F401


_OPTIONAL = frozenset({"temperature", "top_p", "seed", "max_tokens", "stream_options"})
_UNSUPPORTED_CODES = frozenset({"unsupported_value", "unsupported_parameter"})


def _key(name: str, given: str | None, *, needed: bool) -> SecretStr:
    key = (given or os.environ.get("OPENAI_API_KEY") or "").strip()
    if not key:
        if needed:
            raise AuthenticationFailed(
                name, "no API key; set OPENAI_API_KEY or pass api_key (a local server needs none: pass its base URL)"
            )
        key = "not-needed"
    if not (key.isascii() and key.isprintable()):
        raise AuthenticationFailed(
            name, "the API key contains characters that no key has; check that you copied it correctly"
        )
    return SecretStr(key)


def _output_options(method: Method, schema: type[BaseModel]) -> dict[str, Any]:
    if method is Method.TEXT:
        return {}
    described = strict_schema(schema)
    strict = is_strict(described)
    if method is Method.JSON_SCHEMA:
        wanted = {"name": schema.__name__, "schema": described, "strict": strict}
        return {"response_format": {"type": "json_schema", "json_schema": wanted}}
    function = {"name": schema.__name__, "description": schema.__doc__ or schema.__name__, "parameters": described}
    return {
        "tools": [{"type": "function", "function": function}],
        "tool_choice": {"type": "function", "function": {"name": schema.__name__}},
    }
