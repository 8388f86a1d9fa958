"""What a conversation does: questions, answers, skips, crisis, retrieval and why it stops."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from typing import Any

import pytest
from askfirst.agents.context import AgentContext, Assessment, CrisisSignal, Extracted, Question
from askfirst.graphs import AnswerReply, QuestionReply, RaiseAgent, RaiseSettings
from askfirst.models import CUT_NOTE, Usage, record_usage
from askfirst.vectorstore import StoreUnusable


def question(reply: Any) -> QuestionReply:
    assert isinstance(reply, QuestionReply), reply
    return reply


def answer(reply: Any) -> AnswerReply:
    assert isinstance(reply, AnswerReply), reply
    return reply


async def test_four_answers_cost_exactly_the_calls_of_four_answers(parts, make_store, make_path):
    store = make_store([make_path("job", "age")])
    parts.enough = 4
    agent = RaiseAgent(parts.components(store=store), RaiseSettings(budget=6))
    reply = await agent.astart("What now?")
    for number in range(4):
        asked = question(reply)
        assert (asked.asked, asked.budget, asked.skippable) == (number + 1, 6, True)
        reply = await agent.areply(asked.thread_id, f"{asked.attribute}=v{number}")
    done = answer(reply)
    assert done.stop_reason == "sufficient"
    assert done.asked == ("job", "age", "mood", "health")
    assert parts.calls == {"assess": 5, "next_question": 5, "extract": 5, "opinion": 5, "respond": 1}
    assert parts.asked_of_extraction == [None, "job", "age", "mood", "health"]
    assert store.searches == [("What now?", 5)]


async def test_the_answer_is_given_exactly_what_was_told(parts):
    agent = RaiseAgent(parts.components(), RaiseSettings(budget=1))
    first = question(await agent.astart("What now? home=far", country="gb", domain="everyday"))
    done = answer(await agent.areply(first.thread_id, "mood=low and job=none"))
    assert done.known == {"home": "far", "mood": "low", "job": "none"}
    seen = parts.answered_with
    assert (seen.known, seen.country, seen.domain) == (done.known, "GB", "Everyday")
    assert seen.exchanges == (("About mood?", "mood=low and job=none"),)
    assert done.text == "Answer for ['home', 'job', 'mood']"
    assert (done.stop_reason, done.crisis, done.declined) == ("budget", False, ())


@pytest.mark.parametrize(
    "skip", [None, "", "  ", "Skip.", "I'd rather not say", "prefer not to say", "please skip this", "/skip", "\x00"]
)
async def test_a_skipped_question_is_declined_without_a_call_and_never_asked_again(parts, skip):
    agent = RaiseAgent(parts.components(), RaiseSettings(budget=6))
    reply = question(await agent.astart("What now?"))
    skipped = reply.attribute
    reply = await agent.areply(reply.thread_id, skip)
    assert parts.calls["extract"] == 1
    seen = [skipped]
    while isinstance(reply, QuestionReply):
        seen.append(reply.attribute)
        reply = await agent.areply(reply.thread_id, "hm")
    assert len(seen) == len(set(seen)) == 6
    assert reply.declined == (skipped,)


async def test_an_attribute_asked_once_is_never_asked_again_even_when_the_part_wants_to(parts):
    class Stubborn:
        async def next_question(self, context: AgentContext) -> Question | None:
            return Question(attribute="age", text="How old?")

    agent = RaiseAgent(parts.components(acquisition=Stubborn()), RaiseSettings(budget=4))
    reply = question(await agent.astart("What now?"))
    assert reply.question == "How old?"
    reply = question(await agent.areply(reply.thread_id, "no idea"))
    assert (reply.attribute, reply.question) == ("mood", "Pack question on mood?")
    assert reply.notes[-1].startswith("acquisition: its attribute cannot be asked")


async def test_a_declined_attribute_that_is_told_later_is_known(parts):
    agent = RaiseAgent(parts.components(), RaiseSettings(budget=2))
    reply = await agent.astart("What now? no:home")
    thread = reply.thread_id
    await agent.areply(thread, None)
    done = answer(await agent.areply(thread, "mood=low home=far"))
    assert done.known == {"mood": "low", "home": "far"}
    assert done.declined == ()


async def test_wanting_the_answer_now_ends_the_questions(parts):
    agent = RaiseAgent(parts.components())
    reply = await agent.astart("What now?")
    done = answer(await agent.areply(reply.thread_id, "Please just answer my question!"))
    assert (done.stop_reason, done.declined) == ("declined", ("mood",))
    assert parts.calls["assess"] == 1


@pytest.mark.parametrize(
    "text",
    [
        "I don't want to answer any more questions",
        "I do not want to answer these questions.",
        "No further questions, please",
        "I won't answer any more questions, sorry",
        "I'm done with questions",
        "Enough of these questions!",
    ],
)
async def test_wanting_no_more_questions_ends_them(parts, text):
    agent = RaiseAgent(parts.components())
    reply = await agent.astart("What now?")
    done = answer(await agent.areply(reply.thread_id, text))
    assert (done.stop_reason, done.declined) == ("declined", ("mood",))


@pytest.mark.parametrize("text", ["no thanks", "let's move on", "whatever", "🙂", "跳过", "lieber nicht"])
async def test_a_skip_wording_declines_and_costs_no_call(parts, text):
    agent = RaiseAgent(parts.components())
    reply = await agent.astart("What now?")
    reply = question(await agent.areply(reply.thread_id, text))
    assert (await agent.astate(reply.thread_id))["declined"] == ["mood"]
    assert parts.calls["extract"] == 1


async def test_the_crisis_rules_know_what_was_asked(parts):
    heard: list[tuple[str, str | None]] = []

    class Screen:
        def rules(self, message: str, *, asked: str | None = None) -> CrisisSignal | None:
            heard.append((message, asked))
            risk = asked == "mood" and message == "Yes, last night."
            return CrisisSignal(source="rule", rule="danger") if risk else None

        async def model(self, message: str, context: AgentContext) -> CrisisSignal | None:
            return None

        def answer(self, country: str | None, *, again: bool = False) -> str:
            return "Help is near."

    agent = RaiseAgent(parts.components(crisis=Screen()))
    first = question(await agent.astart("Yes, last night."))
    done = answer(await agent.areply(first.thread_id, "Yes, last night."))
    assert (done.crisis, done.text) == (True, "Help is near.")
    assert set(heard) == {("Yes, last night.", None), ("Yes, last night.", "mood")}
    assert parts.calls["extract"] == 1  # the reply was not read


@pytest.mark.parametrize(
    "text", ["skip work tomorrow", "no", "None", "no more, since May", "enough", "pass me the exam"]
)
async def test_an_answer_that_resembles_a_skip_is_read_as_an_answer(parts, text):
    agent = RaiseAgent(parts.components())
    reply = await agent.astart("What now?")
    reply = await agent.areply(reply.thread_id, text)
    assert parts.calls["extract"] == 2
    assert (await agent.astate(reply.thread_id))["declined"] == []


async def test_stops_when_nothing_is_left_and_says_whether_refusals_were_the_cause(parts):
    everything = " ".join(f"{a}=x" for a in parts.pack.attribute_ids)
    agent = RaiseAgent(parts.components(), RaiseSettings(budget=6))
    assert answer(await agent.astart(everything)).stop_reason == "exhausted"
    refusing = answer(await agent.astart(everything.replace("mood=x", "no:mood")))
    assert (refusing.stop_reason, refusing.declined) == ("declined", ("mood",))


async def test_budget_zero_answers_at_once_with_what_the_opening_told(parts):
    agent = RaiseAgent(parts.components(), RaiseSettings(budget=0))
    done = answer(await agent.astart("What now? job=nurse"))
    assert (done.stop_reason, done.known, done.asked) == ("budget", {"job": "nurse"}, ())
    assert parts.calls == {"extract": 1, "opinion": 1, "respond": 1}


async def test_values_for_attributes_that_the_pack_does_not_have_are_left_out_with_a_note(parts):
    agent = RaiseAgent(parts.components(), RaiseSettings(budget=0))
    done = answer(await agent.astart("What now? shoe=43 job=nurse"))
    assert done.known == {"job": "nurse"}
    assert any("unknown to pack 'toy'" in note for note in done.notes)
    assert "43" not in " ".join(done.notes)


async def test_an_answer_cut_at_the_token_limit_says_so(parts):
    class Cut:
        async def stream(self, context: AgentContext):
            yield "Take one"
            record_usage(Usage(calls=1), cut=True)

    components = replace(parts.components(), responder=Cut())
    done = answer(await RaiseAgent(components, RaiseSettings(budget=0)).astart("What now?"))
    assert done.text == "Take one"
    assert CUT_NOTE in done.notes


async def test_fallbacks_of_the_parts_are_told(parts):
    class Falling:
        async def assess(self, context: AgentContext) -> Assessment:
            return Assessment(sufficient=False, fallback="model gave no number")

        async def next_question(self, context: AgentContext) -> Question | None:
            return Question(attribute="age", text="", fallback="model chose nothing")

        async def extract(self, message: str, *, asked: str | None, context: AgentContext) -> Extracted:
            return Extracted(fallback="rules read it")

    falling = Falling()
    components = parts.components(abstention=falling, acquisition=falling, extraction=falling)
    reply = question(await RaiseAgent(components).astart("What now?"))
    assert reply.question == "Pack question on age?"
    assert {
        "abstention: model gave no number",
        "acquisition: model chose nothing",
        "reading the opening message: rules read it",
        "acquisition: empty question: the pack's wording used",
    } <= set(reply.notes)


# Crisis


async def test_crisis_rules_on_the_opening_message_stop_everything_else(parts, make_store):
    store = make_store()
    agent = RaiseAgent(parts.components(store=store), RaiseSettings(country="IE"))
    done = answer(await agent.astart("I am in DANGER"))
    assert (done.text, done.stop_reason, done.crisis) == ("Help is near (IE).", "crisis", True)
    assert not parts.calls
    assert store.searches == []


async def test_crisis_rules_on_an_answer_stop_the_questionnaire_before_any_call(parts):
    agent = RaiseAgent(parts.components())
    reply = await agent.astart("What now?")
    parts.calls.clear()
    done = answer(await agent.areply(reply.thread_id, "mood=low DANGER"))
    assert (done.stop_reason, done.crisis, done.asked) == ("crisis", True, ("mood",))
    assert not parts.calls


@pytest.mark.parametrize("turn", ["opening", "answer"])
async def test_a_models_opinion_discards_the_prepared_question(parts, turn):
    agent = RaiseAgent(parts.components())
    if turn == "opening":
        done = answer(await agent.astart("a worrying message"))
    else:
        reply = await agent.astart("What now?")
        done = answer(await agent.areply(reply.thread_id, "a worrying message"))
    assert (done.text, done.stop_reason) == ("Help is near (None).", "crisis")
    assert parts.calls["respond"] == 0
    assert (await agent.astate(done.thread_id))["pending"] is None


async def test_a_flag_overrules_a_failing_part(parts):
    class Failing:
        async def assess(self, context: AgentContext) -> Assessment:
            raise RuntimeError("model down")

    agent = RaiseAgent(parts.components(abstention=Failing()))
    assert answer(await agent.astart("a worrying message")).crisis
    with pytest.raises(RuntimeError, match="model down"):
        await agent.astart("What now?")


async def test_a_flag_ends_the_calls_that_run_beside_it(parts):
    under_way, ended = asyncio.Event(), []

    class Endless:
        async def assess(self, context: AgentContext) -> Assessment:
            under_way.set()
            try:
                await asyncio.sleep(60)
            finally:
                ended.append(True)
            raise AssertionError("not reached")

    class Late(type(parts.components().crisis)):
        async def model(self, message: str, context: AgentContext) -> CrisisSignal | None:
            await under_way.wait()
            return await super().model(message, context)

    agent = RaiseAgent(parts.components(abstention=Endless(), crisis=Late(parts.calls)))
    assert answer(await asyncio.wait_for(agent.astart("a worrying message"), timeout=10)).crisis
    assert ended == [True]


# Time to the first question


async def test_the_first_question_takes_one_round_trip(parts):
    """All four calls must be under way at the same time: each waits for the others."""
    barrier = asyncio.Barrier(4)

    class Slow:
        async def assess(self, context: AgentContext) -> Assessment:
            await barrier.wait()
            return await parts.assess(context)

        async def next_question(self, context: AgentContext) -> Question | None:
            await barrier.wait()
            return await parts.next_question(context)

        async def extract(self, message: str, *, asked: str | None, context: AgentContext) -> Extracted:
            await barrier.wait()
            return await parts.extract(message, asked=asked, context=context)

        def rules(self, message: str, *, asked: str | None = None) -> CrisisSignal | None:
            return None

        async def model(self, message: str, context: AgentContext) -> CrisisSignal | None:
            await barrier.wait()
            return None

        def answer(self, country: str | None) -> str:
            return "unused"

    slow = Slow()
    components = parts.components(abstention=slow, acquisition=slow, extraction=slow, crisis=slow)
    agent = RaiseAgent(components, RaiseSettings(budget=2))
    reply = question(await asyncio.wait_for(agent.astart("What now? mood=low"), timeout=10))
    assert reply.attribute == "health"  # The prepared question was about mood, which the opening message had told.
    assert reply.notes == ("no planned paths: asked in the pack's order",)
    assert (await agent.astate(reply.thread_id))["known"] == {"mood": "low"}


async def test_what_rules_read_in_the_opening_message_counts_for_abstention(parts):
    parts.enough = 2
    done = answer(await RaiseAgent(parts.components()).astart("What now? mood=low job=none"))
    assert (done.stop_reason, done.asked) == ("sufficient", ())


# Retrieval


async def test_paths_are_ranked_by_score_then_similarity_and_the_top_one_may_be_the_plan(parts, make_store, make_path):
    near_but_poor = make_path("age", score=3.0, similarity=0.99)
    good = make_path("job", "home", score=4.5, similarity=0.5)
    as_good_and_nearer = make_path("home", "money", score=4.5, similarity=0.6)
    store = make_store([near_but_poor, good, as_good_and_nearer])
    agent = RaiseAgent(parts.components(store=store), RaiseSettings(retrieve_k=3, plan_from="top"))
    reply = question(await agent.astart("What now?"))
    assert (reply.attribute, reply.notes) == ("home", ())
    state = await agent.astate(reply.thread_id)
    assert state["plan"] == ["home", "money"]
    assert [e["path"] for e in state["examples"]] == [["home", "money"], ["job", "home"], ["age"]]


async def test_the_plan_is_the_consensus_of_the_retrieved_paths(parts, make_store, make_path):
    paths = [
        make_path("age", score=5.0, similarity=0.7),  # the best score taught something that the others do not confirm
        make_path("job", "home", score=4.0, similarity=0.6),
        make_path("job", "money", score=4.0, similarity=0.6),
    ]
    agent = RaiseAgent(parts.components(store=make_store(paths)), RaiseSettings(retrieve_k=3))
    reply = question(await agent.astart("What now?"))
    assert reply.attribute == "job"
    assert (await agent.astate(reply.thread_id))["plan"] == ["job", "age", "money", "home"]


async def test_without_a_usable_store_the_pack_order_is_the_plan_and_a_note_says_so(parts, make_store, make_path):
    cases = {
        "no planned paths: asked in the pack's order": None,
        "store empty: asked in the pack's order": make_store(),
        "store holds no path of this pack: asked in the pack's order": make_store([make_path("job", pack="other")]),
        "store unreachable (ConnectionError): asked in the pack's order": make_store(
            error=ConnectionError("secret words")
        ),
        "store unreachable (StoreUnusable): asked in the pack's order": make_store(
            error=StoreUnusable("f", "is closed", "open")
        ),
    }
    for note, store in cases.items():
        agent = RaiseAgent(parts.components(store=store))
        reply = question(await agent.astart("What now?"))
        assert (reply.attribute, reply.notes) == ("mood", (note,))
        assert (await agent.astate(reply.thread_id))["plan"] == list(parts.pack.by_sensitivity())


async def test_a_bug_in_a_store_is_not_taken_for_an_unreachable_one(parts, make_store):
    agent = RaiseAgent(parts.components(store=make_store(error=TypeError("a bug"))))
    with pytest.raises(TypeError, match="a bug"):
        await agent.astart("What now?")


async def test_without_planner_nothing_is_retrieved(parts, make_store, make_path):
    store = make_store([make_path("age")])
    agent = RaiseAgent(parts.components(store=store), RaiseSettings(use_planner=False))
    reply = question(await agent.astart("What now?"))
    assert (reply.attribute, reply.notes, store.searches) == ("mood", (), [])


async def test_a_slow_store_does_not_block_the_loop(parts, make_path):
    free = threading.Event()

    class Slow:
        def search(self, query: str, k: int = 5, *, domain: str | None = None) -> list[Any]:
            assert free.wait(timeout=10), "the loop was blocked"
            return [make_path("age")]

    async def goes_on() -> None:
        await asyncio.sleep(0.01)
        free.set()

    reply, _ = await asyncio.gather(RaiseAgent(parts.components(store=Slow())).astart("What now?"), goes_on())
    assert question(reply).attribute == "age"
