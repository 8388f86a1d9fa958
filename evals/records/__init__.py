"""What a run keeps: settings, one record a conversation, the summary; in a folder that survives interruptions."""

from .record import ConversationRecord, RecordKey, record_key
from .run_folder import Run, RunFolder, read_run
from .settings import EvalSettings, RunSettings, plan_run
from .summary import (
    LEDGER_COUNTS,
    BehaviourFailures,
    Cell,
    ConditionSummary,
    CrisisSummary,
    Difference,
    LedgerCounts,
    PairedDifference,
    PairsSummary,
    QuestionsScore,
    RiskLevel,
    RiskScore,
    RunSummary,
    SimulatorFailures,
    SimulatorSummary,
)

__all__ = [
    "LEDGER_COUNTS",
    "BehaviourFailures",
    "Cell",
    "ConditionSummary",
    "ConversationRecord",
    "CrisisSummary",
    "Difference",
    "EvalSettings",
    "LedgerCounts",
    "PairedDifference",
    "PairsSummary",
    "QuestionsScore",
    "RecordKey",
    "RiskLevel",
    "RiskScore",
    "Run",
    "RunFolder",
    "RunSettings",
    "RunSummary",
    "SimulatorFailures",
    "SimulatorSummary",
    "plan_run",
    "read_run",
    "record_key",
]
