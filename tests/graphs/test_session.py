"""RaiseAgent: threads, errors, streaming, failures and both ways of calling it."""

from __future__ import annotations

import asyncio
import contextvars
import itertools
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing

import pytest
from askfirst.agents.context import AgentContext
from askfirst.domains import UnknownNameError
from askfirst.graphs import (
    AnswerReply,
    ConversationBusyError,
    ConversationFinishedError,
    EmptyAnswerError,
    EmptyQueryError,
    InvalidQueryError,
    InvalidReplyError,
    MessageTooLongError,
    QuestionReply,
    RaiseAgent,
    RaiseSettings,
    SettingsError,
    ThreadExistsError,
    TurnUnfinishedError,
    UnknownThreadError,
)

CALLER = contextvars.ContextVar("CALLER", default="nobody")


class Responder:
    """Fails ``failures`` times after its first piece, then answers; or answers with ``pieces``."""

    def __init__(self, *pieces: str, failures: int = 0) -> None:
        self.pieces, self.failures, self.closed = pieces, failures, False

    async def stream(self, context: AgentContext) -> AsyncIterator[str]:
        try:
            for piece in self.pieces:
                yield piece
                if self.failures:
                    self.failures -= 1
                    raise ConnectionError("model unreachable")
                await asyncio.sleep(0)
        finally:
            self.closed = True

    async def answer(self, context: AgentContext) -> str:
        return "".join(self.pieces)


async def test_errors_name_what_is_wrong_with_a_call(parts):
    agent = RaiseAgent(parts.components(), RaiseSettings(budget=1))
    with pytest.raises(UnknownThreadError, match="'t' does not exist"):
        await agent.areply("t", "hello")
    with pytest.raises(UnknownThreadError):
        await agent.aresume("t")
    with pytest.raises(UnknownThreadError):
        await agent.astate("t")
    with pytest.raises(EmptyQueryError):
        await agent.astart(" \x00 ")
    with pytest.raises(SettingsError, match="country"):
        await agent.astart("What now?", thread_id="t", country="Ireland")
    with pytest.raises(UnknownNameError, match="did you mean 'Everyday'"):
        await agent.astart("What now?", thread_id="t", domain="Everday")
    await agent.astart("What now?", thread_id="t")  # The failed calls left nothing behind.
    with pytest.raises(ThreadExistsError) as taken:
        await agent.astart("What now?", thread_id="t")
    assert taken.value.thread_id == "t"
    with pytest.raises(InvalidReplyError, match="not list"):
        await agent.areply("t", ["mood=low"])
    assert isinstance(await agent.areply("t", "mood=low"), AnswerReply)
    with pytest.raises(ConversationFinishedError, match="takes no more replies"):
        await agent.areply("t", "one more thing")
    assert parts.calls["respond"] == 1


@pytest.mark.parametrize("wrong", [{"budget": -1}, {"retrieve_k": 0}, {"country": "GBR"}])
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(SettingsError, match=next(iter(wrong))):
        RaiseSettings(**wrong)


def test_a_domain_that_the_pack_lacks_is_refused_when_the_agent_is_made(parts):
    with pytest.raises(UnknownNameError):
        RaiseAgent(parts.components(), RaiseSettings(domain="Carer"))


@pytest.mark.parametrize("query", [None, 123, b"x", ["What now?"], True])
def test_an_opening_message_that_is_no_text_is_refused(parts, query):
    with RaiseAgent(parts.components()) as agent, pytest.raises(InvalidQueryError, match="must be text, not"):
        agent.start(query)
    assert parts.calls == {}


@pytest.mark.parametrize(
    "query", ["", " \n", "\u200b\u200d\ufeff", "\u2060 \u00ad", "\u3164", "\ufe0f\u200d", "\ufffd"]
)
async def test_an_opening_message_that_shows_nothing_is_blank(parts, query):
    with pytest.raises(EmptyQueryError):
        await RaiseAgent(parts.components()).astart(query)


async def test_a_message_has_a_longest_length(parts):
    agent = RaiseAgent(parts.components())
    with pytest.raises(MessageTooLongError, match="may have 20,000 characters, but this one has 1,000,000; "):
        await agent.astart("x" * 1_000_000, thread_id="t")
    first = await agent.astart("x" * 20_000, thread_id="t")
    with pytest.raises(MessageTooLongError, match="20,001"):
        await agent.areply("t", "x" * 20_001)
    assert await agent.aresume("t") == first  # nothing was taken
    assert isinstance(await agent.areply("t", "x" * 20_000), QuestionReply)


async def test_ids_come_from_the_given_source(parts):
    counter = itertools.count()
    agent = RaiseAgent(parts.components(), new_id=lambda: f"c{next(counter)}")
    assert [(await agent.astart("What now?")).thread_id for _ in range(2)] == ["c0", "c1"]
    assert len((await RaiseAgent(parts.components()).astart("What now?")).thread_id) == 32


async def test_two_calls_on_one_conversation_at_once_are_refused(parts):
    gate = asyncio.Event()

    class Waiting:
        async def assess(self, context: AgentContext):
            await gate.wait()
            return await parts.assess(context)

    agent = RaiseAgent(parts.components(abstention=Waiting()))
    first = asyncio.create_task(agent.astart("What now?", thread_id="t"))
    await asyncio.sleep(0)
    with pytest.raises(ConversationBusyError):
        await agent.areply("t", "mood=low")
    with pytest.raises(ConversationBusyError):
        await agent.aforget("t")
    gate.set()
    assert isinstance(await first, QuestionReply)
    assert isinstance(await agent.areply("t", "mood=low"), QuestionReply)


# Streaming


async def test_the_answer_streams_and_the_reply_is_the_last_item(parts):
    agent = RaiseAgent(parts.components(responder=Responder("Try", "", " this.")), RaiseSettings(budget=1))
    asked = [item async for item in agent.astream("What now?", thread_id="t")]
    assert [type(item) for item in asked] == [QuestionReply]
    *pieces, reply = [item async for item in agent.astream_reply("t", "mood=low")]
    assert pieces == ["Try", " this."]
    assert (reply.text, reply.stop_reason) == ("Try this.", "budget")


async def test_the_crisis_text_streams_too(parts):
    *pieces, reply = [item async for item in RaiseAgent(parts.components()).astream("DANGER")]
    assert pieces == [reply.text] == ["Help is near (None)."]


def test_streams_without_async(parts):
    with RaiseAgent(parts.components(responder=Responder("Try", " this.")), RaiseSettings(budget=1)) as agent:
        [asked] = agent.stream("What now?", thread_id="t")
        *pieces, reply = agent.stream_reply(asked.thread_id, "mood=low")
        assert (pieces, reply.text) == (["Try", " this."], "Try this.")
        with pytest.raises(ConversationFinishedError):
            list(agent.stream_reply("t", "again"))


async def test_a_stream_left_early_stops_the_responder_and_can_be_resumed(parts):
    responder = Responder("Try", " this", " one.")
    agent = RaiseAgent(parts.components(responder=responder), RaiseSettings(budget=0))
    async with aclosing(agent.astream("What now?", thread_id="t")) as items:
        assert await anext(items) == "Try"
    assert responder.closed
    assert (await agent.aresume("t")).text == "Try this one."


def test_a_sync_stream_left_early_frees_the_conversation(parts):
    with RaiseAgent(parts.components(responder=Responder("Try", " this", ".")), RaiseSettings(budget=0)) as agent:
        items = agent.stream("What now?", thread_id="t")
        assert next(items) == "Try"
        items.close()
        assert agent.resume("t").text == "Try this."


# Failures


@pytest.mark.parametrize("again", ["same reply", "resume", "stream the same reply"])
async def test_a_failing_responder_raises_and_the_turn_can_be_finished(parts, again):
    agent = RaiseAgent(parts.components(responder=Responder("Try", " this.", failures=1)), RaiseSettings(budget=1))
    await agent.astart("What now?", thread_id="t")
    with pytest.raises(ConnectionError, match="unreachable") as failed:
        await agent.areply("t", "mood=low")
    assert any("'t' stopped at the failed step" in note for note in failed.value.__notes__)
    assert (await agent.astate("t"))["answer"] is None
    with pytest.raises(TurnUnfinishedError, match="resume"):
        await agent.areply("t", "something else")
    parts.calls.clear()
    if again == "same reply":
        reply = await agent.areply("t", "mood=low")
    elif again == "resume":
        reply = await agent.aresume("t")
    else:
        *pieces, reply = [item async for item in agent.astream_reply("t", "mood=low")]
        assert pieces == ["Try", " this."]
    assert (reply.text, reply.known) == ("Try this.", {"mood": "low"})
    assert not parts.calls  # Only the failed step ran again.


async def test_an_empty_answer_is_an_error(parts):
    agent = RaiseAgent(parts.components(responder=Responder(" ", "\n")), RaiseSettings(budget=0))
    with pytest.raises(EmptyAnswerError):
        await agent.astart("What now?")


@pytest.mark.parametrize("part", ["abstention", "acquisition", "extraction"])
async def test_a_failing_part_of_the_first_turn_raises_its_own_error_and_can_be_resumed(parts, part):
    class Once:
        failed = False

        def __getattr__(self, name):
            return self._first if not self.failed else getattr(parts, name)

        async def _first(self, *args, **kwargs):
            self.failed = True
            raise TimeoutError("too slow")

    agent = RaiseAgent(parts.components(**{part: Once()}))
    with pytest.raises(TimeoutError, match="too slow"):
        await agent.astart("What now?", thread_id="t")
    with pytest.raises(ThreadExistsError, match="resume"):
        await agent.astart("What now?", thread_id="t")
    with pytest.raises(TurnUnfinishedError):
        await agent.areply("t", "mood=low")
    assert (await agent.aresume("t")).attribute == "mood"


async def test_resume_reads_a_waiting_or_finished_conversation_again_at_no_cost(parts):
    agent = RaiseAgent(parts.components(), RaiseSettings(budget=1))
    asked = await agent.astart("What now?", thread_id="t")
    parts.calls.clear()
    assert await agent.aresume("t") == asked
    assert not parts.calls
    done = await agent.areply("t", "mood=low")
    parts.calls.clear()
    assert await agent.aresume("t") == done
    assert not parts.calls


async def test_a_cancelled_turn_ends_its_calls_and_can_be_resumed(parts):
    ended = []

    class Endless:
        async def assess(self, context: AgentContext):
            if not ended:
                try:
                    await asyncio.sleep(60)
                finally:
                    ended.append(True)
            return await parts.assess(context)

    agent = RaiseAgent(parts.components(abstention=Endless()))
    turn = asyncio.create_task(agent.astart("What now?", thread_id="t"))
    await asyncio.sleep(0.05)
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert ended
    assert isinstance(await agent.aresume("t"), QuestionReply)


# Sync


def test_sync_calls(parts):
    with RaiseAgent(parts.components(), RaiseSettings(budget=1)) as agent:
        asked = agent.start("What now?", country="GB")
        assert agent.resume(asked.thread_id) == asked
        assert agent.state(asked.thread_id)["country"] == "GB"
        assert agent.reply(asked.thread_id, "mood=low").known == {"mood": "low"}
        agent.forget(asked.thread_id)
        with pytest.raises(UnknownThreadError):
            agent.state(asked.thread_id)


@pytest.mark.parametrize("checkpointer", ["memory", "sqlite"])
async def test_sync_calls_work_inside_a_running_loop(parts, tmp_path, checkpointer):
    where = "memory" if checkpointer == "memory" else f"sqlite:{tmp_path / 'c.sqlite'}"
    with RaiseAgent(parts.components(), RaiseSettings(budget=2), where) as agent:
        asked = agent.start("What now?")
        asked = await agent.areply(asked.thread_id, "mood=low")  # Both ways on one conversation.
        done = agent.reply(asked.thread_id, "health=good")
        assert done.known == {"mood": "low", "health": "good"}
        assert await agent.aresume(asked.thread_id) == done


def test_the_callers_context_reaches_the_parts(parts):
    seen = []

    class Reading:
        async def assess(self, context: AgentContext):
            seen.append((CALLER.get(), threading.current_thread() is threading.main_thread()))
            return await parts.assess(context)

    with RaiseAgent(parts.components(abstention=Reading())) as agent:
        CALLER.set("me")
        agent.start("What now?")
        list(agent.stream("What now?"))
    assert seen == [("me", False)] * 2


def test_conversations_from_many_threads_run_beside_each_other(parts):
    barrier = asyncio.Barrier(8)

    class Meeting:
        async def assess(self, context: AgentContext):
            await asyncio.wait_for(barrier.wait(), timeout=20)  # Passes only when all eight are here.
            return await parts.assess(context)

    with RaiseAgent(parts.components(abstention=Meeting())) as agent, ThreadPoolExecutor(8) as threads:
        replies = list(threads.map(agent.start, ["What now?"] * 8))
    assert len({r.thread_id for r in replies}) == 8


def test_a_closed_agent_refuses_further_use_and_leaves_no_thread(parts):
    agent = RaiseAgent(parts.components())
    agent.start("What now?")
    assert any(t.name == "askfirst-agent" for t in threading.enumerate())
    agent.close()
    agent.close()
    assert not any(t.name == "askfirst-agent" for t in threading.enumerate())
    with pytest.raises(RuntimeError, match="closed"):
        agent.start("What now?")
    with pytest.raises(RuntimeError, match="closed"):
        list(agent.stream("What now?"))
