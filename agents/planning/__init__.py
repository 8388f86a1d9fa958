"""The offline planner: from one scenario to the path of attributes worth asking (C.1-C.5)."""

from .attribute_sets import Choices, choices_for
from .curriculum import Curriculum
from .mcts_settings import MctsSettings
from .paper_mcts import PaperMctsPlanner, PaperMctsSettings
from .planners import (
    PLANNERS,
    BayesPlanner,
    ExhaustivePlanner,
    GreedyPlanner,
    MctsPlanner,
    RandomPlanner,
    StaticPlanner,
    plan_scenario,
    planner_named,
    preset_planner,
)
from .prior import RANKING_SAMPLING, FallbackPrior, LlmPrior, PackPrior

__all__ = [
    "PLANNERS",
    "RANKING_SAMPLING",
    "BayesPlanner",
    "Choices",
    "Curriculum",
    "ExhaustivePlanner",
    "FallbackPrior",
    "GreedyPlanner",
    "LlmPrior",
    "MctsPlanner",
    "MctsSettings",
    "PackPrior",
    "PaperMctsPlanner",
    "PaperMctsSettings",
    "RandomPlanner",
    "StaticPlanner",
    "choices_for",
    "plan_scenario",
    "planner_named",
    "preset_planner",
]
