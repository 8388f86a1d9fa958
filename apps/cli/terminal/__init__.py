"""What the command line prints: results on stdout, progress on stderr, and nothing that a terminal would obey."""

from .console import can_go_on, note, out, print_estimate, print_json, progress, resumable, say, working
from .plain_text import one_line, shown
from .styled import SafeConsole, styled
from .table import print_result

__all__ = [
    "SafeConsole",
    "can_go_on",
    "note",
    "one_line",
    "out",
    "print_estimate",
    "print_json",
    "print_result",
    "progress",
    "resumable",
    "say",
    "shown",
    "styled",
    "working",
]
