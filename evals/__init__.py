"""Judges, conditions, the runner, statistics and the report: tests any assistant through ``Assistant``.

May import ``simulators``, ``models`` and ``domains``; never ``agents``, ``graphs`` or ``vectorstore``. Main path:
``plan_run`` -> ``RunFolder.create`` -> ``run_eval`` -> ``write_report``. From synchronous code wrap ``run_eval`` in
``askfirst.models.run_sync``.
"""

from .assistants.assistant import Answerer, Assistant, Extract
from .assistants.conditions import Assistants, Condition, QuestionnaireAssistant, check_conditions, parse_condition
from .errors import EvalError, RewardUnscored, RunAborted, RunExists, RunFolderError, RunLocked, SettingsDiffer
from .judging.heuristic_judge import HeuristicJudge
from .judging.judge import Judge, LlmJudge
from .judging.reward import BestSubset, JudgedAnswerReward
from .judging.verdict import CRITERIA, Unscored, Verdict
from .records.record import ConversationRecord, RunSettings, plan_run
from .records.run_folder import Run, RunFolder, read_run
from .report import OFFLINE_LABEL, crisis_notes, write_report
from .running.runner import Progress, run_eval
from .statistics.ledger_metrics import unclear_notes
from .statistics.metrics import clustered_interval, paired_difference, summarise

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
    "Extract",
    "HeuristicJudge",
    "Judge",
    "JudgedAnswerReward",
    "LlmJudge",
    "Progress",
    "QuestionnaireAssistant",
    "RewardUnscored",
    "Run",
    "RunAborted",
    "RunExists",
    "RunFolder",
    "RunFolderError",
    "RunLocked",
    "RunSettings",
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
