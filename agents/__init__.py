"""The parts of RAISE (5, C, D): the offline planner, and what the online agent decides, asks, reads and answers.

May import ``vectorstore``, ``domains`` and ``models``, not ``simulators``, ``evals`` or ``graphs``. Most parts come as
rules (no model) and with a model; the Protocols that both satisfy stand in ``context``.
"""

from .abstention import ModelAbstention, RuleAbstention, Variant
from .acquisition import ModelAcquisition, PlanAcquisition
from .bayes import BayesPlanner, MctsPlanner, MctsSettings
from .consensus import consensus_plan
from .context import (
    Abstention,
    Acquisition,
    AgentContext,
    Assessment,
    Burden,
    CrisisScreen,
    CrisisSignal,
    Extracted,
    Extraction,
    NoisyReward,
    PathPlanner,
    PlanResult,
    Prior,
    Question,
    Responder,
    Reward,
)
from .crisis import ModelCrisisScreen, PackCrisisScreen
from .errors import NoRanking, PlanningError, SpendingLimitReached
from .extraction import ModelExtraction, RuleExtraction
from .lesson import Lesson, LessonTaker
from .paid_once import KeptPrior, KeptReward, no_ranking, query_digest, scenario_digest
from .paper_mcts import PaperMctsPlanner, PaperMctsSettings
from .planners import (
    PLANNERS,
    ExhaustivePlanner,
    GreedyPlanner,
    RandomPlanner,
    StaticPlanner,
    plan_scenario,
    planner_named,
    preset_planner,
)
from .prior import RANKING_SAMPLING, ModelPrior, PackPrior
from .responder import ModelResponder, PackResponder
from .reward_ledger import Costs, Entry, LedgerUnusable, Recipe, RewardLedger
from .spending import Allowance

__all__ = [
    "PLANNERS",
    "RANKING_SAMPLING",
    "Abstention",
    "Acquisition",
    "AgentContext",
    "Allowance",
    "Assessment",
    "BayesPlanner",
    "Burden",
    "Costs",
    "CrisisScreen",
    "CrisisSignal",
    "Entry",
    "ExhaustivePlanner",
    "Extracted",
    "Extraction",
    "GreedyPlanner",
    "KeptPrior",
    "KeptReward",
    "LedgerUnusable",
    "Lesson",
    "LessonTaker",
    "MctsPlanner",
    "MctsSettings",
    "ModelAbstention",
    "ModelAcquisition",
    "ModelCrisisScreen",
    "ModelExtraction",
    "ModelPrior",
    "ModelResponder",
    "NoRanking",
    "NoisyReward",
    "PackCrisisScreen",
    "PackPrior",
    "PackResponder",
    "PaperMctsPlanner",
    "PaperMctsSettings",
    "PathPlanner",
    "PlanAcquisition",
    "PlanResult",
    "PlanningError",
    "Prior",
    "Question",
    "RandomPlanner",
    "Recipe",
    "Responder",
    "Reward",
    "RewardLedger",
    "RuleAbstention",
    "RuleExtraction",
    "SpendingLimitReached",
    "StaticPlanner",
    "Variant",
    "consensus_plan",
    "no_ranking",
    "plan_scenario",
    "planner_named",
    "preset_planner",
    "query_digest",
    "scenario_digest",
]
