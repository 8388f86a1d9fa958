"""The conditional tables, rules and titles from which profiles are sampled: data, from YAML (A.3)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from ...domains import (
    DataError,
    DomainPack,
    InputError,
    Profile,
    UnknownNameError,
    Value,
    YamlProblem,
    pattern_problem,
    read_yaml_file,
)

__all__ = [
    "SCENARIO",
    "ConditionalTable",
    "Rule",
    "SamplingTables",
    "Tendency",
    "Title",
    "Tone",
    "load_tables",
]

SCENARIO = "scenario"
"""The parent that stands for the scenario's tone and tags."""

Tone = Literal["good", "hard"]
_PACKAGED = Path(__file__).with_name("penguin_dag.yaml")
_PACKAGED_PACK = "penguin"


def _as_text(value: Any) -> Any:
    """YAML reads an unquoted Yes, No or 42 as no text; a value of an attribute is always text."""
    if isinstance(value, bool):
        return "Yes" if value else "No"
    return str(value) if isinstance(value, int) else value


ValueName = Annotated[str, BeforeValidator(_as_text), Field(min_length=1)]
Weights = dict[ValueName, Annotated[float, Field(ge=0, allow_inf_nan=False)]]
Values = dict[str, tuple[ValueName, ...]]


class Title(Value):
    """A scenario in one line, and what the tables need to know about it."""

    title: str = Field(min_length=1)
    tone: Tone
    tags: tuple[str, ...] = ()


class ConditionalTable(Value):
    """The distribution of one attribute given its parents: base weights times one factor per parent.

    Attributes:
        attribute: its id in the pack.
        parents: attributes that stand in earlier tables, or ``"scenario"``.
        base: allowed value -> weight.
        given: parent -> value of the parent (a tone or tag, for the scenario) -> allowed value -> factor.
    """

    attribute: str
    parents: tuple[str, ...] = ()
    base: Weights = Field(min_length=1)
    given: dict[str, dict[ValueName, Weights]] = Field(default_factory=dict)

    def weights(self, parents: Mapping[str, tuple[str, ...]]) -> dict[str, float]:
        """Value -> weight. ``parents``: parent -> its value, or the scenario's tone and tags."""
        weights = dict(self.base)
        for parent, table in self.given.items():
            for value in parents.get(parent, ()):
                for name, factor in table.get(value, {}).items():
                    weights[name] *= factor
        return weights


class Rule(Value):
    """What no profile may break: where all of ``when`` holds, not every attribute in ``forbid`` may be as listed."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    why: str = Field(min_length=1)
    when: Values = Field(default_factory=dict)
    forbid: Values = Field(min_length=1)

    def broken_by(self, values: Mapping[str, str]) -> bool:
        """Whether ``values`` (attribute -> allowed value, and ``tone``) break it. What is not known breaks nothing."""
        conditions = (*self.when.items(), *self.forbid.items())
        return all(values.get(name) in listed for name, listed in conditions)


class Tendency(Value):
    """A rule about a set of profiles: how large the share of some values is in a group of them.

    Groups are given by attribute values, by ``tone`` or by ``tag``.
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    why: str = Field(min_length=1)
    share: Values = Field(min_length=1, max_length=1)
    among: Values = Field(min_length=1, max_length=1)
    than: Values | None = Field(default=None, max_length=1)
    times: float | None = Field(
        default=None, gt=0, description="The share is at least this many times that in ``than``."
    )
    at_least: float | None = Field(default=None, ge=0, le=1)
    at_most: float | None = Field(default=None, ge=0, le=1)

    @model_validator(mode="after")
    def _one_bound(self) -> Tendency:
        given = [b for b in (self.times, self.at_least, self.at_most) if b is not None]
        if len(given) != 1 or (self.times is None) != (self.than is None):
            raise ValueError("give 'than' and 'times', or 'at_least', or 'at_most'")
        return self


class SamplingTables(Value):
    """Everything from which profiles of one pack are sampled and by which they are checked."""

    pack: str
    tones: dict[Tone, str] = Field(default_factory=dict)
    tags: dict[str, str] = Field(
        default_factory=dict, description="Tag -> what it means, for a model that writes titles."
    )
    tables: tuple[ConditionalTable, ...] = Field(min_length=1)
    rules: tuple[Rule, ...] = ()
    tendencies: tuple[Tendency, ...] = ()
    mentions: dict[str, dict[ValueName, tuple[str, ...]]] = Field(
        default_factory=dict, description="Attribute -> value -> regular expressions by which a query names it."
    )
    excludes: dict[str, dict[ValueName, tuple[str, ...]]] = Field(
        default_factory=dict,
        description="Attribute -> value -> regular expressions of a query that no person with this value asks.",
    )
    titles: dict[str, tuple[Title, ...]] = Field(min_length=1, description="Domain -> titles of scenarios.")

    @cached_property
    def allowed(self) -> dict[str, tuple[str, ...]]:
        """Attribute -> its allowed values, in the order of the tables."""
        return {table.attribute: tuple(table.base) for table in self.tables}

    @cached_property
    def mention_patterns(self) -> dict[tuple[str, str], re.Pattern[str]]:
        """(attribute, value) -> the pattern by which a query names it."""
        return _by_value(self.mentions)

    @cached_property
    def _exclude_patterns(self) -> dict[tuple[str, str], re.Pattern[str]]:
        return _by_value(self.excludes)

    def excluded(self, query: str) -> frozenset[tuple[str, str]]:
        """(attribute, value) of the persons who would not ask ``query``."""
        return frozenset(at for at, pattern in self._exclude_patterns.items() if pattern.search(query))

    def title(self, domain: str, title: str) -> Title | None:
        """The listed title with this text, in any case."""
        folded = title.strip().casefold()
        return next((t for t in self.titles.get(domain, ()) if t.title.casefold() == folded), None)

    def canonical(self, profile: Profile) -> dict[str, str]:
        """The attributes of ``profile`` whose value is an allowed one, in the tables' spelling.

        A value may carry a detail after a comma ("Married, two children"), and a number stands for the range that it
        lies in ("41" for "35-44"). A value that cannot be told is left out.
        """
        found = ((a, self._allowed_value(a, value)) for a, value in profile.items() if a in self.allowed)
        return {attribute: value for attribute, value in found if value is not None}

    def _allowed_value(self, attribute: str, value: str) -> str | None:
        whole = value.strip().casefold()
        head = whole.partition(",")[0].strip()
        number = re.match(r"\d{1,3}\b", head)
        by_name = {allowed.casefold(): allowed for allowed in self.allowed[attribute]}
        if (named := by_name.get(whole, by_name.get(head))) is not None:
            return named
        for allowed in self.allowed[attribute]:
            limits = re.fullmatch(r"(\d+)(?:-(\d+)|\+)", allowed)
            if number and limits and "-" not in head and int(limits[1]) <= int(number[0]) <= int(limits[2] or 999):
                return allowed
        return None


def _by_value(listed: Mapping[str, Mapping[str, tuple[str, ...]]]) -> dict[tuple[str, str], re.Pattern[str]]:
    return {
        (attribute, value): re.compile("|".join(f"(?:{p})" for p in patterns), re.IGNORECASE)
        for attribute, by_value in listed.items()
        for value, patterns in by_value.items()
    }


def load_tables(path: str | Path | None, pack: DomainPack) -> SamplingTables:
    """The tables in ``path``, or the packaged ones, checked against ``pack``.

    Raises:
        InputError: no path, and the pack is not the one that the packaged tables are for.
        DataError: naming the file and the key at fault.
    """
    if path is None and pack.name != _PACKAGED_PACK:
        raise InputError(
            f"the pack {pack.name!r} has no sampling tables; write tables.yaml beside its pack.yaml (docs/extend.md "
            "shows one), or name a file: --tables FILE"
        )
    file = _PACKAGED if path is None else Path(path)
    try:
        raw = read_yaml_file(file)
    except YamlProblem as error:
        fix = "" if error.missing else f"; {error.fix}"
        raise DataError(file, error.line, None, error.problem + fix) from error
    try:
        tables = SamplingTables.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"]) or None
        raise DataError(file, None, key, first["msg"].removeprefix("Value error, ")) from error
    for key, problem in _problems(tables, pack):
        raise DataError(file, None, key, problem)
    return tables


def _problems(tables: SamplingTables, pack: DomainPack) -> Iterator[tuple[str, str]]:
    if tables.pack != pack.name:
        yield "pack", f"is {tables.pack!r}, but the pack is {pack.name!r}"
    missing = [a for a in pack.attribute_ids if a not in tables.allowed]
    if missing:
        yield "tables", f"has no table for the attribute {missing[0]!r}"
    for domain in pack.domain_names:
        if not tables.titles.get(domain):
            yield f"titles.{domain}", "has no titles"
    yield from _table_problems(tables, pack)
    known = {**tables.allowed, "tone": ("good", "hard")}
    for rule in tables.rules:
        yield from _value_problems(f"rules.{rule.name}", (rule.when, rule.forbid), known)
    for tendency in tables.tendencies:
        groups = (tendency.share, tendency.among, tendency.than or {})
        yield from _value_problems(f"tendencies.{tendency.name}", groups, {**known, "tag": tuple(tables.tags)})
    yield from _title_problems(tables, pack)
    yield from _pattern_problems(tables)


def _pattern_problems(tables: SamplingTables) -> Iterator[tuple[str, str]]:
    for key, listed in (("mentions", tables.mentions), ("excludes", tables.excludes)):
        for attribute, by_value in listed.items():
            yield from _value_problems(key, ({attribute: tuple(by_value)},), tables.allowed)
            for value, patterns in by_value.items():
                for problem in filter(None, map(pattern_problem, patterns)):
                    yield f"{key}.{attribute}.{value}", problem


def _table_problems(tables: SamplingTables, pack: DomainPack) -> Iterator[tuple[str, str]]:
    earlier: set[str] = {SCENARIO}
    for table in tables.tables:
        key = f"tables.{table.attribute}"
        if table.attribute not in pack.attribute_ids:
            yield key, str(UnknownNameError("attribute", table.attribute, pack.attribute_ids))
        if table.attribute in earlier:
            yield key, "appears twice"
        if not any(table.base.values()):
            yield f"{key}.base", "needs a weight above 0"
        for parent in table.parents:
            if parent not in earlier:
                yield f"{key}.parents", f"{parent!r} must have a table before this one"
        yield from _factor_problems(table, tables)
        earlier.add(table.attribute)


def _factor_problems(table: ConditionalTable, tables: SamplingTables) -> Iterator[tuple[str, str]]:
    for parent, factors in table.given.items():
        key = f"tables.{table.attribute}.given.{parent}"
        if parent not in table.parents:
            yield key, "is not among its parents"
        values = {*tables.tags, "good", "hard"} if parent == SCENARIO else set(tables.allowed.get(parent, ()))
        for value, weights in factors.items():
            if value not in values:
                yield key, str(UnknownNameError("value", value, sorted(values)))
            for name in weights:
                if name not in table.base:
                    yield f"{key}.{value}", str(UnknownNameError("value", name, table.base))


def _value_problems(
    key: str, groups: tuple[Mapping[str, tuple[str, ...]], ...], known: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[str, str]]:
    for group in groups:
        for name, values in group.items():
            if name not in known:
                yield key, str(UnknownNameError("attribute", name, known))
                continue
            for value in values:
                if value not in known[name]:
                    yield f"{key}.{name}", str(UnknownNameError("value", value, known[name]))


def _title_problems(tables: SamplingTables, pack: DomainPack) -> Iterator[tuple[str, str]]:
    for domain, titles in tables.titles.items():
        if domain not in pack.domain_names:
            yield f"titles.{domain}", str(UnknownNameError("domain", domain, pack.domain_names))
        for title in titles:
            for tag in title.tags:
                if tag not in tables.tags:
                    yield f"titles.{domain}", str(UnknownNameError("tag", tag, tables.tags))
