"""Studies that repeat an experiment of the paper: numbers, figures and files. What is measured comes from outside.

May import what ``evals`` may. The plotting library is loaded when figures are drawn.
"""

from .convergence import GUIDED, UNGUIDED, ConvergenceSettings, ScenarioSearches, Search, summarise_convergence
from .study_files import prepare_folder, write_convergence

__all__ = [
    "GUIDED",
    "UNGUIDED",
    "ConvergenceSettings",
    "ScenarioSearches",
    "Search",
    "prepare_folder",
    "summarise_convergence",
    "write_convergence",
]
