from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from askfirst.agents import Entry, LedgerUnusable, Lesson, Recipe, RewardLedger
from askfirst.models import Usage

RECIPE = Recipe(kind="reward", models={"agent": "openai:a", "judge": "openai:j"}, pack="penguin 1")
FOUR = Entry(value=4.0, usage=Usage(calls=2, input_tokens=100, output_tokens=20), seconds=0.5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "rewards.sqlite"


def test_an_entry_comes_back_whole_from_another_process_later(path: Path) -> None:
    with RewardLedger(path) as ledger:
        assert ledger.get(RECIPE, "s", "age") is None
        assert ledger.put(RECIPE, "s", "age", FOUR) == FOUR
    with RewardLedger(path) as again:
        assert again.get(RECIPE, "s", "age") == FOUR


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "ranking"},
        {"models": {"agent": "openai:b", "judge": "openai:j"}},
        {"models": {"agent": "openai:a", "judge": "openai:k"}},
        {"prompts": {"agents/responder": "0123"}},
        {"sampling": {"agent": {"temperature": 0.1}}},
        {"pack": "penguin 2"},
    ],
)
def test_everything_in_a_recipe_counts(path: Path, change: dict[str, object]) -> None:
    with RewardLedger(path) as ledger:
        ledger.put(RECIPE, "s", "age", FOUR)
        assert ledger.get(RECIPE.model_copy(update=change), "s", "age") is None


def test_scenario_set_and_draw_count(path: Path) -> None:
    with RewardLedger(path) as ledger:
        ledger.put(RECIPE, "s", "age", FOUR)
        assert ledger.get(RECIPE, "t", "age") is None
        assert ledger.get(RECIPE, "s", "age,mood") is None
        assert ledger.get(RECIPE, "s", "age", draw=1) is None


def test_lessons_are_kept_by_recipe_domain_and_settings_and_the_first_stands(path: Path) -> None:
    first, late = (Lesson(prior={"age": 1.0}, scores=((("age",), score),)) for score in (4.0, 2.0))
    with RewardLedger(path) as ledger:
        assert ledger.keep_lesson(RECIPE, "Health", "s", "x", first) == first
        assert ledger.keep_lesson(RECIPE, "Health", "s", "x", late) == first
        assert ledger.keep_lesson(RECIPE, "Health", "s", "w", late) == late
        assert ledger.keep_lesson(RECIPE, "Health", "r", "x", late) == late
        assert ledger.keep_lesson(RECIPE, "Career", "s", "x", late) == late
    with RewardLedger(path) as again:
        kept = [(("r", "x"), late), (("s", "w"), late), (("s", "x"), first)]
        assert list(again.lessons(RECIPE, "Health").items()) == kept
        assert again.lessons(RECIPE.model_copy(update={"pack": "penguin 2"}), "Health") == {}


def test_a_ledger_of_the_first_version_goes_on(path: Path) -> None:
    with RewardLedger(path) as ledger:
        ledger.put(RECIPE, "s", "age", FOUR)
    with sqlite3.connect(path) as db:
        db.execute("DROP TABLE lesson")
        db.execute("PRAGMA user_version = 1")
    db.close()
    lesson = Lesson(prior={"age": 1.0}, scores=())
    with RewardLedger(path) as ledger:
        assert ledger.get(RECIPE, "s", "age") == FOUR
        assert ledger.keep_lesson(RECIPE, "Health", "s", "x", lesson) == lesson


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE entry SET value = 'x'",
        "UPDATE entry SET calls = 'many'",
        "UPDATE lesson SET value = '{'",
        """UPDATE lesson SET value = '{"prior": {"age": 1}, "scores": [[["age"], 1e300]]}'""",
    ],
)
def test_a_damaged_row_is_one_clear_error(path: Path, damage: str) -> None:
    with RewardLedger(path) as ledger:
        ledger.put(RECIPE, "s", "age", FOUR)
        ledger.keep_lesson(RECIPE, "Health", "s", "x", Lesson(prior={"age": 1.0}, scores=()))
    with sqlite3.connect(path) as db:
        db.execute(damage)
    db.close()
    with RewardLedger(path) as ledger:
        read = (
            (lambda: ledger.get(RECIPE, "s", "age")) if "entry" in damage else lambda: ledger.lessons(RECIPE, "Health")
        )
        with pytest.raises(LedgerUnusable, match="damaged"):
            read()


def test_the_first_commit_stands(path: Path) -> None:
    with RewardLedger(path) as one, RewardLedger(path) as two:
        one.put(RECIPE, "s", "age", FOUR)
        late = Entry(value=1.0, usage=Usage(calls=9), seconds=9)
        assert two.put(RECIPE, "s", "age", late) == FOUR
        assert one.costs(RECIPE).count == 1


def test_costs_and_what_is_held(path: Path) -> None:
    with RewardLedger(path) as ledger:
        assert ledger.costs(RECIPE).count == 0
        ledger.put(RECIPE, "s", "age", FOUR)
        ledger.put(RECIPE, "s", "mood", Entry(2.0, Usage(calls=3, input_tokens=300, output_tokens=5), 1.0))
        ledger.put(RECIPE, "t", "mood", FOUR)
        assert sorted(ledger.items(RECIPE, "s")) == ["age", "mood"]
        costs = ledger.costs(RECIPE)
        assert (costs.count, costs.total, costs.most_tokens) == (
            3,
            Usage(calls=7, input_tokens=500, output_tokens=45),
            305,
        )


def test_plans_that_were_cut_short(path: Path) -> None:
    with RewardLedger(path) as ledger:
        ledger.mark_unfinished("p")
        ledger.mark_unfinished("q")
        ledger.mark_unfinished("p", False)
    with RewardLedger(path) as again:
        assert again.unfinished() == {"q"}


def test_no_number_that_is_none_is_kept(path: Path) -> None:
    with RewardLedger(path) as ledger:
        with pytest.raises(ValueError, match="JSON"):
            ledger.put(RECIPE, "s", "age", Entry(float("nan"), Usage(), 0))
        assert ledger.get(RECIPE, "s", "age") is None


@pytest.mark.parametrize("content", ["text", "other", "newer"])
def test_a_file_that_is_not_ours_is_refused_and_left_alone(tmp_path: Path, content: str) -> None:
    path = tmp_path / "rewards.sqlite"
    if content == "text":
        path.write_bytes(b"not a database, but a long enough text to be taken for one of some pages" * 20)
    else:
        with sqlite3.connect(path) as db:
            db.execute("CREATE TABLE mine (a)" if content == "other" else "PRAGMA user_version = 99")
        db.close()
    with pytest.raises(LedgerUnusable, match="--rewards") as caught:
        RewardLedger(path)
    assert str(path) in str(caught.value)
    if content == "other":
        with sqlite3.connect(path) as db:
            assert db.execute("SELECT name FROM sqlite_master").fetchall() == [("mine",)]
        db.close()


def test_an_unwritable_place_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        RewardLedger(tmp_path / "file" / "rewards.sqlite")


WRITER = """
import sys
from askfirst.agents import Entry, Recipe, RewardLedger
from askfirst.models import Usage
recipe = Recipe(kind="reward", models={"agent": "openai:a"}, pack="p")
with RewardLedger(sys.argv[1]) as ledger:
    for n in range(150):
        ledger.put(recipe, "s", str(n), Entry(1.0 + int(sys.argv[2]), Usage(calls=1), 0.0))
        assert ledger.get(recipe, "s", str(n)) is not None
"""


def test_several_processes_make_and_fill_one_file(path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, path, str(n)]) for n in range(3)]
    assert [writer.wait(timeout=120) for writer in writers] == [0, 0, 0]
    recipe = Recipe(kind="reward", models={"agent": "openai:a"}, pack="p")
    with RewardLedger(path) as ledger:
        assert ledger.costs(recipe).count == 150
        assert ledger.costs(recipe).total.calls == 150


EVALUATOR = """
import asyncio, sys
from askfirst.agents import Allowance, KeptReward, Recipe, RewardLedger
from askfirst.domains import Profile, Scenario
person = Scenario(id="s", domain="Life", query="What now?", profile=Profile(values={"age": "secret value"}))
async def reward(scenario, attributes):
    await asyncio.sleep(0.001)
    print(",".join(sorted(attributes)), flush=True)
    return 3.0
async def main():
    recipe = Recipe(kind="reward", models={"agent": "openai:a"}, pack="p")
    with RewardLedger(sys.argv[1]) as ledger:
        kept = KeptReward(reward, ledger, recipe, Allowance(concurrency=4))
        gate = asyncio.Semaphore(4)
        async def one(n):
            async with gate:
                await kept(person, frozenset({f"a{n}"}))
        await asyncio.gather(*(one(n) for n in range(int(sys.argv[2]))))
asyncio.run(main())
"""


def test_kill_9_loses_nothing_that_was_finished(path: Path, tmp_path: Path) -> None:
    paid: list[str] = []
    for attempt in range(3):
        log = tmp_path / f"log{attempt}"
        with log.open("wb") as out:
            process = subprocess.Popen([sys.executable, "-c", EVALUATOR, path, "3000"], stdout=out)
        end = time.monotonic() + 60
        while log.read_bytes().count(b"\n") < 40 and time.monotonic() < end:
            time.sleep(0.005)
        process.kill()
        process.wait()
        paid += log.read_text().split()
    last = subprocess.run(
        [sys.executable, "-c", EVALUATOR, path, "3000"], check=True, capture_output=True, text=True, timeout=120
    )
    paid += last.stdout.split()
    assert len(set(paid)) == 3000
    # Printed and killed before it was committed: at most the four that were under way, at each of three kills.
    assert len(paid) - len(set(paid)) <= 3 * 4
    assert b"secret value" not in path.read_bytes()
    assert b"What now" not in path.read_bytes()
