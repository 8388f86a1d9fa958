"""Conformance suites: what every implementation of a Protocol must do, to run on your own.

Subclass the suite of the Protocol in a test module and say how yours is made; pytest does the rest::

    from askfirst.testing import PathPlannerSuite

    class TestMyPlanner(PathPlannerSuite):
        def make_planner(self, pack):
            return MyPlanner()

Needs the extra ``testing`` (pytest, pytest-asyncio, hypothesis), and ``asyncio_mode = "auto"`` in pytest's settings.
May
import every other package; none imports it.
"""

from . import asserts as _asserts  # noqa: F401 - before the suites
from .abstention import AbstentionSuite
from .acquisition import AcquisitionSuite
from .assistant import AssistantSuite
from .chat_model import ChatModelSuite
from .crisis_screen import CrisisScreenSuite
from .extraction import ExtractionSuite
from .judge import JudgeSuite
from .message_reader import MessageReaderSuite
from .path_planner import PathPlannerSuite
from .path_store import PathStoreSuite
from .responder import ResponderSuite
from .simulated_user import SimulatedUserSuite
from .suite import TOY_PACK, Suite

__all__ = [
    "TOY_PACK",
    "AbstentionSuite",
    "AcquisitionSuite",
    "AssistantSuite",
    "ChatModelSuite",
    "CrisisScreenSuite",
    "ExtractionSuite",
    "JudgeSuite",
    "MessageReaderSuite",
    "PathPlannerSuite",
    "PathStoreSuite",
    "ResponderSuite",
    "SimulatedUserSuite",
    "Suite",
]
