"""Runs conversations under every condition, has them judged, and keeps them."""

from .runner import RunProgress, run_eval

__all__ = ["RunProgress", "run_eval"]
