"""Imminent risk: rules and a model that see it, and the fixed answer that then takes the place of every other."""

from .rules import load_crisis_rules
from .screen import LlmCrisisScreen, PackCrisisScreen

__all__ = ["LlmCrisisScreen", "PackCrisisScreen", "load_crisis_rules"]
