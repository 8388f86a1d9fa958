"""What a run keeps: one record a conversation, in a folder that survives interruptions."""

from .record import ConversationRecord, RecordKey, RunSettings, plan_run, record_key
from .run_folder import Run, RunFolder, read_run, write_atomic

__all__ = [
    "ConversationRecord",
    "RecordKey",
    "Run",
    "RunFolder",
    "RunSettings",
    "plan_run",
    "read_run",
    "record_key",
    "write_atomic",
]
