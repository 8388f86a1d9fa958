"""Files that survive interruptions: logs to which finished work is added line by line, files that are replaced whole.

Imports no other room of ``simulators``. Whatever is kept on disk across runs goes through here.
"""

from .line_log import FileHeld, LineLog, UnreadableLine, append_lines, held_lock, read_lines
from .replace import atomic_folder, atomic_text, write_atomic
from .settings_check import different_settings

__all__ = [
    "FileHeld",
    "LineLog",
    "UnreadableLine",
    "append_lines",
    "atomic_folder",
    "atomic_text",
    "different_settings",
    "held_lock",
    "read_lines",
    "write_atomic",
]
