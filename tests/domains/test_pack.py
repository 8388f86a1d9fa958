"""Loading packs: what a good one holds, and one clear line for each kind of mistake."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from askfirst.domains import DomainPack, PackError, UnknownNameError, get_pack, load_pack, pack_names
from askfirst.simulators import packaged_scenarios
from askfirst.testing import TOY_PACK as TOY
from hypothesis import given
from hypothesis import strategies as st

PENGUIN_ATTRIBUTES = [
    *("age", "gender", "marital_status", "profession", "economic_status", "education_level"),
    *("health_status", "mental_health_status", "self_harm_history", "emotional_state"),
]


def test_penguin_has_the_papers_domains_and_attributes(pack: DomainPack) -> None:
    assert pack.domain_names == ("Relationship", "Career", "Financial", "Social", "Health", "Life", "Education")
    assert list(pack.attribute_ids) == PENGUIN_ATTRIBUTES


def test_penguin_sensitivities_follow_the_paper(pack: DomainPack) -> None:
    # Section 4: emotion, mental health and self-harm help most, then health (3.67), then the rest (3.33 to 3.53).
    assert set(pack.by_sensitivity()[:3]) == {"emotional_state", "mental_health_status", "self_harm_history"}
    assert pack.by_sensitivity()[3] == "health_status"
    rest = [pack.attribute(a).sensitivity for a in pack.by_sensitivity()[4:]]
    assert min(rest) == pytest.approx(3.33)
    assert max(rest) == pytest.approx(3.53)


def test_each_question_asks_for_its_own_attribute_and_no_other(pack: DomainPack) -> None:
    for attribute in pack.attributes:
        asked = [a.id for a in pack.attributes if a.is_asked_in(attribute.question)]
        assert asked == [attribute.id], attribute.question


def test_each_question_is_one_short_question(pack: DomainPack) -> None:
    for attribute in pack.attributes:
        assert attribute.question.endswith("?")
        assert len(attribute.question) < 160


def test_guidance_addresses_its_own_risk(pack: DomainPack) -> None:
    for rule in pack.risk_rules:
        assert rule.addressed_in(rule.guidance), rule.id


def test_general_guidance_addresses_no_particular_risk(pack: DomainPack) -> None:
    # General advice must not earn the credit of advice for this person.
    for domain in pack.domains:
        assert [r.id for r in pack.risk_rules if r.addressed_in(domain.guidance)] == [], domain.name


def test_crisis_resources_have_sources_and_a_fallback(pack: DomainPack) -> None:
    assert all(s.source.startswith("https://") for s in pack.resources.services)
    unknown_country = pack.resources.for_country("QQ")
    assert unknown_country
    assert all(s.country == "*" for s in unknown_country)
    assert unknown_country == pack.resources.for_country(None)


def test_the_registry_knows_penguin_and_suggests_the_nearest_name() -> None:
    assert "penguin" in pack_names()
    with pytest.raises(UnknownNameError, match=r"unknown pack 'pengiun'; did you mean 'penguin'\?"):
        get_pack("pengiun")


def test_risks_depend_on_the_domain_and_come_heaviest_first(pack: DomainPack) -> None:
    values = {"economic_status": "Severe Difficulty, two months behind on rent", "emotional_state": "Anger"}
    financial = pack.risks(values, "Financial")
    assert financial[0].id == "severe_money"
    assert financial[0].weight > next(r.weight for r in pack.risks(values, "Social") if r.id == "severe_money")
    assert [r.weight for r in financial] == sorted((r.weight for r in financial), reverse=True)


@pytest.mark.parametrize(
    ("query", "domain"),
    [
        ("Should I lend my savings to a friend and get a loan for the rest?", "Financial"),
        ("My exam is in two days and I have not studied, can I still pass the course?", "Education"),
        ("zzz", None),
        ("", None),
    ],
)
def test_the_domain_of_a_query(pack: DomainPack, query: str, domain: str | None) -> None:
    assert pack.domain_of(query) == domain


def test_the_domain_of_a_query_is_seldom_wrong(pack: DomainPack) -> None:
    # A wrong field gives advice on another topic; no field gives general advice. So precision is what counts.
    scenarios = {s.query: s.domain for s in packaged_scenarios(pack)}
    guesses = {q: pack.domain_of(q) for q in scenarios}
    made = [q for q, guess in guesses.items() if guess is not None]
    assert len(made) >= len(scenarios) / 2
    assert sum(guesses[q] == scenarios[q] for q in made) / len(made) >= 0.8


@pytest.mark.parametrize(
    "value", ["Good, blood pressure measured last month", "Good", "My health: good, sees a doctor"]
)
def test_good_health_is_no_condition(pack: DomainPack, value: str) -> None:
    assert pack.risks({"health_status": value}, "Health") == ()


def test_no_risk_is_seen_in_a_denied_history(pack: DomainPack) -> None:
    for value in ("None", "No, never.", "No", "No history of self-harm"):
        assert pack.risks({"self_harm_history": value}, "Life") == ()


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    folder = tmp_path / "pack"
    shutil.copytree(TOY, folder)
    return folder


def edit(folder: Path, old: str, new: str, file: str = "pack.yaml") -> None:
    path = folder / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("    question: How old are you?\n", "", r"pack.yaml: attributes\[0\].question: is missing; add it"),
        (
            "    sensitivity: 3.4\n",
            "    sensitivity: 7\n",
            r"attributes\[0\].sensitivity: .*less than or equal to 5.*7",
        ),
        ("    private: true\n", "    privat: true\n", r"attributes\[1\].privat: .*did you mean 'private'"),
        (
            "    attribute: mood\n    matches: ['",
            "    attribute: moood\n    matches: ['",
            r"moood.*did you mean 'mood'",
        ),
        ("  - id: mood\n", "  - id: age\n", r"attribute 'age' is defined twice"),
        (r"cues: ['\bhow old\b'", "cues: ['(how'", r"cues: '\(how' is not a regular expression"),
        ("name: toy\n", "name: [\n", r"pack.yaml: line \d+: is not valid YAML"),
        ("name: toy\n", "name: toy\nresources: {}\n", r"resources: .*in a separate file; move"),
    ],
)
def test_a_mistake_in_a_pack_names_file_key_and_fix(broken: Path, old: str, new: str, expected: str) -> None:
    edit(broken, old, new)
    with pytest.raises(PackError, match=expected) as caught:
        load_pack(broken)
    assert "\n" not in str(caught.value)
    assert "pack.yaml" in str(caught.value)


def test_a_resource_without_a_source_is_refused(broken: Path) -> None:
    edit(broken, "    source: https://example.org/directory\n", "", file="resources.yaml")
    with pytest.raises(PackError, match=r"resources.yaml: services\[0\].source: is missing"):
        load_pack(broken)


def test_resources_without_a_fallback_are_refused(broken: Path) -> None:
    edit(broken, 'country: "*"', "country: PT", file="resources.yaml")
    with pytest.raises(PackError, match="people whose country is not known"):
        load_pack(broken)


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(PackError, match="no such file"):
        load_pack(tmp_path)


@given(st.dictionaries(st.sampled_from(PENGUIN_ATTRIBUTES), st.text(max_size=60)))
def test_any_text_makes_a_profile_without_empty_values(values: dict[str, str]) -> None:
    profile = get_pack("penguin").profile(values)
    assert all(v.strip() for v in profile.values.values())
    assert set(profile.known) <= set(values)


def test_a_reply_after_a_crisis_answer_fits_by_its_patterns_and_invents_no_number(pack: DomainPack) -> None:
    replies = pack.resources.replies
    first = next(r for r in replies if r.fits("what would i even say to them?"))
    assert "don't have to know what to say" in first.text
    assert not first.fits("hm")
    assert sum(not r.matches for r in replies) >= 2  # so that no two replies running are the same
    for reply in replies:
        assert not any(c.isdigit() for c in reply.text)  # a number stands in a resource, with its source
