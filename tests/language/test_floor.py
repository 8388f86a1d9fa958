"""The floor: short, with reasons, and firing on plain statements whatever else is said."""

from __future__ import annotations

import pytest
from askfirst.language.floor import Floor, FloorRule, load_floor

from tests.linear import assert_linear


def test_a_person_can_read_all_of_it() -> None:
    rules = load_floor().rules
    assert sum(len(rule.patterns) for rule in rules) <= 60
    assert all(len(rule.reason) > 10 for rule in rules)


@pytest.mark.parametrize(
    ("message", "level", "kind"),
    [
        ("I want to\nkill myself", "imminent", "suicide"),
        ("I don´t want to live anymore", "imminent", "suicide"),
        ("Ich will nicht mehr leben.", "imminent", "suicide"),
        ("Je veux mourir", "imminent", "suicide"),
        ("不想活了", "imminent", "suicide"),
        ("Я не хочу жить", "imminent", "suicide"),
        ("He choked me last night", "imminent", "harmed_by_others"),
        ("I took all my pills an hour ago", "imminent", "overdose"),
        ("I keep cutting myself", "concern", "self_harm"),
        ("Can you help with my CV? Also I can't breathe.", "imminent", "medical"),
    ],
)
def test_plain_statements(message: str, level: str, kind: str) -> None:
    reading = load_floor().read(message)
    assert (reading.level, reading.kind, reading.source) == (level, kind, "floor")
    assert "".join(reading.sentence.split()) in "".join(message.replace("´", "'").split())


@pytest.mark.parametrize(
    "message",
    [
        "I'm not suicidal, just tired",
        "I don't want to die, I want this to stop hurting",
        "am I going to die of this mole?",
    ],
)
def test_what_is_denied_is_left_to_the_learned_reader(message: str) -> None:
    assert load_floor().read(message).level == "none"


def test_the_gravest_sentence_counts() -> None:
    reading = load_floor().read("I keep hurting myself. Tonight I will kill myself.")
    assert (reading.level, reading.sentence) == ("imminent", "Tonight I will kill myself.")


def test_a_pack_may_add_rules_and_take_none_away() -> None:
    more = load_floor().with_rules([FloorRule(reason="a word of the pack", kind="medical", patterns=(r"\bred flag",))])
    assert more.read("this is a red flag").kind == "medical"
    assert more.read("I want to kill myself").kind == "suicide"
    assert len(more.rules) == len(load_floor().rules) + 1


def test_it_takes_linear_time() -> None:
    floor: Floor = load_floor()
    for piece in ("i want to ", "a", "not ", "my ", "\n", "he's ", "我"):
        assert_linear(floor.read, lambda n, piece=piece: piece * n, size=1_000)
