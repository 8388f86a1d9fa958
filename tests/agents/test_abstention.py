from __future__ import annotations

import pytest
from askfirst.agents import Abstention, AgentContext, LlmAbstention, RuleAbstention
from askfirst.domains import DomainPack
from askfirst.models import ModelTimeout, RateLimited, ScriptedChatModel
from askfirst.testing.abstention import QUERY, AbstentionSuite

PLAN = ("emotional_state", "mental_health_status", "health_status")


class TestRuleAbstention(AbstentionSuite):
    def make_abstention(self, pack: DomainPack) -> Abstention:
        return RuleAbstention(pack)


class TestModelAbstentionScale(AbstentionSuite):
    def make_abstention(self, pack: DomainPack) -> Abstention:
        return LlmAbstention(ScriptedChatModel(lambda _: {"completeness": 2}), pack)


class TestModelAbstentionBinary(AbstentionSuite):
    def make_abstention(self, pack: DomainPack) -> Abstention:
        return LlmAbstention(ScriptedChatModel(lambda _: {"abstain": True}), pack, variant="binary")


class TestModelAbstentionBasic(AbstentionSuite):
    def make_abstention(self, pack: DomainPack) -> Abstention:
        reply = {"answer_now": False, "attribute": "mood"}
        return LlmAbstention(ScriptedChatModel(lambda _: reply), pack, variant="basic")


class TestModelAbstentionThatFails(AbstentionSuite):
    def make_abstention(self, pack: DomainPack) -> Abstention:
        return LlmAbstention(ScriptedChatModel(lambda _: ModelTimeout("m", "no reply")), pack)


async def test_completeness_follows_the_formula(pack: DomainPack) -> None:
    weight = {a: pack.attribute(a).sensitivity - 3 for a in pack.attribute_ids}
    need = sum(weight[a] for a in PLAN)
    rules = RuleAbstention(pack)

    on_plan = await rules.assess(AgentContext(query=QUERY, plan=PLAN, known={"health_status": "Good"}))
    assert on_plan.completeness == pytest.approx(5 * weight["health_status"] / need)

    beside_it = await rules.assess(AgentContext(query=QUERY, plan=PLAN, known={"age": "41"}))
    assert beside_it.completeness == pytest.approx(5 * 0.5 * weight["age"] / need)

    refused = AgentContext(query=QUERY, plan=PLAN, known={"health_status": "Good"}, declined=("emotional_state",))
    expected = 5 * weight["health_status"] / (need - weight["emotional_state"])
    assert (await rules.assess(refused)).completeness == pytest.approx(expected)


async def test_everything_on_the_plan_is_five_and_nothing_is_zero(pack: DomainPack) -> None:
    rules = RuleAbstention(pack)
    everything = AgentContext(query=QUERY, plan=PLAN, known=dict.fromkeys(PLAN, "something"))
    assert (await rules.assess(everything)).completeness == 5
    nothing = await rules.assess(AgentContext(query=QUERY, plan=PLAN))
    assert (nothing.completeness, nothing.sufficient) == (0, False)


async def test_a_higher_threshold_asks_longer(pack: DomainPack) -> None:
    context = AgentContext(query=QUERY, plan=PLAN, known={"emotional_state": "tense", "mental_health_status": "fine"})
    assert (await RuleAbstention(pack, threshold=3).assess(context)).sufficient
    assert not (await RuleAbstention(pack, threshold=4.5).assess(context)).sufficient


async def test_a_settled_plan_ends_it_below_the_threshold(pack: DomainPack) -> None:
    strict = RuleAbstention(pack, threshold=5)
    context = AgentContext(query=QUERY, plan=("age", "gender"), known={"age": "41"}, asked=("age", "gender"))
    assert (await strict.assess(context)).sufficient
    # The one attribute of the plan was refused, nothing is known yet: ask on, but not after a second refusal.
    refused = AgentContext(query=QUERY, plan=("emotional_state",), asked=("emotional_state",), declined=PLAN[:1])
    assert not (await RuleAbstention(pack).assess(refused)).sufficient
    twice = refused.model_copy(update={"asked": PLAN[:2], "declined": PLAN[:2]})
    assert (await RuleAbstention(pack).assess(twice)).sufficient


async def test_only_what_the_budget_allows_is_decisive(pack: DomainPack) -> None:
    context = AgentContext(query=QUERY, plan=pack.by_sensitivity(), known={"emotional_state": "tense"}, budget=1)
    assert (await RuleAbstention(pack).assess(context)).completeness == 5


@pytest.mark.parametrize("threshold", [-0.1, 5.1])
def test_a_threshold_off_the_scale_is_refused(pack: DomainPack, threshold: float) -> None:
    with pytest.raises(ValueError, match="threshold"):
        RuleAbstention(pack, threshold)


@pytest.mark.parametrize(("completeness", "sufficient"), [(2, False), (3, True), (5, True)])
async def test_scale_compares_with_the_threshold(pack: DomainPack, completeness: int, sufficient: bool) -> None:
    model = ScriptedChatModel([{"completeness": completeness}])
    assessment = await LlmAbstention(model, pack).assess(AgentContext(query=QUERY, plan=PLAN))
    assert (assessment.sufficient, assessment.completeness) == (sufficient, completeness)
    assert assessment.fallback is None


async def test_abstain_means_ask(pack: DomainPack) -> None:
    context = AgentContext(query=QUERY, plan=PLAN)
    for abstain in (True, False):
        model = ScriptedChatModel([{"abstain": abstain}])
        assessment = await LlmAbstention(model, pack, variant="binary").assess(context)
        assert assessment.sufficient is not abstain
        assert assessment.completeness is None


async def test_basic_names_what_is_needed(pack: DomainPack) -> None:
    model = ScriptedChatModel([{"answer_now": False, "attribute": "age"}])
    assessment = await LlmAbstention(model, pack, variant="basic").assess(AgentContext(query=QUERY, plan=PLAN))
    assert (assessment.sufficient, assessment.attribute) == (False, "age")


async def test_basic_that_names_nothing_is_told_so_once(pack: DomainPack) -> None:
    model = ScriptedChatModel([{"answer_now": False}, {"answer_now": False, "attribute": "age"}])
    assessment = await LlmAbstention(model, pack, variant="basic").assess(AgentContext(query=QUERY, plan=PLAN))
    assert (assessment.attribute, assessment.fallback) == ("age", None)
    assert "attribute must be the id" in model.calls[1][-1].content


@pytest.mark.parametrize(
    ("variant", "reply", "reason"),
    [
        ("scale", {"completeness": 11}, "InvalidStructuredOutput"),
        ("scale", "N/A", "InvalidStructuredOutput"),
        ("scale", '{"completeness": null}', "InvalidStructuredOutput"),
        ("binary", {"abstained": True}, "InvalidStructuredOutput"),
        ("basic", {"answer_now": False, "attribute": "shoe_size"}, "InvalidStructuredOutput"),
        ("basic", {"answer_now": False, "attribute": "age"}, "InvalidStructuredOutput"),  # known already
        ("basic", {"answer_now": False}, "InvalidStructuredOutput"),
        ("scale", RateLimited("m", "slow down"), "RateLimited"),
        ("binary", ModelTimeout("m", "no reply"), "ModelTimeout"),
    ],
)
async def test_an_unusable_reply_leaves_it_to_the_rules(
    pack: DomainPack, variant: str, reply: object, reason: str
) -> None:
    context = AgentContext(query=QUERY, plan=PLAN, known={"age": "41"})
    model = ScriptedChatModel([reply])  # type: ignore[list-item]
    assessment = await LlmAbstention(model, pack, variant=variant).assess(context)  # type: ignore[arg-type]
    rules = await RuleAbstention(pack).assess(context)
    assert assessment == rules.model_copy(update={"fallback": reason})


async def test_nothing_left_to_ask_costs_no_call(pack: DomainPack) -> None:
    model = ScriptedChatModel([])
    context = AgentContext(query=QUERY, plan=PLAN, asked=pack.attribute_ids)
    assert (await LlmAbstention(model, pack).assess(context)).sufficient
    assert model.calls == []


def test_an_unknown_variant_is_refused(pack: DomainPack) -> None:
    with pytest.raises(ValueError, match="'guess'"):
        LlmAbstention(ScriptedChatModel([]), pack, variant="guess")  # type: ignore[arg-type]
