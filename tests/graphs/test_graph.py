"""The graph itself: its picture, its place in a larger graph, and use without RaiseAgent."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from askfirst.agents.context import AgentContext, Assessment
from askfirst.graphs import (
    EmptyQueryError,
    RaiseSettings,
    compile_raise_graph,
    open_checkpointer,
)
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.config import get_config
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command

ROOT = Path(__file__).parents[2]


class ParentState(TypedDict, total=False):
    messages: Annotated[list[Any], add_messages]
    stop_reason: str
    visits: int


def config(thread: str = "t") -> dict[str, Any]:
    return {"configurable": {"thread_id": thread}}


def parent(parts, saver, *, budget: int = 2):
    """A chat app: a node of its own, RAISE as a node, and END."""
    builder = StateGraph(ParentState)
    builder.add_node("greet", lambda state: {"visits": state.get("visits", 0) + 1})
    builder.add_node("raise", compile_raise_graph(parts.components(), RaiseSettings(budget=budget)))
    builder.add_edge(START, "greet")
    builder.add_edge("greet", "raise")
    builder.add_edge("raise", END)
    return builder.compile(checkpointer=saver)


@pytest.mark.parametrize("where", ["memory", "sqlite"])
async def test_as_a_node_of_a_parent_with_messages(parts, tmp_path, where):
    saver = open_checkpointer("memory" if where == "memory" else tmp_path / "c.sqlite")
    app = parent(parts, saver)
    paused = await app.ainvoke(
        {"messages": [HumanMessage("Hello"), AIMessage("Hi"), HumanMessage("What now?")]}, config()
    )
    [asked] = paused["__interrupt__"]
    assert asked.value == {
        "type": "question",
        "attribute": "mood",
        "question": "About mood?",
        "asked": 1,
        "budget": 2,
        "skippable": True,
    }
    await app.ainvoke(Command(resume={"text": None}), config())
    chunks = [
        c async for c in app.astream(Command(resume="health=good"), config(), stream_mode="custom", subgraphs=True)
    ]
    assert "".join(chunk["text"] for _, chunk in chunks) == "Answer for ['health']"
    state = (await app.aget_state(config())).values
    assert [(m.type, m.text) for m in state["messages"]] == [
        ("human", "Hello"),
        ("ai", "Hi"),
        ("human", "What now?"),
        ("ai", "About mood?"),
        ("ai", "About health?"),
        ("human", "health=good"),
        ("ai", "Answer for ['health']"),
    ]
    assert (state["stop_reason"], state["visits"]) == ("budget", 1)
    assert parts.answered_with.query == "What now?"
    assert parts.calls == {"assess": 2, "next_question": 2, "extract": 2, "opinion": 2, "respond": 1}

    # The next message of the same chat is a new query, with nothing left of the first.
    paused = await app.ainvoke({"messages": [HumanMessage([{"type": "text", "text": "And then?"}])]}, config())
    assert paused["__interrupt__"][0].value["attribute"] == "mood"
    await app.ainvoke(Command(resume="skip"), config())
    done = await app.ainvoke(Command(resume="nothing"), config())
    assert parts.answered_with.query == "And then?"
    assert parts.answered_with.known == {}
    assert done["messages"][-1].text == "Answer for []"
    assert done["visits"] == 2
    if where == "sqlite":
        saver.close()


async def test_without_messages_the_state_has_none(parts):
    app = compile_raise_graph(parts.components(), RaiseSettings(budget=0), open_checkpointer("memory"))
    done = await app.ainvoke({"query": "What now? mood=low"}, config())
    assert done == {
        "messages": [],
        "answer": "Answer for ['mood']",
        "stop_reason": "budget",
        "known": {"mood": "low"},
        "asked": [],
        "declined": [],
        "crisis": None,
        "notes": ["no planned paths: asked in the pack's order"],
    }


@pytest.mark.parametrize("given", [{"query": " "}, {"messages": [AIMessage("Hi")]}, {"country": "GB"}])
async def test_a_run_without_an_opening_message_is_an_error(parts, given):
    app = compile_raise_graph(parts.components(), checkpointer=open_checkpointer("memory"))
    with pytest.raises(EmptyQueryError):
        await app.ainvoke(given, config())


async def test_a_new_query_on_a_used_thread_starts_from_nothing(parts):
    """Servers let a client send a new input where an answer was awaited, or after the end."""
    app = compile_raise_graph(parts.components(), RaiseSettings(budget=2), open_checkpointer("memory"))
    await app.ainvoke({"query": "What now? job=nurse"}, config())
    await app.ainvoke(Command(resume="mood=low"), config())
    for _ in range(2):
        await app.ainvoke({"query": "Something else"}, config())
        state = (await app.aget_state(config())).values
        assert (state["query"], state["known"], state["asked"], state["answer"]) == ("Something else", {}, [], None)
        await app.ainvoke(Command(resume=""), config())
        await app.ainvoke(Command(resume=7), config())
        assert (await app.aget_state(config())).values["stop_reason"] == "budget"


@pytest.mark.parametrize("wrong", [["mood=low"], True, {"answer": "mood=low"}, {"text": ["mood=low"]}])
async def test_a_resumed_value_that_is_no_reply_gets_the_same_question_again(parts, wrong):
    app = compile_raise_graph(parts.components(), RaiseSettings(budget=1), open_checkpointer("memory"))
    asked = (await app.ainvoke({"query": "What now?"}, config()))["__interrupt__"][0].value
    parts.calls.clear()
    for _ in range(2):
        assert (await app.ainvoke(Command(resume=wrong), config()))["__interrupt__"][0].value == asked
    assert not parts.calls
    done = await app.ainvoke(Command(resume={"text": "mood=low"}), config())
    assert (done["known"], done["asked"]) == ({"mood": "low"}, ["mood"])


async def test_the_recursion_limit_follows_from_the_budget(parts):
    seen = []

    class Reading:
        async def assess(self, context: AgentContext) -> Assessment:
            seen.append(get_config()["recursion_limit"])
            return Assessment(sufficient=True)

    for budget in (1, 5):
        settings = RaiseSettings(budget=budget)
        app = compile_raise_graph(parts.components(abstention=Reading()), settings, open_checkpointer("memory"))
        await app.ainvoke({"query": "What now?"}, config())
    assert seen == [16, 48]


def test_the_drawing_shows_the_state_machine_and_is_the_same_each_time(parts):
    drawn = compile_raise_graph(parts.components()).get_graph().draw_mermaid()
    assert drawn == compile_raise_graph(parts.components(), RaiseSettings(budget=1)).get_graph().draw_mermaid()
    solid = ["__start__ --> receive", "retrieve --> assess", "ask --> take_answer", "take_answer --> screen"]
    dotted = [
        "receive -.-> screen",
        "receive -.-> take_answer",
        "screen -.-> retrieve",
        "screen -.-> assess",
        "screen -.-> respond",
        "assess -.-> ask",
        "assess -.-> respond",
    ]
    edges = [line.strip(" \t;") for line in drawn.splitlines() if "->" in line]
    assert sorted(edges) == sorted([*solid, *dotted, "respond --> __end__"])


def test_importing_the_package_loads_nothing_heavy():
    code = (
        "import sys, askfirst.graphs\n"
        "heavy = {'langgraph', 'langchain_core', 'langchain_openai', 'chromadb', 'torch', 'sentence_transformers'}\n"
        "sys.exit(', '.join(heavy & {m.split('.')[0] for m in sys.modules}) or 0)"
    )
    env = {k: v for k, v in os.environ.items() if not k.startswith("COV")}
    done = subprocess.run([sys.executable, "-c", code], env=env, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
