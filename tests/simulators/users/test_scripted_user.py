from __future__ import annotations

from itertools import pairwise

import pytest
from askfirst.domains import DomainPack, Profile
from askfirst.simulators import AgentTurn, Persona, ScriptedUser, SimulatedUser, packaged_scenarios
from askfirst.testing.simulated_user import SimulatedUserSuite


class TestScriptedUser(SimulatedUserSuite):
    def make_user(self, persona: Persona, pack: DomainPack) -> SimulatedUser:
        return ScriptedUser(persona, pack)


def question(pack: DomainPack, attribute: str) -> AgentTurn:
    return AgentTurn(text=pack.attribute(attribute).question, kind="question", attribute=attribute)


async def said(pack: DomainPack, persona: Persona, attributes: tuple[str, ...], seed: int) -> list[str]:
    user = ScriptedUser(persona, pack, seed=seed)
    await user.opening()
    return [(await user.reply(question(pack, a))).text for a in attributes]


async def test_same_seed_says_the_same_and_other_seeds_vary_the_phrasing(pack: DomainPack) -> None:
    persona = Persona.from_scenario(packaged_scenarios(pack)[0])
    asked = pack.attribute_ids
    first = await said(pack, persona, asked, seed=1)
    assert await said(pack, persona, asked, seed=1) == first
    assert any([await said(pack, persona, asked, seed=s) != first for s in range(2, 6)])


async def test_transcripts_do_not_read_like_forms(pack: DomainPack) -> None:
    persona = Persona(query="Can I skip a night?", profile=Profile(values={}))
    unknown = await said(pack, persona, ("age",) * 6, seed=0)
    assert len(set(unknown)) > 1
    assert all(a != b for a, b in pairwise(unknown))


async def test_says_values_in_the_packs_own_words(pack: DomainPack) -> None:
    scenario = packaged_scenarios(pack)[0]
    replies = await said(pack, Persona.from_scenario(scenario), pack.attribute_ids, seed=0)
    for attribute, reply in zip(pack.attributes, replies, strict=True):
        value = scenario.profile.values[attribute.id]
        assert attribute.said(value) in reply or f"{value}." in reply


@pytest.mark.parametrize("attribute", ["self_harm_history", "mental_health_status"])
async def test_none_is_an_answer_where_the_field_means_it(pack: DomainPack, attribute: str) -> None:
    persona = Persona(query="Can I skip a night?", profile=pack.profile({attribute: "None"}))
    user = ScriptedUser(persona, pack)
    await user.opening()
    turn = await user.reply(question(pack, attribute))
    assert turn.values == {attribute: "None"}
    assert pack.attribute(attribute).answer_none in turn.text


async def test_answers_every_attribute_of_an_untagged_question(toy_pack: DomainPack) -> None:
    user = ScriptedUser(Persona(query="Hm?", profile=Profile(values={"age": "41", "mood": "Low"})), toy_pack)
    turn = await user.reply(AgentTurn(text="How old are you, and how is your mood?", kind="question"))
    assert turn.disclosed == ("age", "mood")
    assert "41" in turn.text
    assert "low" in turn.text.lower()


async def test_words_outside_a_question_ask_for_nothing(toy_pack: DomainPack) -> None:
    user = ScriptedUser(Persona(query="Hm?", profile=Profile(values={"age": "41", "mood": "Low"})), toy_pack)
    turn = await user.reply(AgentTurn(text="Your mood may dip for a while. Does that help?", kind="question"))
    assert not turn.asked
    assert not turn.disclosed
    assert turn.text


async def test_what_the_query_already_tells_is_tagged(pack: DomainPack) -> None:
    persona = Persona(query="I'm 41 and want to fast for a week.", profile=Profile(values={"age": "41"}))
    opening = await ScriptedUser(persona, pack).opening()
    assert opening.text == persona.query
    assert opening.values == {"age": "41"}
