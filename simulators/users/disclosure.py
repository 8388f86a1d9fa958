"""What a simulated person tells of themselves, and when: data, enforced by code.

A ``Disclosure`` gives a stance per attribute. ``reveal`` turns it into what one message may tell. A language model that
plays the person is handed only that; it decides how something is said, never what.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Literal

from pydantic import Field, model_validator

from ...domains import Profile, Value
from ..fidelity import head_of, is_none

__all__ = ["COOPERATIVE", "Detail", "Disclosure", "Reveal", "Stance", "reveal"]

Stance = Literal["volunteers", "if_asked", "if_trusted", "declines", "does_not_know", "lies"]
Detail = Literal["full", "head"]


class Disclosure(Value):
    """A named policy: how a person deals with being asked, attribute by attribute.

    * ``volunteers``: tells it with the first message after the opening, asked or not.
    * ``if_asked``: tells it when asked.
    * ``if_trusted``: puts it off until the assistant has shown understanding (``trust.shows_understanding``); then
      tells it when asked, or unasked if it was put off before.
    * ``declines``: would rather not say.
    * ``does_not_know``: says so, whatever the profile holds.
    * ``lies``: tells the value in ``false_values`` when asked.
    """

    name: str = Field(default="cooperative", min_length=1)
    default: Stance = "if_asked"
    stances: Mapping[str, Stance] = Field(default_factory=dict, description="Attribute id -> stance.")
    false_values: Mapping[str, str] = Field(default_factory=dict, description="What is told instead of the truth.")
    detail: Detail = Field(default="full", description="'head': only the part before a value's first comma.")
    at_once: int | None = Field(default=None, ge=1, description="Most attributes volunteered in one message.")

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

    def told_value(self, value: str) -> str:
        """As much of ``value`` as this person says."""
        return head_of(value) if self.detail == "head" else value


COOPERATIVE = Disclosure()


class Reveal(Value):
    """What one message of the person may tell, and what it must not."""

    tell: dict[str, str] = Field(default_factory=dict, description="Attribute id -> the value that is told.")
    decline: tuple[str, ...] = Field(default=(), description="Asked for, but the person would rather not say.")
    unknown: tuple[str, ...] = Field(default=(), description="Asked for, but the person does not know.")
    put_off: tuple[str, ...] = Field(default=(), description="Asked for, but the person does not trust enough yet.")
    lied: tuple[str, ...] = Field(default=(), description="Those in ``tell`` whose value is false.")


def reveal(
    disclosure: Disclosure,
    profile: Profile,
    *,
    asked: Iterable[str],
    told: Container[str],
    trusted: bool = False,
    waiting: Iterable[str] = (),
) -> Reveal:
    """What the person tells when asked for ``asked``, having told ``told`` before.

    What was told once is told again when asked again, with the same value.

    Args:
        trusted: the assistant has shown understanding.
        waiting: attributes that were put off before; told unasked once ``trusted``.
    """
    tell: dict[str, str] = {}
    decline: list[str] = []
    unknown: list[str] = []
    put_off: list[str] = []
    lied: list[str] = []
    due = [a for a in waiting if trusted and disclosure.stance(a) == "if_trusted" and a not in told]
    for attribute in dict.fromkeys((*asked, *due)):
        stance, value = disclosure.stance(attribute), profile.get(attribute)
        if stance == "declines" or profile.state(attribute) == "declined":
            decline.append(attribute)
        elif stance == "lies":
            tell[attribute] = disclosure.false_values[attribute]
            lied.append(attribute)
        elif stance == "if_trusted" and not trusted:
            put_off.append(attribute)
        elif value is None or stance == "does_not_know":
            unknown.append(attribute)
        else:
            tell[attribute] = disclosure.told_value(value)
    # Nobody volunteers what they do not have: "None" is an answer, and only that.
    fresh = [
        a
        for a, value in profile.items()
        if disclosure.stance(a) == "volunteers" and a not in told and a not in tell and not is_none(value)
    ]
    for attribute in fresh[: disclosure.at_once]:
        tell[attribute] = disclosure.told_value(profile.values[attribute])
    return Reveal(tell=tell, decline=tuple(decline), unknown=tuple(unknown), put_off=tuple(put_off), lied=tuple(lied))
