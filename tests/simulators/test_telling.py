"""Whether a reply says what it was to say: own-worded tellings against replies that leave the value out."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from askfirst.domains import DomainPack
from askfirst.simulators.telling import Said, declining, measure, not_knowing, telling

FILE = Path(__file__).parent / "data" / "telling_suite.yaml"


def counted(pack: DomainPack, part: str) -> dict[Said, int]:
    entries = yaml.safe_load(FILE.read_text(encoding="utf-8"))[part]
    seen = [telling(text, pack.attribute(a), value) for a, value, text in entries]
    found: dict[Said, int] = {
        "told": seen.count("told"),
        "unclear": seen.count("unclear"),
        "omitted": seen.count("omitted"),
    }
    print(f"\n  {part:18} {found}")
    return found


def test_tellings_in_words_of_ones_own_and_omissions(pack: DomainPack) -> None:
    told, omitted = counted(pack, "told"), counted(pack, "omitted")
    assert (told["omitted"], told["told"] >= 28) == (0, True)
    assert (omitted["told"], omitted["omitted"] >= 19) == (0, True)


def test_those_that_were_held_out(pack: DomainPack) -> None:
    told, omitted = counted(pack, "held_out_told"), counted(pack, "held_out_omitted")
    assert (told["omitted"], told["told"] >= 27) == (0, True)
    assert (omitted["told"] <= 1, omitted["omitted"] >= 14) == (True, True)


@pytest.mark.parametrize(
    "text", ["I'd rather not say.", "That's none of your business.", "Why do you need to know that?"]
)
def test_a_refusal_is_heard(text: str) -> None:
    assert declining(text) == "told"


def test_what_is_neither_a_refusal_nor_anything_else(pack: DomainPack) -> None:
    assert declining("Sure, thanks.") == not_knowing("Okay then.") == "omitted"
    assert declining("My sister keeps the accounts in our house.") == "unclear"
    assert not_knowing("No idea, sorry.") == "told"
    said = measure("Nobody knows, me neither. Skip the other.", {}, pack, decline=("age",), unknown=("gender",))
    assert said == {"age": "told", "gender": "unclear"}


def test_words_that_tell_one_value_tell_nothing_of_another(pack: DomainPack) -> None:
    both = {"profession": "Teacher, on leave since March", "emotional_state": "Anger"}
    assert measure("Well, teacher, on leave since March.", both, pack)["emotional_state"] == "omitted"
    more = "Teacher, on leave since March, and everything in me boils."
    assert measure(more, both, pack)["emotional_state"] == "unclear"


def test_a_denied_value_is_not_told(pack: DomainPack) -> None:
    assert telling("I'm not a teacher.", pack.attribute("profession"), "Teacher") != "told"
    assert telling("I have 41 hours left.", pack.attribute("age"), "41") == "omitted"
