"""Evaluations of attribute sets: counted, kept on disk and never paid twice."""

from .cached_reward import KeptPrior, KeptReward, query_digest, ranking_item, scenario_digest, set_item
from .evaluations import HIGHEST, LOWEST, REWARD_FAILURES, Evaluations
from .lesson import Lesson
from .reward_ledger import Costs, Entry, LedgerUnusable, Recipe, RewardLedger, digest
from .spending import Allowance

__all__ = [
    "HIGHEST",
    "LOWEST",
    "REWARD_FAILURES",
    "Allowance",
    "Costs",
    "Entry",
    "Evaluations",
    "KeptPrior",
    "KeptReward",
    "LedgerUnusable",
    "Lesson",
    "Recipe",
    "RewardLedger",
    "digest",
    "query_digest",
    "ranking_item",
    "scenario_digest",
    "set_item",
]
