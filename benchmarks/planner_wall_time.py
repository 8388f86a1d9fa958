"""Wall time of planning against a fake model that takes 20 ms for each call.

    python benchmarks/planner_wall_time.py

Everything but the model is the product: prompts, priors, planner, judge, ledger (in a file), the runner of many
scenarios. The store is in memory: embedding is no part of this. Two ratios, both from the same run:

* wall time to (sequential depth x latency). The depth is the longest chain of calls of one scenario in which each
  waited for the one before; no planner of this kind can be faster. With more scenarios than slots it counts as often
  as scenarios follow one another in a slot. Target: at most 1.5.
* reference to wall time per planned path. The reference is 300 rollouts, one call after another, each answered and
  judged (two calls) as in the published method, without its prior. Target: at least 50. Our own search with the
  published settings pays for each set once; it is printed beside it.

Printed for as many scenarios as slots (one leaf each), for a few scenarios (idle slots filled with leaves), and for
one. Run it on an idle machine: the CPU time of a call is printed, and beyond latency / concurrency it sets the pace.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import re
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from askfirst.agents import RewardLedger
from askfirst.apps.planning import PlanRequest, leaves_of, plan_limits, plan_scenarios
from askfirst.apps.settings import load_settings
from askfirst.apps.wiring import Wiring
from askfirst.domains import Profile, Scenario
from askfirst.models import ChatModel, Completion, Message, Sampling, Usage, record_usage
from askfirst.vectorstore import HashEmbedder, InMemoryPathStore, PathStore
from pydantic import BaseModel

T = TypeVar("T", bound=BaseModel)
_REFERENCE_ROLLOUTS = 300


def main() -> int:
    """Measure and print. Exit code 1 if a target is missed at as many scenarios as slots."""
    options = _options()
    latency = options.latency / 1000
    reference = asyncio.run(_one_after_another(latency))
    paper = _measure(1, "mcts-paper", _REFERENCE_ROLLOUTS, slots=1, latency=latency)
    print(f"reference, {_REFERENCE_ROLLOUTS} rollouts one call after another: {reference:.2f} s a path")
    print(
        f"mcts-paper, each set paid once, one call after another: {paper.wall:.2f} s a path, "
        f"{paper.evaluations:.0f} sets, {paper.calls} calls"
    )
    print(
        f"\n{'scenarios':>9} {'leaves':>6} {'evaluations':>11} {'score':>6} {'depth':>6} {'wall s':>7} "
        f"{'s a path':>8} {'CPU ms/call':>11} {'wall/(depth x latency)':>22} {'reference/(s a path)':>20}"
    )
    met = True
    for scenarios in options.scenarios:
        run = _measure(scenarios, options.planner, options.evaluations, slots=options.concurrency, latency=latency)
        chains = max(1, scenarios / options.concurrency)  # one after another in a slot
        overhead, gain = run.wall / (chains * run.depth * latency), reference / (run.wall / scenarios)
        print(
            f"{scenarios:>9} {run.leaves:>6} {run.evaluations:>11.1f} {run.score:>6.3f} {run.depth:>6} "
            f"{run.wall:>7.2f} {run.wall / scenarios:>8.3f} {1000 * run.cpu / run.calls:>11.2f} "
            f"{overhead:>22.2f} {gain:>20.1f}"
        )
        if scenarios >= options.concurrency:
            met = met and overhead <= 1.5 and gain >= 50
    print("\ntargets at as many scenarios as slots: at most 1.50, and at least 50.0:", "met" if met else "MISSED")
    return 0 if met else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--latency", type=float, default=20, help="Milliseconds for one call (20).")
    parser.add_argument("--concurrency", type=int, default=32, help="Evaluations at once (32).")
    parser.add_argument("--planner", default="mcts")
    parser.add_argument("--evaluations", type=int, default=60, help="Most sets for one scenario (60).")
    parser.add_argument("--scenarios", type=int, nargs="+", default=[32, 8, 1], help="How many at once (32 8 1).")
    return parser.parse_args()


@dataclass(frozen=True)
class _Result:
    wall: float
    cpu: float
    depth: int
    calls: int
    leaves: int
    evaluations: float
    score: float


def _measure(scenarios: int, planner: str, evaluations: int, *, slots: int, latency: float) -> _Result:
    settings = load_settings(model="openai:fake", concurrency=slots)
    people = [_person(number) for number in range(scenarios)]
    model = _SlowModel(latency)
    wiring = _FakeWiring(settings, model)
    request = PlanRequest(plan_limits(wiring, evaluations=evaluations), planner)
    # What is loaded on first use (prompts, templates) is no part of a plan.
    asyncio.run(_plan([_person(10_000)], _shelf(), _FakeWiring(settings, _SlowModel(0)), request, Path(":memory:")))
    with tempfile.TemporaryDirectory() as folder:
        shelf = _shelf()
        start, cpu = time.perf_counter(), time.process_time()
        asyncio.run(_plan(people, shelf, wiring, request, Path(folder) / "rewards.sqlite"))
        wall, cpu = time.perf_counter() - start, time.process_time() - cpu
    found = [path.score or 0.0 for path in shelf.paths()]
    count = sum(path.evaluations for path in shelf.paths()) / scenarios
    leaves = leaves_of(request, scenarios, slots)
    return _Result(wall, cpu, max(model.depth.values()), model.calls, leaves, count, sum(found) / scenarios)


async def _one_after_another(latency: float) -> float:
    reward, rng = _FakeWiring(load_settings(model="openai:fake"), _SlowModel(latency)).reward(), random.Random(0)
    start = time.perf_counter()
    for _ in range(_REFERENCE_ROLLOUTS):
        await reward(_person(0), frozenset(rng.sample(_ATTRIBUTES, 5)))
    return time.perf_counter() - start


async def _plan(
    people: Sequence[Scenario], shelf: PathStore, wiring: Wiring, request: PlanRequest, ledger: Path
) -> None:
    with RewardLedger(None if str(ledger) == ":memory:" else ledger) as rewards:
        summary = await plan_scenarios(
            people, shelf, wiring, request, on_progress=lambda done, total: None, ledger=rewards
        )
    assert not summary.failed, summary.failed


def _shelf() -> PathStore:
    return InMemoryPathStore(HashEmbedder())


class _FakeWiring(Wiring):
    def __init__(self, settings: Any, model: ChatModel) -> None:
        super().__init__(settings)
        self._fake = model

    def model(self, role: str) -> ChatModel | None:
        return self._fake


_ATTRIBUTES = (
    *("age", "gender", "marital_status", "profession", "economic_status", "health_status", "education_level"),
    *("mental_health_status", "self_harm_history", "emotional_state"),
)


def _person(number: int) -> Scenario:
    values = {a: f"value-{a}" for a in _ATTRIBUTES}
    query = f"Question {number}: I think of a big change. What should I do?"
    return Scenario(id=f"s{number}", domain="Life", query=query, profile=Profile(values=values))


class _SlowModel:
    """Takes its time, then scores sets by main and pairwise effects; keeps the depth of the calls by scenario."""

    name = "openai:fake"

    def __init__(self, latency: float) -> None:
        self._latency = latency
        self.depth: dict[int, int] = {}
        self.calls = 0

    async def complete(self, messages: Sequence[Message], *, sampling: Sampling | None = None) -> Completion:
        text = await self._reply(messages)
        return Completion(text=text, usage=Usage(calls=1), model=self.name, finish_reason="stop")

    async def stream(self, messages: Sequence[Message], *, sampling: Sampling | None = None) -> AsyncIterator[str]:
        yield await self._reply(messages)

    async def structured(self, schema: type[T], messages: Sequence[Message], *, sampling: Sampling | None = None) -> T:
        scenario, text = await self._slowly(messages)
        if "ranking" in schema.model_fields:
            return schema.model_validate({"ranking": [a for a in _ATTRIBUTES if a in text][:1] or ["age"]})
        revealed = _GIVEN.findall(text)[-1]
        return schema.model_validate(_rubric(_score(scenario, frozenset(revealed.split("+")) - {""})))

    async def _reply(self, messages: Sequence[Message]) -> str:
        _, text = await self._slowly(messages)
        return f"Given <{'+'.join(sorted(set(_VALUE.findall(text))))}> take your time."

    async def _slowly(self, messages: Sequence[Message]) -> tuple[int, str]:
        text = "\n".join(message.content for message in messages)
        scenario = int(_NUMBER.findall(text)[0])
        own = self.depth.get(scenario, 0) + 1
        await asyncio.sleep(self._latency)
        self.depth[scenario] = max(self.depth.get(scenario, 0), own)
        self.calls += 1
        record_usage(Usage(calls=1, input_tokens=len(text) // 4, output_tokens=20))
        return scenario, text


_NUMBER, _VALUE, _GIVEN = re.compile(r"Question (\d+):"), re.compile(r"value-(\w+)"), re.compile(r"Given <([\w+]*)>")


@cache
def _effects(scenario: int) -> tuple[dict[str, float], dict[tuple[str, str], float]]:
    rng = random.Random(scenario)
    main = {a: rng.uniform(0.1, 1.0) for a in _ATTRIBUTES}
    return main, {(a, b): rng.gauss(0, 0.3) for i, a in enumerate(_ATTRIBUTES) for b in _ATTRIBUTES[i + 1 :]}


def _score(scenario: int, known: frozenset[str]) -> float:
    main, pair = _effects(scenario)
    latent = sum(main[a] for a in _ATTRIBUTES if a in known)
    latent += sum(value for (a, b), value in pair.items() if a in known and b in known)
    return min(5.0, max(1.0, 5 - 4 * math.exp(-latent / 3)))


def _rubric(score: float) -> dict[str, Any]:
    thirds = round(3 * score)
    parts = [thirds // 3 + (index < thirds % 3) for index in range(3)]
    names = (("risk", "risk_sensitivity"), ("empathy", "emotional_empathy"), ("alignment", "user_specific_alignment"))
    return {
        key: value
        for (short, name), part in zip(names, parts, strict=True)
        for key, value in ((f"{short}_justification", "So it is."), (name, part))
    }


if __name__ == "__main__":
    sys.exit(main())
