"""The offline planner of RAISE: Monte Carlo tree search with PUCT over sets of attributes (C.1-C.5)."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Self

from pydantic import Field, model_validator

from ..domains.scenario import Scenario
from ..domains.value import Value
from ..models import together
from .context import PlanResult, Prior, Reward
from .evaluations import HIGHEST, LOWEST, Evaluations
from .leaf_model import LeafModel, LeafModelFactory, MainEffects, RunningMean
from .paths import best_path, plannable, result
from .prior import with_floor
from .puct import action_value, puct, rollout_epsilon
from .tree import SearchTree

__all__ = ["MctsPlanner", "MctsSettings"]


class MctsSettings(Value):
    """How the search goes. The defaults need fewest evaluations; ``paper()`` is the method as published."""

    c_puct: float = Field(default=0.5, ge=0, description="Weight of exploration in PUCT (C.5).")
    rollouts: int | None = Field(default=None, ge=1, description="Most rollouts; None: until nothing is left to find.")
    depth: int | None = Field(default=None, ge=1, description="Size of a terminal set; None: the budget.")
    epsilon: float = Field(default=0.2, ge=0, le=1, description="Scale of the rollouts' exploration (C.3).")
    patience: float | None = Field(
        default=30,
        gt=0,
        description="Rollouts without a better set after which every second one goes by lot; None: none ever does.",
    )
    prior_floor: float = Field(
        default=0.1, gt=0, le=1, description="Share of the prior that is spread evenly, so that nothing is ruled out."
    )
    leaf_weight: float = Field(default=2.0, ge=0, description="Visits that the leaf model's value counts as.")
    share: bool = Field(
        default=True, description="Whether a reward reaches every subset of its set, or only the nodes passed."
    )
    prune: bool = Field(default=True, description="Whether a set whose rewards are all known is left alone.")
    scale: Literal["seen", "range"] = Field(
        default="seen", description="Rewards scaled to [0, 1] by the lowest and highest seen, or by the score's range."
    )
    readout: Literal["best", "greedy"] = Field(
        default="best", description="The best set evaluated, well ordered; or the path of highest Q from the root."
    )
    reserve: int | None = Field(
        default=None, ge=0, description="Evaluations kept for prefixes; None: one each, at most half of all."
    )
    concurrency: int = Field(default=1, ge=1, description="Rollouts, and so evaluations, under way at a time.")
    virtual_loss: float = Field(
        default=0.5,
        ge=0,
        le=1,
        description="Share by which the reward of a rollout under way is assumed to fall short.",
    )

    @model_validator(mode="after")
    def _ends(self) -> Self:
        if not self.prune and self.rollouts is None:
            raise ValueError("without prune a search only ends by its rollouts; set them")
        return self

    @classmethod
    def paper(cls, *, rollouts: int = 300, depth: int = 5, concurrency: int = 1) -> MctsSettings:
        """The published settings: depth 5 (3 in the ablations), 300 rollouts, c = 0.5, path read greedily by Q (C.5).

        A set is still paid for once: that the authors' code scores its permutations again is a fault, not a method.
        """
        return cls(
            rollouts=rollouts,
            depth=depth,
            leaf_weight=0,
            patience=None,
            share=False,
            prune=False,
            scale="range",
            readout="greedy",
            reserve=0,
            concurrency=concurrency,
        )


class MctsPlanner:
    """Selects by PUCT, expands with a prior, rolls out epsilon-greedily, backs the reward up, then reads the path.

    The reward of a set is paid for once. The same seed and settings give the same plan, whatever the timing: rollouts
    go in rounds of ``concurrency``, and each round is backed up in its own order.

    Args:
        settings: how to search.
        leaf_model: makes, for each plan, what the search believes of sets without a reward. None: main effects.
        name: stands in the planned path.
    """

    def __init__(
        self,
        settings: MctsSettings | None = None,
        *,
        leaf_model: LeafModelFactory | None = None,
        name: str = "mcts",
    ) -> None:
        self._settings = settings or MctsSettings()
        self._leaf_model = leaf_model or (lambda scenario, attributes, depth: MainEffects())
        self._name = name

    @classmethod
    def paper(cls, settings: MctsSettings | None = None) -> MctsPlanner:
        """The method as published; see ``MctsSettings.paper``."""
        return cls(settings or MctsSettings.paper(), leaf_model=lambda *_: RunningMean(), name="mcts-paper")

    @property
    def name(self) -> str:
        return self._name

    @property
    def settings(self) -> MctsSettings:
        """How this planner searches."""
        return self._settings

    async def plan(
        self,
        scenario: Scenario,
        reward: Reward,
        prior: Prior,
        *,
        attributes: Sequence[str],
        budget: int,
        evaluations: int,
        seed: int,
    ) -> PlanResult:
        """See ``PathPlanner``.

        Raises:
            PlanningError: nothing can be planned over, or every evaluation failed.
        """
        known, limit = plannable(scenario, attributes, budget, evaluations)
        depth = min(self._settings.depth or limit, limit)
        paid = Evaluations(scenario, reward, limit=evaluations, concurrency=self._settings.concurrency)
        search = _Search(
            self._settings,
            SearchTree(known, depth, share=self._settings.share),
            paid,
            scenario,
            prior,
            self._leaf_model(scenario, known, depth),
            random.Random(seed),
        )
        await search.run()
        if self._settings.readout == "greedy":
            paid.require_a_score()
            return result(paid, search.greedy_path(), rollouts=search.rollouts)
        return await best_path(paid, known, search.value, rollouts=search.rollouts)


@dataclass(slots=True)
class _Rollout:
    """One rollout: the sets passed so far, the last of them terminal at the end."""

    trail: list[frozenset[str]]
    in_tree: int = 0

    @property
    def known(self) -> frozenset[str]:
        return self.trail[-1]


class _Search:
    def __init__(
        self,
        settings: MctsSettings,
        tree: SearchTree,
        paid: Evaluations,
        scenario: Scenario,
        prior: Prior,
        leaf: LeafModel,
        rng: random.Random,
    ) -> None:
        self._settings, self._tree, self._paid, self._leaf, self._rng = settings, tree, paid, leaf, rng
        self._scenario, self._prior = scenario, prior
        self._reachable = math.comb(len(tree.attributes), tree.depth)
        reserve = min(tree.depth, paid.left // 2) if settings.reserve is None else settings.reserve
        self._reserve = min(reserve, paid.left - 1)
        self._low, self._high = math.inf, -math.inf
        self._stale = 0  # rollouts since the last one that found a better set
        self.rollouts = 0

    async def run(self) -> None:
        """Search in rounds until nothing is left to find or to spend."""
        while room := self._room():
            # Each part waits for all of the round: priors of new leaves together, then evaluations together.
            descents = [self._descend() for _ in range(room)]
            leaves = [r for r in descents if r is not None]
            if not leaves:
                return
            await self._expand(leaves)
            finished = [r for r in leaves if self._roll_out(r)]
            await self._paid.measure([r.known for r in finished])
            for rollout in finished:
                self._back_up(rollout)

    def value(self, known: frozenset[str], attribute: str) -> float:
        """How good ``attribute`` looks next to ``known``, on a scale of 0 to 1 (more or less)."""
        child = self._tree.child(known, attribute)
        leaf = self._scaled(self._leaf.value(known | {attribute}))
        return action_value(
            self._scaled(child.mean),
            child.visits,
            leaf,
            self._settings.leaf_weight,
            pending=child.pending,
            virtual_loss=self._settings.virtual_loss,
        )

    def greedy_path(self) -> list[str]:
        """From the root the visited action of highest mean, down to a terminal set (C.5)."""
        path: list[str] = []
        while len(path) < self._tree.depth:
            known = frozenset(path)
            actions = self._tree.visited_actions(known)
            path.append(max(actions, key=lambda a: self._tree.child(known, a).mean))
        return path

    def _room(self) -> int:
        """How many rollouts the next round may have."""
        tried = len(self._paid.scores) + len(self._paid.failed)
        room = min(self._settings.concurrency, self._paid.left - self._reserve, self._reachable - tried)
        if self._settings.rollouts is not None:
            room = min(room, self._settings.rollouts - self.rollouts)
        return max(0, room)

    def _descend(self) -> _Rollout | None:
        """Select down to a node without a prior, or to a terminal set. None: everything is closed."""
        while True:
            rollout = _Rollout([frozenset()])
            by_lot = self._rng.random() < self._doubt()
            while len(rollout.known) < self._tree.depth:
                node = self._tree.node(rollout.known)
                actions = self._tree.open_actions(rollout.known)
                if not actions:
                    node.closed = True
                    break
                if by_lot:
                    action = self._rng.choice(actions)
                elif node.prior is None:
                    return self._under_way(rollout)
                else:
                    action = self._select(rollout.known, actions, node.prior)
                rollout.trail.append(rollout.known | {action})
            else:
                return self._under_way(rollout)
            if not rollout.known:
                return None

    def _doubt(self) -> float:
        """How often a rollout goes by lot: ever more while nothing better is found.

        Shared statistics make the search see attributes one by one, and it would never try two that help only together
        and each do harm alone. By then the best of what it understands has been found, so this costs next to nothing.
        """
        if self._settings.patience is None:
            return 0.0
        return self._stale / (self._stale + self._settings.patience)

    def _select(self, known: frozenset[str], actions: Sequence[str], prior: Mapping[str, float]) -> str:
        prior = self._leaf.prior(known, actions, prior)
        total = sum(prior[a] for a in actions)
        children = {a: self._tree.child(known, a) for a in actions}
        visits = {a: node.visits + node.pending for a, node in children.items()}
        siblings = sum(visits.values())
        # Equal scores go to the higher prior, then by lot.
        scores = {
            a: (
                puct(self.value(known, a), prior[a] / total, visits[a], siblings, self._settings.c_puct),
                prior[a],
            )
            for a in actions
        }
        best = max(scores.values())
        return self._rng.choice([a for a in actions if scores[a] == best])

    def _under_way(self, rollout: _Rollout) -> _Rollout:
        rollout.in_tree = len(rollout.trail)
        for known in rollout.trail:
            self._tree.node(known).pending += 1
        return rollout

    async def _expand(self, leaves: Sequence[_Rollout]) -> None:
        """Give each new leaf its prior, once a node; they are asked for together."""
        new = [s for s in dict.fromkeys(r.known for r in leaves) if len(s) < self._tree.depth]
        new = [s for s in new if self._tree.node(s).prior is None]
        remaining = {s: [a for a in self._tree.attributes if a not in s] for s in new}
        priors = await together([self._ask_prior(s, remaining[s]) for s in new])
        for s, prior in zip(new, priors, strict=True):
            self._tree.node(s).prior = with_floor(prior, remaining[s], self._settings.prior_floor)

    async def _ask_prior(self, known: frozenset[str], remaining: Sequence[str]) -> Mapping[str, float]:
        return await self._prior(self._scenario, known, remaining)

    def _roll_out(self, rollout: _Rollout) -> bool:
        """Go on to a terminal set, epsilon-greedy on the leaf's prior (C.3). False: a dead end, now closed."""
        leaf_prior = self._tree.node(rollout.known).prior or {}
        while len(rollout.known) < self._tree.depth:
            known = rollout.known
            actions = self._tree.open_actions(known)
            if not actions:
                self._tree.node(known).closed = True
                self._settle(rollout)
                return False
            prior = self._leaf.prior(known, actions, leaf_prior)
            if self._rng.random() < rollout_epsilon(len(known), self._tree.depth, self._settings.epsilon):
                action = self._rng.choice(actions)
            else:
                action = self._rng.choices(actions, [prior[a] for a in actions])[0]
            rollout.trail.append(known | {action})
        terminal = self._tree.node(rollout.known)
        if terminal.closed:
            self._settle(rollout)
            return False
        terminal.closed = self._settings.prune
        return True

    def _back_up(self, rollout: _Rollout) -> None:
        self._settle(rollout)
        self.rollouts += 1
        self._stale += 1
        terminal = rollout.known
        if terminal not in self._paid.scores:
            return  # failed, and a failure is no reward
        reward = (self._paid.scores[terminal] - LOWEST) / (HIGHEST - LOWEST)
        if reward > self._high:
            self._stale = 0
        self._low, self._high = min(self._low, reward), max(self._high, reward)
        self._leaf.observe(terminal, reward)
        self._tree.back_up(rollout.trail, terminal, reward)

    def _settle(self, rollout: _Rollout) -> None:
        for known in rollout.trail[: rollout.in_tree]:
            self._tree.node(known).pending -= 1

    def _scaled(self, reward: float) -> float:
        if self._settings.scale == "range":
            return reward
        return (reward - self._low) / (self._high - self._low) if self._high > self._low else 0.5
