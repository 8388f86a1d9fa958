"""What simulated people may say of themselves."""

from __future__ import annotations

import pytest
from askfirst.domains import get_pack
from askfirst.simulators.fidelity.contradictions import contradictions

PACK = get_pack()


@pytest.mark.parametrize(
    "reply",
    [
        "I have never hurt myself.",
        "I have a temper, but hurting myself was never part of it.",
        "I haven't, no.",
        "Yes, I can answer that: never.",
        "I did wonder once what it would be like, never did it.",
        "I have no history of anything like that.",
        "I've never cut myself, if that is what you mean.",
    ],
)
def test_a_person_who_never_did_it_may_say_so(reply):
    expected = {"self_harm_history": "None"}
    assert contradictions(reply, expected, expected, PACK) == ()


@pytest.mark.parametrize("reply", ["Yes.", "I have.", "yes, a long time ago", "I used to cut myself, not any more."])
def test_a_person_who_never_did_it_may_not_say_yes(reply):
    expected = {"self_harm_history": "None"}
    assert contradictions(reply, expected, expected, PACK) == ("self_harm_history",)
