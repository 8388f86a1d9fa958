from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest
from askfirst.domains import DomainPack, Scenario
from askfirst.evals import BestSubset, HeuristicJudge, JudgedAnswerReward, RewardUnscored, Unscored
from askfirst.models import ModelTimeout

from tests.evals.support import CountingJudge, people, verdict

PERSON = people(2)[1]


async def say_what_is_known(scenario: Scenario, known: Mapping[str, str]) -> str:
    return " ".join([scenario.query, *known.values()])


class Answering:
    def __init__(self) -> None:
        self.known: list[dict[str, str]] = []

    async def __call__(self, scenario: Scenario, known: Mapping[str, str]) -> str:
        self.known.append(dict(known))
        return "An answer."


async def test_exactly_the_set_is_revealed_and_the_judges_score_is_the_reward() -> None:
    answerer, judge = Answering(), CountingJudge(verdict(5, 4, 4))
    reward = JudgedAnswerReward(answerer, judge)
    assert await reward(PERSON, frozenset({"mood"})) == pytest.approx(13 / 3)
    await reward(PERSON, frozenset())
    await reward(PERSON, frozenset({"age", "mood"}))
    assert answerer.known == [{"mood": "low, reason 1"}, {}, dict(PERSON.profile.values)]
    assert judge.seen == [(PERSON.id, "An answer.")] * 3


async def test_a_real_judge_rewards_knowing_more(toy_pack: DomainPack) -> None:
    async def answer(scenario: Scenario, known: Mapping[str, str]) -> str:
        rules = toy_pack.risks(known, scenario.domain)
        return " ".join(["Take one small step first.", *(r.guidance for r in rules)])

    reward = JudgedAnswerReward(answer, HeuristicJudge(toy_pack))
    assert await reward(PERSON, frozenset({"mood"})) > await reward(PERSON, frozenset())


async def test_no_score_is_an_error_and_never_a_reward() -> None:
    reward = JudgedAnswerReward(say_what_is_known, CountingJudge(Unscored(reason="ModelRefused")))
    with pytest.raises(RewardUnscored) as caught:
        await reward(PERSON, frozenset({"mood"}))
    assert (caught.value.scenario_id, caught.value.attributes, caught.value.reason) == (
        PERSON.id,
        ("mood",),
        "ModelRefused",
    )
    assert "reason 1" not in str(caught.value)


async def test_an_empty_answer_is_never_judged() -> None:
    async def nothing(scenario: Scenario, known: Mapping[str, str]) -> str:
        return " "

    judge = CountingJudge()
    with pytest.raises(RewardUnscored, match="EmptyAnswer"):
        await JudgedAnswerReward(nothing, judge)(PERSON, frozenset())
    assert judge.seen == []


class Table:
    """Rewards from a table; ``None`` is unscored."""

    def __init__(self, scores: dict[frozenset[str], float | None], default: float = 2.0) -> None:
        self.scores, self.default, self.calls = scores, default, 0

    async def __call__(self, scenario: Scenario, attributes: frozenset[str]) -> float:
        self.calls += 1
        await asyncio.sleep(0)
        score = self.scores.get(attributes, self.default)
        if score is None:
            raise RewardUnscored(scenario.id, attributes, "x")
        return score


def full_person(pack: DomainPack) -> Scenario:
    from askfirst.domains import Profile

    values = {a: f"value of {a}" for a in pack.attribute_ids}
    return Scenario(id="s", domain="Life", query="May I?", profile=Profile(values=values))


async def test_best_subset_finds_the_best_of_all_and_searches_a_scenario_once(pack: DomainPack) -> None:
    best = frozenset({"age", "profession", "health_status"})
    reward = Table({best: 4.5, frozenset(pack.by_sensitivity()[:3]): 4.0})
    search = BestSubset(reward, pack)
    found = await asyncio.gather(*(search(full_person(pack), 3) for _ in range(3)))
    assert [frozenset(f) for f in found] == [best] * 3
    assert found[0] == tuple(a for a in pack.by_sensitivity() if a in best)
    assert reward.calls == 120


async def test_of_equal_subsets_the_most_sensitive_wins_and_unscored_ones_are_left_out(pack: DomainPack) -> None:
    order = pack.by_sensitivity()
    assert await BestSubset(Table({}), pack)(full_person(pack), 2) == order[:2]
    assert await BestSubset(Table({frozenset(order[:2]): None}), pack)(full_person(pack), 2) == (order[0], order[2])


async def test_best_subset_fails_when_nothing_has_a_score_or_a_model_fails(toy_pack: DomainPack) -> None:
    nothing: dict[frozenset[str], float | None] = {frozenset({"age"}): None, frozenset({"mood"}): None}
    with pytest.raises(RewardUnscored):
        await BestSubset(Table(nothing), toy_pack)(PERSON, 1)

    tries = 0

    async def failing(scenario: Scenario, attributes: frozenset[str]) -> float:
        nonlocal tries
        tries += 1
        if tries <= 2:
            raise ModelTimeout("m", "no reply")
        return 3.0

    search = BestSubset(failing, toy_pack)
    with pytest.raises(ModelTimeout):
        await search(PERSON, 1)
    assert await search(PERSON, 1) == ("mood",)
