from __future__ import annotations

import pytest
from askfirst.domains import Profile
from askfirst.simulators import COOPERATIVE, Disclosure, Persona
from pydantic import ValidationError

PROFILE = Profile(values={"age": "41"}, declined=frozenset({"mood"}))


def reveal(disclosure: Disclosure, *asked: str, told: frozenset[str] = frozenset()):
    return Persona(query="Hm?", profile=PROFILE, disclosure=disclosure).reveal(asked, told)


def test_cooperative_tells_what_is_asked_and_known() -> None:
    assert reveal(COOPERATIVE, "age").tell == {"age": "41"}
    assert not reveal(COOPERATIVE).tell


def test_what_a_profile_marks_as_declined_is_declined() -> None:
    may = reveal(COOPERATIVE, "mood")
    assert may.decline == ("mood",)
    assert not may.tell


def test_unknown_is_neither_told_nor_declined() -> None:
    may = reveal(COOPERATIVE, "height", "age")
    assert may.unknown == ("height",)
    assert may.tell == {"age": "41"}


def test_stances_are_data() -> None:
    assert reveal(Disclosure(stances={"age": "does_not_know"}), "age").unknown == ("age",)
    assert reveal(Disclosure(default="declines"), "age").decline == ("age",)
    assert reveal(Disclosure(stances={"age": "volunteers"})).tell == {"age": "41"}
    assert not reveal(Disclosure(stances={"age": "volunteers"}), told=frozenset({"age"})).tell


def test_a_lie_needs_its_false_value() -> None:
    with pytest.raises(ValidationError, match="false value"):
        Disclosure(stances={"age": "lies"})
    with pytest.raises(ValidationError, match="default"):
        Disclosure(default="lies")
