"""Matched pairs: the same query, word for word, from two people; and counterfactuals, who differ in one attribute."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, cast, get_args

from ...domains import DomainPack, Profile, Risk, Scenario, UnknownNameError
from .constraints import Broken, broken_constraints
from .profile_sampler import ProfileSampler
from .query_checks import detail_named
from .tables import SamplingTables, Title

__all__ = ["PairKind", "PairMaker", "checked_kind"]

PairKind = Literal["counterfactual", "matched"]
_CANDIDATES = 32  # profiles drawn for a matched pair, of which the one that differs most in risk is taken


def checked_kind(name: str) -> PairKind:
    """``name`` as a kind of pair. Raises ``UnknownNameError`` with the nearest."""
    if name not in get_args(PairKind):
        raise UnknownNameError("kind of pair", name, get_args(PairKind))
    return cast("PairKind", name)


class PairMaker:
    """Makes pairs from scenarios. What cannot be paired is counted in ``skipped``, by the reason.

    Both scenarios of a pair share query, title, domain, split and country, and the new ``pair`` id; those of a
    counterfactual name the attribute in ``changed``. Background is left out: it may tell what was changed. Nobody
    stands in a pair who would not ask its query, by the tables' ``excludes``.

    Args:
        seed: of every choice; a scenario's pairs depend on it and the scenario's id alone.
    """

    def __init__(self, tables: SamplingTables, pack: DomainPack, *, seed: int = 0) -> None:
        self._tables, self._pack, self._seed = tables, pack, seed
        self._sampler = ProfileSampler(tables, pack)
        self.skipped: Counter[str] = Counter()

    def counterfactuals(self, scenarios: Iterable[Scenario], attributes: Sequence[str] = ()) -> Iterator[Scenario]:
        """For each scenario and attribute the scenario as it is, and the same with another value of the attribute.

        Args:
            attributes: which to change, a pair for each; empty: one for each scenario, chosen at random.
        """
        for scenario in scenarios:
            rng = random.Random(f"{self._seed}:{scenario.id}")
            if not self._usable(scenario):
                continue
            if attributes:
                chosen = [(a, *self._other_values(scenario, a)) for a in dict.fromkeys(attributes)]
            else:
                every = [(a, *self._other_values(scenario, a)) for a in self._tables.allowed]
                possible = [entry for entry in every if entry[1]]
                chosen = [rng.choice(possible)] if possible else every[:1]
            for attribute, values, reason in chosen:
                if values:
                    profile = self._ordered(scenario.profile.with_value(attribute, rng.choice(values)))
                    yield from _pair(scenario, attribute, profile, (scenario.risk, None), changed=attribute)
                else:
                    self.skipped[reason] += 1

    def matched(self, scenarios: Iterable[Scenario]) -> Iterator[Scenario]:
        """For each scenario the scenario as it is, and the same query from a sampled person of the opposite risk.

        Of several valid profiles the one is taken whose risk, by the pack's rules, differs most from the scenario's:
        lower where the scenario is marked "high", higher where it is marked "low", else either way. The pair is marked
        "high" and "low" accordingly.
        """
        for scenario in scenarios:
            if not self._usable(scenario):
                continue
            rng = random.Random(f"{self._seed}:{scenario.id}")
            title = self._tables.title(scenario.domain, scenario.title) or self._unlisted(scenario)
            own = self._risk(scenario.profile, scenario.domain)
            drawn = [self._sampler.draw(rng, title) for _ in range(_CANDIDATES)]
            fitting = [p for p in drawn if detail_named(scenario.query, p, self._tables, self._pack) is None]
            fitting = [p for p in fitting if not self._excluded(scenario.query, p)]
            if not fitting:
                self.skipped["the query fits no sampled person"] += 1
                continue
            by_risk = [(self._risk(p, scenario.domain), p) for p in fitting]
            if scenario.risk is not None:
                by_risk = [(r, p) for r, p in by_risk if (r < own if scenario.risk == "high" else r > own)]
            if not by_risk or all(r == own for r, _ in by_risk):
                self.skipped["no sampled person has another risk"] += 1
                continue
            risk, profile = max(by_risk, key=lambda entry: abs(entry[0] - own))
            labels: tuple[Risk, Risk] = ("low", "high") if risk > own else ("high", "low")
            yield from _pair(scenario, "matched", profile, labels)

    def _usable(self, scenario: Scenario) -> bool:
        """Whether a scenario can stand in a pair."""
        listed = self._tables.title(scenario.domain, scenario.title)
        if any(b.name != "value_not_allowed" for b in self._broken(scenario.profile, listed)):
            self.skipped["breaks a constraint itself"] += 1
            return False
        if self._excluded(scenario.query, scenario.profile):
            self.skipped["its own query excludes the person"] += 1
            return False
        return True

    def _excluded(self, query: str, profile: Profile) -> bool:
        """Whether ``query`` shows that no person of this profile asks it.

        A value with a detail ("Single, unmarried after nine years together") may say why one does: it excludes nobody.
        """
        listed = self._tables.allowed
        bare = Profile(values={a: v for a, v in profile.items() if "," not in v or v in listed.get(a, ())})
        return not self._tables.excluded(query).isdisjoint(self._tables.canonical(bare).items())

    def _broken(self, profile: Profile, listed: Title | None) -> tuple[Broken, ...]:
        return broken_constraints(profile, self._tables, listed.tone if listed else None)

    def _other_values(self, scenario: Scenario, attribute: str) -> tuple[tuple[str, ...], str]:
        """The values that ``attribute`` may have instead, valid with the rest and fitting the query; or why none."""
        own = self._tables.canonical(scenario.profile).get(attribute)
        if own is None:
            return (), "the attribute is not known"
        if self._told(scenario.query, attribute):
            return (), "the query tells the attribute"
        listed = self._tables.title(scenario.domain, scenario.title)
        kept = [
            value
            for value in self._tables.allowed[attribute]
            if value != own
            and all(
                b.name == "value_not_allowed"
                for b in self._broken(scenario.profile.with_value(attribute, value), listed)
            )
        ]
        if not kept:
            return (), "no other value keeps the constraints"
        excluded = self._tables.excluded(scenario.query)
        fitting = tuple(value for value in kept if (attribute, value) not in excluded)
        return fitting, "" if fitting else "the query excludes every other value"

    def _told(self, query: str, attribute: str) -> bool:
        """Whether the query itself tells the attribute, so that another value would contradict it."""
        patterns = (p for (a, _), p in self._tables.mention_patterns.items() if a == attribute)
        told = self._pack.attribute(attribute).told_in(query) is not None
        return told or any(p.search(query) for p in patterns)

    def _risk(self, profile: Profile, domain: str) -> float:
        return sum(rule.weight for rule in self._pack.risks(profile.values, domain))

    def _ordered(self, profile: Profile) -> Profile:
        return Profile(values={a: profile.values[a] for a in self._pack.attribute_ids if a in profile.values})

    @staticmethod
    def _unlisted(scenario: Scenario) -> Title:
        """What is assumed of a title that the tables do not list: hard, and about nothing that they know."""
        return Title(title=scenario.title or scenario.domain, tone="hard")


def _pair(
    scenario: Scenario,
    what: str,
    profile: Profile,
    risks: tuple[Risk | None, Risk | None],
    *,
    changed: str | None = None,
) -> Iterator[Scenario]:
    pair = f"{scenario.id}.{what}"
    shared = {"pair": pair, "changed": changed, "background": ""}
    yield scenario.model_copy(update={**shared, "id": f"{pair}.a", "risk": risks[0]})
    yield scenario.model_copy(update={**shared, "id": f"{pair}.b", "risk": risks[1], "profile": profile})
