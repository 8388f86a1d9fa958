"""The online agent: LangGraph state machine and session API. May import agents, vectorstore, domains and models.

Main path: ``RaiseAgent(offline_components(pack, store)).start(query)`` -> ``QuestionReply | AnswerReply``. The long
way: ``build_raise_graph(components, settings)``, a ``StateGraph`` that also works as a part of a larger one.
"""

from .checkpoints import open_checkpointer
from .components import RaiseComponents, RaiseSettings, offline_components
from .errors import (
    CheckpointError,
    ConversationBusyError,
    ConversationError,
    ConversationFinishedError,
    EmptyAnswerError,
    EmptyQueryError,
    InvalidQueryError,
    InvalidReplyError,
    MessageTooLongError,
    SettingsError,
    ThreadExistsError,
    TurnUnfinishedError,
    UnknownThreadError,
)
from .raise_graph import build_raise_graph, compile_raise_graph, draw_mermaid
from .routing import AgentStopReason
from .session import AnswerReply, QuestionReply, RaiseAgent, StreamItem
from .state import RaiseInput, RaiseOutput, RaiseState

__all__ = [
    "AgentStopReason",
    "AnswerReply",
    "CheckpointError",
    "ConversationBusyError",
    "ConversationError",
    "ConversationFinishedError",
    "EmptyAnswerError",
    "EmptyQueryError",
    "InvalidQueryError",
    "InvalidReplyError",
    "MessageTooLongError",
    "QuestionReply",
    "RaiseAgent",
    "RaiseComponents",
    "RaiseInput",
    "RaiseOutput",
    "RaiseSettings",
    "RaiseState",
    "SettingsError",
    "StreamItem",
    "ThreadExistsError",
    "TurnUnfinishedError",
    "UnknownThreadError",
    "build_raise_graph",
    "compile_raise_graph",
    "draw_mermaid",
    "offline_components",
    "open_checkpointer",
]
