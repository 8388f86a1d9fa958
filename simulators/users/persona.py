"""The person whom a simulated user plays."""

from __future__ import annotations

import random
from collections.abc import Container, Iterable

from pydantic import Field

from ...domains import DomainPack, Profile, Scenario, Value
from .behaviour import COOPERATIVE_BEHAVIOUR, PLAIN_STYLE, Behaviour
from .disclosure import COOPERATIVE, Disclosure, Reveal, reveal

__all__ = ["PLAIN_STYLE", "Persona"]


class Persona(Value):
    """A query, the profile of who asks it, how this person writes and what they tell."""

    scenario_id: str = ""
    query: str = Field(min_length=1, description="The opening message, word for word.")
    profile: Profile
    disclosure: Disclosure = COOPERATIVE
    style: str = Field(default=PLAIN_STYLE, min_length=1, description="How the person writes; never what they are.")
    behaviour: Behaviour = Field(
        default=COOPERATIVE_BEHAVIOUR, description="What happens when, and how the scripted person words it."
    )

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

    @classmethod
    def behaving(cls, scenario: Scenario, behaviour: Behaviour, pack: DomainPack, *, seed: int = 0) -> Persona:
        """The person behind ``scenario``, behaving as ``behaviour`` says. The opening is the scenario's query.

        Args:
            seed: draws the false values that the behaviour leaves open.

        Raises:
            InputError: the behaviour lies about an attribute for which there is no false value.
        """
        rng = random.Random(f"{seed}:{scenario.id}:{behaviour.name}")
        return cls(
            scenario_id=scenario.id,
            query=scenario.query,
            profile=scenario.profile,
            disclosure=behaviour.disclosure(pack, scenario.profile, rng),
            style=behaviour.style,
            behaviour=behaviour,
        )

    def reveal(
        self,
        asked: Iterable[str],
        told: Container[str],
        *,
        trusted: bool = False,
        waiting: Iterable[str] = (),
    ) -> Reveal:
        """What this person tells when asked for ``asked``, having told ``told`` before."""
        return reveal(self.disclosure, self.profile, asked=asked, told=told, trusted=trusted, waiting=waiting)
