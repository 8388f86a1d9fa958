"""What people write, read once for everybody: danger, acts and values. May import ``domains``.

Main path: ``load_reader(pack).read(message, asked=..., before=...)`` -> ``MessageReading``.
"""

from .reader import LearnedReader, load_reader
from .reading import (
    ACTS,
    FAULTS,
    KINDS,
    LEVELS,
    Act,
    Fault,
    MessageReader,
    MessageReading,
    RiskKind,
    RiskLevel,
    RiskReading,
    ToldValue,
    Turn,
    higher,
)

__all__ = [
    "ACTS",
    "FAULTS",
    "KINDS",
    "LEVELS",
    "Act",
    "Fault",
    "LearnedReader",
    "MessageReader",
    "MessageReading",
    "RiskKind",
    "RiskLevel",
    "RiskReading",
    "ToldValue",
    "Turn",
    "higher",
    "load_reader",
]
