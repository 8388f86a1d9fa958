"""What the search of one scenario measured, kept for the scenarios after it (docs/adr/0004-learning.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Self

from pydantic import Field

from ....domains import Value
from ...context import PlanResult
from .evaluations import HIGHEST, LOWEST

__all__ = ["Lesson"]


_Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_Score = Annotated[float, Field(ge=LOWEST, le=HIGHEST)]


class Lesson(Value):
    """What was measured of one scenario: attribute ids and numbers, nothing that a person said."""

    prior: dict[str, _Weight] = Field(description="Attribute id -> weight that the search started from.")
    scores: tuple[tuple[tuple[str, ...], _Score], ...] = Field(description="(attribute ids, score).")

    @classmethod
    def of(cls, found: PlanResult, attributes: Sequence[str]) -> Self:
        """What ``found`` teaches. ``attributes``: what could be asked for, all alike where no ranking was wanted."""
        return cls(prior=found.ranking or dict.fromkeys(attributes, 1.0), scores=found.measured)
