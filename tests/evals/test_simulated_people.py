"""Behaviours, further turns, and simulated people who fail, in whole runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from askfirst.domains import InputError, Scenario
from askfirst.evals import ConversationRecord, LlmJudge, write_report
from askfirst.evals.running.runner import conversation_seed
from askfirst.models import ScriptedChatModel
from askfirst.simulators import (
    AgentTurn,
    Behaviour,
    Dialogue,
    LlmFidelityCheck,
    Persona,
    ScriptedUser,
    SimulatedUser,
    TranscriptMessage,
    UserTurn,
)

from tests.evals.judging.test_judge import GOOD
from tests.evals.support import Bench, CountingJudge, people, record

GUARDED = Behaviour.model_validate({"name": "guarded", "stances": {"private": "declines"}, "reactions": ["doubt"]})
COOPERATIVE = Behaviour(name="cooperative")


def makers(bench: Bench, *behaviours: Behaviour, turns: int = 0) -> Any:
    def maker(behaviour: Behaviour) -> Any:
        def make(scenario: Scenario, *, seed: int) -> SimulatedUser:
            persona = Persona.behaving(scenario, behaviour, bench.pack, seed=seed)
            return ScriptedUser(persona, bench.pack, seed=seed, turns=turns)

        return make

    return {b.name: maker(b) for b in behaviours}


# ---- behaviours ----


async def test_every_scenario_is_run_under_every_behaviour(bench: Bench) -> None:
    bench.make_user = makers(bench, COOPERATIVE, GUARDED)
    summary, records = await bench.run(people(2), ["static:1"], behaviours=(COOPERATIVE, GUARDED), repeats=2)
    assert {(r.scenario_id, r.behaviour, r.repeat) for r in records} == {
        (s.id, b, i) for s in people(2) for b in ("cooperative", "guarded") for i in (0, 1)
    }
    assert len({r.key for r in records}) == len({r.seed for r in records}) == 8
    assert summary.complete is True
    assert {r.behaviour: r.ledger["mood"] for r in records} == {"cooperative": "asked", "guarded": "declined"}
    assert [summary.by_behaviour[b]["static:1"].n for b in ("cooperative", "guarded")] == [4, 4]
    assert summary.conditions["static:1"].n == summary.conditions["static:1"].scored == 8


async def test_a_run_with_behaviours_resumes_without_repeating(bench: Bench) -> None:
    bench.make_user = makers(bench, COOPERATIVE, GUARDED)
    _, first = await bench.run(people(2), ["static:1"], behaviours=(COOPERATIVE, GUARDED))
    lines = (bench.path / "conversations.jsonl").read_text().splitlines(keepends=True)
    (bench.path / "conversations.jsonl").write_text("".join(lines[:1]))
    _, again = await bench.run(people(2), ["static:1"], behaviours=(COOPERATIVE, GUARDED))
    assert {r.key: r.transcript for r in again} == {r.key: r.transcript for r in first}
    kept = json.loads((bench.path / "run.json").read_text())["settings"]["behaviour_definitions"]
    assert Behaviour.model_validate(kept["guarded"]) == GUARDED


def test_cooperative_keeps_the_keys_and_seeds_of_before_behaviours() -> None:
    old = record().model_dump(by_alias=True)
    for name in ("behaviour", "ledger_detail", "crisis_turn", "simulator_failure", "redrawn"):
        del old[name]
    read = ConversationRecord.model_validate(old)
    assert (read.behaviour, read.key) == ("cooperative", ("s1", "context_free", "m", "j", 0))
    assert record(behaviour="guarded").key == ("s1", "context_free", "m", "j", 0, "guarded")
    assert conversation_seed(0, "s", "agent", 0) == conversation_seed(0, "s", "agent", 0, behaviour="cooperative")
    seeds = {conversation_seed(0, "s", "agent", 0, behaviour=b, draw=d) for b in ("cooperative", "x") for d in (0, 1)}
    assert len(seeds) == 4


async def test_a_behaviour_without_a_person_stops_before_anything_runs(bench: Bench) -> None:
    with pytest.raises(InputError, match="'guarded' needs a simulated user"):
        await bench.run(people(1), ["context_free"], behaviours=(GUARDED,))


async def test_the_whole_ledger_is_kept(bench: Bench) -> None:
    _, records = await bench.run(people(1), ["static:2"])
    detail = records[0].ledger_detail
    assert {a: (e.asked_turn, e.told_turn, e.used, e.leaked) for a, e in detail.items()} == {
        "age": (2, 2, True, False),
        "mood": (1, 1, True, False),
    }


# ---- people who fail ----


class Failing:
    """Says what is given; the opening is always the query."""

    attributes = ("age", "mood")

    def __init__(self, query: str, reply: UserTurn) -> None:
        self.query, self.said = query, reply

    async def opening(self) -> UserTurn:
        return UserTurn(text=self.query)

    async def reply(self, agent: AgentTurn) -> UserTurn:
        return self.said


async def test_a_failed_conversation_is_drawn_again_with_another_seed(bench: Bench) -> None:
    seeds: list[int] = []

    def make_user(scenario: Scenario, *, seed: int) -> SimulatedUser:
        seeds.append(seed)
        faults = ("leak:age",) if len(seeds) < 3 else ()
        return Failing(scenario.query, UserTurn(text="I feel low.", faults=faults))

    bench.make_user = make_user
    summary, records = await bench.run(people(1), ["static:1"])
    assert len(set(seeds)) == 3
    assert (records[0].redrawn, records[0].simulator_failure, records[0].score) == (("leak", "leak"), None, 3.0)
    assert records[0].seed == seeds[0]
    cell = summary.simulator
    assert (cell.drawn, cell.failed, cell.excluded) == (3, 2, 0)
    assert cell.faults == {"leak": 2}


async def test_one_that_always_fails_is_left_out_and_counted_by_risk_and_behaviour(bench: Bench) -> None:
    def make_user(scenario: Scenario, *, seed: int) -> SimulatedUser:
        faults = ("softened:mood",) if scenario.risk == "high" else ()
        return Failing(scenario.query, UserTurn(text="I feel low.", faults=faults))

    bench.make_user = make_user
    summary, records = await bench.run(people(4), ["static:1"], redraws=1)
    assert {r.risk: (r.simulator_failure, r.unscored, r.error) for r in records} == {
        "low": (None, None, None),
        "high": ("softened", "softened", None),
    }
    assert isinstance(bench.judge, CountingJudge)
    assert {s for s, _ in bench.judge.seen} == {"everyday-00", "everyday-02"}
    cell = summary.conditions["static:1"]
    assert (cell.n, cell.scored, cell.excluded, cell.errors, cell.mean) == (4, 2, 2, 0, 3.0)
    levels = summary.simulator.by_behaviour["cooperative"].by_risk
    assert levels["high"].model_dump() == {"drawn": 4, "failed": 4, "share": 1.0, "excluded": 2}
    assert levels["low"].model_dump() == {"drawn": 2, "failed": 0, "share": 0.0, "excluded": 0}
    page, markdown = write_report(bench.path)
    assert "| cooperative | high | 4 | 4 | 100.0 % | 2 |" in markdown.read_text(encoding="utf-8")
    html = page.read_text(encoding="utf-8")
    assert "Simulated people" in html
    assert "The simulated people failed in 4 of 6 draws" in html


async def test_no_redraws_and_a_second_opinion(bench: Bench) -> None:
    class Strict:
        calls = 0

        async def check(self, dialogue: Dialogue) -> Dialogue:
            self.calls += 1
            return dialogue.model_copy(update={"faults": ("contradiction:age",)})

    strict = Strict()
    _, records = await bench.run(people(2), ["static:1"], how={"fidelity_check": strict}, redraws=0)
    assert [r.simulator_failure for r in records] == ["contradiction"] * 2
    assert strict.calls == 2


@pytest.mark.parametrize(("settles", "failure"), [(True, None), (False, "omitted"), (None, "omitted")])
async def test_what_is_unclear_is_settled_before_too_little_was_told(
    bench: Bench, settles: bool | None, failure: str | None
) -> None:
    class Vague:
        attributes = ("age", "mood")

        async def opening(self) -> UserTurn:
            return UserTurn(text="How long can I stay up?")

        async def reply(self, agent: AgentTurn) -> UserTurn:
            return UserTurn(
                text="Grey stuff.", values={"mood": "Low"}, unclear=("mood",), asked=("mood",), measured=True
            )

    def opinion(_: object) -> dict[str, object]:
        return {"findings": [], "told": [{"fact": "mood", "words": "Grey stuff" if settles else ""}]}

    bench.make_user = lambda scenario, *, seed: Vague()
    check = None if settles is None else LlmFidelityCheck(ScriptedChatModel(opinion), bench.pack)
    _, records = await bench.run(people(1), ["static:1"], how={"fidelity_check": check}, redraws=1)
    assert records[0].simulator_failure == failure
    assert records[0].redrawn == (("omitted",) if failure else ())
    assert (records[0].score is None) == (failure is not None)


# ---- further turns ----


async def test_the_questionnaire_answers_again_from_what_was_told_since(bench: Bench) -> None:
    bench.make_user = makers(bench, COOPERATIVE, turns=2)
    _, records = await bench.run(people(1), ["static:1"], turns=2)
    held = records[0]
    assert (held.stop_reason, len(held.transcript)) == ("turns_done", 8)
    first, second, third = bench.answerer.seen
    assert first[1] == {"mood": "calm, reason 0"}
    assert second[1]["mood"] == "calm, reason 0"
    assert second[1]["age"].startswith("30 years")
    assert bench.answerer.follow_ups[0] == ()
    assert bench.answerer.follow_ups[1] == ((held.transcript[3].content, held.transcript[4].content),)
    assert len(bench.answerer.follow_ups[2]) == 2
    assert held.agent_reason == "exhausted"
    assert third[0] == people(1)[0].query


async def test_the_judge_gets_every_answer(bench: Bench) -> None:
    bench.make_user = makers(bench, COOPERATIVE, turns=1)
    model = ScriptedChatModel(lambda _: GOOD)
    bench.judge = LlmJudge(model, bench.pack)
    _, records = await bench.run(people(1), ["context_free"], turns=1)
    prompt = model.calls[0][-1].content
    said = [m.content for m in records[0].transcript]
    to_grade = prompt.partition("several messages of the assistant")[2]
    assert all(text in to_grade for text in said[1:])
    assert said[0] not in to_grade
    assert "a risk that it lets go at the end" in prompt


async def test_one_answer_is_judged_as_before(bench: Bench) -> None:
    model = ScriptedChatModel(lambda _: GOOD)
    bench.judge = LlmJudge(model, bench.pack)
    await bench.run(people(1), ["static:1"])
    prompt = model.calls[0][-1].content
    assert "several messages" not in prompt
    assert prompt.count("How have you been feeling lately?") == 1
    assert prompt.index("How have you been feeling lately?") < prompt.index("The answer to grade:")


async def test_a_judge_is_given_all_answers_as_one_text(bench: Bench) -> None:
    seen: list[tuple[Sequence[TranscriptMessage], str]] = []

    class Watching(CountingJudge):
        async def judge(self, scenario: Scenario, transcript: Sequence[TranscriptMessage], answer: str) -> Any:
            seen.append((transcript, answer))
            return await super().judge(scenario, transcript, answer)

    bench.judge = Watching()
    bench.make_user = makers(bench, COOPERATIVE, turns=1)
    await bench.run(people(1), ["context_free"], turns=1)
    ((transcript, answer),) = seen
    assert answer == f"{transcript[1].content}\n\n{transcript[3].content}"


async def test_turns_that_the_cap_cannot_hold_are_refused(bench: Bench) -> None:
    with pytest.raises(InputError, match="needs 5 assistant turns, but the cap is 4"):
        await bench.run(people(1), ["static:1"], turns=3, max_turns=4)
    with pytest.raises(ValueError, match=r"turns\n.*greater than or equal to 0"):
        await bench.run(people(1), ["static:1"], turns=-1)
