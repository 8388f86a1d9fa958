"""What is tested: assistants, and the conditions under which they know a person."""

from .assistant import Answerer, Assistant, Extract
from .conditions import Assistants, Condition, QuestionnaireAssistant, check_conditions, parse_condition

__all__ = [
    "Answerer",
    "Assistant",
    "Assistants",
    "Condition",
    "Extract",
    "QuestionnaireAssistant",
    "check_conditions",
    "parse_condition",
]
