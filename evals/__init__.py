"""Judges, conditions, the runner, statistics and the report: tests any assistant through ``Assistant``.

May import ``simulators``, ``models`` and ``domains``; never ``agents``, ``graphs`` or ``vectorstore``. Main path:
``EvalSettings`` -> ``plan_run`` -> ``RunFolder.create`` -> ``run_eval`` -> ``write_report``. From synchronous code wrap
``run_eval`` in ``askfirst.models.run_sync``.
"""

from .assistants import (
    Answerer,
    Assistant,
    Assistants,
    Condition,
    Extract,
    QuestionnaireAssistant,
    check_conditions,
    parse_condition,
)
from .errors import EvalError, RewardUnscored, RunAborted, RunExists, RunFolderError, RunLocked, SettingsDiffer
from .judging import CRITERIA, BestSubset, HeuristicJudge, Judge, JudgedAnswerReward, LlmJudge, Unscored, Verdict
from .records import (
    ConversationRecord,
    EvalSettings,
    Run,
    RunFolder,
    RunSettings,
    RunSummary,
    plan_run,
    read_run,
)
from .report import OFFLINE_LABEL, crisis_notes, write_report
from .running import RunProgress, run_eval
from .statistics import clustered_interval, paired_difference, summarise, unclear_notes

__all__ = [
    "CRITERIA",
    "OFFLINE_LABEL",
    "Answerer",
    "Assistant",
    "Assistants",
    "BestSubset",
    "Condition",
    "ConversationRecord",
    "EvalError",
    "EvalSettings",
    "Extract",
    "HeuristicJudge",
    "Judge",
    "JudgedAnswerReward",
    "LlmJudge",
    "QuestionnaireAssistant",
    "RewardUnscored",
    "Run",
    "RunAborted",
    "RunExists",
    "RunFolder",
    "RunFolderError",
    "RunLocked",
    "RunProgress",
    "RunSettings",
    "RunSummary",
    "SettingsDiffer",
    "Unscored",
    "Verdict",
    "check_conditions",
    "clustered_interval",
    "crisis_notes",
    "paired_difference",
    "parse_condition",
    "plan_run",
    "read_run",
    "run_eval",
    "summarise",
    "unclear_notes",
    "write_report",
]
