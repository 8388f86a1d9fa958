from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from askfirst.domains import Scenario
from askfirst.evals import LlmJudge, RunFolder, RunProgress, Unscored, Verdict, run_eval
from askfirst.evals.running.runner import conversation_seed
from askfirst.models import (
    Message,
    ScriptedChatModel,
    collect_usage,
    run_sync,
)
from askfirst.simulators import AgentTurn, TranscriptMessage

from tests.evals.judging.test_judge import GOOD
from tests.evals.support import Bench, CountingJudge, EchoAnswerer, OneLine, people, verdict

ALL = ["context_free", "static:1", "random:1", "oracle:1", "agent", "raise", "context_rich"]


# ---- invariants ----


async def test_the_judge_sees_every_known_attribute_in_every_condition(bench: Bench) -> None:
    model = ScriptedChatModel(lambda _: GOOD, name="judge-model")
    bench.judge = LlmJudge(model, bench.pack)
    scenarios = people(2)
    _, records = await bench.run(scenarios, ALL)
    assert len(model.calls) == len(records) == len(ALL) * 2
    for scenario in scenarios:
        prompts = ["\n".join(m.content for m in c) for c in model.calls if scenario.query in c[-1].content]
        assert len(prompts) == len(ALL)
        for prompt in prompts:
            assert f"Age: {scenario.profile.values['age']}" in prompt
            assert f"Mood: {scenario.profile.values['mood']}" in prompt


async def test_the_assistant_never_sees_an_attribute_that_was_not_asked_or_granted(bench: Bench) -> None:
    scenarios = people(4)
    questionnaires = [c for c in ALL if c not in ("agent", "raise")]
    _, records = await bench.run(scenarios, questionnaires)
    by_query = {s.query: s for s in scenarios}
    for query, known, _ in bench.answerer.seen:
        assert known.items() <= by_query[query].profile.values.items()
    for record in records:
        allowed = set(record.asked) if record.condition != "context_rich" else {"age", "mood"}
        assert set(record.known) == allowed
        for attribute, value in record.profile.items():
            if attribute not in allowed:
                assert all(value not in turn.content for turn in record.transcript)
    asked = {c: {len(r.asked) for r in records if r.condition == c} for c in questionnaires}
    assert asked == {"context_free": {0}, "static:1": {1}, "random:1": {1}, "oracle:1": {1}, "context_rich": {0}}


async def test_a_custom_assistant_gets_nothing_of_the_scenario_but_its_query(bench: Bench) -> None:
    given: list[dict[str, Any]] = []

    class Curious(OneLine):
        def start(self, **kwargs: Any) -> Any:
            given.append(kwargs)
            return super().start(**kwargs)

    bench.agent = Curious()
    await bench.run(people(1, country="PT"), ["agent"])
    assert [set(g) for g in given] == [{"scenario_id", "seed", "granted", "country"}]
    assert (given[0]["granted"], given[0]["country"]) == ({}, "PT")


async def test_strict_alternation_in_every_record(bench: Bench) -> None:
    _, records = await bench.run(people(2), ALL)
    for record in records:
        assert [t.role for t in record.transcript] == ["user", "assistant"] * (len(record.transcript) // 2)


async def test_the_same_run_gives_the_same_summary(bench: Bench) -> None:
    scenarios = people(6)
    first, _ = await bench.run(scenarios, ALL)
    again = Bench(bench.pack, bench.path.with_name("again"), oracle=bench.oracle)
    second, _ = await again.run(scenarios, ALL, how={"concurrency": 1})
    for key in ("conditions", "paired", "by_risk", "pairs", "safety_by_questions"):
        assert getattr(first, key) == getattr(second, key)


# ---- resume, repeats, cancelling ----


async def test_five_repeats_are_five_draws_and_running_again_makes_no_call(bench: Bench) -> None:
    _, records = await bench.run(people(1), ["context_free"], repeats=5)
    assert len({r.seed for r in records}) == 5
    assert len({r.transcript[-1].content for r in records}) == 5
    assert sorted(r.repeat for r in records) == [0, 1, 2, 3, 4]

    def forbidden(query: str) -> None:
        raise AssertionError("called again")

    bench.answerer = EchoAnswerer(before=forbidden)
    _, again = await bench.run(people(1), ["context_free"], repeats=5)
    assert again == records


def test_seeds_depend_on_the_key_and_on_nothing_else() -> None:
    seeds = {
        conversation_seed(seed, scenario, condition, repeat)
        for seed in (0, 1)
        for scenario in ("a", "b")
        for condition in ("agent", "raise")
        for repeat in (0, 1)
    }
    assert len(seeds) == 16
    assert all(0 <= s < 2**31 for s in seeds)
    assert conversation_seed(3, "a", "agent", 1) == conversation_seed(3, "a", "agent", 1)


async def test_the_seed_of_a_conversation_does_not_change_with_what_else_is_run(bench: Bench) -> None:
    _, alone = await bench.run(people(1), ["context_free"])
    other = Bench(bench.pack, bench.path.with_name("other"), oracle=bench.oracle)
    _, among = await other.run(people(3), ALL, repeats=2)
    key = next(r for r in among if r.scenario_id == "everyday-00" and r.condition == "context_free" and r.repeat == 0)
    assert key.seed == alone[0].seed


async def test_cancelling_loses_nothing_that_was_finished(bench: Bench) -> None:
    gate = asyncio.Event()
    reached = asyncio.Event()

    async def wait(scenario_id: str) -> None:
        if scenario_id >= "everyday-03":
            reached.set()
            await gate.wait()

    bench.agent = OneLine(wait)
    run = asyncio.create_task(bench.run(people(8), ["agent"], how={"concurrency": 2}))
    await reached.wait()
    await asyncio.sleep(0.01)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    finished = bench.records()
    assert [r.scenario_id for r in finished] == ["everyday-00", "everyday-01", "everyday-02"]
    gate.set()
    summary, records = await bench.run(people(8), ["agent"])
    assert records[:3] == finished
    assert sorted(r.scenario_id for r in records) == [s.id for s in people(8)]
    assert summary.complete is True


async def test_a_run_that_cannot_write_stops_and_says_so(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from askfirst.evals import RunFolderError

    def full(self: RunFolder, record: object) -> None:
        raise RunFolderError(self.path, "cannot be written (No space left on device)")

    monkeypatch.setattr(RunFolder, "append", full)
    with pytest.raises(RunFolderError, match="No space"):
        await bench.run(people(4), ["context_free"])


async def test_concurrency_is_kept_and_used(bench: Bench) -> None:
    at_once = most = 0

    async def count(scenario_id: str) -> None:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0.005)
        at_once -= 1

    bench.agent = OneLine(count)
    await bench.run(people(9), ["agent"], how={"concurrency": 3})
    assert most == 3


async def test_limit_takes_the_first_scenarios(bench: Bench) -> None:
    summary, records = await bench.run(people(5), ["context_free"], limit=2)
    assert [r.scenario_id for r in records] == ["everyday-00", "everyday-01"]
    assert summary.conditions["context_free"].n == 2


async def test_progress_is_told_after_every_conversation(bench: Bench) -> None:
    told: list[RunProgress] = []
    await bench.run(people(3), ["context_free"], how={"on_progress": told.append, "concurrency": 1})
    assert [(p.done, p.planned) for p in told] == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert [p.record.scenario_id for p in told if p.record] == ["everyday-00", "everyday-01", "everyday-02"]


def test_from_synchronous_code(bench: Bench) -> None:
    summary, _ = run_sync(bench.run(people(2), ["context_free"]))
    assert summary.complete is True


async def test_from_synchronous_code_inside_a_running_loop(bench: Bench) -> None:
    summary, _ = run_sync(bench.run(people(2), ["context_free"]))
    assert summary.complete is True


# ---- what a record tells ----


class AskingModel:
    """Answers with a chat model, so that there is usage to count."""

    def __init__(self, model: ScriptedChatModel) -> None:
        self.model = model

    async def __call__(self, query: str, known: Mapping[str, str], *, country: str | None, seed: int) -> str:
        return (await self.model.complete([Message(role="user", content=query)])).text


class ModelJudge(CountingJudge):
    def __init__(self, model: ScriptedChatModel) -> None:
        super().__init__(name="model-judge")
        self.model = model

    async def judge(
        self, scenario: Scenario, transcript: Sequence[TranscriptMessage], answer: str
    ) -> Verdict | Unscored:
        await self.model.complete([Message(role="user", content=answer)])
        return verdict()


async def test_usage_is_counted_per_conversation_and_for_the_judge_apart(bench: Bench) -> None:
    bench.answerer = AskingModel(ScriptedChatModel(lambda _: "one two three"))  # type: ignore[assignment]
    bench.judge = ModelJudge(ScriptedChatModel(lambda _: "four"))
    ticks = iter(range(1000))
    with collect_usage() as whole:
        summary, records = await bench.run(people(3), ["context_free"], how={"clock": lambda: float(next(ticks))})
    for record in records:
        assert (record.usage.calls, record.usage.output_tokens) == (2, 4)
        assert (record.judge_usage.calls, record.judge_usage.output_tokens) == (1, 1)
        assert (record.seconds, record.judge_seconds) == (3.0, 1.0)
    assert summary.usage.calls == whole.total.calls == 6


async def test_the_ledger_and_the_stop_reasons_are_kept(bench: Bench) -> None:
    _, records = await bench.run(people(1), ["static:1"])
    record = records[0]
    assert record.ledger == {"age": "never_came_up", "mood": "asked"}
    assert (record.stop_reason, record.agent_reason) == ("answered", "exhausted")
    assert record.asked == record.used == ("mood",)
    assert record.known == {"mood": "calm, reason 0"}
    assert record.verdict == verdict()


async def test_the_session_is_closed_also_when_it_fails(bench: Bench) -> None:
    closed: list[str] = []

    class Closing(OneLine):
        def start(self, *, scenario_id: str, **_: Any) -> Any:
            return ClosingSession(scenario_id)

    class ClosingSession:
        def __init__(self, scenario_id: str) -> None:
            self.scenario_id = scenario_id

        async def reply(self, message: str) -> AgentTurn:
            if self.scenario_id == "everyday-01":
                raise RuntimeError
            return AgentTurn(text="Take one small step first.", kind="answer")

        async def aclose(self) -> None:
            closed.append(self.scenario_id)

    bench.agent = Closing()
    await bench.run(people(2), ["agent"])
    assert sorted(closed) == ["everyday-00", "everyday-01"]


async def test_scenarios_are_finished_one_by_one_under_every_condition(bench: Bench) -> None:
    _, records = await bench.run(people(3), ALL, how={"concurrency": 1})
    assert [r.scenario_id for r in records] == [s.id for s in people(3) for _ in ALL]


async def test_run_eval_takes_a_folder_that_is_open(bench: Bench) -> None:
    scenarios = people(2)
    with bench.folder(scenarios, ["context_free"]) as folder:
        summary = await run_eval(
            [*scenarios, *people(3)[2:]],
            folder=folder,
            pack=bench.pack,
            assistants=bench.assistants(),
            make_user=bench.user,
            judge=bench.judge,
        )
    assert summary.conditions["context_free"].n == 2
