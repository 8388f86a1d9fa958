"""Imminent risk: rules and a model that see it, and the fixed answer that then takes the place of every other."""

from .rules import load_crisis_rules
from .screen import ModelCrisisScreen, PackCrisisScreen

__all__ = ["ModelCrisisScreen", "PackCrisisScreen", "load_crisis_rules"]
