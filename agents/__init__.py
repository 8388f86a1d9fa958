"""The parts of RAISE (5, C, D): the offline planner, and what the online agent decides, asks, reads and answers.

May import ``vectorstore``, ``domains`` and ``models``, not ``simulators``, ``evals`` or ``graphs``. Most parts come as
rules (no model) and with a model; the Protocols that both satisfy stand in ``context``.
"""

from .abstention import ModelAbstention, RuleAbstention, Variant
from .acquisition import ModelAcquisition, PlanAcquisition
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
from .crisis.screen import ModelCrisisScreen, PackCrisisScreen
from .errors import NoRanking, PlanningError, SpendingLimitReached
from .extraction.rules import ModelExtraction, RuleExtraction
from .planning.mcts import BayesPlanner, MctsPlanner, MctsSettings
from .planning.paper_mcts import PaperMctsPlanner, PaperMctsSettings
from .planning.planners import (
    PLANNERS,
    ExhaustivePlanner,
    GreedyPlanner,
    RandomPlanner,
    StaticPlanner,
    plan_scenario,
    planner_named,
    preset_planner,
)
from .planning.prior import RANKING_SAMPLING, ModelPrior, PackPrior
from .planning.rewards.cached_reward import KeptPrior, KeptReward, no_ranking, query_digest, scenario_digest
from .planning.rewards.lesson import Lesson, LessonTaker
from .planning.rewards.reward_ledger import Costs, Entry, LedgerUnusable, Recipe, RewardLedger
from .planning.rewards.spending import Allowance
from .responder import ModelResponder, PackResponder

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
