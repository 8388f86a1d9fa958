"""Simulated users, the conversations they hold, and the scenarios they come from.

May import ``domains`` and ``models``; imports neither ``agents`` nor ``graphs``.

Main path: ``load_scenarios(path, pack)`` -> ``Persona.behaving(scenario, behaviour, pack)`` (or ``from_scenario``) ->
``ScriptedUser`` or ``LlmUser`` ->
``await simulate_dialogue(session, user)`` -> ``Dialogue``.
"""

from .behaviour import COOPERATIVE_BEHAVIOUR, Behaviour
from .behaviour_files import BehaviourError, behaviour_names, check_behaviour, load_behaviour, load_behaviours
from .checks import FAULTS, Situation, check_reply
from .control import Control
from .datasets import load_scenarios, packaged_scenarios
from .dialogue import (
    AgentSession,
    AgentTurn,
    ConcludingSession,
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
from .llm_check import LlmFidelityCheck
from .llm_user import LlmUser
from .persona import Persona
from .scripted_user import ScriptedUser

__all__ = [
    "COOPERATIVE",
    "COOPERATIVE_BEHAVIOUR",
    "FAULTS",
    "AgentSession",
    "AgentTurn",
    "AssistantFailed",
    "Behaviour",
    "BehaviourError",
    "ConcludingSession",
    "Control",
    "Dialogue",
    "DialogueFailed",
    "Disclosure",
    "Ledger",
    "LedgerEntry",
    "LedgerState",
    "LlmFidelityCheck",
    "LlmUser",
    "Persona",
    "Reveal",
    "ScriptedUser",
    "SimulatedUser",
    "SimulatorFailed",
    "Situation",
    "Stance",
    "StopReason",
    "TranscriptMessage",
    "UserTurn",
    "behaviour_names",
    "check_behaviour",
    "check_reply",
    "load_behaviour",
    "load_behaviours",
    "load_scenarios",
    "packaged_scenarios",
    "simulate_dialogue",
]
