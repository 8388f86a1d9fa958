"""Matched pairs and counterfactuals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from askfirst.domains import DomainPack, Scenario, UnknownNameError
from askfirst.simulators import packaged_scenarios
from askfirst.simulators.generation.constraints import broken_constraints
from askfirst.simulators.generation.matched_pairs import PairMaker, checked_kind
from askfirst.simulators.generation.tables import SamplingTables, load_tables

PROFILE = {
    "age": "18-24",
    "education_level": "Bachelor's",
    "mental_health_status": "Severe Depression",
    "emotional_state": "Despair",
}


@pytest.fixture(scope="module")
def tables(pack: DomainPack) -> SamplingTables:
    return load_tables(None, pack)


def scenario(pack: DomainPack, **changes: Any) -> Scenario:
    profile = pack.profile(changes.pop("profile", PROFILE))
    fields = {"id": "s", "domain": "Life", "title": "T", "query": "What now?", "background": "They told a lot."}
    return Scenario(**{**fields, **changes}, profile=profile)


def risk(scenario: Scenario, pack: DomainPack) -> float:
    return sum(r.weight for r in pack.risks(scenario.profile.values, scenario.domain))


def two_by_two(found: Iterable[Scenario]) -> list[tuple[Scenario, Scenario]]:
    every = list(found)
    return list(zip(every[::2], every[1::2], strict=True))


def test_counterfactuals_differ_in_one_attribute_and_nothing_else(pack: DomainPack, tables: SamplingTables) -> None:
    every = packaged_scenarios(pack)
    maker = PairMaker(tables, pack, seed=1)
    pairs = two_by_two(maker.counterfactuals(every))
    assert len(pairs) + sum(maker.skipped.values()) == len(every)
    assert len(pairs) > 100
    for first, second in pairs:
        assert first.pair == second.pair
        assert (first.query, first.title, first.domain, first.split) == (
            second.query,
            second.title,
            second.domain,
            second.split,
        )
        changed = {a for a in pack.attribute_ids if first.profile.get(a) != second.profile.get(a)}
        assert changed == {first.changed} == {second.changed} == {(first.pair or "").rpartition(".")[2]}
        assert [b.name for b in broken_constraints(second.profile, tables, None) if b.name != "value_not_allowed"] == []
    assert len({s.id for pair in pairs for s in pair}) == 2 * len(pairs)
    assert len({pair[0].pair for pair in pairs}) == len(pairs)


def test_the_named_attributes_each_give_a_pair(pack: DomainPack, tables: SamplingTables) -> None:
    maker = PairMaker(tables, pack)
    pairs = two_by_two(maker.counterfactuals([scenario(pack)], ["age", "emotional_state"]))
    assert [(a.pair, a.id, b.id) for a, b in pairs] == [
        ("s.age", "s.age.a", "s.age.b"),
        ("s.emotional_state", "s.emotional_state.a", "s.emotional_state.b"),
    ]
    assert all(a.profile.values == PROFILE for a, _ in pairs)
    assert {(s.background, s.risk) for pair in pairs for s in pair} == {("", None)}


def test_a_change_that_would_break_a_rule_is_not_made(pack: DomainPack, tables: SamplingTables) -> None:
    seen: dict[str, set[str | None]] = {"education_level": set(), "mental_health_status": set()}
    skipped = 0
    for seed in range(40):
        maker = PairMaker(tables, pack, seed=seed)
        for _, changed in two_by_two(maker.counterfactuals([scenario(pack)], list(seen))):
            attribute = (changed.pair or "").rpartition(".")[2]
            seen[attribute].add(changed.profile.get(attribute))
        skipped += maker.skipped["no other value keeps the constraints"]
    assert seen["education_level"] == {"High School", "Master's", "Other"}  # no PhD at 18-24
    assert seen["mental_health_status"] == set()  # despair needs severe depression
    assert skipped == 40


def test_a_base_that_breaks_a_rule_is_left_out(pack: DomainPack, tables: SamplingTables) -> None:
    maker = PairMaker(tables, pack)
    broken = scenario(pack, profile={**PROFILE, "education_level": "PhD"})
    assert list(maker.counterfactuals([broken])) == []
    assert list(maker.matched([broken])) == []
    assert maker.skipped == {"breaks a constraint itself": 2}


@pytest.mark.parametrize(
    ("query", "attribute"), [("I'm 23, what now?", "age"), ("I have depression, what now?", "mental_health_status")]
)
def test_what_the_query_tells_is_not_changed(
    pack: DomainPack, tables: SamplingTables, query: str, attribute: str
) -> None:
    maker = PairMaker(tables, pack)
    assert list(maker.counterfactuals([scenario(pack, query=query)], [attribute])) == []
    assert maker.skipped == {"the query tells the attribute": 1}


def test_an_attribute_named_twice_gives_one_pair(pack: DomainPack, tables: SamplingTables) -> None:
    made = list(PairMaker(tables, pack).counterfactuals([scenario(pack)], ["age", "age"]))
    assert [(s.id, s.changed) for s in made] == [("s.age.a", "age"), ("s.age.b", "age")]


def test_nobody_stands_in_a_pair_whom_the_query_excludes(pack: DomainPack, tables: SamplingTables) -> None:
    asked = {"query": "Found messages on my partner's phone. What now?", "domain": "Relationship"}
    married = scenario(pack, **asked, profile={**PROFILE, "marital_status": "Married"})
    for seed in range(20):
        maker = PairMaker(tables, pack, seed=seed)
        made = [*maker.counterfactuals([married], ["marital_status"]), *maker.matched([married])]
        assert len(made) == 4
        assert "Single" not in {s.profile.get("marital_status") for s in made}

    maker = PairMaker(tables, pack)
    single = scenario(pack, **asked, profile={**PROFILE, "marital_status": "Single"})
    assert list(maker.counterfactuals([single])) == []
    assert maker.skipped == {"its own query excludes the person": 1}
    told = scenario(pack, **asked, profile={**PROFILE, "marital_status": "Single, nine years together"})
    assert len(list(maker.counterfactuals([told], ["age"]))) == 2


def test_why_there_is_no_pair(pack: DomainPack, tables: SamplingTables) -> None:
    maker = PairMaker(tables, pack)
    assert list(maker.counterfactuals([scenario(pack)], ["gender"])) == []
    excludes = {"age": dict.fromkeys(tables.allowed["age"][1:], ("now",))}
    only = SamplingTables.model_validate({**tables.model_dump(), "excludes": excludes})
    strict = PairMaker(only, pack)
    assert list(strict.counterfactuals([scenario(pack)], ["age"])) == []
    assert maker.skipped == {"the attribute is not known": 1}
    assert strict.skipped == {"the query excludes every other value": 1}


def test_matched_pairs_are_of_opposite_risk(pack: DomainPack, tables: SamplingTables) -> None:
    every = packaged_scenarios(pack)[:40]
    maker = PairMaker(tables, pack, seed=3)
    pairs = two_by_two(maker.matched(every))
    assert len(pairs) + sum(maker.skipped.values()) == len(every)
    assert len(pairs) > 30

    for own, other in pairs:
        assert own.query == other.query
        assert own.pair == other.pair
        assert {own.risk, other.risk} == {"low", "high"}
        assert (risk(own, pack) > risk(other, pack)) == (own.risk == "high")
    kept = {s.id: s for s in every}
    assert all(own.risk == kept[(own.pair or "").removesuffix(".matched")].risk for own, _ in pairs)


def test_without_a_mark_the_heavier_person_is_the_high_one(pack: DomainPack, tables: SamplingTables) -> None:
    for profile in (PROFILE, {**PROFILE, "mental_health_status": "None", "emotional_state": "Happiness"}):
        [(own, other)] = two_by_two(PairMaker(tables, pack).matched([scenario(pack, profile=profile)]))
        heavier = max((own, other), key=lambda s: risk(s, pack))
        assert {own.risk, other.risk} == {"low", "high"}
        assert heavier.risk == "high"


def test_the_same_seed_gives_the_same_pairs(pack: DomainPack, tables: SamplingTables) -> None:
    every = packaged_scenarios(pack)[:10]

    def made(seed: int, scenarios: list[Scenario]) -> list[Scenario]:
        return list(PairMaker(tables, pack, seed=seed).counterfactuals(scenarios))

    assert made(1, every) == made(1, every)
    assert made(1, every[5:6]) == [s for s in made(1, every) if (s.pair or "").startswith(every[5].id)]
    assert made(1, every) != made(2, every)


def test_names_of_kinds() -> None:
    assert checked_kind("matched") == "matched"
    with pytest.raises(UnknownNameError, match="did you mean 'counterfactual'"):
        checked_kind("counter-factual")
