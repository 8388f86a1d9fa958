"""Evasions, asides, words that take an answer back, and bare values: what is a fact, and what is not."""

from __future__ import annotations

import pytest
from askfirst.agents import AgentContext, Extracted, RuleExtraction
from askfirst.domains import DomainPack
from askfirst.graphs.state import learned, opening_state

# Read once before the rules were mended: 3 of the first 22 were taken for facts, and 2 of the 18 answers lost.
NO_FACTS = (
    ("emotional_state", "Sorry, my cat just knocked over a vase."),
    ("emotional_state", "Oh, it started raining."),
    ("emotional_state", "Did you watch the match last night? What a game."),
    ("emotional_state", "My phone is nearly out of battery. Typical Monday."),
    ("emotional_state", "Hang on, someone is at the door."),
    ("emotional_state", "The neighbours are drilling again."),
    ("emotional_state", "By the way, the bakery round the corner closed. Shame."),
    ("emotional_state", "I just remembered that I have to return the library books."),
    ("emotional_state", "Hard to put into words."),
    ("emotional_state", "You know how it is."),
    ("emotional_state", "Where do I even begin?"),
    ("mental_health_status", "That's a story for another day."),
    ("mental_health_status", "It's complicated."),
    ("mental_health_status", "What difference does it make?"),
    ("health_status", "That's a long story."),
    ("health_status", "You wouldn't understand."),
    ("economic_status", "Does it matter?"),
    ("economic_status", "I'd have to think about that."),
)
DECLINED = (
    ("economic_status", "I'm not ready to talk about that yet."),
    ("self_harm_history", "I'm not prepared to tell you that."),
)
FACTS = (
    ("emotional_state", "Sorry, I'm just exhausted."),
    ("emotional_state", "Like a stranger in my own kitchen."),
    ("emotional_state", "The dog is the only one who listens to me."),
    ("emotional_state", "It's complicated: part of me is relieved, part of me is scared."),
    ("emotional_state", "Tired. Very tired."),
    ("emotional_state", "Sorry, the kettle. Where were we? Anxious, mostly."),
    ("profession", "The bus depot, as a mechanic."),
    ("profession", "I deliver parcels."),
    ("marital_status", "Just me and the cat."),
    ("health_status", "The doctor says my blood pressure is too high."),
    ("health_status", "Hold on, I have asthma, if that counts."),
    ("economic_status", "The rent eats everything."),
    ("self_harm_history", "Once, when I was nineteen."),
)
CORRECTED = (
    ("age", "I'm 34. No wait, 43.", {"age": "43"}),
    ("marital_status", "Single, no, sorry, I mean separated.", {"marital_status": "separated"}),
    (
        "economic_status",
        "Money-wise: stable. Actually, what I told you about my health was not right. My health: serious illness.",
        {"economic_status": "stable", "health_status": "serious illness"},
    ),
    (
        "health_status",
        "Good. I lied about my job. I'm unemployed.",
        {"health_status": "Good", "profession": "unemployed"},
    ),
    (None, "About my relationship status, I have to correct that. I'm divorced.", {"marital_status": "divorced"}),
    (None, "I was wrong about my mental health. Nothing there that I know of.", {"mental_health_status": "None"}),
    (None, "I said I was single but I'm actually married.", {"marital_status": "married"}),
)


async def read(pack: DomainPack, message: str, asked: str | None) -> Extracted:
    return await RuleExtraction(pack).extract(message, asked=asked, context=AgentContext(query="Shall I go?"))


@pytest.mark.parametrize(("asked", "message"), NO_FACTS)
async def test_an_evasion_or_an_aside_is_no_fact(pack: DomainPack, asked: str, message: str) -> None:
    assert await read(pack, message, asked) == Extracted()


@pytest.mark.parametrize(("asked", "message"), DECLINED)
async def test_who_is_not_ready_declines(pack: DomainPack, asked: str, message: str) -> None:
    assert await read(pack, message, asked) == Extracted(declined=(asked,))


@pytest.mark.parametrize(("asked", "message"), FACTS)
async def test_an_answer_that_looks_like_one_stays_an_answer(pack: DomainPack, asked: str, message: str) -> None:
    assert asked in (await read(pack, message, asked)).values


@pytest.mark.parametrize(("asked", "message", "values"), CORRECTED)
async def test_the_last_word_stands(pack: DomainPack, asked: str | None, message: str, values: dict[str, str]) -> None:
    assert (await read(pack, message, asked)).values == values


async def test_what_is_taken_back_without_a_new_value_is_withdrawn_from_what_is_known(pack: DomainPack) -> None:
    extracted = await read(pack, "Calm. Forget what I said about my health.", "emotional_state")
    assert extracted.withdrawn == ("health_status",)
    state = {**opening_state("Shall I go?", domain=None, country=None), "known": {"health_status": "Good", "age": "40"}}
    assert learned(state, extracted, pack, "an answer")["known"] == {"age": "40", "emotional_state": "Calm"}


async def test_a_later_statement_of_what_was_declined_is_used(pack: DomainPack) -> None:
    state = {**opening_state("Shall I go?", domain=None, country=None), "declined": ["economic_status"]}
    state = learned(state, await read(pack, "Fine. Money-wise: difficult.", "health_status"), pack, "an answer")
    assert state["declined"] == []
    assert state["known"]["economic_status"] == "difficult"


@pytest.mark.parametrize(
    ("asked", "message", "told"),
    [
        ("emotional_state", "Right now mostly calm. Female. Widowed, two grown sons.", {"gender", "marital_status"}),
        (None, "Loneliness, like being a lodger.", {"emotional_state"}),
        ("mental_health_status", "Depression.", {"mental_health_status"}),
        (None, "Good.", set()),
        (None, "Other.", set()),
    ],
)
async def test_a_bare_value_counts_where_it_can_be_no_other_attributes(
    pack: DomainPack, asked: str | None, message: str, told: set[str]
) -> None:
    assert set((await read(pack, message, asked)).values) - {"emotional_state"} == told - {"emotional_state"}
    assert ("emotional_state" in told) <= ("emotional_state" in (await read(pack, message, asked)).values)


async def test_a_detail_of_what_was_not_asked_is_kept(pack: DomainPack) -> None:
    told = await read(pack, "Mostly anxious. I'm married, hurt twice by the husband.", "emotional_state")
    assert told.values["marital_status"] == "married, hurt twice by the husband"


async def test_chatter_after_a_denial_is_no_part_of_it(pack: DomainPack) -> None:
    told = await read(
        pack, "No, never. Sorry, I always talk too much when something keeps me busy.", "self_harm_history"
    )
    assert told.values == {"self_harm_history": "None"}


@pytest.mark.parametrize(
    "value", ["Yes, in the last year of law school", "Yes, soon after twenty, nothing since", "None"]
)
async def test_self_harm_told_unasked_is_understood(pack: DomainPack, value: str) -> None:
    said = pack.attribute("self_harm_history").volunteered(value)
    told = await read(pack, f"There is something else. {said} Would you still do it like that?", None)
    assert told.values == {"self_harm_history": value}


async def test_a_disclosure_of_danger_is_no_fact_about_work(pack: DomainPack) -> None:
    message = "To be honest, I don't want to be alive any more."
    assert (await read(pack, message, "profession")).values == {}
    assert "emotional_state" in (await read(pack, message, "emotional_state")).values
