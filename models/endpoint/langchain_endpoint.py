"""An endpoint made of a LangChain chat model object that someone else built."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from ..chat import Sampling
from ..errors import ModelRequestRejected, ModelSpecError
from ..structured_output import Method, json_schema_of

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.runnables import Runnable

__all__ = ["ObjectEndpoint"]


class ObjectEndpoint:
    """Any ``BaseChatModel``, asked only through LangChain's common interface."""

    def __init__(self, model: BaseChatModel, *, name: str | None = None) -> None:
        from langchain_core.language_models import BaseChatModel

        if not isinstance(model, BaseChatModel):
            raise ModelSpecError(type(model).__name__, "is not a LangChain chat model (BaseChatModel)")
        self._model = model
        self._name = name or _name_of(model)

    @property
    def name(self) -> str:
        return self._name

    @property
    def address(self) -> str:
        return f"the endpoint of {type(self._model).__name__}"

    @property
    def tells_end(self) -> bool:
        return False  # what the classes tell differs; most of them raise where a stream breaks off

    @property
    def retries(self) -> bool:
        """Whether the object retries failures by itself. None means the client library's default, which does."""
        return "max_retries" in type(self._model).model_fields and getattr(self._model, "max_retries", 0) != 0

    async def runnable(
        self, sampling: Sampling | None, output: tuple[Method, type[BaseModel]] | None
    ) -> Runnable[Any, Any]:
        model = _with_sampling(self._model, sampling)
        if output is None or output[0] is Method.TEXT:
            return model
        method, schema = output
        described = {**json_schema_of(schema), "title": schema.__name__}
        described.setdefault("description", f"A {schema.__name__}.")
        if method is Method.TOOL_CALL:
            return model.bind_tools([described], tool_choice="any")
        try:
            return model.with_structured_output(described, method="json_schema", include_raw=True)
        except (TypeError, ValueError) as error:  # the class knows no such method
            raise NotImplementedError(str(error)) from error

    def recover(self, error: Exception) -> AIMessage | None:
        return None

    def adapt(self, rejected: ModelRequestRejected) -> bool:
        return False


def _with_sampling(model: BaseChatModel, sampling: Sampling | None) -> BaseChatModel:
    """A copy with the values of ``sampling`` in those fields that the class declares.

    Not as call arguments: several providers hand unknown ones on to a client that refuses them.
    """
    if sampling is None:
        return model
    fields = type(model).model_fields
    wanted = sampling.model_dump(exclude_none=True)
    return model.model_copy(update={name: value for name, value in wanted.items() if name in fields})


def _name_of(model: BaseChatModel) -> str:
    kind = model._llm_type
    for field in ("model_name", "model", "model_id"):
        value = getattr(model, field, None)
        if isinstance(value, str) and value:
            return f"{kind}:{value}"
    return kind
