"""Simulated users, the conversations they hold, and the scenarios they come from.

May import ``domains`` and ``models``; imports neither ``agents`` nor ``graphs``.

Main path: ``load_scenarios(path, pack)`` -> ``Persona.from_scenario(scenario)`` -> ``ScriptedUser`` or ``LlmUser`` ->
``await simulate_dialogue(session, user)`` -> ``Dialogue``.
"""

from .datasets import load_scenarios, packaged_scenarios
from .dialogue import (
    AgentSession,
    AgentTurn,
    Dialogue,
    SimulatedUser,
    StopReason,
    TranscriptMessage,
    UserTurn,
    simulate_dialogue,
)
from .disclosure import COOPERATIVE, Disclosure, Reveal, Stance
from .errors import AssistantFailed, DialogueFailed, SimulatorFailed
from .ledger import Ledger, LedgerEntry, LedgerState
from .llm_user import LlmUser
from .persona import Persona
from .scripted_user import ScriptedUser

__all__ = [
    "COOPERATIVE",
    "AgentSession",
    "AgentTurn",
    "AssistantFailed",
    "Dialogue",
    "DialogueFailed",
    "Disclosure",
    "Ledger",
    "LedgerEntry",
    "LedgerState",
    "LlmUser",
    "Persona",
    "Reveal",
    "ScriptedUser",
    "SimulatedUser",
    "SimulatorFailed",
    "Stance",
    "StopReason",
    "TranscriptMessage",
    "UserTurn",
    "load_scenarios",
    "packaged_scenarios",
    "simulate_dialogue",
]
