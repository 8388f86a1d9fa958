"""What planning will cost, before anything is spent."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..agents import AgentContext, LlmResponder, PlanningError
from ..agents.planning import FallbackPrior, LlmPrior, PackPrior, PaperMctsSettings, choices_for
from ..agents.planning.rewards import RewardLedger, query_digest, scenario_digest
from ..domains import Scenario
from ..evals.judging import LlmJudge
from ..models import EmptyCompletion, Usage
from ..models.endpoint import ScriptedChatModel
from ..simulators.dialogue import TranscriptMessage
from .planning import PlanRequest, Work
from .reward_keeping import ranking_recipe, reward_recipe
from .wiring import Wiring

__all__ = ["Estimate", "estimate", "mean_cost"]

_CHARACTERS_PER_TOKEN = 4
_TEST = Usage(calls=1, input_tokens=12, output_tokens=4)
_ANSWER_TOKENS, _VERDICT_TOKENS, _RANKING_TOKENS = 300, 200, 60


@dataclass(frozen=True)
class Estimate:
    """What a run is expected to spend.

    Attributes:
        scenarios: how many are left to plan.
        kept: how many the store has.
        evaluations: attribute sets to answer and judge.
        rankings: rankings of attributes by the planner's model.
        reused: evaluations and rankings that the ledger holds already.
        usage: calls and tokens at the most evaluations and rankings, and of the short test of each model at the start.
        basis: where the cost of one evaluation comes from.
    """

    scenarios: int
    kept: int
    evaluations: int
    rankings: int
    reused: int
    usage: Usage
    basis: str


async def estimate(work: Work, wiring: Wiring, request: PlanRequest, ledger: RewardLedger) -> Estimate:
    """Evaluations and rankings that the planner may make at most, less those in ``ledger``, at their mean cost.

    The cost of one is the mean of those that the ledger holds from the same models, prompts and sampling. Where it
    holds none, it is one call for the answer, one for the judgement, one for a ranking; tokens are guessed from the
    length of the prompts for the first scenario, at 4 characters a token, and 300, 200 and 60 tokens of reply.
    """
    recipe, ranking = reward_recipe(wiring), ranking_recipe(wiring)
    evaluations = rankings = reused = 0
    for scenario in work.todo:
        sets, ranked = _most(scenario, wiring, request)
        held_sets = min(sets, len(ledger.items(recipe, scenario_digest(scenario))))
        held_ranked = min(ranked, len(ledger.items(ranking, query_digest(scenario))))
        evaluations += sets - held_sets
        rankings += ranked - held_ranked
        reused += held_sets + held_ranked
    usage, basis = await mean_cost(work.todo, wiring, ledger, evaluations=evaluations, rankings=rankings)
    return Estimate(len(work.todo), work.kept, evaluations, rankings, reused, usage, basis)


async def mean_cost(
    scenarios: Sequence[Scenario], wiring: Wiring, ledger: RewardLedger, *, evaluations: int, rankings: int
) -> tuple[Usage, str]:
    """What so many evaluations and rankings cost as a mean, and where that comes from; see ``estimate``."""
    if wiring.offline:
        return Usage(), "no model is called"
    tests = len(wiring.served())
    usage = _times(tests, _TEST, 1)
    if not scenarios:
        return usage, "the short test of each model at the start"
    guess = await _guessed(scenarios[0], wiring)
    parts = ((evaluations, reward_recipe(wiring), guess[0]), (rankings, ranking_recipe(wiring), guess[1]))
    measured = [ledger.costs(recipe) for _, recipe, _ in parts]
    for (count, _, guessed), costs in zip(parts, measured, strict=True):
        usage += _times(count, costs.total, costs.count) if costs.count else _times(count, guessed, 1)
    if measured[0].count:
        return usage, f"mean of {measured[0].count} evaluations in the ledger"
    return usage, (
        f"guessed from the length of the prompts, {_CHARACTERS_PER_TOKEN} characters a token, and replies of "
        f"{_ANSWER_TOKENS} (answer), {_VERDICT_TOKENS} (judgement) and {_RANKING_TOKENS} (ranking) tokens"
    )


def _most(scenario: Scenario, wiring: Wiring, request: PlanRequest) -> tuple[int, int]:
    """The most evaluations, and rankings by a model, that the planner makes for one scenario."""
    most = request.limits.evaluations
    try:
        allowed = choices_for(scenario, wiring.pack.attribute_ids, request.limits)
    except PlanningError:
        return 0, 0  # nothing can be planned, and the run says so
    # Also with a burden as many as there are without: counting those within it takes long for thousands of scenarios.
    known, depth = len(allowed.attributes), allowed.depth
    sets = min(most, sum(math.comb(known, n) for n in range(depth + 1)))
    if request.planner.endswith("-noisy"):
        sets = most  # the same set may be evaluated again
    if request.planner == "exhaustive" and any(itertools.islice(allowed.terminal_sets(), most, None)):
        return 0, 0  # refused before anything is spent
    if request.planner == "static":
        return min(sets, depth + 1), 0
    if wiring.model("planner") is None:
        return sets, 0
    # The published search asks for a ranking at each set that it expands, the others for one at the start.
    rollouts = PaperMctsSettings().rollouts if request.planner == "mcts-paper" else 1
    inner = sum(math.comb(known, n) for n in range(depth) if known - n > 1)
    return sets, min(rollouts, inner)


async def _guessed(scenario: Scenario, wiring: Wiring) -> tuple[Usage, Usage]:
    """Guessed cost of one evaluation with the whole profile revealed, and of one ranking."""
    pack, answer = wiring.pack, "word " * _ANSWER_TOKENS
    known = dict(scenario.profile.values)
    evaluation = ranking = Usage()
    if wiring.model("agent") is not None:
        recorder = ScriptedChatModel([answer])
        await LlmResponder(recorder, pack).answer(AgentContext(query=scenario.query, known=known))
        evaluation += _cost(recorder, _ANSWER_TOKENS)
    if wiring.model("judge") is not None:
        recorder = ScriptedChatModel([EmptyCompletion("dry run", "nothing is asked")])
        said = [
            TranscriptMessage(role="user", content=scenario.query),
            TranscriptMessage(role="assistant", content=answer),
        ]
        await LlmJudge(recorder, pack).judge(scenario, said, answer)
        evaluation += _cost(recorder, _VERDICT_TOKENS)
    if wiring.model("planner") is not None:
        recorder = ScriptedChatModel([EmptyCompletion("dry run", "nothing is asked")])
        prior = FallbackPrior(LlmPrior(recorder, pack), PackPrior(pack))
        await prior(scenario, frozenset(), pack.attribute_ids)
        ranking += _cost(recorder, _RANKING_TOKENS)
    return evaluation, ranking


def _cost(recorder: ScriptedChatModel, reply_tokens: int) -> Usage:
    characters = sum(len(message.content) for message in recorder.calls[0])
    return Usage(calls=1, input_tokens=characters // _CHARACTERS_PER_TOKEN, output_tokens=reply_tokens)


def _times(count: int, total: Usage, of: int) -> Usage:
    return Usage(
        calls=math.ceil(count * total.calls / of),
        input_tokens=round(count * total.input_tokens / of),
        output_tokens=round(count * total.output_tokens / of),
    )
