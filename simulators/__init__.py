"""Simulated users, the conversations they hold, and the scenarios they come from.

May import ``domains`` and ``models``; imports neither ``agents`` nor ``graphs``.

Main path: ``load_scenarios(path, pack)`` -> ``Persona.behaving(scenario, behaviour, pack)`` (or ``from_scenario``) ->
``ScriptedUser`` or ``LlmUser`` ->
``await simulate_dialogue(session, user)`` -> ``Dialogue``.
"""

from .datasets.load import load_scenarios, packaged_scenarios
from .dialogue.dialogue import (
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
from .dialogue.errors import AssistantFailed, DialogueFailed, SimulatorFailed
from .dialogue.ledger import Ledger, LedgerEntry, LedgerState
from .dialogue.llm_fidelity_check import LlmFidelityCheck
from .dialogue.turn_taking import Control
from .fidelity.reply_checks import FAULTS, Situation, check_reply
from .users.behaviour import COOPERATIVE_BEHAVIOUR, Behaviour
from .users.behaviour_files import BehaviourError, behaviour_names, check_behaviour, load_behaviour, load_behaviours
from .users.disclosure import COOPERATIVE, Disclosure, Reveal, Stance
from .users.llm_user import LlmUser
from .users.persona import Persona
from .users.scripted_user import ScriptedUser

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
