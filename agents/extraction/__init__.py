"""What a message tells: values, refusals and answers beside the point, by rules or by a model."""

from .rules import LlmExtraction, RuleExtraction
from .short_answers import is_denial, only_refuses, open_attributes, settled_attributes

__all__ = ["LlmExtraction", "RuleExtraction", "is_denial", "only_refuses", "open_attributes", "settled_attributes"]
