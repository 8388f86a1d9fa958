"""One simulated conversation: whose turn it is, when it ends, and what is kept of it."""

from .dialogue import simulate_dialogue
from .errors import AssistantFailed, DialogueFailed, SimulatorFailed
from .ledger import Ledger, LedgerEntry, LedgerState
from .llm_fidelity_check import LlmFidelityCheck
from .record import Dialogue, TranscriptMessage
from .turn_taking import Control, StopReason, offers_more
from .turns import AgentSession, AgentTurn, ConcludingSession, SimulatedUser, UserTurn

__all__ = [
    "AgentSession",
    "AgentTurn",
    "AssistantFailed",
    "ConcludingSession",
    "Control",
    "Dialogue",
    "DialogueFailed",
    "Ledger",
    "LedgerEntry",
    "LedgerState",
    "LlmFidelityCheck",
    "SimulatedUser",
    "SimulatorFailed",
    "StopReason",
    "TranscriptMessage",
    "UserTurn",
    "offers_more",
    "simulate_dialogue",
]
