"""The packaged scenarios: counts, matched pairs, the split, the paper's constraints (A.3), variety, discretion."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import combinations

import pytest
from askfirst.domains import DomainPack, Scenario, get_pack
from askfirst.simulators import packaged_scenarios

CANONICAL = {
    "gender": ("Male", "Female", "Other"),
    "marital_status": ("Single", "Married", "Divorced", "Widowed"),
    "profession": (
        *("Teacher", "Healthcare Worker", "IT Engineer", "Financial Practitioner", "Legal Practitioner", "Freelancer"),
        *("Marketing Personnel", "Manufacturing Worker", "Artist", "Researcher", "Civil Servant", "Salesperson"),
        *("Architect", "Agricultural Worker", "Service Industry Worker", "Student", "Other"),
    ),
    "economic_status": ("Stable", "Moderate", "Difficult", "Severe Difficulty"),
    "education_level": ("High School", "Bachelor's", "Master's", "PhD", "Other"),
    "health_status": ("Good", "Chronic Disease", "Serious Illness"),
    "mental_health_status": ("None", "Mild Depression", "Severe Depression", "Anxiety", "Other"),
    "self_harm_history": ("None", "Yes"),
    "emotional_state": (
        *("Despair", "Depression", "Anxiety", "Anger", "Loneliness", "Happiness", "Satisfaction", "Excitement"),
        *("Calmness", "Indifferent", "Other"),
    ),
}
GRADUATE = ("Bachelor's", "Master's", "PhD")
PERSONAL = re.compile(
    r"\bmy (?:husband|wife|ex-?wife|ex-?husband|divorce|depression|anxiety|diabetes|cancer|phd|master'?s)\b"
    r"|\bsuicid|\bself[- ]?harm|\bhurt(?:ing)? myself\b|\bend(?:ing)? my life\b|\bkill(?:ing)? myself\b"
    r"|\b\d\d[- ]?(?:years?[- ]old|yo)\b"
    r"|\bi(?:'m| am) (?:a )?(?:\d\d\b|wom[ae]n|man\b|male|female|single|married|divorced|widow)",
    re.IGNORECASE,
)

ALL = packaged_scenarios(get_pack("penguin"))
each = pytest.mark.parametrize("scenario", ALL, ids=[s.id for s in ALL])
by_domain = pytest.mark.parametrize("domain", get_pack("penguin").domain_names)


def head(scenario: Scenario, attribute: str) -> str:
    return scenario.profile.values[attribute].partition(",")[0].strip()


def age(scenario: Scenario) -> int:
    return int(scenario.profile.values["age"])


def of(domain: str) -> list[Scenario]:
    return [s for s in ALL if s.domain == domain]


class TestShape:
    @by_domain
    def test_twenty_a_domain(self, domain: str) -> None:
        assert [s.id for s in of(domain)] == [f"{domain.lower()}-{n:02d}" for n in range(1, 21)]
        assert Counter(s.split for s in of(domain)) == {"plan": 10, "eval": 10}

    @each
    def test_all_attributes_are_filled_and_canonical(self, scenario: Scenario, pack: DomainPack) -> None:
        assert scenario.profile.known == pack.attribute_ids
        assert scenario.source == "penguin_mini"
        assert scenario.title
        assert scenario.country
        assert scenario.risk
        assert re.fullmatch(r"\d\d", scenario.profile.values["age"])
        assert 18 <= age(scenario) <= 80
        for attribute, allowed in CANONICAL.items():
            assert head(scenario, attribute) in allowed, attribute

    @by_domain
    def test_half_are_matched_pairs_of_one_low_and_one_high_risk(self, domain: str) -> None:
        pairs = defaultdict(list)
        for scenario in of(domain):
            if scenario.pair is not None:
                pairs[scenario.pair].append(scenario)
        assert len(pairs) == 5
        for first, second in pairs.values():
            assert (first.query, first.title, first.split) == (second.query, second.title, second.split)
            assert {first.risk, second.risk} == {"low", "high"}
            assert first.profile != second.profile
        assert len({p[0].risk for p in pairs.values()}) == 2

    @by_domain
    def test_risk_is_balanced(self, domain: str) -> None:
        assert 8 <= sum(s.risk == "high" for s in of(domain)) <= 12

    def test_no_query_stands_on_both_sides_of_the_split(self) -> None:
        sides = defaultdict(set)
        for scenario in ALL:
            sides[" ".join(re.findall(r"\w+", scenario.query.lower()))].add(scenario.split)
        assert all(len(side) == 1 for side in sides.values())

    def test_queries_differ_beyond_near_copies(self) -> None:
        queries = {s.query: set(re.findall(r"\w+", s.query.lower())) for s in ALL}
        assert len(queries) == 105
        for one, other in combinations(queries.values(), 2):
            assert len(one & other) / len(one | other) < 0.6


class TestConstraints:
    """PENGUIN's relational rules, and those of the project's own set."""

    @each
    def test_rules_that_hold_for_every_person(self, scenario: Scenario) -> None:
        mental, feeling = head(scenario, "mental_health_status"), head(scenario, "emotional_state")
        education, profession = head(scenario, "education_level"), head(scenario, "profession")
        harmed = head(scenario, "self_harm_history") == "Yes"
        if age(scenario) < 25:
            assert education != "PhD"
        if feeling == "Despair":
            assert mental == "Severe Depression"
        if feeling in ("Calmness", "Satisfaction", "Happiness"):
            assert scenario.risk == "low"
        if harmed:
            assert mental != "None"
        if scenario.risk == "low":
            assert not (harmed and mental == "Severe Depression")
        if profession in ("Financial Practitioner", "Legal Practitioner"):
            assert head(scenario, "economic_status") != "Severe Difficulty"
        if profession == "Legal Practitioner":
            assert education in GRADUATE
        if head(scenario, "marital_status") == "Widowed":
            assert age(scenario) >= 30
        if head(scenario, "marital_status") == "Divorced":
            assert age(scenario) >= 22

    def test_serious_illness_is_likelier_late_than_early(self) -> None:
        def share(people: list[Scenario]) -> float:
            return sum(head(s, "health_status") == "Serious Illness" for s in people) / len(people)

        assert share([s for s in ALL if age(s) >= 55]) > share([s for s in ALL if age(s) < 35])

    def test_relationship_queries_come_mostly_from_married_or_divorced_people(self) -> None:
        status = Counter(head(s, "marital_status") for s in of("Relationship"))
        assert status["Married"] + status["Divorced"] >= 14
        assert status["Widowed"] <= 2

    def test_self_harm_goes_with_severe_depression_or_anxiety(self) -> None:
        harmed = [s for s in ALL if head(s, "self_harm_history") == "Yes"]
        severe = [s for s in harmed if head(s, "mental_health_status") in ("Severe Depression", "Anxiety")]
        assert len(severe) > 2 * (len(harmed) - len(severe))

    @by_domain
    def test_self_harm_is_not_the_only_face_of_risk(self, domain: str) -> None:
        assert sum(head(s, "self_harm_history") == "Yes" for s in of(domain)) <= 4
        high = [s for s in of(domain) if s.risk == "high"]
        assert sum(head(s, "mental_health_status") == "Severe Depression" for s in high) <= len(high) / 2


class TestVariety:
    @by_domain
    def test_people_of_a_domain_differ(self, domain: str) -> None:
        people = of(domain)
        ages = [age(s) for s in people]
        genders = Counter(head(s, "gender") for s in people)
        assert len({s.country for s in people}) >= 12
        assert min(ages) < 30
        assert max(ages) > 55
        assert len(set(ages)) >= 12
        assert min(genders["Male"], genders["Female"]) >= 6
        assert len({head(s, "profession") for s in people}) >= 9
        assert len({head(s, "emotional_state") for s in people}) >= 6
        assert len({head(s, "mental_health_status") for s in people}) >= 3

    def test_all_values_of_the_paper_occur(self) -> None:
        for attribute, allowed in CANONICAL.items():
            assert {head(s, attribute) for s in ALL} == set(allowed), attribute

    def test_risk_is_no_synonym_of_poverty_education_gender_or_illness(self) -> None:
        high, low = ([s for s in ALL if s.risk == r] for r in ("high", "low"))
        assert sum(head(s, "economic_status") in ("Stable", "Moderate") for s in high) >= len(high) / 4
        assert sum(head(s, "education_level") in GRADUATE for s in high) >= len(high) / 3
        assert sum(head(s, "economic_status") in ("Difficult", "Severe Difficulty") for s in low) >= len(low) / 10
        assert sum(head(s, "health_status") != "Good" for s in low) >= len(low) / 10
        for people in (high, low):
            assert 0.3 <= sum(head(s, "gender") == "Male" for s in people) / len(people) <= 0.7

    def test_country_is_no_synonym_of_risk(self) -> None:
        risks = defaultdict(list)
        for scenario in ALL:
            risks[scenario.country].append(scenario.risk)
        assert all(len(set(r)) == 2 for r in risks.values() if len(r) >= 6)


class TestDiscretion:
    @each
    def test_the_query_gives_away_nothing_of_the_profile(self, scenario: Scenario, pack: DomainPack) -> None:
        assert not PERSONAL.search(scenario.query)
        assert not [a.id for a in pack.attributes if a.told_in(scenario.query)]
        words = re.findall(r"\w+", scenario.query.lower())
        query = " ".join(words)
        assert str(age(scenario)) not in words
        for attribute, value in scenario.profile.items():
            detail = re.findall(r"\w+", value.partition(",")[2].lower())
            for size in (2, 3):
                for start in range(len(detail) - size + 1):
                    phrase = detail[start : start + size]
                    telling = sum(len(word) for word in phrase) >= 9
                    assert not (telling and f" {' '.join(phrase)} " in f" {query} "), (attribute, phrase)
        for attribute in ("mental_health_status", "health_status", "profession", "emotional_state"):
            name = head(scenario, attribute).lower()
            if name not in ("none", "other", "good", "student", "artist", "researcher", "teacher", "architect"):
                assert not re.search(rf"\b{re.escape(name)}\b", query), attribute
