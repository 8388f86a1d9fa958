"""A planned path: which attributes to ask about for a query, in which order, and how good that was offline."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Annotated, Any

from pydantic import AwareDatetime, Field, field_serializer, field_validator, model_validator

from ..domains import Value
from ..models import safe_text

__all__ = ["PlannedPath", "RetrievedPath"]


class PlannedPath(Value):
    """The planner's result for one scenario (section 5, App. C). Attribute ids only, never a person's values."""

    query: str = Field(min_length=1)
    domain: str
    path: tuple[str, ...] = Field(min_length=1, description="Attribute ids in asking order, no repeats.")
    score: float | None = Field(
        ge=1, le=5, description="Personalized Safety Score (1-5) of the full path; None: imported without one."
    )
    prefix_scores: tuple[Annotated[float, Field(ge=1, le=5)], ...] = Field(
        default=(),
        description="Score (1-5) after 0, 1, ... questions, measured or expected; len(path) + 1 entries or empty.",
    )
    evaluations: int = Field(ge=0, description="Distinct attribute sets that were evaluated to find it.")
    planner: str
    model: str
    judge: str
    pack: str
    pack_version: str
    scenario_id: str = ""
    seed: int | None = Field(default=None, description="Seed of the planner; None: not known.")
    budget: int | None = Field(default=None, ge=1, description="Most questions that it might have; None: not known.")
    max_burden: float | None = Field(
        default=None, ge=0, description="Most that its questions might cost to ask together; None: no limit."
    )
    max_evaluations: int | None = Field(
        default=None, ge=1, description="Most sets that might be evaluated to find it; None: not known."
    )
    planned_at: AwareDatetime | None = Field(default=None, description="When it was planned; None: not known.")

    @field_validator("query", "domain", mode="before")
    @classmethod
    def _safe(cls, value: Any) -> Any:
        return safe_text(value) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _consistent(self) -> PlannedPath:
        if len(set(self.path)) != len(self.path):
            raise ValueError(f"path {list(self.path)!r} repeats an attribute")
        if self.prefix_scores and len(self.prefix_scores) != len(self.path) + 1:
            raise ValueError(f"{len(self.path) + 1} prefix scores are needed, not {len(self.prefix_scores)}")
        return self

    @field_serializer("planned_at")
    def _as_text(self, value: datetime | None) -> str | None:
        return None if value is None else value.isoformat()

    @property
    def id(self) -> str:
        """Identity in a store: one path per pack, domain, query and scenario (two people may ask the same)."""
        key = "\x1f".join((self.pack, self.domain, self.query, self.scenario_id))
        return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class RetrievedPath(Value):
    """A stored path and how close its query is to the one searched for."""

    path: PlannedPath
    similarity: float = Field(description="Cosine similarity of the queries, -1 to 1.")
