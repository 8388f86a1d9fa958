from __future__ import annotations

import json

import pytest
from askfirst.agents import Acquisition, AgentContext, LlmAcquisition, PlanAcquisition
from askfirst.domains import DomainPack
from askfirst.models import Message, RateLimited, ScriptedChatModel
from askfirst.testing.acquisition import QUERY, AcquisitionSuite
from askfirst.vectorstore.planned_path import PlannedPath

EXAMPLE = PlannedPath(
    query="Should I move to the coast on my own?",
    domain="Life",
    path=("health_status", "age"),
    score=4.33,
    evaluations=30,
    planner="mcts",
    model="m",
    judge="j",
    pack="penguin",
    pack_version="1",
)


class TestPlanAcquisition(AcquisitionSuite):
    def make_acquisition(self, pack: DomainPack) -> Acquisition:
        return PlanAcquisition(pack)


def _obedient(messages: object) -> dict[str, str]:
    text = str(messages)
    attribute = "mood" if "- mood (" in text else "age"
    return {"attribute": attribute, "question": f"May I ask about your {attribute}?"}


class TestModelAcquisition(AcquisitionSuite):
    def make_acquisition(self, pack: DomainPack) -> Acquisition:
        return LlmAcquisition(ScriptedChatModel(_obedient), pack)


class TestModelAcquisitionThatFails(AcquisitionSuite):
    def make_acquisition(self, pack: DomainPack) -> Acquisition:
        return LlmAcquisition(ScriptedChatModel(lambda _: RateLimited("m", "slow down")), pack)


async def test_the_plan_first_then_the_most_sensitive(pack: DomainPack) -> None:
    acquisition = PlanAcquisition(pack)
    order: list[str] = []
    while question := await acquisition.next_question(
        AgentContext(query=QUERY, plan=("education_level", "age"), asked=tuple(order))
    ):
        order.append(question.attribute)
    assert order[:2] == ["education_level", "age"]
    assert order[2:] == [a for a in pack.by_sensitivity() if a not in order[:2]]


async def test_a_private_question_says_that_it_may_be_left_out(pack: DomainPack) -> None:
    acquisition = PlanAcquisition(pack)
    leads = set()
    for asked in ((), ("age",), ("age", "gender")):
        question = await acquisition.next_question(AgentContext(query=QUERY, plan=("health_status",), asked=asked))
        assert question is not None
        own = pack.attribute("health_status").question
        assert question.text.endswith(own)
        leads.add(question.text.removesuffix(own))
    assert len(leads) == 3
    open_question = await acquisition.next_question(AgentContext(query=QUERY, plan=("age",)))
    assert open_question is not None
    assert open_question.text == pack.attribute("age").question


async def test_the_wording_still_asks_for_its_attribute(pack: DomainPack) -> None:
    for attribute in pack.attribute_ids:
        question = await PlanAcquisition(pack).next_question(AgentContext(query=QUERY, plan=(attribute,)))
        assert question is not None
        assert pack.attribute(attribute).is_asked_in(question.text)


async def test_a_model_may_leave_the_plan(pack: DomainPack) -> None:
    model = ScriptedChatModel([{"attribute": "profession", "question": "What do you do for a living?"}])
    question = await LlmAcquisition(model, pack).next_question(AgentContext(query=QUERY, plan=("age",)))
    assert question is not None
    assert (question.attribute, question.text) == ("profession", "What do you do for a living?")
    assert question.fallback is None


async def test_examples_and_open_attributes_reach_the_model(pack: DomainPack) -> None:
    model = ScriptedChatModel([{"attribute": "age", "question": "How old are you?"}])
    context = AgentContext(query=QUERY, plan=("age",), examples=(EXAMPLE,), declined=("gender",))
    await LlmAcquisition(model, pack).next_question(context)
    prompt = "\n".join(m.content for m in model.calls[0])
    assert EXAMPLE.query in prompt
    assert "health_status > age" in prompt
    assert "- age (Age)" in prompt
    assert "- gender (" not in prompt


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ({"attribute": "age", "question": "How old are you?"}, "InvalidStructuredOutput"),  # known
        ({"attribute": "gender", "question": "Which gender?"}, "InvalidStructuredOutput"),  # declined
        ({"attribute": "profession", "question": "Your job?"}, "InvalidStructuredOutput"),  # asked
        ({"attribute": "shoe_size", "question": "Which size?"}, "InvalidStructuredOutput"),
        ({"attribute": "health_status", "question": "  "}, "EmptyQuestion"),
        ({"attribute": "health_status", "question": "?"}, "EmptyQuestion"),
        ({"attribute": "health_status", "question": "How is your health" + "y" * 300 + "?"}, "LongQuestion"),
        ({"attribute": "health_status", "question": "Are you ill? Do you take anything?"}, "SeveralQuestions"),
        ("I would ask about their health.", "InvalidStructuredOutput"),
        (RateLimited("m", "slow down"), "RateLimited"),
    ],
)
async def test_a_choice_that_cannot_be_asked_becomes_the_plans_next(
    pack: DomainPack, reply: object, reason: str
) -> None:
    context = AgentContext(
        query=QUERY, plan=("age", "economic_status"), known={"age": "41"}, declined=("gender",), asked=("profession",)
    )
    model = ScriptedChatModel([reply])  # type: ignore[list-item]
    question = await LlmAcquisition(model, pack).next_question(context)
    planned = await PlanAcquisition(pack).next_question(context)
    assert planned is not None
    assert planned.attribute == "economic_status"
    assert question == planned.model_copy(update={"fallback": reason})


async def test_a_choice_is_checked_even_where_the_schema_is_not_enforced(pack: DomainPack) -> None:
    class Lenient(ScriptedChatModel):
        async def structured(self, schema, messages, *, sampling=None):  # type: ignore[no-untyped-def]
            return schema.model_construct(attribute="age", question="How old are you?")

    context = AgentContext(query=QUERY, plan=("health_status",), known={"age": "41"})
    question = await LlmAcquisition(Lenient([]), pack).next_question(context)
    assert question is not None
    assert (question.attribute, question.fallback) == ("health_status", "AttributeNotOpen")


async def test_nothing_left_costs_no_call(pack: DomainPack) -> None:
    model = ScriptedChatModel([])
    assert await LlmAcquisition(model, pack).next_question(AgentContext(query=QUERY, asked=pack.attribute_ids)) is None
    assert model.calls == []


async def test_the_question_is_one_tidy_line(pack: DomainPack) -> None:
    def reply(_: list[Message]) -> str:
        return json.dumps({"attribute": "age", "question": " How old\n are\u200b you? "})

    model = ScriptedChatModel(reply)  # type: ignore[arg-type]
    question = await LlmAcquisition(model, pack).next_question(AgentContext(query=QUERY))
    assert question is not None
    assert question.text == "How old are you?"
