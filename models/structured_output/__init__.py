"""From the text of a model to an instance of a schema; reasoning taken out."""

from .reasoning import ReasoningFilter, UnclosedReasoning, strip_reasoning, visible_text
from .structured import Method, StructuredOutput, json_schema_of

__all__ = [
    "Method",
    "ReasoningFilter",
    "StructuredOutput",
    "UnclosedReasoning",
    "json_schema_of",
    "strip_reasoning",
    "visible_text",
]
