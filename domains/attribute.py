"""One personal attribute that an assistant may ask about (PENGUIN, section 3)."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Literal

from pydantic import Field, field_validator

from .folding import tidy
from .patterns import compilable
from .value import Value

__all__ = ["Attribute", "Group", "is_unspecified"]

Group = Literal["demographic", "stability", "emotional"]

# Spellings by which data sets, forms and people say "no value given". "None" stands here too, but see
# ``Attribute.is_unknown``: where an attribute lists "None" among its values, it is a value.
_UNSPECIFIED = re.compile(
    r"(?:not|un|non)[\s_-]*(?:specified|provided|mentioned|known|available|applicable|stated|given|disclosed)"
    r"|unknown|unspecified|undisclosed|n\s*[./\\]?\s*a\.?|none|null|nan|nil|missing|-+|\?+|\.+",
    re.IGNORECASE,
)


def is_unspecified(text: str | None) -> bool:
    """Whether ``text`` is a spelling of "no value given" ("N/A", "not specified", "", ...)."""
    if text is None:
        return True
    stripped = text.strip().strip("()[]\"'").strip()
    return not stripped or _UNSPECIFIED.fullmatch(stripped.rstrip(".")) is not None


class Attribute(Value):
    """A personal attribute: how it is asked for, how much it matters and how private it is."""

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$", description="Stable identifier, snake_case.")
    label: str = Field(min_length=1, description="The name that people read.")
    group: Group = Field(description="demographic | stability (health and mind) | emotional")
    question: str = Field(min_length=1, description="One natural question that asks for it.")
    description: str = Field(min_length=1, description="What it is and why an answer may depend on it.")
    sensitivity: float = Field(
        ge=1, le=5, description="Mean Personalized Safety Score (1-5) when only this attribute is known (section 4)."
    )
    ask_cost: float = Field(default=1.0, ge=0, description="Burden of being asked, relative to an ordinary question.")
    private: bool = Field(default=False, description="Whether people often prefer not to say.")
    values: tuple[str, ...] = Field(default=(), description="Example or allowed values; 'None' here is a value.")
    aliases: tuple[str, ...] = Field(default=(), description="Other field names for it in data files.")
    mention: str = Field(default="", description="How an answer names it: 'your health'; default from the label.")
    answer: str = Field(default="{value}", description="How a person says a value, in the first person.")
    answer_none: str = Field(default="", description="How a person says 'None', where that is a value.")
    volunteer: str = Field(
        default="",
        description="How a person says a value unasked, with enough context to be understood; default: ``answer``. "
        "A leading 'Yes' is dropped: 'I have hurt myself before, {value}.'",
    )
    volunteer_none: str = Field(default="", description="How a person says 'None' or 'No' unasked.")
    cues: tuple[str, ...] = Field(default=(), description="Regular expressions that show that a question asks for it.")
    tells: tuple[str, ...] = Field(
        default=(), description="Regular expressions for a statement that reveals a value; group 1 is the value."
    )

    _patterns = field_validator("cues", "tells")(staticmethod(compilable))

    @field_validator("answer", "volunteer")
    @classmethod
    def _has_value(cls, answer: str) -> str:
        if answer and "{value}" not in answer:
            raise ValueError(f"{answer!r} must contain {{value}}")
        return answer

    @cached_property
    def _cue(self) -> re.Pattern[str] | None:
        return re.compile("|".join(f"(?:{c})" for c in self.cues), re.IGNORECASE) if self.cues else None

    @cached_property
    def _tells(self) -> tuple[re.Pattern[str], ...]:
        return tuple(re.compile(t, re.IGNORECASE) for t in self.tells)

    def is_unknown(self, value: str | None) -> bool:
        """Whether ``value`` stands for "not known". A listed value never does: "None" may be an answer."""
        if value is None:
            return True
        folded = value.strip().casefold()
        if folded and any(folded == v.casefold() for v in self.values):
            return False
        return is_unspecified(value)

    def is_asked_in(self, text: str) -> bool:
        """Whether ``text`` (something an assistant said) asks for this attribute, by its cues."""
        return self._cue is not None and self._cue.search(tidy(text)) is not None

    def told_in(self, text: str) -> str | None:
        """The value that a person reveals unasked in ``text``, by the attribute's tells; None if none."""
        text = tidy(text)
        for pattern in self._tells:
            if match := pattern.search(text):
                return next((g for g in match.groups() if g), match.group(0)).strip()
        return None

    def said(self, value: str) -> str:
        """``value`` as a person would say it when asked, in the first person.

        A leading category "Other" is dropped before its detail, and "None" is said as ``answer_none``.
        """
        head, detail = _head_and_detail(value)
        if head.casefold() == "none" and self.answer_none:
            return _with_detail(self.answer_none, detail)
        return _filled(self.answer, head, detail)

    def volunteered(self, value: str) -> str:
        """``value`` as a person would say it unasked: a whole sentence that says what it is about."""
        head, detail = _head_and_detail(value)
        if head.casefold() in ("none", "no") and self.volunteer_none:
            return _with_detail(self.volunteer_none, detail)
        if not self.volunteer:
            return self.said(value)
        if head.casefold() == "yes":
            # The sentence itself says yes.
            without = _VALUE_AND_MARK.sub("", self.volunteer)
            return _filled(self.volunteer, detail, "") if detail else without
        return _filled(self.volunteer, head, detail)


_VALUE_AND_MARK = re.compile(r"[\s,:;–—-]*\{value\}")


def _head_and_detail(value: str) -> tuple[str, str]:
    head, _, detail = (part.strip() for part in value.strip().rstrip(".").partition(","))
    return (head, detail) if head.casefold() != "other" or not detail else (detail, "")


def _with_detail(sentence: str, detail: str) -> str:
    return f"{sentence} {detail[:1].upper()}{detail[1:]}." if detail else sentence


def _filled(template: str, head: str, detail: str) -> str:
    if template.startswith("{value}"):
        head = head[:1].upper() + head[1:]
    else:
        # A category may be lower-cased inside a sentence ("severe depression"); "PhD", "IT" and "Master's" stay.
        head = " ".join(word.lower() if word.istitle() else word for word in head.split(" "))
    return template.replace("{value}", f"{head}, {detail}" if detail else head)
