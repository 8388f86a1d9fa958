"""The report on runs, made to be read by people. May import what ``evals`` may.

The plotting and template libraries are loaded when a report is written.
"""

from .view import OFFLINE_LABEL, crisis_notes
from .write import write_report

__all__ = ["OFFLINE_LABEL", "crisis_notes", "write_report"]
