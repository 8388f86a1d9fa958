"""The formulas of the search (C.4, C.5, C.7): pure functions of numbers."""

from __future__ import annotations

import math

__all__ = ["action_value", "puct", "rollout_epsilon"]


def puct(value: float, prior: float, visits: int, siblings: int, c: float) -> float:
    """Q + c * P * sqrt(sum_b N_b) / (1 + N_a).

    Args:
        value: Q of the action, on a scale of 0 to 1.
        prior: P of the action among those that are open.
        visits: N of the action.
        siblings: sum of N over all open actions, this one included.
        c: weight of exploration.
    """
    return value + c * prior * math.sqrt(siblings) / (1 + visits)


def action_value(mean: float, visits: int, otherwise: float, *, pending: int = 0, virtual_loss: float = 0.0) -> float:
    """Q of an action: its mean reward, or without a visit ``otherwise``.

    Each of the ``pending`` rollouts through it counts as a visit whose reward falls short by the share
    ``virtual_loss``, so that rollouts under way at the same time spread.
    """
    value = mean if visits else otherwise
    if not pending:
        return value
    return value * (visits + (1 - virtual_loss) * pending) / (visits + pending)


def rollout_epsilon(known: int, depth: int, scale: float) -> float:
    """eps(d) = scale / (1 + exp(d - D/2)): how often a rollout ignores the prior; d is ``known``, D is ``depth``."""
    return scale / (1 + math.exp(known - depth / 2))
