"""Figures over records: means with intervals, paired differences, counts."""

from .intervals import clustered_interval, mean_or_none
from .ledger_metrics import unclear_notes
from .metrics import paired_difference, summarise

__all__ = ["clustered_interval", "mean_or_none", "paired_difference", "summarise", "unclear_notes"]
