from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence

import pytest
from askfirst.agents import (
    Allowance,
    FallbackPrior,
    KeptPrior,
    KeptReward,
    LlmPrior,
    PackPrior,
    Recipe,
    RewardLedger,
    SpendingLimitReached,
    scenario_digest,
)
from askfirst.agents.context import Prior, Reward
from askfirst.domains import DomainPack, Profile, Scenario
from askfirst.models import ModelUnreachable, ScriptedChatModel, Usage, record_usage

RECIPE = Recipe(kind="reward", models={"agent": "openai:a"}, pack="p")
RANKING = Recipe(kind="ranking", models={"planner": "openai:p"}, pack="p")
PERSON = Scenario(id="s", domain="Life", query="What now?", profile=Profile(values={"age": "45", "gender": "F"}))
AGE, GENDER = frozenset({"age"}), frozenset({"gender"})
REMAINING = ("age", "gender", "profession")


class Scripted:
    """A reward that counts, takes two turns of the loop and two calls, and can be told to fail."""

    def __init__(self, score: float = 3.0) -> None:
        self.calls: list[frozenset[str]] = []
        self.score, self.error = score, None if score else ModelUnreachable("m", "down")

    async def __call__(self, scenario: Scenario, attributes: frozenset[str]) -> float:
        self.calls.append(attributes)
        await asyncio.sleep(0.01)
        record_usage(Usage(calls=2, input_tokens=80, output_tokens=20))
        if self.error is not None:
            raise self.error
        return self.score


@pytest.fixture
def ledger() -> Iterator[RewardLedger]:
    with RewardLedger(None) as opened:
        yield opened


def kept(reward: Reward, ledger: RewardLedger, **limits: int) -> KeptReward:
    allowance = Allowance(**limits)
    allowance.expect("reward", calls=2)
    return KeptReward(reward, ledger, RECIPE, allowance)


async def test_paid_once_and_again_in_a_later_run(ledger: RewardLedger) -> None:
    inner = Scripted()
    first = kept(inner, ledger)
    assert isinstance(first, Reward)
    assert [await first(PERSON, AGE), await first(PERSON, AGE)] == [3.0, 3.0]
    assert await kept(inner, ledger)(PERSON.model_copy(update={"id": "another id"}), AGE) == 3.0
    assert inner.calls == [AGE]
    entry = ledger.get(RECIPE, scenario_digest(PERSON), "age")
    assert entry is not None
    assert entry.usage == Usage(calls=2, input_tokens=80, output_tokens=20)
    assert entry.seconds > 0.005


async def test_other_content_is_another_evaluation(ledger: RewardLedger) -> None:
    inner = Scripted()
    reward = kept(inner, ledger)
    changes: list[dict[str, object]] = [
        {},
        {"query": "What then?"},
        {"background": "b"},
        {"country": "IS"},
        {"domain": "Work"},
        {"profile": Profile(values={"age": "46", "gender": "F"})},
    ]
    for change in changes:
        await reward(PERSON.model_copy(update=change), AGE)
    assert len(inner.calls) == len(changes)


async def test_identical_evaluations_at_the_same_time_are_paid_once(ledger: RewardLedger) -> None:
    inner = Scripted()
    reward = kept(inner, ledger)
    scores = await asyncio.gather(*(reward(PERSON, s) for s in (AGE, AGE, GENDER, AGE)))
    assert scores == [3.0] * 4
    assert sorted(map(sorted, inner.calls)) == [["age"], ["gender"]]


async def test_a_fresh_draw_is_paid_and_kept_beside_the_first(ledger: RewardLedger) -> None:
    inner = Scripted()
    reward = kept(inner, ledger)
    await reward(PERSON, AGE)
    inner.score = 4.0
    assert await reward(PERSON, AGE, draw=1) == 4.0
    assert await reward(PERSON, AGE) == 3.0
    assert await reward(PERSON, AGE, draw=1) == 4.0
    assert len(inner.calls) == 2


async def test_a_failure_is_everybodys_and_is_not_kept(ledger: RewardLedger) -> None:
    inner = Scripted(0)
    reward = kept(inner, ledger)
    results = await asyncio.gather(*(reward(PERSON, AGE) for _ in range(3)), return_exceptions=True)
    assert [type(r) for r in results] == [ModelUnreachable] * 3
    assert len(inner.calls) == 1
    assert ledger.costs(RECIPE).count == 0
    inner.score, inner.error = 4.0, None
    assert await reward(PERSON, AGE) == 4.0


@pytest.mark.parametrize("score", [0.9, 5.1, float("nan")])
async def test_what_is_no_score_is_not_kept(ledger: RewardLedger, score: float) -> None:
    await kept(Scripted(score), ledger)(PERSON, AGE)
    assert ledger.costs(RECIPE).count == 0


async def test_who_waits_takes_over_from_one_that_was_stopped(ledger: RewardLedger) -> None:
    inner = Scripted()
    reward = kept(inner, ledger)
    first = asyncio.ensure_future(reward(PERSON, AGE))
    second = asyncio.ensure_future(reward(PERSON, AGE))
    await asyncio.sleep(0)
    first.cancel()
    assert await second == 3.0
    assert len(inner.calls) == 2
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_beyond_the_limit_only_what_is_kept_is_given(ledger: RewardLedger) -> None:
    inner = Scripted()
    reward = kept(inner, ledger, max_calls=2)
    await reward(PERSON, AGE)
    with pytest.raises(SpendingLimitReached):
        await reward(PERSON, GENDER)
    assert await reward(PERSON, AGE) == 3.0
    assert inner.calls == [AGE]
    assert reward.refused == {scenario_digest(PERSON)}


def kept_prior(prior: Prior, ledger: RewardLedger, **limits: int) -> KeptPrior:
    allowance = Allowance(**limits)
    allowance.expect("ranking", calls=2)
    return KeptPrior(prior, ledger, RANKING, allowance)


async def test_a_ranking_is_paid_once_for_everyone_with_the_query(pack: DomainPack, ledger: RewardLedger) -> None:
    model = ScriptedChatModel([{"ranking": ["profession", "age"]}])
    prior = kept_prior(LlmPrior(model, pack), ledger)
    first = await prior(PERSON, frozenset(), REMAINING)
    other = PERSON.model_copy(update={"profile": Profile(values={"age": "20"})})
    assert await prior(other, frozenset(), REMAINING) == first
    assert max(first, key=first.__getitem__) == "profession"
    assert len(model.calls) == 1
    assert await prior(PERSON, AGE, ("gender",)) == {"gender": 1.0}


async def test_the_fallback_ranks_where_the_model_fails_and_is_not_kept(pack: DomainPack, ledger: RewardLedger) -> None:
    model = ScriptedChatModel([ModelUnreachable("m", "down"), {"ranking": ["profession"]}])
    prior = FallbackPrior(kept_prior(LlmPrior(model, pack), ledger), PackPrior(pack))
    expected: Mapping[str, float] = await PackPrior(pack)(PERSON, frozenset(), REMAINING)
    assert await prior(PERSON, frozenset(), REMAINING) == expected
    assert prior.fallbacks == 1
    again = await prior(PERSON, frozenset(), REMAINING)
    assert max(again, key=again.__getitem__) == "profession"


async def test_the_fallback_ranks_beyond_the_limit(pack: DomainPack, ledger: RewardLedger) -> None:
    async def never(scenario: Scenario, known: frozenset[str], remaining: Sequence[str]) -> Mapping[str, float]:
        raise AssertionError("it costs calls")

    kept = kept_prior(never, ledger, max_calls=1)
    prior = FallbackPrior(kept, PackPrior(pack))
    assert sum((await prior(PERSON, frozenset(), REMAINING)).values()) == pytest.approx(1)
    assert (len(kept.refused), prior.fallbacks) == (1, 1)
