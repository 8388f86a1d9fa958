"""What is known of a person: a value, nothing, or a refusal for each attribute."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Literal

from pydantic import Field, model_validator

from .value import Value

__all__ = ["AttributeState", "Profile"]

AttributeState = Literal["known", "unknown", "declined"]


class Profile(Value):
    """Attribute id -> value. An attribute is *known* (has a value), *declined*, or else *unknown*.

    A profile does not know which spellings mean "unknown": ``DomainPack.profile`` makes profiles from raw data.
    """

    values: dict[str, str] = Field(default_factory=dict)
    declined: frozenset[str] = frozenset()

    @model_validator(mode="after")
    def _consistent(self) -> Profile:
        if empty := [a for a, v in self.values.items() if not v.strip()]:
            raise ValueError(f"attribute {empty[0]!r} has an empty value; leave it out if it is unknown")
        if both := self.declined & self.values.keys():
            raise ValueError(f"attribute {min(both)!r} is both known and declined")
        return self

    @property
    def known(self) -> tuple[str, ...]:
        """Ids of the attributes that have a value, in insertion order."""
        return tuple(self.values)

    def state(self, attribute: str) -> AttributeState:
        """``"known"``, ``"declined"`` or ``"unknown"``."""
        if attribute in self.values:
            return "known"
        return "declined" if attribute in self.declined else "unknown"

    def get(self, attribute: str) -> str | None:
        """The value of ``attribute``, None if it is not known."""
        return self.values.get(attribute)

    def only(self, attributes: Container[str]) -> Profile:
        """The part of this profile that ``attributes`` names."""
        return Profile(values={a: v for a, v in self.values.items() if a in attributes})

    def with_value(self, attribute: str, value: str) -> Profile:
        """A copy in which ``attribute`` has ``value``."""
        return Profile(values={**self.values, attribute: value}, declined=self.declined - {attribute})

    def __len__(self) -> int:
        return len(self.values)

    def items(self) -> Iterator[tuple[str, str]]:
        """Known (attribute id, value) pairs."""
        yield from self.values.items()
