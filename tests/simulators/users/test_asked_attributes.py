"""What a message asks for, and what an opening tells of the person who writes it."""

from __future__ import annotations

import pytest
from askfirst.domains import DomainPack, Profile
from askfirst.simulators import AgentTurn
from askfirst.simulators.users.asked_attributes import asked_in, told_in_opening

PROFILE = Profile(values={"age": "44", "marital_status": "Divorced", "profession": "Other, lorry driver"})


def asked(pack: DomainPack, text: str, attribute: str | None = None) -> tuple[str, ...]:
    return asked_in(AgentTurn(text=text, kind="question", attribute=attribute), pack)


def test_every_question_of_the_pack_asks_for_its_attribute_and_nothing_else(pack: DomainPack) -> None:
    for a in pack.attributes:
        assert asked(pack, a.question) == asked(pack, a.question, a.id) == (a.id,)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How old is your friend, and what does he do for work?", ()),
        ("Is money tight for the friend?", ()),
        ("Does your husband know how old you are?", ("age",)),
        ("So you are 44 and single, is that right?", ("age", "marital_status")),
        ("You're a nurse, correct?", ("profession",)),
        ("What do you do for a living, and do you have a partner?", ("marital_status", "profession")),
    ],
)
def test_the_text_decides(pack: DomainPack, text: str, expected: tuple[str, ...]) -> None:
    assert asked(pack, text) == expected


@pytest.mark.parametrize(
    ("text", "named", "expected"),
    [
        ("How are you feeling about this?", "health_status", ("emotional_state",)),
        ("How old is your friend?", "age", ()),
        ("Is your husband at home?", "marital_status", ("marital_status",)),
        ("Could you tell me?", "age", ("age",)),
        ("How old are you, and how are things with money?", "economic_status", ("economic_status", "age")),
    ],
)
def test_the_name_is_held_against_the_text(pack: DomainPack, text: str, named: str, expected: tuple[str, ...]) -> None:
    assert asked(pack, text, named) == expected


@pytest.mark.parametrize(
    "query",
    [
        "My friend is 23 years old. Should I lend him money?",
        "my mother is 80 years old and lives alone",
        "I think my mother, who is 80 years old, should move. How?",
        "Should I tell him I'm 18?",
        "my boss says: 'I'm divorced, so what'",
        "I'm 100% sure that I'm married to my job",
        "He says he is 30 years old. True?",
    ],
)
def test_what_is_said_of_others_is_not_the_persons_own(pack: DomainPack, query: str) -> None:
    assert not told_in_opening(query, pack, Profile()).values
    assert not told_in_opening(query, pack, PROFILE).values


def test_an_opening_tells_what_agrees_with_the_profile(pack: DomainPack) -> None:
    assert told_in_opening("I'm forty-four and want to fast.", pack, PROFILE).values == {"age": "44"}
    assert told_in_opening("My wife left. I'm 44.", pack, PROFILE).values == {"age": "44"}
    assert told_in_opening("I'm a 44-year-old driver.", pack, PROFILE).values == {"age": "44"}
