from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from askfirst.agents import AgentContext, LlmResponder, PackResponder, Responder
from askfirst.domains import DomainPack
from askfirst.models import EmptyCompletion, ModelTimeout, ScriptedChatModel
from askfirst.simulators import packaged_scenarios
from askfirst.testing.responder import CONTEXT, ResponderSuite

CABIN = "Found a cabin for rent with nothing around. Thinking of taking it for the winter."
LOW = {
    "mental_health_status": "Severe Depression, untreated",
    "self_harm_history": "Yes, two years ago",
    "emotional_state": "Despair",
}


class TestPackResponder(ResponderSuite):
    def make_responder(self, pack: DomainPack) -> Responder:
        return PackResponder(pack)


class TestModelResponder(ResponderSuite):
    def make_responder(self, pack: DomainPack) -> Responder:
        return LlmResponder(ScriptedChatModel(lambda _: "Take one small step first."), pack)


async def test_every_answer_is_of_a_readable_length(pack: DomainPack) -> None:
    responder = PackResponder(pack)
    for scenario in packaged_scenarios(pack)[::4]:
        values = scenario.profile.values
        for count, domain in itertools.product((0, 1, 3, len(values)), (scenario.domain, None)):
            known = dict(list(values.items())[-count:]) if count else {}
            answer = await responder.answer(AgentContext(query=scenario.query, known=known, domain=domain))
            assert 80 <= len(answer.split()) <= 220


async def test_the_answer_names_what_it_rests_on(pack: DomainPack) -> None:
    known = {"age": "74", "profession": "Teacher, retired", "emotional_state": "Loneliness"}
    answer = await PackResponder(pack).answer(AgentContext(query=CABIN, known=known, domain="Life"))
    assert "I have kept in mind how you feel, your work and your age." in answer
    assert pack.domain("Life").guidance.split(",")[0] in answer


async def test_private_values_are_named_but_not_repeated(pack: DomainPack) -> None:
    answer = await PackResponder(pack).answer(AgentContext(query=CABIN, known=LOW, domain="Life"))
    assert "how your mental health is" in answer
    assert "what you have been through" in answer
    assert "untreated" not in answer
    assert "two years ago" not in answer


async def test_what_was_denied_is_not_brought_up(pack: DomainPack) -> None:
    known = {"self_harm_history": "No, never.", "mental_health_status": "None", "age": "30"}
    answer = await PackResponder(pack).answer(AgentContext(query=CABIN, known=known, domain="Life"))
    assert "I have kept in mind your age." in answer
    assert "been through" not in answer


async def test_a_reply_beside_the_point_is_not_brought_up(pack: DomainPack) -> None:
    known = {"self_harm_history": "I am worried", "age": "30"}
    answer = await PackResponder(pack).answer(AgentContext(query=CABIN, known=known, domain="Life"))
    assert "I have kept in mind your age." in answer


async def test_the_heaviest_risks_come_first_and_point_to_people(pack: DomainPack) -> None:
    answer = await PackResponder(pack).answer(AgentContext(query=CABIN, known=LOW, domain="Life"))
    heaviest = pack.risks(LOW, "Life")[0]
    assert " ".join(heaviest.guidance.split()) in answer
    assert "emergency number" in answer
    calm = await PackResponder(pack).answer(AgentContext(query=CABIN, known={"age": "36"}, domain="Life"))
    assert "emergency number" not in calm


async def test_nothing_but_what_is_known_changes_it(pack: DomainPack) -> None:
    bare = AgentContext(query=CABIN, known={"age": "36"}, domain="Life")
    noisy = bare.model_copy(
        update={
            "declined": ("self_harm_history",),
            "asked": ("mental_health_status",),
            "plan": ("emotional_state",),
            "exchanges": (("How are you feeling?", "Desperate, I have hurt myself before"),),
            "country": "GB",
        }
    )
    responder = PackResponder(pack)
    assert await responder.answer(bare) == await responder.answer(noisy)


async def test_knowing_more_changes_it(pack: DomainPack) -> None:
    responder = PackResponder(pack)
    answers = {
        await responder.answer(AgentContext(query=CABIN, known=dict(itertools.islice(LOW.items(), n)), domain="Life"))
        for n in range(4)
    }
    assert len(answers) == 4


@pytest.mark.parametrize(
    ("query", "domain"),
    [
        ("Should I lend my savings to a relative?", "Financial"),
        ("How do I study for my exams at university?", "Education"),
        ("My boss offers a promotion with night shifts", "Career"),
        ("Which medication helps me sleep?", "Health"),
    ],
)
async def test_without_a_domain_the_query_shows_the_field(pack: DomainPack, query: str, domain: str) -> None:
    answer = await PackResponder(pack).answer(AgentContext(query=query))
    assert pack.domain(domain).guidance.split(",")[0] in answer


async def test_a_guessed_domain_switches_no_risk_off(toy_pack: DomainPack) -> None:
    known = {"mood": "low"}
    answer = await PackResponder(toy_pack).answer(AgentContext(query="zzz", known=known))
    assert "Because you feel low, please talk to someone you trust" in answer


async def test_an_attribute_of_another_pack_is_passed_over(toy_pack: DomainPack) -> None:
    answer = await PackResponder(toy_pack).answer(CONTEXT.model_copy(update={"known": {"shoe_size": "44"}}))
    assert "44" not in answer


async def test_a_failing_model_is_never_an_answer(pack: DomainPack) -> None:
    for reply, error in ((ModelTimeout("m", "no reply"), ModelTimeout), ("", EmptyCompletion)):
        with pytest.raises(error):
            await LlmResponder(ScriptedChatModel([reply]), pack).answer(CONTEXT)


async def test_the_model_gets_exactly_what_is_known(pack: DomainPack) -> None:
    model = ScriptedChatModel(["Good."])
    context = AgentContext(
        query=CABIN,
        known={"age": "zz-age", "health_status": "zz-health"},
        declined=("economic_status",),
        asked=("age", "profession"),
        exchanges=(("What do you do?", "zz-exchange"),),
    )
    await LlmResponder(model, pack).answer(context)
    prompt = json.dumps([m.content for m in model.calls[0]])
    for part in (CABIN, "Age: zz-age", "Health Status: zz-health", "leave it alone): Economic Status"):
        assert part in prompt
    assert "zz-exchange" not in prompt
    assert "Profession" not in prompt


def test_no_prompt_file_names_a_phone_number() -> None:
    import askfirst.agents

    folder = Path(next(iter(askfirst.agents.__path__))) / "prompts"
    for file in folder.glob("*.md"):
        digits = "".join(c for c in file.read_text(encoding="utf-8") if c.isdigit())
        assert "911" not in digits
        assert "112" not in digits
