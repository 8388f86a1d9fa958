"""What a simulated person tells of themselves, and when: data, enforced by code.

A ``Disclosure`` gives a stance per attribute. ``reveal`` turns it into what one message may tell. A language model that
plays the person is handed only that; it decides how something is said, never what.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ..domains.profile import Profile

__all__ = ["COOPERATIVE", "Disclosure", "Reveal", "Stance", "reveal"]

Stance = Literal["volunteers", "if_asked", "declines", "does_not_know", "lies"]


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Disclosure(_Value):
    """A named policy: how a person deals with being asked, attribute by attribute.

    * ``volunteers``: tells it with the first message after the opening, asked or not.
    * ``if_asked``: tells it when asked.
    * ``declines``: would rather not say.
    * ``does_not_know``: says so, whatever the profile holds.
    * ``lies``: tells the value in ``false_values`` when asked.
    """

    name: str = Field(default="cooperative", min_length=1)
    default: Stance = "if_asked"
    stances: Mapping[str, Stance] = Field(default_factory=dict, description="Attribute id -> stance.")
    false_values: Mapping[str, str] = Field(default_factory=dict, description="What is told instead of the truth.")

    @model_validator(mode="after")
    def _lies_have_values(self) -> Disclosure:
        if self.default == "lies":
            raise ValueError("the default stance cannot be 'lies': a lie needs a false value for its attribute")
        for attribute, stance in self.stances.items():
            if stance == "lies" and attribute not in self.false_values:
                raise ValueError(f"attribute {attribute!r} is lied about but has no false value")
        return self

    def stance(self, attribute: str) -> Stance:
        """The stance on ``attribute``."""
        return self.stances.get(attribute, self.default)


COOPERATIVE = Disclosure()


class Reveal(_Value):
    """What one message of the person may tell, and what it must not."""

    tell: dict[str, str] = Field(default_factory=dict, description="Attribute id -> the value that is told.")
    decline: tuple[str, ...] = Field(default=(), description="Asked for, but the person would rather not say.")
    unknown: tuple[str, ...] = Field(default=(), description="Asked for, but the person does not know.")
    lied: tuple[str, ...] = Field(default=(), description="Those in ``tell`` whose value is false.")


def reveal(disclosure: Disclosure, profile: Profile, *, asked: Iterable[str], told: Container[str]) -> Reveal:
    """What the person tells when asked for ``asked``, having told ``told`` before.

    What was told once is told again when asked again, with the same value.
    """
    tell: dict[str, str] = {}
    decline: list[str] = []
    unknown: list[str] = []
    lied: list[str] = []
    for attribute in dict.fromkeys(asked):
        stance, value = disclosure.stance(attribute), profile.get(attribute)
        if stance == "declines" or profile.state(attribute) == "declined":
            decline.append(attribute)
        elif stance == "lies":
            tell[attribute] = disclosure.false_values[attribute]
            lied.append(attribute)
        elif value is None or stance == "does_not_know":
            unknown.append(attribute)
        else:
            tell[attribute] = value
    for attribute, value in profile.items():
        if disclosure.stance(attribute) == "volunteers" and attribute not in told:
            tell.setdefault(attribute, value)
    return Reveal(tell=tell, decline=tuple(decline), unknown=tuple(unknown), lied=tuple(lied))
