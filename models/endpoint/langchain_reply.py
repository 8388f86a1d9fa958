"""What a LangChain message, or the chunks of a stream, tell about a reply."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from ..safe_text import safe_text
from ..usage import Usage

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

__all__ = ["Reply", "StreamTally", "is_cut", "reply_of"]


class Reply(NamedTuple):
    """One whole reply, as it came: reasoning included, ``text`` and ``tool_arguments`` empty where there is none."""

    text: str
    tool_arguments: str
    refused: bool
    finish_reason: str | None
    model: str | None
    usage: Usage


class StreamTally:
    """What the chunks of one stream tell besides their text."""

    def __init__(self) -> None:
        self.started = self.refused = self.ended = False
        self.finish_reason: str | None = None
        self._input = self._output = 0

    @property
    def cut(self) -> bool:
        return is_cut(self.finish_reason)

    @property
    def usage(self) -> Usage:
        return Usage(calls=1, input_tokens=self._input, output_tokens=self._output)

    def add(self, chunk: AIMessage) -> None:
        self.started = True
        reported = chunk.usage_metadata
        if reported:
            self._input += reported["input_tokens"]
            self._output += reported["output_tokens"]
        self.finish_reason = _finish_reason(chunk) or self.finish_reason
        # The newer OpenAI API tells a status in place of a reason.
        self.ended = self.finish_reason is not None or bool(chunk.response_metadata.get("status")) or self.ended
        self.refused = self.refused or _refused(chunk)


def reply_of(message: AIMessage) -> Reply:
    """``message`` as a ``Reply``. Counts as one call, with the tokens that the server reported, or none."""
    reported = message.usage_metadata
    usage = Usage(
        calls=1,
        input_tokens=reported["input_tokens"] if reported else 0,
        output_tokens=reported["output_tokens"] if reported else 0,
    )
    told = message.response_metadata.get("model_name")
    return Reply(
        text=safe_text(str(message.text)),
        tool_arguments=_tool_arguments(message),
        refused=_refused(message),
        finish_reason=_finish_reason(message),
        model=told if isinstance(told, str) and told else None,
        usage=usage,
    )


def is_cut(finish_reason: str | None) -> bool:
    """Whether a reply with this reason ended at the token limit."""
    return (finish_reason or "").lower() in ("length", "max_tokens")


def _tool_arguments(message: AIMessage) -> str:
    """The arguments of the tool calls as JSON text, one after the other, also where the library could not read them."""
    if message.tool_calls:
        return "\n".join(json.dumps(call["args"]) for call in message.tool_calls)
    if message.invalid_tool_calls:
        return message.invalid_tool_calls[-1]["args"] or ""
    return ""


def _refused(message: AIMessage) -> bool:
    if message.additional_kwargs.get("refusal"):
        return True
    if isinstance(message.content, list) and any(
        isinstance(block, dict) and block.get("type") == "refusal" for block in message.content
    ):
        return True
    return (_finish_reason(message) or "").lower() in ("content_filter", "refusal", "safety", "prohibited_content")


def _finish_reason(message: AIMessage) -> str | None:
    told = message.response_metadata
    reason = told.get("finish_reason") or told.get("stop_reason") or told.get("done_reason")
    return reason if isinstance(reason, str) else None
