"""The parts of RAISE (5, C, D): the offline planner, and what the online agent decides, asks, reads and answers.

May import ``vectorstore``, ``domains`` and ``models``, not ``simulators``, ``evals`` or ``graphs``. Most parts come as
rules (no model) and with a model; the Protocols that both satisfy stand in ``context``.
"""

from .abstention import ModelAbstention, RuleAbstention, Variant
from .acquisition import ModelAcquisition, PlanAcquisition
from .consensus import consensus_plan, likely_domain
from .context import (
    Abstention,
    Acquisition,
    AgentContext,
    Assessment,
    CrisisScreen,
    CrisisSignal,
    Extracted,
    Extraction,
    PathPlanner,
    PlanResult,
    Prior,
    Question,
    Responder,
    Reward,
)
from .crisis import ModelCrisisScreen, PackCrisisScreen
from .errors import PlanningError
from .evaluations import memoised
from .extraction import ModelExtraction, RuleExtraction
from .mcts import MctsPlanner, MctsSettings
from .planners import (
    PLANNERS,
    ExhaustivePlanner,
    GreedyPlanner,
    RandomPlanner,
    StaticPlanner,
    plan_scenario,
    planner_named,
)
from .prior import ModelPrior, PackPrior
from .responder import ModelResponder, PackResponder

__all__ = [
    "PLANNERS",
    "Abstention",
    "Acquisition",
    "AgentContext",
    "Assessment",
    "CrisisScreen",
    "CrisisSignal",
    "ExhaustivePlanner",
    "Extracted",
    "Extraction",
    "GreedyPlanner",
    "MctsPlanner",
    "MctsSettings",
    "ModelAbstention",
    "ModelAcquisition",
    "ModelCrisisScreen",
    "ModelExtraction",
    "ModelPrior",
    "ModelResponder",
    "PackCrisisScreen",
    "PackPrior",
    "PackResponder",
    "PathPlanner",
    "PlanAcquisition",
    "PlanResult",
    "PlanningError",
    "Prior",
    "Question",
    "RandomPlanner",
    "Responder",
    "Reward",
    "RuleAbstention",
    "RuleExtraction",
    "StaticPlanner",
    "Variant",
    "consensus_plan",
    "likely_domain",
    "memoised",
    "plan_scenario",
    "planner_named",
]
