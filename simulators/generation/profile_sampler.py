"""Sample profiles from conditional tables, without a language model (A.3)."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

from ...domains import DomainPack, InputError, Profile
from .drafts import Draft
from .tables import SCENARIO, ConditionalTable, Rule, SamplingTables, Title

__all__ = ["ProfileSampler", "sample_drafts"]

_TONE = "tone"


def sample_drafts(
    count: int,
    tables: SamplingTables,
    pack: DomainPack,
    *,
    seed: int,
    domains: Sequence[str] = (),
    titles: Mapping[str, Sequence[Title]] | None = None,
) -> Iterator[Draft]:
    """``count`` valid profiles, each with a title; domains take turns.

    Profile number n depends on ``seed``, ``domains`` and n alone: the first 100 of 10,000 are the same as those of 100.

    Args:
        domains: which to use; empty: every domain of the pack.
        titles: domain -> titles; None: those of the tables.
    """
    names = tuple(pack.domain(d).name for d in domains) or pack.domain_names
    listed = tables.titles if titles is None else titles
    sampler = ProfileSampler(tables, pack)
    for number in range(1, count + 1):
        rng = random.Random(f"{seed}:{number}")
        domain = names[(number - 1) % len(names)]
        title = listed[domain][int(rng.random() * len(listed[domain]))]
        yield Draft.of(f"profile-{number:05d}", domain, title, sampler.draw(rng, title))


class ProfileSampler:
    """Draws profiles table by table, in the order of the graph.

    A value that would break a rule together with what was drawn before has weight 0, so every profile is valid and
    none is thrown away.
    """

    def __init__(self, tables: SamplingTables, pack: DomainPack) -> None:
        self._pack = pack
        self._steps = [_Step(table, _rules_ending_at(table.attribute, tables)) for table in tables.tables]

    def draw(self, rng: random.Random, title: Title, *, fixed: Mapping[str, str] | None = None) -> Profile:
        """One profile for a scenario.

        Args:
            fixed: attribute -> allowed value that is given and not drawn. The others are drawn after it in the order of
                the tables, so what stands before it in the graph does not adapt to it.

        Raises:
            InputError: no value is left for an attribute: the tables and rules contradict each other there.
        """
        values: dict[str, str] = {_TONE: title.tone}
        scenario = (title.tone, *sorted(title.tags))
        for step in self._steps:
            given = None if fixed is None else fixed.get(step.attribute)
            values[step.attribute] = given or step.draw(rng, values, scenario)
        return Profile(values={a: values[a] for a in self._pack.attribute_ids})

    def probabilities(self, attribute: str, values: Mapping[str, str], title: Title) -> dict[str, float]:
        """The distribution of ``attribute`` given the ``values`` of its parents and the scenario, rules applied."""
        step = next(s for s in self._steps if s.attribute == attribute)
        weights = step.weights({_TONE: title.tone, **values}, (title.tone, *sorted(title.tags)))
        total = sum(weights.values())
        return {value: weight / total for value, weight in weights.items()}


class _Step:
    """One table with the rules that its attribute completes; the weights of each situation are worked out once."""

    def __init__(self, table: ConditionalTable, rules: Sequence[Rule]) -> None:
        self.attribute = table.attribute
        self._table, self._rules = table, rules
        of_rules = {name for rule in rules for name in (*rule.when, *rule.forbid)} - {table.attribute}
        self._depends = tuple(sorted({p for p in table.parents if p != SCENARIO} | of_rules))
        self._on_scenario = SCENARIO in table.parents
        self._cache: dict[tuple[Any, ...], tuple[tuple[str, ...], list[float]]] = {}

    def draw(self, rng: random.Random, values: Mapping[str, str], scenario: tuple[str, ...]) -> str:
        key = (scenario if self._on_scenario else (), *map(values.__getitem__, self._depends))
        if key not in self._cache:
            weights = self.weights(values, scenario)
            if not any(weights.values()):
                raise InputError(f"the tables leave no value for {self.attribute!r} where a rule excludes all others")
            self._cache[key] = (tuple(weights), list(accumulate(weights.values())))
        names, sums = self._cache[key]
        return names[bisect_right(sums, rng.random() * sums[-1])]

    def weights(self, values: Mapping[str, str], scenario: tuple[str, ...]) -> dict[str, float]:
        parents = {p: (values[p],) for p in self._table.parents if p != SCENARIO}
        weights = self._table.weights({**parents, SCENARIO: scenario})
        for rule in self._rules:
            for value in weights:
                if rule.broken_by({**values, self.attribute: value}):
                    weights[value] = 0.0
        return weights


def _rules_ending_at(attribute: str, tables: SamplingTables) -> list[Rule]:
    """The rules of which ``attribute`` is drawn last."""
    order = {_TONE: -1, **{table.attribute: i for i, table in enumerate(tables.tables)}}
    return [
        rule for rule in tables.rules if max((*rule.when, *rule.forbid), key=order.__getitem__, default="") == attribute
    ]
