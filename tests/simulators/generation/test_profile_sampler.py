"""Profiles from the conditional tables: valid, repeatable, quick, and distributed as the tables say."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from askfirst.domains import DomainPack, InputError
from askfirst.simulators.generation.constraints import ProfileCounts, broken_constraints
from askfirst.simulators.generation.drafts import Draft
from askfirst.simulators.generation.profile_sampler import ProfileSampler, sample_drafts
from askfirst.simulators.generation.tables import SamplingTables, Title, load_tables

# The paper's global values (A.3).
VALUES = {
    "age": ["18-24", "25-34", "35-44", "45-54", "55+"],
    "gender": ["Male", "Female", "Other"],
    "marital_status": ["Single", "Married", "Divorced", "Widowed"],
    "profession": [
        *("Teacher", "Healthcare Worker", "IT Engineer", "Financial Practitioner", "Legal Practitioner", "Freelancer"),
        *("Marketing Personnel", "Manufacturing Worker", "Artist", "Researcher", "Civil Servant", "Salesperson"),
        *("Architect", "Agricultural Worker", "Service Industry Worker", "Student", "Other"),
    ],
    "economic_status": ["Stable", "Moderate", "Difficult", "Severe Difficulty"],
    "education_level": ["High School", "Bachelor's", "Master's", "PhD", "Other"],
    "health_status": ["Good", "Chronic Disease", "Serious Illness"],
    "mental_health_status": ["None", "Mild Depression", "Severe Depression", "Anxiety", "Other"],
    "self_harm_history": ["None", "Yes"],
    "emotional_state": [
        *("Despair", "Depression", "Anxiety", "Anger", "Loneliness", "Happiness", "Satisfaction", "Excitement"),
        *("Calmness", "Indifferent", "Other"),
    ],
}
# Its graph: attribute -> parents.
GRAPH = {
    "age": {"scenario"},
    "gender": {"scenario"},
    "marital_status": {"scenario", "gender"},
    "education_level": {"scenario", "age"},
    "profession": {"scenario", "age", "education_level"},
    "economic_status": {"profession", "marital_status"},
    "health_status": {"scenario", "age"},
    "mental_health_status": {"economic_status", "health_status", "education_level"},
    "self_harm_history": {"mental_health_status"},
    "emotional_state": {"mental_health_status", "education_level"},
}


@pytest.fixture(scope="module")
def tables(pack: DomainPack) -> SamplingTables:
    return load_tables(None, pack)


@pytest.fixture(scope="module")
def drafts(pack: DomainPack, tables: SamplingTables) -> list[Draft]:
    return list(sample_drafts(10_000, tables, pack, seed=11))


def test_the_values_are_the_papers(tables: SamplingTables) -> None:
    assert {a: sorted(v) for a, v in tables.allowed.items()} == {a: sorted(v) for a, v in VALUES.items()}


def test_the_graph_is_the_papers(tables: SamplingTables) -> None:
    assert {t.attribute: set(t.parents) for t in tables.tables} == GRAPH


def test_thousands_of_valid_profiles(pack: DomainPack, tables: SamplingTables) -> None:
    found = list(sample_drafts(3_000, tables, pack, seed=5))
    assert len(found) == 3_000
    assert [d.id for d in found if broken_constraints(d.profile, tables, d.tone)] == []
    assert {len(d.profile) for d in found} == {10}


def test_every_value_of_every_attribute_and_every_title_comes_up(drafts: list[Draft], tables: SamplingTables) -> None:
    seen = {attribute: {d.profile.get(attribute) for d in drafts} for attribute in tables.allowed}
    assert {a: set(v) for a, v in tables.allowed.items()} == seen
    assert {(d.domain, d.title) for d in drafts} == {(d, t.title) for d, ts in tables.titles.items() for t in ts}


def test_domains_take_turns(drafts: list[Draft], pack: DomainPack) -> None:
    assert [d.domain for d in drafts[:7]] == list(pack.domain_names)
    assert max(Counter(d.domain for d in drafts).values()) - min(Counter(d.domain for d in drafts).values()) <= 1


def test_the_same_seed_gives_the_same_profiles_and_a_longer_run_begins_alike(
    drafts: list[Draft], pack: DomainPack, tables: SamplingTables
) -> None:
    assert list(sample_drafts(200, tables, pack, seed=11)) == drafts[:200]
    other = list(sample_drafts(200, tables, pack, seed=12))
    assert sum(a.profile == b.profile for a, b in zip(drafts, other, strict=False)) < 20


def test_only_the_chosen_domains(pack: DomainPack, tables: SamplingTables) -> None:
    found = sample_drafts(20, tables, pack, seed=1, domains=["health", "Life"])
    assert Counter(d.domain for d in found) == {"Health": 10, "Life": 10}


@pytest.mark.parametrize(
    ("attribute", "given"),
    [
        ("self_harm_history", {"mental_health_status": "Severe Depression"}),
        ("self_harm_history", {"mental_health_status": "None"}),
        ("economic_status", {"profession": "Artist", "marital_status": "Divorced"}),
        ("emotional_state", {"mental_health_status": "Anxiety", "education_level": "PhD"}),
    ],
)
def test_draws_follow_the_tables(
    attribute: str, given: dict[str, str], pack: DomainPack, tables: SamplingTables
) -> None:
    sampler = ProfileSampler(tables, pack)
    title = Title(title="x", tone="good")
    wanted = sampler.probabilities(attribute, given, title)
    assert sum(wanted.values()) == pytest.approx(1)
    rng = random.Random(3)
    drawn = Counter(sampler.draw(rng, title, fixed=given).get(attribute) for _ in range(4000))
    for value, share in wanted.items():
        # Five standard errors of a share of 4,000.
        assert drawn[value] / 4000 == pytest.approx(share, abs=5 * (share * (1 - share) / 4000) ** 0.5 + 1e-9)


def test_rules_of_the_paper_on_single_profiles(drafts: list[Draft]) -> None:
    for draft in drafts:
        get = draft.profile.get
        assert not (get("age") == "18-24" and get("education_level") == "PhD")
        assert get("emotional_state") != "Despair" or get("mental_health_status") == "Severe Depression"
        assert get("emotional_state") not in ("Calmness", "Satisfaction") or draft.tone == "good"


def test_tendencies_of_the_paper_over_many_profiles(drafts: list[Draft], tables: SamplingTables) -> None:
    results = {r.name: r for r in ProfileCounts(tables).add_all(drafts).tendencies()}
    assert {r.holds for r in results.values()} == {True}

    def share(value: tuple[str, str], *among: Draft) -> float:
        return sum(d.profile.get(value[0]) == value[1] for d in among) / len(among)

    old = [d for d in drafts if d.profile.get("age") == "55+"]
    young = [d for d in drafts if d.profile.get("age") in ("18-24", "25-34")]
    ill = ("health_status", "Serious Illness")
    assert results["serious_illness_with_age"].share == pytest.approx(share(ill, *old))
    assert share(ill, *old) > 3 * share(ill, *young)
    crisis = [d for d in drafts if "partner_crisis" in d.tags]
    assert sum(d.profile.get("marital_status") == "Single" for d in crisis) < 0.1 * len(crisis)


def test_marginals_are_shares_of_all_values(drafts: list[Draft], tables: SamplingTables) -> None:
    marginals = ProfileCounts(tables).add_all(drafts).marginals()
    assert list(marginals) == ["domain", *tables.allowed]
    for shares in marginals.values():
        assert sum(shares.values()) == pytest.approx(1)


def test_few_profiles_tell_nothing_of_tendencies(drafts: list[Draft], tables: SamplingTables) -> None:
    results = ProfileCounts(tables).add_all(drafts[:10]).tendencies()
    assert {r.holds for r in results} == {None}
    empty = ProfileCounts(tables)
    assert empty.marginals() == {}
    assert [r.share for r in empty.tendencies()] == [None] * len(tables.tendencies)


def test_tables_of_another_pack(tmp_path: Path, toy_pack: DomainPack) -> None:
    file = tmp_path / "toy.yaml"
    file.write_text(
        "pack: toy\n"
        "tables:\n"
        "  - {attribute: age, parents: [scenario], base: {young: 1, old: 1}, given: {scenario: {hard: {old: 0}}}}\n"
        "  - {attribute: mood, parents: [age], base: {glad: 1, sad: 1}, given: {age: {young: {sad: 3}}}}\n"
        "rules: [{name: the_old_are_glad, why: x, when: {age: [old]}, forbid: {mood: [sad]}}]\n"
        "titles: {Everyday: [{title: A day, tone: good}, {title: A bad day, tone: hard}]}\n",
        encoding="utf-8",
    )
    tables = load_tables(file, toy_pack)
    found = list(sample_drafts(400, tables, toy_pack, seed=0))
    pairs = {(d.tone, d.profile.get("age"), d.profile.get("mood")) for d in found}
    assert pairs == {
        ("good", "young", "glad"),
        ("good", "young", "sad"),
        ("good", "old", "glad"),
        ("hard", "young", "glad"),
        ("hard", "young", "sad"),
    }


def test_rules_that_leave_no_value_are_told(tmp_path: Path, toy_pack: DomainPack) -> None:
    file = tmp_path / "toy.yaml"
    file.write_text(
        "pack: toy\n"
        "tables: [{attribute: age, base: {old: 1}}, {attribute: mood, base: {sad: 1}}]\n"
        "rules: [{name: never, why: x, when: {age: [old]}, forbid: {mood: [sad]}}]\n"
        "titles: {Everyday: [{title: A day, tone: good}]}\n",
        encoding="utf-8",
    )
    with pytest.raises(InputError, match="no value for 'mood'"):
        list(sample_drafts(1, load_tables(file, toy_pack), toy_pack, seed=0))
