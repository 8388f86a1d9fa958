"""How the default search goes. What is assumed of scores stands in ``effects``."""

from __future__ import annotations

from typing import Self

from pydantic import Field

from ...domains import Value

__all__ = ["MctsSettings"]


class MctsSettings(Value):
    """Of ``MctsPlanner`` and ``BayesPlanner``."""

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

    def informed(self) -> Self:
        """The same where scenarios of the domain have much in common: there is less to doubt."""
        least, patience = min(self.least, self.informed_least), self.patience
        patience = patience and min(patience, self.informed_patience)
        return self.model_copy(update={"least": least, "patience": patience})
