"""What a scenario learns from others depends on the data and the ledger, not on timing or interruptions."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from askfirst.agents import Lesson, Recipe, RewardLedger, scenario_digest
from askfirst.agents.planning import curriculum as curricula
from askfirst.agents.planning.curriculum import Curriculum
from askfirst.domains import Profile, Scenario
from askfirst.vectorstore import ChromaPathStore, StoreError

from tests.apps.conftest import SCENARIO, Outcome

Cli = Callable[..., Outcome]
Write = Callable[..., Path]
NAMES = ("age", "mood", "health")
RECIPE = Recipe(kind="reward", models={"agent": "offline"}, pack="p")


@pytest.fixture
def ledger() -> Iterator[RewardLedger]:
    with RewardLedger(None) as in_memory:
        yield in_memory


@pytest.fixture(autouse=True)
def _near(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curricula, "DISTANCE", 3)


def person(number: int, domain: str = "Health") -> Scenario:
    profile = Profile(values=dict.fromkeys(NAMES, f"v{number}"))
    return Scenario(id=f"{domain}{number}", domain=domain, query="q?", profile=profile)


def lesson(number: int) -> Lesson:
    scores = (("age",), 3.0 + number / 10), (("health", "mood"), 4.0 - number / 20)
    return Lesson(prior=dict.fromkeys(NAMES, 1.0), scores=scores)


async def learned(
    people: list[Scenario],
    ledger: RewardLedger,
    *,
    workers: int,
    seed: int = 0,
    plan: int | None = None,
    settings: str = "usual",
) -> dict[str, tuple[int, list[float]]]:
    """What each of ``people`` had learned (lessons, and a belief in numbers), with so many planned side by side."""
    curriculum, rng = Curriculum(people, NAMES, ledger, RECIPE, settings), random.Random(seed)
    found: dict[str, tuple[int, list[float]]] = {}
    order = iter(people[:plan])

    async def work() -> None:
        for one in order:
            domain = await curriculum.before(one)
            believed = domain.hypotheses(None, NAMES)
            found[one.id] = domain.count, [float(x) for h in believed for x in (h.scales.weight, *h.background.mean)]
            for _ in range(rng.randrange(6)):
                await asyncio.sleep(0)
            curriculum.keep(one, lesson(int(one.id.removeprefix(one.domain))))
            curriculum.finish(one)

    await asyncio.gather(*(work() for _ in range(workers)))
    return found


async def test_a_scenario_learns_from_those_far_enough_before_it(ledger: RewardLedger) -> None:
    people = [person(n) for n in range(8)]
    found = await learned(people, ledger, workers=1)
    assert [found[p.id][0] for p in people] == [0, 0, 0, 1, 2, 3, 4, 5]


async def test_only_from_its_own_domain(ledger: RewardLedger) -> None:
    people = [person(n, domain) for n in range(5) for domain in ("Health", "Career")]
    found = await learned(people, ledger, workers=2)
    assert [found[f"Health{n}"][0] for n in range(5)] == [0, 0, 0, 1, 2]


@pytest.mark.parametrize("workers", [2, 5, 20])
async def test_timing_does_not_count(ledger: RewardLedger, workers: int) -> None:
    people = [person(n) for n in range(12)]
    one_by_one = await learned(people, ledger, workers=1)
    for seed in range(5):
        with RewardLedger(None) as another:
            assert await learned(people, another, workers=workers, seed=seed) == one_by_one


async def test_an_interruption_does_not_count(ledger: RewardLedger) -> None:
    people = [person(n) for n in range(12)]
    with RewardLedger(None) as another:
        whole = await learned(people, another, workers=3)
    await learned(people, ledger, workers=3, plan=7)
    assert await learned(people, ledger, workers=3) == whole


async def test_what_other_commands_taught_is_there_from_the_start(ledger: RewardLedger) -> None:
    await learned([person(n) for n in range(5)], ledger, workers=2)
    found = await learned([person(n) for n in range(10, 15)], ledger, workers=2)
    assert [found[f"Health{n}"][0] for n in range(10, 15)] == [5, 5, 5, 6, 7]


async def test_what_other_settings_did_with_the_same_scenarios_does_not_count(ledger: RewardLedger) -> None:
    people = [person(n) for n in range(8)]
    with RewardLedger(None) as clean:
        alone = await learned(people, clean, workers=2)
    await learned(people, ledger, workers=2, settings="other")
    assert await learned(people, ledger, workers=2) == alone
    # Of scenarios outside of the command there is one lesson each.
    assert (await learned([person(9)], ledger, workers=1))["Health9"][0] == 8


async def test_scenarios_of_the_same_content_wait_for_each_other(ledger: RewardLedger) -> None:
    twins = [person(0).model_copy(update={"id": f"Health{n}"}) for n in range(6)]
    assert len({scenario_digest(t) for t in twins}) == 1
    found = await asyncio.wait_for(learned(twins, ledger, workers=4), 10)
    assert len(found) == 6
    assert len(ledger.lessons(RECIPE, "Health")) == 1


async def test_a_plan_that_came_to_no_end_teaches_nothing_and_holds_nobody_up(ledger: RewardLedger) -> None:
    people = [person(n) for n in range(4)]
    curriculum = Curriculum(people, NAMES, ledger, RECIPE, "usual")
    for one in people[:3]:
        await curriculum.before(one)
        curriculum.finish(one)
    assert (await curriculum.before(people[3])).count == 0


def test_a_lesson_is_there_before_the_path_that_would_keep_it_from_being_made(
    cli: Cli, write_scenarios: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = write_scenarios({"split": "plan"})

    def full(self: object, paths: object) -> None:
        raise StoreError("no space left on the device")

    with monkeypatch.context() as broken:
        broken.setattr(ChromaPathStore, "add", full)
        assert cli("plan", data, "--evaluations", "10").code != 0
    with sqlite3.connect(".askfirst/paths.rewards.sqlite") as ledger:
        assert ledger.execute("SELECT count(*) FROM lesson").fetchone() == (1,)
    ledger.close()


def test_plans_are_the_same_in_one_run_in_two_and_side_by_side(cli: Cli, write_scenarios: Write) -> None:
    rng, profile = random.Random(3), SCENARIO["profile"]
    ages = [str(rng.randrange(18, 90)) for _ in range(8)]
    people: list[dict[str, Any]] = [
        {"query": f"Question {n}: What shall I do?", "profile": {**profile, "age": age}, "split": "plan"}
        for n, age in enumerate(ages)
    ]
    data = write_scenarios(*people)

    def paths(name: str, *runs: tuple[str, ...]) -> str:
        for run in runs:
            done = cli("plan", data, "--store", name, "--evaluations", "20", "--budget", "3", *run)
            assert done.code == 0, done.err
        rows = cli("paths", "export", "--store", name).out.splitlines()
        return "\n".join(sorted(row.split('"planned_at"')[0] for row in rows))

    whole = paths("one", ("--concurrency", "1"))
    assert paths("two", ("--limit", "5"), ("--concurrency", "1")) == whole
    assert paths("three", ("--concurrency", "8")) == whole
    assert paths("four", ("--concurrency", "1", "--no-learn")) != whole
