"""The person whom a simulated user plays."""

from __future__ import annotations

from collections.abc import Container, Iterable

from pydantic import BaseModel, ConfigDict, Field

from ..domains.profile import Profile
from ..domains.scenario import Scenario
from .disclosure import COOPERATIVE, Disclosure, Reveal, reveal

__all__ = ["PLAIN_STYLE", "Persona"]

PLAIN_STYLE = "Everyday words, one or two short sentences, in the manner of the first message."


class Persona(BaseModel):
    """A query, the profile of who asks it, how this person writes and what they tell."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    scenario_id: str = ""
    query: str = Field(min_length=1, description="The opening message, word for word.")
    profile: Profile
    disclosure: Disclosure = COOPERATIVE
    style: str = Field(default=PLAIN_STYLE, min_length=1, description="How the person writes; never what they are.")

    @classmethod
    def from_scenario(
        cls, scenario: Scenario, *, disclosure: Disclosure = COOPERATIVE, style: str = PLAIN_STYLE
    ) -> Persona:
        """The person behind ``scenario``."""
        return cls(
            scenario_id=scenario.id,
            query=scenario.query,
            profile=scenario.profile,
            disclosure=disclosure,
            style=style,
        )

    def reveal(self, asked: Iterable[str], told: Container[str]) -> Reveal:
        """What this person tells when asked for ``asked``, having told ``told`` before."""
        return reveal(self.disclosure, self.profile, asked=asked, told=told)
