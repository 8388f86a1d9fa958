"""Figures over records: means with intervals, paired differences, counts."""

from .ledger_metrics import LEDGER_COUNTS, unclear_notes
from .metrics import clustered_interval, mean_or_none, paired_difference, summarise

__all__ = ["LEDGER_COUNTS", "clustered_interval", "mean_or_none", "paired_difference", "summarise", "unclear_notes"]
