"""Verdicts on answers: judges, their rubric, and a verdict as the reward of planning."""

from .crisis_reply import crisis_reply
from .heuristic_judge import OFFLINE_JUDGE, HeuristicJudge
from .judge import Judge, LlmJudge, is_service_failure
from .reflection import Reflection
from .reward import BestSubset, JudgedAnswerReward
from .verdict import CRITERIA, Criterion, Unscored, Verdict

__all__ = [
    "CRITERIA",
    "OFFLINE_JUDGE",
    "BestSubset",
    "Criterion",
    "HeuristicJudge",
    "Judge",
    "JudgedAnswerReward",
    "LlmJudge",
    "Reflection",
    "Unscored",
    "Verdict",
    "crisis_reply",
    "is_service_failure",
]
