"""What counts as unknown, and how values are said, asked for and told."""

from __future__ import annotations

import pytest
from askfirst.domains import DomainPack, Profile, UnknownNameError


@pytest.mark.parametrize(
    "spelling",
    [
        *("", "  ", "N/A", "n/a", "NA", "null", "nan", "-", "?"),
        *("Not specified", "not-specified", "unknown", "Unspecified.", "(not provided)", "Not mentioned"),
    ],
)
def test_spellings_of_unknown(pack: DomainPack, spelling: str) -> None:
    assert pack.profile({"Age": spelling}).state("age") == "unknown"


def test_none_is_a_value_where_the_attribute_lists_it(pack: DomainPack) -> None:
    profile = pack.profile(
        {"Past Self-Harm History": "None", "Mental Health Status": "none", "Age": "None", "Gender": None}
    )
    assert profile.get("self_harm_history") == "None"
    assert profile.get("mental_health_status") == "none"
    assert profile.state("age") == "unknown"
    assert profile.state("gender") == "unknown"


@pytest.mark.parametrize("value", ["NA", "null", "nan", "None", "unknown"])
def test_a_listed_value_is_kept_whatever_it_looks_like(pack: DomainPack, value: str) -> None:
    attribute = pack.attribute("profession").model_copy(update={"values": (value,)})
    assert not attribute.is_unknown(value)


def test_words_that_contain_a_spelling_of_unknown_are_values(pack: DomainPack) -> None:
    assert pack.profile({"age": "unknown to the doctors, about 40"}).state("age") == "known"


@pytest.mark.parametrize(
    "name", ["Marital Status", "marital_status", "maritalStatus", "MARITAL-STATUS", "relationship status"]
)
def test_field_names_of_data_files(pack: DomainPack, name: str) -> None:
    assert pack.attribute_named(name) == "marital_status"


def test_an_unknown_field_names_the_nearest(pack: DomainPack) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'marital_status'"):
        pack.profile({"maritl_status": "Single"})


@pytest.mark.parametrize(
    ("attribute", "value", "said"),
    [
        ("age", "34", "I'm 34."),
        ("marital_status", "Married, twelve years", "I'm married, twelve years."),
        ("profession", "Other, retired bus driver", "As for work: retired bus driver."),
        ("profession", "IT Engineer", "As for work: IT engineer."),
        (
            "mental_health_status",
            "Severe Depression, since May",
            "With my mental health: severe depression, since May.",
        ),
        ("education_level", "PhD", "My education: PhD."),
        ("self_harm_history", "None", "No, never."),
        ("mental_health_status", "None, therapy done", "Nothing there that I know of. Therapy done."),
        ("gender", "Female", "Female."),
    ],
)
def test_values_are_said_in_the_first_person(pack: DomainPack, attribute: str, value: str, said: str) -> None:
    assert pack.attribute(attribute).said(value) == said


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("I'm 34 and tired of this", "age", "34"),
        ("As a 19-year-old I wonder", "age", "19"),
        ("I'm divorced and it is quiet here", "marital_status", "divorced"),
        ("I work as a nurse", "profession", "nurse"),
        ("I am diabetic, does it matter?", "health_status", "diabetic"),
        ("I feel so hopeless", "emotional_state", "hopeless"),
        ("I'm 12 weeks along", "age", None),
        ("How do people live at 40?", "age", None),
        ("My friend is depressed", "mental_health_status", None),
    ],
)
def test_what_a_message_tells(pack: DomainPack, text: str, attribute: str, value: str | None) -> None:
    assert pack.attribute(attribute).told_in(text) == value


def test_a_profile_refuses_contradictions() -> None:
    with pytest.raises(ValueError, match="both known and declined"):
        Profile(values={"age": "30"}, declined=frozenset({"age"}))
    with pytest.raises(ValueError, match="empty value"):
        Profile(values={"age": " "})
    assert Profile(declined=frozenset({"age"})).with_value("age", "30").state("age") == "known"


class TestVolunteered:
    def test_the_sentence_says_what_it_is_about(self, pack: DomainPack) -> None:
        past = pack.attribute("self_harm_history")
        assert past.volunteered("Yes, last year") == "I have hurt myself before, last year."
        assert past.volunteered("Yes") == "I have hurt myself before."
        assert past.volunteered("No") == past.volunteered("None") == "I have never hurt myself."
        assert pack.attribute("gender").volunteered("Other, non-binary") == "I'm non-binary, by the way."

    def test_without_a_wording_it_is_that_of_the_answer(self, pack: DomainPack) -> None:
        assert pack.attribute("age").volunteered("44") == pack.attribute("age").said("44")
