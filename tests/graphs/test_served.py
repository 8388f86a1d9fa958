"""The graph as chat servers run it: each message of a person starts a run on the thread, whatever stands there."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

import pytest
from askfirst.graphs import MessageTooLongError, RaiseSettings, compile_raise_graph
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command

CONFIG: Any = {"configurable": {"thread_id": "t"}}


@pytest.fixture
def served(parts):
    return compile_raise_graph(parts.components(), RaiseSettings(budget=3), InMemorySaver())


def said(state: dict[str, Any]) -> list[tuple[str, str]]:
    return [(m.type, m.text) for m in state["messages"]]


async def test_danger_while_a_question_waits_is_seen(served):
    asked = await served.ainvoke({"messages": [("user", "Should I move house?")]}, CONFIG)
    assert asked["__interrupt__"][0].value["attribute"] == "mood"
    state = await served.ainvoke({"messages": [("user", "DANGER tonight")]}, CONFIG)
    assert (state["stop_reason"], state["answer"]) == ("crisis", "Help is near (None).")
    assert "__interrupt__" not in state
    assert said(state) == [
        ("human", "Should I move house?"),
        ("ai", "About mood?"),
        ("human", "DANGER tonight"),
        ("ai", "Help is near (None)."),
    ]


async def test_danger_after_a_finished_answer_is_seen(served, parts):
    parts.enough = 1
    finished = await served.ainvoke({"messages": [("user", "mood=low. What now?")]}, CONFIG)
    assert finished["answer"] == "Answer for ['mood']"
    state = await served.ainvoke({"messages": [("user", "DANGER tonight")]}, CONFIG)
    assert (state["stop_reason"], state["answer"]) == ("crisis", "Help is near (None).")


async def test_a_message_while_a_question_waits_is_the_reply(served, parts):
    parts.enough = 2
    await served.ainvoke({"messages": [("user", "What now?")]}, CONFIG)
    await served.ainvoke({"messages": [("user", "mood=low")]}, CONFIG)
    state = await served.ainvoke({"messages": [("user", "health=good")]}, CONFIG)
    assert state["answer"] == "Answer for ['health', 'mood']"
    assert state["asked"] == ["mood", "health"]
    assert parts.answered_with.query == "What now?"
    assert parts.answered_with.exchanges == (("About mood?", "mood=low"), ("About health?", "health=good"))


async def test_messages_and_resumed_questions_may_alternate(served, parts):
    parts.enough = 3
    await served.ainvoke({"messages": [("user", "What now?")]}, CONFIG)
    await served.ainvoke(Command(resume="mood=low"), CONFIG)
    await served.ainvoke({"messages": [("user", "health=good")]}, CONFIG)
    state = await served.ainvoke(Command(resume='{"text": "money=none"}'), CONFIG)
    assert state["known"] == {"mood": "low", "health": "good", "money": "none"}
    assert [kind for kind, _ in said(state)] == ["human", "ai"] * 4


async def test_a_message_that_declines_skips_the_question(served):
    await served.ainvoke({"messages": [("user", "What now?")]}, CONFIG)
    state = await served.ainvoke({"messages": [("user", "I'd rather not say")]}, CONFIG)
    assert state["declined"] == ["mood"]
    assert state["__interrupt__"][0].value["attribute"] == "health"


async def test_a_new_request_after_an_answer_is_a_new_request(served, parts):
    parts.enough = 1
    await served.ainvoke({"messages": [("user", "mood=low. What now?")]}, CONFIG)
    await served.ainvoke({"messages": [("user", "health=good. And then?")]}, CONFIG)
    assert parts.answered_with.query == "health=good. And then?"


async def test_a_request_beside_messages_does_not_hide_them(served, parts):
    state = await served.ainvoke({"query": "What now?", "messages": [("user", "DANGER"), ("user", "hello?")]}, CONFIG)
    assert state["stop_reason"] == "crisis"


async def test_several_messages_at_once_are_all_read(served):
    await served.ainvoke({"messages": [("user", "What now?")]}, CONFIG)
    state = await served.ainvoke({"messages": [("user", "DANGER"), ("user", "forget it, mood=fine")]}, CONFIG)
    assert state["stop_reason"] == "crisis"


async def test_a_message_that_is_too_long_does_not_block_the_thread(served, parts):
    with pytest.raises(MessageTooLongError):
        await served.ainvoke({"messages": [("user", "x" * 30_000)]}, CONFIG)
    parts.enough = 0
    state = await served.ainvoke({"messages": [("user", "DANGER")]}, CONFIG)
    assert state["stop_reason"] == "crisis"


@pytest.mark.parametrize("waits", [False, True])
async def test_danger_is_seen_beside_messages_that_are_too_long_to_be_read_together(served, waits):
    if waits:
        await served.ainvoke({"messages": [("user", "What now?")]}, CONFIG)
    for rest in ("x" * 19_999, "x" * 30_000):
        state = await served.ainvoke({"messages": [("user", "DANGER"), ("user", rest)]}, CONFIG)
        assert (state["stop_reason"], state["answer"]) == ("crisis", "Help is near (None).")


async def test_danger_inside_a_message_that_is_too_long_is_seen(served):
    state = await served.ainvoke({"messages": [("user", "x" * 15_000 + " DANGER " + "x" * 15_000)]}, CONFIG)
    assert state["stop_reason"] == "crisis"


async def test_the_model_hears_messages_beside_a_request(served):
    state = await served.ainvoke({"query": "What now?", "messages": [("user", "something worrying")]}, CONFIG)
    assert (state["stop_reason"], state["crisis"]["source"]) == ("crisis", "model")


class ParentState(TypedDict, total=False):
    messages: Annotated[list[Any], add_messages]
    crisis: dict[str, str] | None


async def test_as_a_part_of_a_chat_app_each_message_is_read(parts):
    builder = StateGraph(ParentState)
    builder.add_node("raise", compile_raise_graph(parts.components(), RaiseSettings(budget=2)))
    builder.add_edge(START, "raise")
    builder.add_edge("raise", END)
    app = builder.compile(checkpointer=InMemorySaver())
    history = [HumanMessage("Hi"), AIMessage("Hello"), HumanMessage("What now?")]
    asked = await app.ainvoke({"messages": history}, CONFIG)
    assert "__interrupt__" in asked
    state = await app.ainvoke({"messages": [HumanMessage("DANGER tonight")]}, CONFIG)
    assert state["crisis"] == {"source": "rule", "rule": "danger"}


@pytest.mark.parametrize("sent", ['"mood=low"', '{"text": "mood=low"}', ' {"text": "mood=low"} ', {"text": "mood=low"}])
async def test_a_reply_in_json_is_the_text_in_it(served, sent):
    await served.ainvoke({"query": "What now?"}, CONFIG)
    await served.ainvoke(Command(resume=sent), CONFIG)
    state = (await served.aget_state(CONFIG)).values
    assert (state["known"], state["last_reply"]) == ({"mood": "low"}, "mood=low")


@pytest.mark.parametrize("sent", ['{"mood": "low"}', "{text", '"quoted" and more', '["mood=low"]'])
async def test_json_that_is_no_reply_is_what_the_person_wrote(served, sent):
    await served.ainvoke({"query": "What now?"}, CONFIG)
    await served.ainvoke(Command(resume=sent), CONFIG)
    assert (await served.aget_state(CONFIG)).values["last_reply"] == sent
