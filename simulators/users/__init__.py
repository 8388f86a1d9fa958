"""Simulated people: who they are, what they tell of it and when, and the scripted or modelled person that speaks."""

from .behaviour import COOPERATIVE_BEHAVIOUR, Behaviour
from .behaviour_files import BehaviourError, behaviour_names, check_behaviour, load_behaviour, load_behaviours
from .disclosure import COOPERATIVE, Disclosure, Reveal, Stance
from .llm_user import LlmUser
from .persona import Persona
from .scripted_user import ScriptedUser

__all__ = [
    "COOPERATIVE",
    "COOPERATIVE_BEHAVIOUR",
    "Behaviour",
    "BehaviourError",
    "Disclosure",
    "LlmUser",
    "Persona",
    "Reveal",
    "ScriptedUser",
    "Stance",
    "behaviour_names",
    "check_behaviour",
    "load_behaviour",
    "load_behaviours",
]
