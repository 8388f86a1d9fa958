"""The product's planners as plain functions: ``plan(reward_fn, attributes, k, max_evals, prior, seed) -> list``.

For harnesses that compare planners of attribute sets by a reward function of their own:

* ``reward_fn(list of attributes) -> float``, a score from 1 to 5; each call may be paid for. If it has a true attribute
  ``noisy``, every call is a fresh draw.
* ``prior``: attribute -> weight. The product's planners may ask for it after each step; here it stays the same.
* At most ``max_evals`` distinct sets are evaluated (calls, if noisy), all of them in the search for the best set: none
  goes into the order of the path or into its prefixes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from askfirst.agents import (
    BayesPlanner,
    GreedyPlanner,
    MctsPlanner,
    MctsSettings,
    PaperMctsPlanner,
    PaperMctsSettings,
    PathPlanner,
    PlanLimits,
)
from askfirst.domains import Profile, Scenario
from askfirst.models import run_sync

__all__ = ["Plan", "bayes", "greedy", "mcts", "mcts_paper", "mcts_with", "planned", "settings_for"]

RewardFunction = Callable[[list[str]], float]
Plan = Callable[[RewardFunction, Sequence[str], int, int, Mapping[str, float], int], list[str]]


def _as_function(make: Callable[[RewardFunction, int], PathPlanner]) -> Plan:
    def plan(
        reward_fn: RewardFunction,
        attributes: Sequence[str],
        k: int,
        max_evals: int,
        prior: Mapping[str, float],
        seed: int,
    ) -> list[str]:
        return planned(make(reward_fn, k), reward_fn, attributes, k, max_evals, prior, seed)

    return plan


def mcts_with(leaves: int) -> Plan:
    """The default planner, ``leaves`` evaluations at a time."""
    return _as_function(lambda reward_fn, k: MctsPlanner(settings_for(reward_fn, leaves=leaves)))


mcts = mcts_with(1)
"""The default planner."""
bayes = _as_function(lambda reward_fn, k: BayesPlanner(settings_for(reward_fn)))
"""The same belief without a tree."""
mcts_paper = _as_function(lambda reward_fn, k: PaperMctsPlanner(PaperMctsSettings(depth=k)))
"""The published settings: at most 300 rollouts, and a set is paid for once."""
greedy = _as_function(lambda reward_fn, k: GreedyPlanner())
"""One attribute after another, then swaps."""


def settings_for(reward_fn: RewardFunction, *, leaves: int = 1) -> MctsSettings:
    """The default settings for a search in which only the best set counts, ``leaves`` evaluations at a time."""
    noisy = bool(getattr(reward_fn, "noisy", False))
    return MctsSettings(noisy=noisy, prefix_evaluations=0, concurrency=leaves)


def planned(
    planner: PathPlanner,
    reward_fn: RewardFunction,
    attributes: Sequence[str],
    k: int,
    max_evals: int,
    prior: Mapping[str, float] | None,
    seed: int,
) -> list[str]:
    """What ``planner`` finds: ``k`` attributes, or all that it could choose from."""
    scores: dict[frozenset[str], float] = {}
    every, k = tuple(attributes), min(k, len(attributes))

    async def reward(scenario: Scenario, attributes: frozenset[str], *, draw: int = 0) -> float:
        drawn = float(reward_fn([a for a in every if a in attributes]))
        if math.isnan(drawn):
            return drawn  # a failed evaluation
        scores[attributes] = min(5.0, max(1.0, drawn))  # a noisy draw may leave the range of scores
        return scores[attributes]

    async def ranked(scenario: Scenario, known: frozenset[str], remaining: Sequence[str]) -> Mapping[str, float]:
        return {a: 1.0 if prior is None else prior.get(a, 0.0) for a in remaining}

    person = Scenario(id="bench", domain="bench", query="bench", profile=Profile(values=dict.fromkeys(attributes, "x")))
    limits = PlanLimits(budget=k, evaluations=max_evals, seed=seed)
    path = run_sync(planner.plan(person, reward, ranked, attributes=attributes, limits=limits)).path
    full = [s for s in scores if len(s) == k]
    if len(path) == k or not full:
        return list(path)
    best = max(full, key=scores.__getitem__)  # a smaller set was as good, and a harness compares sets of k
    return [a for a in attributes if a in best]
