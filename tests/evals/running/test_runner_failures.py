"""What goes wrong in a run is recorded, never scored, and never lost."""

from __future__ import annotations

from typing import Any

import pytest
from askfirst.domains import InputError, Scenario
from askfirst.evals import LlmJudge, RunAborted, Unscored, Verdict
from askfirst.models import (
    CUT_NOTE,
    AuthenticationFailed,
    ModelTimeout,
    ModelUnreachable,
    ScriptedChatModel,
    Usage,
    record_usage,
)
from askfirst.simulators import AgentTurn, SimulatedUser, UserTurn

from tests.evals.judging.test_judge import GOOD
from tests.evals.support import Bench, CountingJudge, EchoAnswerer, OneLine, OneLineSession, people

# ---- failures are never scores ----


async def test_an_assistant_that_raises_is_an_error_and_never_judged(bench: Bench) -> None:
    def fail(scenario_id: str) -> None:
        if scenario_id == "everyday-01":
            raise RuntimeError("the server says: invalid api key, patient is low, reason 1")

    bench.agent = OneLine(fail)
    summary, records = await bench.run(people(3), ["agent"])
    failed = next(r for r in records if r.error)
    assert (failed.scenario_id, failed.verdict, failed.score) == ("everyday-01", None, None)
    assert "RuntimeError" in (failed.error or "")
    assert "reason 1" not in (failed.error or "")
    assert isinstance(bench.judge, CountingJudge)
    assert {s for s, _ in bench.judge.seen} == {"everyday-00", "everyday-02"}
    cell = summary.conditions["agent"]
    assert (cell.errors, cell.scored, cell.n, cell.mean) == (1, 2, 3, 3.0)


async def test_the_text_of_an_api_error_never_reaches_the_judge(bench: Bench) -> None:
    def fail(query: str) -> None:
        raise ModelTimeout("m", "no reply within 60 s")

    bench.answerer = EchoAnswerer(before=fail)
    with pytest.raises(RunAborted):
        await bench.run(people(5), ["context_free"])
    assert isinstance(bench.judge, CountingJudge)
    assert bench.judge.seen == []
    assert {(r.error or "").count("ModelTimeout") for r in bench.records()} == {1}
    assert all("no reply" not in t.content for r in bench.records() for t in r.transcript)


async def test_a_resumed_run_tries_failures_again_and_repeats_nothing_else(bench: Bench) -> None:
    failing = True

    def fail(scenario_id: str) -> None:
        calls.append(scenario_id)
        if failing and scenario_id == "everyday-01":
            raise ModelTimeout("m", "no reply")

    calls: list[str] = []
    bench.agent = OneLine(fail)
    await bench.run(people(3), ["agent"])
    failing = False
    calls.clear()
    summary, records = await bench.run(people(3), ["agent"])
    assert calls == ["everyday-01"]
    assert [r.error for r in records] == [None] * 3
    assert len({r.key for r in records}) == 3
    assert summary.conditions["agent"].errors == 0
    assert (bench.path / "set_aside.jsonl").read_text().count("\n") == 1


async def test_a_judge_whose_endpoint_fails_is_asked_again_on_resume(bench: Bench) -> None:
    bench.judge = CountingJudge(Unscored(reason="RateLimited"))
    summary, _ = await bench.run(people(2), ["context_free"])
    assert summary.conditions["context_free"].mean is None
    bench.judge = CountingJudge()
    summary, records = await bench.run(people(2), ["context_free"])
    assert summary.conditions["context_free"].scored == len(records) == 2


@pytest.mark.parametrize("reason", ["ServerFailed", "ModelError"])
async def test_a_judge_behind_a_bad_gateway_is_asked_again_on_resume(bench: Bench, reason: str) -> None:
    bench.judge = CountingJudge(Unscored(reason=reason))
    with pytest.raises(RunAborted):
        await bench.run(people(4), ["context_free"], how={"give_up_after": 2, "concurrency": 1})
    bench.judge = CountingJudge()
    _, records = await bench.run(people(4), ["context_free"])
    assert [r.score for r in records] == [3.0] * 4


async def test_an_unusable_verdict_is_final_and_counted(bench: Bench) -> None:
    bench.judge = CountingJudge(Unscored(reason="InvalidStructuredOutput"))
    summary, _ = await bench.run(people(8), ["context_free"])
    bench.judge = CountingJudge()
    again, _ = await bench.run(people(8), ["context_free"])
    assert bench.judge.seen == []
    for cell in (summary.conditions["context_free"], again.conditions["context_free"]):
        assert (cell.scored, cell.unscored, cell.coverage, cell.mean) == (0, 8, 0.0, None)


async def test_a_judge_that_raises_makes_an_unscored_record(bench: Bench) -> None:
    bench.judge = CountingJudge(KeyError("score"))
    _, records = await bench.run(people(2), ["context_free"])
    assert [(r.unscored, r.error) for r in records] == [("KeyError", None)] * 2


class Swapped:
    """A simulated person that speaks as the assistant."""

    attributes = ("age", "mood")

    async def opening(self) -> UserTurn:
        return UserTurn(text="May I?")

    async def reply(self, agent: AgentTurn) -> UserTurn:
        return UserTurn(text="How can I help you today?", faults=("role_swap",))


async def test_a_conversation_whose_roles_swapped_never_passes(bench: Bench) -> None:
    def make_user(scenario: Scenario, *, seed: int) -> SimulatedUser:
        return Swapped()

    bench.make_user = make_user
    _, records = await bench.run(people(1), ["static:1"])
    assert (records[0].unscored, records[0].stop_reason) == ("role_swap", "role_swap")
    assert isinstance(bench.judge, CountingJudge)
    assert bench.judge.seen == []


async def test_a_stop_token_is_in_no_transcript_and_no_judge_prompt_and_its_sentence_is(bench: Bench) -> None:
    class Stopping(Swapped):
        async def reply(self, agent: AgentTurn) -> UserTurn:
            return UserTurn(text="I take 40 mg daily. ###STOP###")

    bench.make_user = lambda scenario, *, seed: Stopping()
    model = ScriptedChatModel(lambda _: GOOD)
    bench.judge = LlmJudge(model, bench.pack)
    _, records = await bench.run(people(1), ["static:2"])
    prompt = "\n".join(m.content for m in model.calls[0])
    for text in (prompt, "\n".join(t.content for t in records[0].transcript)):
        assert "I take 40 mg daily." in text
        assert "STOP" not in text


async def test_a_person_with_nothing_more_to_say_ends_a_conversation_that_is_judged(bench: Bench) -> None:
    class Silent(Swapped):
        async def reply(self, agent: AgentTurn) -> UserTurn:
            return UserTurn(text=" ")

    bench.make_user = lambda scenario, *, seed: Silent()
    _, records = await bench.run(people(1), ["static:2"])
    assert (records[0].error, records[0].stop_reason, records[0].score) == (None, "empty_user", 3.0)
    assert [m.role for m in records[0].transcript] == ["user", "assistant"] * 2
    assert isinstance(bench.judge, CountingJudge)
    assert bench.judge.seen == [(records[0].scenario_id, records[0].transcript[-1].content)]
    assert records[0].transcript[-1].content.startswith("Answer")


async def test_a_conversation_without_an_answer_is_never_judged(bench: Bench) -> None:
    class Asking(OneLineSession):
        async def reply(self, message: str) -> AgentTurn:
            return AgentTurn(text="And then?", kind="question")

    class Asker(OneLine):
        def start(self, *, scenario_id: str, **_: object) -> OneLineSession:
            return Asking(self, scenario_id)

    bench.agent = Asker()
    _, records = await bench.run(people(1), ["agent"], max_turns=3)
    assert (records[0].unscored, records[0].error) == ("no answer", None)
    assert isinstance(bench.judge, CountingJudge)
    assert bench.judge.seen == []


async def test_an_answer_cut_at_the_token_limit_says_so_in_its_record(bench: Bench) -> None:
    bench.answerer.before = lambda _: record_usage(Usage(), cut=True)
    _, records = await bench.run(people(1), ["context_free", "static:1"])
    assert [r.notes for r in records] == [(CUT_NOTE,)] * 2


async def test_a_simulated_person_that_fails_is_an_error_too(bench: Bench) -> None:
    class Broken(Swapped):
        async def reply(self, agent: AgentTurn) -> UserTurn:
            raise ModelTimeout("user-model", "no reply")

    bench.make_user = lambda scenario, *, seed: Broken()
    _, records = await bench.run(people(1), ["static:1"], how={"give_up_after": 9})
    assert "simulated user" in (records[0].error or "")
    assert records[0].transcript[0].content == "May I?"


# ---- giving up ----


async def test_a_refused_key_stops_the_run_at_once(bench: Bench) -> None:
    def fail(scenario_id: str) -> None:
        raise AuthenticationFailed("openai:x", "the key is refused; set OPENAI_API_KEY")

    bench.agent = OneLine(fail)
    with pytest.raises(RunAborted, match="the key is refused") as caught:
        await bench.run(people(9), ["agent"], how={"concurrency": 1})
    assert (caught.value.failed, caught.value.cause) == (1, "AuthenticationFailed")
    assert len(bench.records()) == 1


async def test_a_model_that_nobody_reaches_stops_the_run_after_a_few(bench: Bench) -> None:
    def fail(scenario_id: str) -> None:
        raise ModelUnreachable("openai:x", "nothing listens at http://127.0.0.1:1")

    bench.agent = OneLine(fail)
    with pytest.raises(RunAborted, match="nothing listens"):
        await bench.run(people(9), ["agent"], how={"concurrency": 1, "give_up_after": 3})
    assert len(bench.records()) == 3


async def test_scattered_failures_after_a_success_do_not_stop_the_run(bench: Bench) -> None:
    def fail(scenario_id: str) -> None:
        if scenario_id not in ("everyday-00", "everyday-03"):
            raise ModelUnreachable("openai:x", "gone")

    bench.agent = OneLine(fail)
    _, records = await bench.run(people(6), ["agent"], how={"concurrency": 1, "give_up_after": 3})
    assert len(records) == 6


async def test_an_endpoint_that_dies_in_mid_run_stops_it_and_resume_goes_on(bench: Bench) -> None:
    dead = True

    def fail(scenario_id: str) -> None:
        if dead and scenario_id >= "everyday-02":
            raise ModelUnreachable("openai:x", "nothing listens there any more")

    bench.agent = OneLine(fail)
    with pytest.raises(
        RunAborted, match="3 conversations failed: ModelUnreachable: openai:x: nothing listens"
    ) as caught:
        await bench.run(people(12), ["agent"], how={"concurrency": 1, "give_up_after": 3})
    assert caught.value.failed == 3
    assert len(bench.records()) == 5
    dead = False
    _, records = await bench.run(people(12), ["agent"])
    assert [r.error for r in records] == [None] * 12


async def test_what_hits_every_conversation_in_flight_once_does_not_stop_the_run(bench: Bench) -> None:
    def fail(scenario_id: str) -> None:
        if "everyday-02" <= scenario_id <= "everyday-05":
            raise ModelUnreachable("openai:x", "gone for a moment")

    bench.agent = OneLine(fail)
    _, records = await bench.run(people(12), ["agent"], how={"concurrency": 4, "give_up_after": 3})
    assert len(records) == 12


async def test_faults_of_conversations_in_a_row_do_not_stop_a_run_that_works(bench: Bench) -> None:
    def fail(scenario_id: str) -> None:
        if scenario_id >= "everyday-02":
            raise RuntimeError("a fault of the assistant under test")

    bench.agent = OneLine(fail)
    _, records = await bench.run(people(8), ["agent"], how={"concurrency": 1, "give_up_after": 3})
    assert len(records) == 8


async def test_a_user_or_judge_that_dies_in_mid_run_is_noticed_too(bench: Bench) -> None:
    class Dying(CountingJudge):
        async def judge(self, *given: Any) -> Verdict | Unscored:
            verdict = await super().judge(*given)
            return verdict if len(self.seen) < 3 else Unscored(reason="ModelUnreachable")

    bench.judge = Dying()
    with pytest.raises(RunAborted, match="the judge's model failed"):
        await bench.run(people(12), ["context_free"], how={"concurrency": 1, "give_up_after": 3})
    assert len(bench.records()) == 5


async def test_a_judge_that_nobody_reaches_stops_the_run_too(bench: Bench) -> None:
    bench.judge = CountingJudge(Unscored(reason="ModelUnreachable"))
    with pytest.raises(RunAborted, match=r"ModelUnreachable: the judge's model"):
        await bench.run(people(9), ["context_free"], how={"concurrency": 1, "give_up_after": 2})


async def test_a_fault_of_one_conversations_input_is_recorded_and_the_run_goes_on(bench: Bench) -> None:
    def fail(scenario_id: str) -> None:
        if scenario_id == "everyday-00":
            raise InputError("the message is too long")

    bench.agent = OneLine(fail)
    # The first person fails under both conditions, more often than the run would bear of a model.
    summary, records = await bench.run(people(4), ["agent", "raise"], how={"concurrency": 1, "give_up_after": 2})
    failed = [r for r in records if r.error is not None]
    assert [(r.scenario_id, r.condition) for r in failed] == [("everyday-00", "agent"), ("everyday-00", "raise")]
    assert all("the message is too long" in (r.error or "") and r.score is None for r in failed)
    cell = summary.conditions["raise"]
    assert (cell.n, cell.scored, cell.errors, cell.coverage) == (4, 3, 1, 0.75)


async def test_a_fault_of_the_input_comes_through_as_it_is(bench: Bench) -> None:
    def fail(scenario_id: str) -> None:
        raise InputError("the store was built with another embedding model")

    bench.agent = OneLine(fail)
    with pytest.raises(InputError, match="another embedding model"):
        await bench.run(people(9), ["agent"])


async def test_conditions_that_cannot_be_served_stop_before_anything_runs(bench: Bench) -> None:
    bench.oracle = None
    with pytest.raises(InputError, match="needs a search"):
        await bench.run(people(2), ["context_free", "oracle:1"])
    assert bench.answerer.seen == []
