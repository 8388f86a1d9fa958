"""Access to chat models: typed messages, limits, structured output, usage, prompts. Imports nothing of the project.

Main path: ``connect("openai:NAME")`` -> ``ChatModel`` -> ``await model.complete([Message(...)])`` -> ``Completion``.
Light to import: LangChain and the OpenAI client are loaded when a model is first used.
"""

from .chat import ChatModel, Completion, Message, Role, Sampling
from .endpoint import ForbiddenChatModel, ScriptedChatModel, connect, from_langchain
from .errors import (
    AuthenticationFailed,
    EmptyCompletion,
    InvalidStructuredOutput,
    ModelError,
    ModelRefused,
    ModelRequestRejected,
    ModelSpecError,
    ModelTimeout,
    ModelUnreachable,
    PromptError,
    RateLimited,
    ServerFailed,
)
from .fence_marks import holds_fence
from .limits import Gate, Limits
from .loop_thread import LoopThread
from .prompts import Prompt, fence, new_nonce
from .safe_text import safe_text
from .spec import parse_spec
from .structured_output import UnclosedReasoning, strip_reasoning, visible_text
from .sync import run_sync
from .tasks import stop, together
from .tracing import no_tracing
from .usage import CUT_NOTE, Usage, UsageMeter, collect_usage, record_usage

__all__ = [
    "CUT_NOTE",
    "AuthenticationFailed",
    "ChatModel",
    "Completion",
    "EmptyCompletion",
    "ForbiddenChatModel",
    "Gate",
    "InvalidStructuredOutput",
    "Limits",
    "LoopThread",
    "Message",
    "ModelError",
    "ModelRefused",
    "ModelRequestRejected",
    "ModelSpecError",
    "ModelTimeout",
    "ModelUnreachable",
    "Prompt",
    "PromptError",
    "RateLimited",
    "Role",
    "Sampling",
    "ScriptedChatModel",
    "ServerFailed",
    "UnclosedReasoning",
    "Usage",
    "UsageMeter",
    "collect_usage",
    "connect",
    "fence",
    "from_langchain",
    "holds_fence",
    "new_nonce",
    "no_tracing",
    "parse_spec",
    "record_usage",
    "run_sync",
    "safe_text",
    "stop",
    "strip_reasoning",
    "together",
    "visible_text",
]
