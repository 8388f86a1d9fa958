"""Short replies to the pack's questions: what is an answer, and what only stands beside it."""

from __future__ import annotations

import pytest
from askfirst.agents import RuleExtraction
from askfirst.domains import DomainPack

from tests.agents.extraction.short_answers import (
    ANSWERS,
    BESIDE_THE_POINT,
    LOOK_ALIKES,
    LOST,
    MORE_BESIDE_THE_POINT,
    STILL_TAKEN,
)


def read(pack: DomainPack, message: str, asked: str) -> tuple[dict[str, str], tuple[str, ...]]:
    reading = RuleExtraction(pack).read(message, asked)
    return reading.values, reading.declined


# These lists shaped the rules: that they are still read as they were is a guard against accidents, no figure.
def test_a_short_answer_is_the_value(pack: DomainPack) -> None:
    found = {m: read(pack, m, asked) for asked, m in (*ANSWERS, *LOOK_ALIKES)}
    answers = [(a, m) for a, m in (*ANSWERS, *LOOK_ALIKES) if (a in found[m][0]) == (m in LOST) or found[m][1]]
    assert answers == []


def test_a_reply_beside_the_point_is_no_value(pack: DomainPack) -> None:
    replies = (*BESIDE_THE_POINT, *MORE_BESIDE_THE_POINT)
    assert [(a, m) for a, m in replies if (a in read(pack, m, a)[0]) != (m in STILL_TAKEN)] == []


@pytest.mark.parametrize(
    "message", ["a month ago", "yesterday", "newborn", "not quite three weeks", "a couple of days"]
)
def test_a_number_need_not_be_said_in_digits(pack: DomainPack, message: str) -> None:
    numbered = pack.attribute("age").model_copy(update={"values": ("2 weeks", "6 weeks"), "tells": ()})
    others = tuple(numbered if a.id == "age" else a for a in pack.attributes)
    values, _ = read(pack.model_copy(update={"attributes": others}), message, "age")
    assert values == {"age": message}


def test_what_stands_beside_an_answer_is_no_part_of_it(pack: DomainPack) -> None:
    assert read(pack, "Hello! Tight, to be honest. Can you answer my question now", "economic_status") == (
        {"economic_status": "Tight, to be honest"},
        (),
    )
    assert read(pack, "Thanks for asking! No, never.", "self_harm_history") == (
        {"self_harm_history": "None"},
        (),
    )
