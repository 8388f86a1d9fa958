"""How a simulated person behaves: a named policy of what they tell and how they talk, as data.

A behaviour knows no profile and no pack: it names stances by attribute, by group of attributes, or for all that are
``private``. ``Behaviour.disclosure`` turns it into the policy of one person.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from ...domains import Attribute, DomainPack, InputError, Profile, Value, pattern_problem
from ..fidelity import head_of, is_none
from .disclosure import Detail, Disclosure, Stance

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
    "drawable",
    "other_value",
    "riskiness",
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
        if problem := pattern_problem(pattern):
            raise ValueError(problem)
        return pattern

    @model_validator(mode="after")
    def _usable(self) -> Rewrite:
        try:
            re.sub(self.pattern, self.to, "")
        except (re.error, IndexError) as error:
            raise ValueError(
                f"'to: {self.to}' cannot replace {self.pattern!r} ({error}); write a backslash twice"
            ) from error
        return self


class Phrases(Value):
    """What the scripted person says where there is nothing to tell. ``{label}`` is what people call the attribute
    behind "my", ``{said}`` the value in the person's words."""

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
            "I should have said this earlier. {said} Is that a problem?",
            "Maybe this matters. {said} What would you do then?",
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
            rng: draws the false values that the behaviour leaves open, from the attribute's listed values. Where none
                plays the truth down, the truth is told.

        Raises:
            InputError: an attribute is lied about, and neither the behaviour nor the pack has values for it.
        """
        stances: dict[str, Stance] = {}
        false_values: dict[str, str] = {}
        for attribute in pack.attributes:
            given = self.stance_on(attribute)
            stances[attribute.id] = "lies" if isinstance(given, Lie) else given
            if isinstance(given, Lie):
                false_values[attribute.id] = given.lies
            elif given == "lies":
                if not drawable(attribute):
                    raise InputError(
                        f"behaviour {self.name!r} lies about {attribute.id!r}, for which the pack lists no values; "
                        f"write the false value: '{attribute.id}: {{lies: \"...\"}}'"
                    )
                drawn = other_value(pack, attribute.id, profile.get(attribute.id), rng)
                if drawn is None:  # nothing to play down
                    stances[attribute.id] = "if_asked"
                else:
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


def other_value(pack: DomainPack, attribute_id: str, truth: str | None, rng: random.Random) -> str | None:
    """One of the attribute's listed values that is not ``truth`` and sounds no riskier by the pack's risk rules, drawn;
    None if there is none. People play down: a drawn value never makes a case look graver than it is."""
    attribute = pack.attribute(attribute_id)
    head = "" if truth is None else head_of(truth).casefold()
    numbers = [int(n) for n in re.findall(r"\d+", head)]
    most = riskiness(pack, attribute_id, truth or "")
    kept = [
        v
        for v in drawable(attribute)
        if v.casefold() != head
        and not (truth is not None and is_none(v) and is_none(truth))
        and not any(_in_range(n, v) for n in numbers)
        and riskiness(pack, attribute_id, v) <= most
    ]
    return rng.choice(kept) if kept else None


def drawable(attribute: Attribute) -> list[str]:
    """The listed values that may be told as a lie: "Other" says nothing."""
    return [v for v in attribute.values if v.casefold() != "other"]


def riskiness(pack: DomainPack, attribute_id: str, value: str) -> float:
    """The weight of the gravest of the pack's risk rules that ``value`` triggers; 0 if none."""
    rules = [r for r in pack.risk_rules if r.attribute == attribute_id and r.triggered_by(value, None)]
    return max((r.weight for r in rules), default=0.0)


def _in_range(number: int, text: str) -> bool:
    bounds = [int(n) for n in re.findall(r"\d+", text)]
    if len(bounds) == 1:
        return number >= bounds[0] if "+" in text else number == bounds[0]
    return len(bounds) == 2 and bounds[0] <= number <= bounds[1]
