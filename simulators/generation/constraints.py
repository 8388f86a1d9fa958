"""The paper's constraints (A.3): allowed values, rules that no profile may break, tendencies of many profiles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from ...domains import Profile, Value
from .drafts import Draft
from .tables import SamplingTables, Tendency, Tone

__all__ = ["Broken", "ProfileCounts", "TendencyResult", "broken_constraints"]


class Broken(Value):
    """A constraint that a profile breaks.

    Attributes:
        name: of the rule, or ``"value_not_allowed"``.
        field: the attribute at fault.
        why: what the constraint says; never a person's value.
    """

    name: str
    field: str
    why: str


def broken_constraints(profile: Profile, tables: SamplingTables, tone: Tone | None) -> tuple[Broken, ...]:
    """Every constraint that ``profile`` breaks, empty if it is valid.

    A value is allowed as it stands in the tables, with a detail after a comma, or as a number within a range.

    Args:
        tone: of the scenario; None where it is not known, and then rules about it are not applied.
    """
    values = tables.canonical(profile)
    found = [
        Broken(name="value_not_allowed", field=a, why=f"the value is not among: {', '.join(tables.allowed[a])}")
        for a, _ in profile.items()
        if a in tables.allowed and a not in values
    ]
    known = dict(values) if tone is None else {**values, "tone": tone}
    for rule in tables.rules:
        if rule.broken_by(known):
            found.append(Broken(name=rule.name, field=next(iter(rule.forbid)), why=rule.why))
    return tuple(found)


class TendencyResult(Value):
    """How a set of profiles stands to one tendency.

    Attributes:
        share: of the values among the first group, None if the group is empty.
        other: the same among the second group.
        holds: None where a group is too small to tell.
        size: profiles in the first group.
    """

    name: str
    why: str
    share: float | None
    other: float | None
    size: int
    holds: bool | None


class ProfileCounts:
    """Counts profiles as they go by: marginals, and what the tendencies need."""

    _LEAST = 30  # profiles in a group, below which a share says nothing

    def __init__(self, tables: SamplingTables) -> None:
        self._tables = tables
        self.total = 0
        self._domains: Counter[str] = Counter()
        self._values: dict[str, Counter[str]] = {a: Counter() for a in tables.allowed}
        self._groups: Counter[tuple[str, str, bool]] = Counter()

    def add(self, draft: Draft) -> None:
        """Count one profile."""
        values = self._tables.canonical(draft.profile)
        self.total += 1
        self._domains[draft.domain] += 1
        for attribute, value in values.items():
            self._values[attribute][value] += 1
        facts = {**{a: (v,) for a, v in values.items()}, "tone": (draft.tone,), "tag": draft.tags}
        for tendency in self._tables.tendencies:
            inside = _holds(tendency.share, facts)
            if _holds(tendency.among, facts):
                self._groups[tendency.name, "among", inside] += 1
            if tendency.than is not None and _holds(tendency.than, facts):
                self._groups[tendency.name, "than", inside] += 1

    def add_all(self, drafts: Iterable[Draft]) -> ProfileCounts:
        """Count many."""
        for draft in drafts:
            self.add(draft)
        return self

    def marginals(self) -> dict[str, dict[str, float]]:
        """Attribute -> allowed value -> share of the profiles; ``"domain"`` first. Empty without profiles."""
        if not self.total:
            return {}
        shares = {"domain": {name: count / self.total for name, count in self._domains.items()}}
        for attribute, allowed in self._tables.allowed.items():
            shares[attribute] = {value: self._values[attribute][value] / self.total for value in allowed}
        return shares

    def tendencies(self) -> tuple[TendencyResult, ...]:
        """How the profiles stand to each tendency."""
        return tuple(map(self._result, self._tables.tendencies))

    def _result(self, tendency: Tendency) -> TendencyResult:
        share, size = self._share(tendency.name, "among")
        other, other_size = self._share(tendency.name, "than")
        holds: bool | None = None
        enough = size >= self._LEAST and (tendency.than is None or other_size >= self._LEAST)
        if enough and share is not None:
            holds = _within(tendency, share, other)
        return TendencyResult(name=tendency.name, why=tendency.why, share=share, other=other, size=size, holds=holds)

    def _share(self, name: str, group: str) -> tuple[float | None, int]:
        inside, outside = self._groups[name, group, True], self._groups[name, group, False]
        size = inside + outside
        return (inside / size if size else None), size


def _within(tendency: Tendency, share: float, other: float | None) -> bool:
    if tendency.times is not None:
        return share >= tendency.times * (other or 0.0)
    if tendency.at_least is not None:
        return share >= tendency.at_least
    return tendency.at_most is not None and share <= tendency.at_most


def _holds(group: Mapping[str, tuple[str, ...]], facts: Mapping[str, tuple[str, ...]]) -> bool:
    return all(set(facts.get(name, ())) & set(listed) for name, listed in group.items())
