"""The errors of the agent layer.

AskfirstError
├── PlanningError           no path could be planned for a scenario; ``__cause__`` is the last failed evaluation, if any
└── SpendingLimitReached    a run has used the calls or tokens that it was allowed
"""

from __future__ import annotations

from ..domains import AskfirstError

__all__ = ["PlanningError", "SpendingLimitReached"]


class PlanningError(AskfirstError):
    """No path can be planned for a scenario.

    Attributes:
        scenario_id: the scenario.
        problem: why, and what to do about it.
    """

    def __init__(self, scenario_id: str, problem: str) -> None:
        self.scenario_id, self.problem = scenario_id, problem
        super().__init__(f"no path for scenario {scenario_id!r}: {problem}")


class SpendingLimitReached(AskfirstError):
    """What is asked for costs calls or tokens beyond the limit of the run. Nothing was spent on it."""

    def __init__(self) -> None:
        super().__init__("the run's limit of calls or tokens is reached")
