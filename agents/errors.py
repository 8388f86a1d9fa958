"""The errors of the agent layer.

AskfirstError
└── PlanningError      no path could be planned for a scenario; ``__cause__`` is the last failed evaluation, if any
"""

from __future__ import annotations

from ..domains.errors import AskfirstError

__all__ = ["PlanningError"]


class PlanningError(AskfirstError):
    """No path can be planned for a scenario.

    Attributes:
        scenario_id: the scenario.
        problem: why, and what to do about it.
    """

    def __init__(self, scenario_id: str, problem: str) -> None:
        self.scenario_id, self.problem = scenario_id, problem
        super().__init__(f"no path for scenario {scenario_id!r}: {problem}")
