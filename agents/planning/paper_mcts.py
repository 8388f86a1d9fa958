"""The planner as published: MCTS with PUCT, epsilon-greedy rollouts and plain means (C.1-C.5)."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import Field

from ...domains import Value
from ...models import together
from ..context import PlanLimits, PlanResult
from .paper_tree import SearchTree
from .path_order import result
from .prior import with_floor
from .puct import action_value, puct, rollout_epsilon
from .rewards import HIGHEST, LOWEST, Evaluations
from .search_task import Planner, SearchTask

__all__ = ["PaperMctsPlanner", "PaperMctsSettings"]


class PaperMctsSettings(Value):
    """The published settings: depth 5 (3 in the ablations), 300 rollouts, c = 0.5, path read greedily by Q (C.5)."""

    c_puct: float = Field(default=0.5, ge=0, description="Weight of exploration in PUCT (C.5).")
    rollouts: int = Field(default=300, ge=1)
    depth: int = Field(default=5, ge=1, description="Size of a terminal set, where the budget allows it.")
    epsilon: float = Field(default=0.2, ge=0, le=1, description="Scale of the rollouts' exploration (C.3).")
    prior_floor: float = Field(
        default=0.1, gt=0, le=1, description="Share of the prior that is spread evenly, so that nothing is ruled out."
    )
    concurrency: int = Field(default=1, ge=1, description="Rollouts, and so evaluations, under way at a time.")
    virtual_loss: float = Field(
        default=0.5,
        ge=0,
        le=1,
        description="Share by which the reward of a rollout under way is assumed to fall short.",
    )


class PaperMctsPlanner(Planner):
    """Selects by PUCT, expands with a prior, rolls out epsilon-greedily, backs the reward up, then reads the path.

    A set is paid for once: that the authors' code scores its permutations again is a fault, not a method. The same seed
    and settings give the same plan, whatever the timing: rollouts go in rounds of ``concurrency``, and each round is
    backed up in its own order.
    """

    name = "mcts-paper"

    def __init__(self, settings: PaperMctsSettings | None = None) -> None:
        self._settings = settings or PaperMctsSettings()

    def _within(self, limits: PlanLimits) -> PlanLimits:
        return limits.model_copy(update={"budget": min(limits.budget, self._settings.depth)})

    async def _search(self, task: SearchTask) -> PlanResult:
        """Scores after a question that were not measured are what the model of effects expects."""
        paid = task.account(concurrency=self._settings.concurrency)
        search = _Search(self._settings, task, paid)
        await search.run()
        paid.require_a_score()
        return result(paid, task.choices, search.root_prior, search.path(), rollouts=search.rollouts)


@dataclass(slots=True)
class _Rollout:
    """One rollout: the sets passed so far, the last of them terminal at the end."""

    trail: list[frozenset[str]]
    in_tree: int = 0

    @property
    def known(self) -> frozenset[str]:
        return self.trail[-1]


class _Search:
    def __init__(self, settings: PaperMctsSettings, task: SearchTask, paid: Evaluations) -> None:
        self._settings, self._task, self._paid, self._choices = settings, task, paid, task.choices
        self._rng = random.Random(task.limits.seed)
        self._tree = SearchTree(task.choices)
        self._count, self._total = 0, 0.0
        self.rollouts = 0

    @property
    def root_prior(self) -> Mapping[str, float] | None:
        return self._tree.node(frozenset()).prior

    async def run(self) -> None:
        """Search in rounds until the rollouts or the evaluations are used up."""
        while room := self._room():
            # Each part waits for all of the round: priors of new leaves together, then evaluations together.
            leaves = [self._descend() for _ in range(room)]
            await self._expand(leaves)
            for rollout in leaves:
                self._roll_out(rollout)
            await self._paid.measure([r.known for r in leaves])
            for rollout in leaves:
                self._back_up(rollout)

    def path(self) -> list[str]:
        """From the root the visited action of highest mean, down to a terminal set (C.5)."""
        path: list[str] = []
        while actions := self._tree.visited_actions(known := frozenset(path)):
            path.append(max(actions, key=lambda a: self._tree.child(known, a).mean))
        return path

    def _room(self) -> int:
        return max(0, min(self._settings.concurrency, self._paid.left, self._settings.rollouts - self.rollouts))

    def _descend(self) -> _Rollout:
        """Select down to a node without a prior, or to a terminal set."""
        rollout = _Rollout([frozenset()])
        while actions := self._choices.extensions(rollout.known):
            prior = self._tree.node(rollout.known).prior
            if prior is None:
                break
            rollout.trail.append(rollout.known | {self._select(rollout.known, actions, prior)})
        rollout.in_tree = len(rollout.trail)
        for known in rollout.trail:
            self._tree.node(known).pending += 1
        return rollout

    def _select(self, known: frozenset[str], actions: Sequence[str], prior: Mapping[str, float]) -> str:
        total = sum(prior[a] for a in actions)
        children = {a: self._tree.child(known, a) for a in actions}
        visits = {a: node.visits + node.pending for a, node in children.items()}
        siblings = sum(visits.values())
        # Equal scores go to the higher prior, then by lot.
        scores = {
            a: (puct(self._value(known, a), prior[a] / total, visits[a], siblings, self._settings.c_puct), prior[a])
            for a in actions
        }
        best = max(scores.values())
        return self._rng.choice([a for a in actions if scores[a] == best])

    def _value(self, known: frozenset[str], attribute: str) -> float:
        child = self._tree.child(known, attribute)
        unseen = self._total / self._count if self._count else 0.5  # as good as what was seen so far
        return action_value(
            child.mean, child.visits, unseen, pending=child.pending, virtual_loss=self._settings.virtual_loss
        )

    async def _expand(self, leaves: Sequence[_Rollout]) -> None:
        """Give each new leaf its prior, once a node; they are asked for together."""
        new = [s for s in dict.fromkeys(r.known for r in leaves) if self._choices.extensions(s)]
        new = [s for s in new if self._tree.node(s).prior is None]
        remaining = {s: [a for a in self._choices.attributes if a not in s] for s in new}
        priors = await together([self._task.ranked(s, remaining[s]) for s in new])
        for s, prior in zip(new, priors, strict=True):
            self._tree.node(s).prior = with_floor(prior, remaining[s], self._settings.prior_floor)

    def _roll_out(self, rollout: _Rollout) -> None:
        """Go on to a terminal set, epsilon-greedy on the leaf's prior (C.3)."""
        prior = self._tree.node(rollout.known).prior or {}
        while actions := self._choices.extensions(rollout.known):
            epsilon = rollout_epsilon(len(rollout.known), self._choices.depth, self._settings.epsilon)
            if self._rng.random() < epsilon:
                action = self._rng.choice(actions)
            else:
                action = self._rng.choices(actions, [prior[a] for a in actions])[0]
            rollout.trail.append(rollout.known | {action})

    def _back_up(self, rollout: _Rollout) -> None:
        for known in rollout.trail[: rollout.in_tree]:
            self._tree.node(known).pending -= 1
        self.rollouts += 1
        score = self._paid.scores.get(rollout.known)
        if score is None:
            return  # failed, and a failure is no reward
        reward = (score - LOWEST) / (HIGHEST - LOWEST)
        self._count += 1
        self._total += reward
        self._tree.back_up(rollout.trail, reward)
