"""Joins the planner's reward and prior to the ledger of what was paid for: which file, and what a value depends on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from ..agents.planning import RANKING_SAMPLING, FallbackPrior, LlmPrior, PackPrior
from ..agents.planning.rewards import (
    Allowance,
    KeptPrior,
    KeptReward,
    Recipe,
    RewardLedger,
    digest,
    query_digest,
    scenario_digest,
)
from ..domains import Scenario
from ..models import Prompt, Sampling
from .settings import OFFLINE, Settings
from .wiring import Wiring

__all__ = ["PlanningParts", "planning_parts", "ranking_recipe", "reward_recipe", "rewards_file"]

_MOST_STRUCTURED = 2  # replies: the first, and one more if it does not fit its schema


@dataclass(frozen=True)
class PlanningParts:
    """What a planner needs, paying from one allowance. ``rankings``: what is paid for them; None: they cost nothing."""

    reward: KeptReward
    prior: PackPrior | FallbackPrior
    rankings: KeptPrior | None = None

    def refused(self, scenario: Scenario) -> bool:
        """Whether the allowance refused an evaluation or a ranking that was wanted for ``scenario``."""
        unranked = self.rankings.refused if self.rankings is not None else ()
        return scenario_digest(scenario) in self.reward.refused or query_digest(scenario) in unranked


def rewards_file(settings: Settings) -> Path:
    """Where paid evaluations are kept: beside the store, unless named."""
    return settings.rewards or settings.store.with_name(f"{settings.store.name}.rewards.sqlite")


def planning_parts(wiring: Wiring, ledger: RewardLedger, allowance: Allowance) -> PlanningParts:
    """The reward and the prior of ``wiring``, kept in ``ledger`` and paid from ``allowance``."""
    recipe = reward_recipe(wiring)
    most = (wiring.model("agent") is not None) + _MOST_STRUCTURED * (wiring.model("judge") is not None)
    allowance.expect("reward", calls=most, tokens=ledger.costs(recipe).most_tokens or None)
    reward = KeptReward(wiring.reward(), ledger, recipe, allowance)
    model, rules = wiring.model("planner"), PackPrior(wiring.pack)
    if model is None:
        return PlanningParts(reward, rules)
    recipe = ranking_recipe(wiring)
    allowance.expect("ranking", calls=_MOST_STRUCTURED, tokens=ledger.costs(recipe).most_tokens or None)
    rankings = KeptPrior(LlmPrior(model, wiring.pack), ledger, recipe, allowance)
    return PlanningParts(reward, FallbackPrior(rankings, rules), rankings)


def reward_recipe(wiring: Wiring) -> Recipe:
    """What a score depends on besides scenario and set: who answers, who judges, with which prompts and sampling."""
    return _recipe(
        wiring,
        "reward",
        prompts={"agent": ("agents", "responder"), "judge": ("evals", "judge")},
        sampling={"agent": wiring.sampling_of("agent"), "judge": wiring.judge_sampling},
    )


def ranking_recipe(wiring: Wiring) -> Recipe:
    """What a ranking depends on besides the query and the set."""
    return _recipe(wiring, "ranking", prompts={"planner": ("agents", "prior")}, sampling={"planner": RANKING_SAMPLING})


def _recipe(
    wiring: Wiring,
    kind: Literal["reward", "ranking"],
    *,
    prompts: Mapping[str, tuple[str, str]],
    sampling: Mapping[str, Sampling],
) -> Recipe:
    models = {role: wiring.spec(role) for role in prompts}
    real = [role for role, spec in models.items() if spec != OFFLINE]
    # Offline the program itself is the model: another version may score otherwise.
    named = {role: spec if role in real else f"{OFFLINE}@{version('askfirst')}" for role, spec in models.items()}
    hashes = {}
    for role in real:
        package, name = prompts[role]
        hashes[f"{package}/{name}"] = Prompt.load(package=f"askfirst.{package}", name=name).hash
    pack = wiring.pack
    return Recipe(
        kind=kind,
        models=named,
        prompts=hashes,
        sampling={role: sampling[role].model_dump() for role in real},
        pack=f"{pack.name} {pack.version} {digest(pack.model_dump(mode='json'))}",
    )
