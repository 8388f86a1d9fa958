"""The graph with the real offline parts and the shipped pack, as ``langgraph.json`` and a newcomer start it."""

from __future__ import annotations

import importlib
import json
import random
from pathlib import Path

import pytest
from askfirst.graphs import (
    AnswerReply,
    QuestionReply,
    RaiseAgent,
    RaiseSettings,
    draw_mermaid,
    offline_components,
    open_checkpointer,
)
from langgraph.types import Command

ROOT = Path(__file__).parents[2]
QUERY = "Should I quit my job before I have another one?"
ANSWERS = {
    "emotional_state": "Anxious, mostly.",
    "mental_health_status": "I have had a mild depression since spring.",
    "self_harm_history": "None",
    "health_status": None,
    "economic_status": "Difficult, I have no savings.",
}


def converse(agent: RaiseAgent) -> tuple[list[QuestionReply], AnswerReply]:
    questions = []
    reply = agent.start(QUERY, country="GB", thread_id="t")
    while isinstance(reply, QuestionReply):
        questions.append(reply)
        reply = agent.reply("t", ANSWERS.get(reply.attribute, "I would rather talk about the job."))
    return questions, reply


def test_a_conversation_asks_what_matters_and_answers_from_what_it_was_told(pack):
    with RaiseAgent(offline_components(pack), RaiseSettings(budget=4)) as agent:
        questions, done = converse(agent)
    assert [q.attribute for q in questions] == list(pack.by_sensitivity())[: len(questions)]
    assert done.stop_reason in ("sufficient", "budget")
    assert set(done.known) <= {q.attribute for q in questions}
    assert done.known["emotional_state"].startswith("Anxious")
    assert done.text.strip()
    assert not done.crisis


def test_it_is_the_same_twice(pack):
    runs = []
    for _ in range(2):
        random.random()
        with RaiseAgent(offline_components(pack)) as agent:
            runs.append(converse(agent))
    assert runs[0] == runs[1]


@pytest.mark.parametrize("turn", ["opening", "answer"])
def test_imminent_risk_is_answered_with_sourced_help_at_once(pack, turn):
    danger = "I am going to kill myself tonight."
    with RaiseAgent(offline_components(pack), RaiseSettings(country="GB")) as agent:
        reply = agent.start(danger if turn == "opening" else QUERY)
        if turn == "answer":
            assert isinstance(reply, QuestionReply)
            reply = agent.reply(reply.thread_id, danger)
        assert isinstance(reply, AnswerReply)
        assert (reply.stop_reason, reply.crisis) == ("crisis", True)
        own = [s.name for s in pack.resources.for_country("GB") if s.country == "GB"]
        assert any(name in reply.text for name in own)


async def test_langgraph_json_names_a_graph_that_runs():
    [(_, where)] = json.loads((ROOT / "langgraph.json").read_text())["graphs"].items()
    module, _, name = where.partition(":")
    graph = getattr(importlib.import_module(module), name)()
    graph.checkpointer = open_checkpointer("memory")  # The server gives its own.
    config = {"configurable": {"thread_id": "t"}}
    paused = await graph.ainvoke({"messages": [{"role": "user", "content": QUERY}]}, config)
    assert paused["__interrupt__"][0].value["type"] == "question"
    done = await graph.ainvoke(Command(resume="just answer"), config)
    assert done["stop_reason"] == "declined"
    assert done["messages"][-1].text == done["answer"]


def test_the_drawing_does_not_depend_on_the_pack(pack, toy_pack):
    assert draw_mermaid() == draw_mermaid(toy_pack) == draw_mermaid(pack)
