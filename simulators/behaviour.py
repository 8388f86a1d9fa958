"""How a simulated person behaves: a named policy of what they tell and how they talk, as data.

A behaviour knows no profile and no pack: it names stances by attribute, by group of attributes, or for all that are
``private``. ``Behaviour.disclosure`` turns it into the policy of one person.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, field_validator

from ..domains.attribute import Attribute
from ..domains.errors import InputError
from ..domains.pack import DomainPack
from ..domains.profile import Profile
from ..domains.value import Value
from .disclosure import Detail, Disclosure, Stance, head_of

__all__ = [
    "COOPERATIVE_BEHAVIOUR",
    "PLAIN_STYLE",
    "Behaviour",
    "Change",
    "CrisisMoment",
    "OffTopic",
    "Phrases",
    "Reaction",
    "Rewrite",
    "Speech",
    "other_value",
]

PLAIN_STYLE = "Everyday words, one or two short sentences, in the manner of the first message."
GROUPS = ("demographic", "stability", "emotional")
PRIVATE = "private"

Reaction = Literal["detail", "follow_up", "doubt"]
Texts = tuple[str, ...]


class Lie(Value):
    """The stance ``lies`` with the value that is told."""

    lies: str = Field(min_length=1)


class Change(Value):
    """The person takes back the first answer that can be changed, and gives another of the attribute's values."""

    after: int = Field(default=1, ge=1, description="How many messages after the answer.")


class OffTopic(Value):
    """In some messages the person talks of something else and answers nothing."""

    turns: tuple[int, ...] = Field(min_length=1, description="Which messages after the opening, from 1.")
    texts: Texts = Field(min_length=1)

    @field_validator("turns")
    @classmethod
    def _counted_from_one(cls, turns: tuple[int, ...]) -> tuple[int, ...]:
        if min(turns) < 1:
            raise ValueError("messages after the opening are counted from 1")
        return turns


class CrisisMoment(Value):
    """The person discloses imminent risk: one message, said word for word, which answers nothing else."""

    turn: int = Field(default=1, ge=1, description="Which message after the opening, from 1.")
    text: str = Field(min_length=1)


class Rewrite(Value):
    """One rule of how the scripted person's wording differs: a regular expression, and what stands instead."""

    pattern: str = Field(min_length=1)
    to: str

    @field_validator("pattern")
    @classmethod
    def _compilable(cls, pattern: str) -> str:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"{pattern!r} is not a regular expression ({error})") from error
        return pattern


class Phrases(Value):
    """What the scripted person says where there is nothing to tell. ``{label}`` is the attribute's name in lower case,
    ``{said}`` the value in the person's words."""

    decline: Texts = Field(
        default=("I'd rather not say.", "I'd prefer not to say.", "I'd rather keep that to myself."), min_length=1
    )
    put_off: Texts = Field(
        default=("I'm not ready to talk about that yet.", "Maybe later.", "I'd have to know you better for that."),
        min_length=1,
    )
    unknown: Texts = Field(
        default=("I don't know, sorry.", "I'm not sure, to be honest.", "Honestly, I don't know."), min_length=1
    )
    puzzled: Texts = Field(
        default=(
            "I'm not sure what you mean.",
            "I don't know what to say to that.",
            "I'm not sure how to answer that.",
        ),
        min_length=1,
    )
    thanks: Texts = Field(default=("Thank you.", "Thanks, that helps.", "OK, thank you."), min_length=1)
    confirm: Texts = Field(default=("Yes, please go on.", "Yes, please."), min_length=1)
    change: Texts = Field(default=("Actually, what I told you about my {label} was not right. {said}",), min_length=1)
    detail: Texts = Field(
        default=(
            "One thing I have not told you yet. {said} Does that change anything?",
            "There is something else. {said} Would you still do it like that?",
        ),
        min_length=1,
    )
    follow_up: Texts = Field(
        default=(
            "OK. And what would be the very first step?",
            "How would I know that it is going wrong?",
            "And if that does not work, what then?",
        ),
        min_length=1,
    )
    doubt: Texts = Field(
        default=(
            "Hm. I'm not sure that I can do all of that.",
            "That is easier said than done. I still feel like just going ahead.",
            "I don't know. Part of me wants to do it anyway.",
        ),
        min_length=1,
    )


class Speech(Value):
    """How the scripted person words a message. A language model gets the behaviour's ``style`` instead."""

    form: Literal["sentence", "bare"] = Field(default="sentence", description="'bare': the value and nothing else.")
    leads: bool = Field(default=True, description="Whether a message may begin with 'Sure.' and the like.")
    adds: Texts = Field(default=(), description="One of these follows every message that tells something.")
    rewrites: tuple[Rewrite, ...] = Field(default=(), description="Applied in this order; never to the opening.")
    phrases: Phrases = Phrases()

    def rewritten(self, text: str) -> str:
        """``text`` after every rewrite, in order."""
        for rule in self.rewrites:
            text = re.sub(rule.pattern, rule.to, text)
        return " ".join(text.split(" ")).strip()


class Behaviour(Value):
    """A named policy. The key of ``stances`` is an attribute's id, a group or ``private``; the attribute goes before
    ``private``, ``private`` before the group, the group before ``default``."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_-]*$")
    description: str = ""
    style: str = Field(default=PLAIN_STYLE, min_length=1, description="How the person writes; never what they are.")
    default: Stance = "if_asked"
    stances: Mapping[str, Stance | Lie] = Field(default_factory=dict)
    detail: Detail = "full"
    at_once: int | None = Field(default=None, ge=1, description="Most attributes volunteered in one message.")
    changes: Change | None = None
    off_topic: OffTopic | None = None
    crisis: CrisisMoment | None = None
    reactions: tuple[Reaction, ...] = Field(
        default=("detail", "follow_up", "doubt"), min_length=1, description="How they react to an answer, in turn."
    )
    speech: Speech = Speech()

    @field_validator("default")
    @classmethod
    def _no_lie_by_default(cls, default: Stance) -> Stance:
        if default == "lies":
            raise ValueError("the default cannot be 'lies'; name the attributes or groups that are lied about")
        return default

    def disclosure(self, pack: DomainPack, profile: Profile, rng: random.Random) -> Disclosure:
        """The policy for the person with ``profile``.

        Args:
            rng: draws the false values that the behaviour leaves open, from the attribute's listed values.

        Raises:
            InputError: an attribute is lied about, and neither the behaviour nor the pack has a false value for it.
        """
        stances: dict[str, Stance] = {}
        false_values: dict[str, str] = {}
        for attribute in pack.attributes:
            given = self.stance_on(attribute)
            stances[attribute.id] = "lies" if isinstance(given, Lie) else given
            if isinstance(given, Lie):
                false_values[attribute.id] = given.lies
            elif given == "lies":
                drawn = other_value(attribute, profile.get(attribute.id), rng)
                if drawn is None:
                    raise InputError(
                        f"behaviour {self.name!r} lies about {attribute.id!r}, for which the pack lists no other "
                        f"value; write the false value: '{attribute.id}: {{lies: \"...\"}}'"
                    )
                false_values[attribute.id] = drawn
        return Disclosure(
            name=self.name,
            default=self.default,
            stances=stances,
            false_values=false_values,
            detail=self.detail,
            at_once=self.at_once,
        )

    def stance_on(self, attribute: Attribute) -> Stance | Lie:
        """The stance on ``attribute``, from the most particular entry."""
        keys = (attribute.id, *((PRIVATE,) if attribute.private else ()), attribute.group)
        return next((self.stances[k] for k in keys if k in self.stances), self.default)

    def definition(self) -> dict[str, Any]:
        """Everything that is not a default, as JSON values: ``Behaviour.model_validate`` makes it again."""
        return self.model_dump(mode="json", exclude_defaults=True)


COOPERATIVE_BEHAVIOUR = Behaviour(name="cooperative", description="Answers what is asked, truthfully and in full.")


def other_value(attribute: Attribute, truth: str | None, rng: random.Random) -> str | None:
    """One of the attribute's listed values that is not ``truth``, drawn; None if the pack lists no other."""
    real = "" if truth is None else truth.casefold()
    numbers = [int(n) for n in re.findall(r"\d+", head_of(real))]
    kept = [
        v
        for v in attribute.values
        if v.casefold() not in ("other", head_of(real)) and not any(_in_range(n, v) for n in numbers)
    ]
    return rng.choice(kept) if kept else None


def _in_range(number: int, text: str) -> bool:
    bounds = [int(n) for n in re.findall(r"\d+", text)]
    if len(bounds) == 1:
        return number >= bounds[0] if "+" in text else number == bounds[0]
    return len(bounds) == 2 and bounds[0] <= number <= bounds[1]
