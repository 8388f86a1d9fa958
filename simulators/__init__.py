"""Simulated users, the conversations they hold, and the scenarios they come from.

May import ``domains`` and ``models``; imports neither ``agents`` nor ``graphs``.

Main path: ``load_scenarios(path, pack)`` -> ``Persona.behaving(scenario, behaviour, pack)`` (or ``from_scenario``) ->
``ScriptedUser`` or ``LlmUser`` ->
``await simulate_dialogue(session, user)`` -> ``Dialogue``.
"""

from .datasets import load_scenarios, packaged_scenarios
from .dialogue import (
    AgentSession,
    AgentTurn,
    AssistantFailed,
    ConcludingSession,
    Control,
    Dialogue,
    DialogueFailed,
    Ledger,
    LedgerEntry,
    LedgerState,
    LlmFidelityCheck,
    SimulatedUser,
    SimulatorFailed,
    StopReason,
    TranscriptMessage,
    UserTurn,
    simulate_dialogue,
)
from .fidelity import FAULTS, Situation, check_reply
from .users import (
    COOPERATIVE,
    COOPERATIVE_BEHAVIOUR,
    Behaviour,
    BehaviourError,
    Disclosure,
    LlmUser,
    Persona,
    Reveal,
    ScriptedUser,
    Stance,
    behaviour_names,
    check_behaviour,
    load_behaviour,
    load_behaviours,
)

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
