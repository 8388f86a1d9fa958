"""Runs conversations under every condition, has them judged, and keeps them."""

from .runner import Progress, run_eval

__all__ = ["Progress", "run_eval"]
