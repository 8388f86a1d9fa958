"""The default planners: search driven by a Bayesian model of effects (docs/adr/0003-planner.md)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Self

from pydantic import Field

from ...domains import Value
from ..context import PlanResult
from .path_order import best_path
from .search_task import Planner, SearchTask

if TYPE_CHECKING:
    from .effects import DomainEffects

__all__ = ["BayesPlanner", "MctsPlanner", "MctsSettings"]


_BLIND = 8  # most evaluations at a time before any score is known
_KNOWN = 0.3  # share of the variance of effects: where scenarios have as much in common, there is less to doubt


class MctsSettings(Value):
    """How the search goes. What is assumed of scores stands in ``effects``."""

    c_puct: float = Field(default=0.5, ge=0, description="Weight of exploration in PUCT (C.5).")
    temperature: float = Field(default=0.1, gt=0, description="Of the softmax of values that is PUCT's prior.")
    optimism: float = Field(default=1.2, ge=0, description="Standard deviations added to the mean in a leaf's value.")
    noisy_optimism: float = Field(
        default=2.0, ge=0, description="The same where scores are noisy; chooses the challenger of the leading set."
    )
    worth: float = Field(
        default=0.03,
        ge=0,
        description="What all evaluations together, but at most 20, are worth, as a share of the spread between the "
        "best and the worst set: the search stops when the next is not expected to add its part of it; 0: it never "
        "does. Noisy scores always spend all, since one draw hardly ever changes the choice.",
    )
    least: int = Field(default=6, ge=1, description="Evaluations before stopping by ``worth`` is considered.")
    patience: int | None = Field(
        default=16,
        ge=1,
        description="Evaluations without a better set after which the search stops, whatever it expects: judges give "
        "few different scores, and a model of smooth effects goes on to look for more between them. None: it never "
        "does.",
    )
    informed_least: int = Field(
        default=4, ge=1, description="``least`` where scenarios of the domain have much in common."
    )
    informed_patience: int = Field(default=8, ge=1, description="``patience`` where they have.")
    doubt: int | None = Field(
        default=8,
        ge=0,
        description="Evaluations without a better set after which every fourth one goes where the model knows least: "
        "it would never try two attributes that each do harm alone and help together. None: none does.",
    )
    prefix_evaluations: int | None = Field(
        default=None,
        ge=0,
        description="Most evaluations spent on the order of the path; None: what the search leaves, of which it keeps "
        "back one for each prefix, at most a quarter of all.",
    )
    noisy: bool = Field(
        default=False, description="Whether every evaluation is a fresh draw (``NoisyReward``), and sets may repeat."
    )
    concurrency: int = Field(
        default=1,
        ge=1,
        description="Evaluations under way at a time; 8 at first, and then as many as were made by then.",
    )


class MctsPlanner(Planner):
    """PUCT over sets. The model gives the leaves' values and the edges' priors, and learns from every evaluation.

    The prior is asked once, for the root. The path is the best set evaluated, in good order (``best_path``); where
    scores are noisy, that of the highest expected score, since the best of many draws was lucky.

    The same seed and settings give the same plan, whatever the timing: evaluations go in rounds of ``concurrency``, and
    each round is learned in its own order.
    """

    name = "mcts"

    _tree = True

    def __init__(self, settings: MctsSettings | None = None, *, domain: DomainEffects | None = None) -> None:
        self._settings, self._domain = settings or MctsSettings(), domain
        if self._settings.noisy:
            self.name += "-noisy"

    def informed(self, domain: DomainEffects) -> Self:
        """The same planner, which starts from what other scenarios of the domain taught. Exact scores only."""
        settings = self._settings
        if settings.noisy:
            return self
        if domain.shared >= _KNOWN:
            settings = settings.model_copy(
                update={
                    "least": min(settings.least, settings.informed_least),
                    "patience": settings.patience and min(settings.patience, settings.informed_patience),
                }
            )
        return type(self)(settings, domain=domain)

    async def _search(self, task: SearchTask) -> PlanResult:
        from .effects import hypotheses  # numpy
        from .set_search import SetSearch

        settings, allowed = self._settings, task.choices
        weights, paid = await task.weights(), task.account(concurrency=settings.concurrency, noisy=settings.noisy)
        believed = self._domain.hypotheses if self._domain else partial(hypotheses, noisy=settings.noisy)
        beliefs = believed(weights, allowed.attributes)
        search = SetSearch(
            allowed,
            weights,
            beliefs,
            settings,
            evaluations=task.limits.evaluations,
            seed=task.limits.seed,
            tree=self._tree,
        )
        wanted = allowed.depth if settings.prefix_evaluations is None else settings.prefix_evaluations
        reserve = min(wanted, task.limits.evaluations // 4)
        rollouts = 0
        # Rounds grow with what is known: many sets chosen in ignorance are many of the same kind.
        while (room := min(settings.concurrency, max(_BLIND, rollouts), paid.left - reserve)) > 0 and (
            sets := search.propose(room)
        ):
            for proposed, score in await paid.measure(sets):
                rollouts += 1
                if score is None:
                    search.discard(proposed)
                else:
                    search.observe(proposed, score)
        paid.require_a_score()
        target = search.best() if settings.noisy else None
        return await best_path(
            paid, allowed, weights, beliefs, target=target, most=settings.prefix_evaluations, rollouts=rollouts
        )


class BayesPlanner(MctsPlanner):
    """The same belief without a tree: each round takes the sets of the highest value."""

    name = "bayes"

    _tree = False
