"""One user query and the person behind it (PENGUIN, section 3)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator

from .countries import CountryCode
from .profile import Profile
from .value import Value

__all__ = ["Risk", "Scenario", "Split"]

Split = Literal["plan", "eval"]
Risk = Literal["low", "high"]


class Scenario(Value):
    """A query, the profile of who asks it, and where it comes from."""

    id: str = Field(min_length=1)
    domain: str = Field(min_length=1)
    title: str = ""
    query: str
    profile: Profile
    source: str = ""
    split: Split | None = Field(default=None, description="Whether planning or evaluation uses it; None: either.")
    pair: str | None = Field(default=None, description="Id shared by two scenarios with the same query (matched pair).")
    changed: str | None = Field(
        default=None, description="Id of the one attribute in which the two scenarios of a counterfactual pair differ."
    )
    risk: Risk | None = Field(default=None, description="Risk of the query for this person, as written by the author.")
    country: CountryCode | None = Field(default=None, description="ISO 3166-1 alpha-2 code.")
    background: str = Field(default="", description="Free text about the situation; shown to judges only.")

    @field_validator("query")
    @classmethod
    def _says_something(cls, query: str) -> str:
        if not query.strip():
            raise ValueError("the query is empty")
        return query
