"""The report on runs, made to be read by people. May import what ``evals`` may.

The plotting and template libraries are loaded when a report is written.
"""

from .charts import GRID, INK, MUTED, SERIES, figure
from .view import OFFLINE_LABEL, crisis_notes
from .write import write_report

__all__ = ["GRID", "INK", "MUTED", "OFFLINE_LABEL", "SERIES", "crisis_notes", "figure", "write_report"]
