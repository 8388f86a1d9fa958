"""The LangGraph state machine of RAISE's online agent (5.3): the long way in. ``RaiseAgent`` is the short one.

``build_raise_graph`` gives a ``StateGraph`` that is not compiled: compile it with a checkpointer of your own, or
compile it without one and add it as a node to a parent whose state has ``messages``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..domains import DomainPack, get_pack
from .components import RaiseComponents, RaiseSettings, offline_components
from .nodes import RaiseNodes
from .routing import after_assess, after_receive, after_screen
from .state import RaiseInput, RaiseOutput, RaiseState

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph import StateGraph
    from langgraph.graph.state import CompiledStateGraph

__all__ = ["build_raise_graph", "compile_raise_graph", "draw_mermaid", "graph"]


def build_raise_graph(
    components: RaiseComponents, settings: RaiseSettings | None = None
) -> StateGraph[RaiseState, None, RaiseInput, RaiseOutput]:
    """The state machine, not compiled.

    Input: ``query``, or ``messages`` whose unread human messages are the query; optionally ``country`` and ``domain``.
    On a thread that goes on, a new human message is the reply to the question that waits, else a new request.
    It waits with ``interrupt({"type": "question", "attribute", "question", "asked", "budget", "skippable"})``; resume
    with the answer as text or ``{"text": ...}``. ``""`` or ``{"text": None}`` declines (LangGraph refuses a bare None).
    Output: ``answer``, ``stop_reason`` and what was learned; where there are ``messages``, they also get each question
    (a skipped one too), reply and answer.
    The answer's pieces come in stream mode ``custom`` as ``{"type": "token", "text": ...}``.

    Raises:
        UnknownNameError: ``settings.domain`` is no domain of the pack.
    """
    from langgraph.graph import END, START, StateGraph

    settings = settings or RaiseSettings()
    if settings.domain is not None:
        components.pack.domain(settings.domain)
    nodes = RaiseNodes(components, settings)
    builder = StateGraph(RaiseState, input_schema=RaiseInput, output_schema=RaiseOutput)
    steps = (nodes.receive, nodes.screen, nodes.retrieve, nodes.assess, nodes.ask, nodes.take_answer, nodes.respond)
    for step in steps:
        builder.add_node(step.__name__, step)
    builder.add_edge(START, "receive")
    builder.add_conditional_edges("receive", after_receive, ["screen", "take_answer"])
    builder.add_conditional_edges("screen", after_screen, ["retrieve", "assess", "respond"])
    builder.add_edge("retrieve", "assess")
    builder.add_conditional_edges("assess", after_assess, ["ask", "respond"])
    builder.add_edge("ask", "take_answer")
    builder.add_edge("take_answer", "screen")
    builder.add_edge("respond", END)
    return builder


def compile_raise_graph(
    components: RaiseComponents,
    settings: RaiseSettings | None = None,
    checkpointer: BaseCheckpointSaver[Any] | None = None,
) -> CompiledStateGraph[RaiseState, None, RaiseInput, RaiseOutput]:
    """The state machine, compiled, with a recursion limit that follows from the budget.

    Without a checkpointer it can only be a part of a graph that has one: a question could never be answered.
    """
    settings = settings or RaiseSettings()
    compiled = build_raise_graph(components, settings).compile(checkpointer=checkpointer, name="raise")
    return compiled.with_config({"recursion_limit": settings.recursion_limit})


def draw_mermaid(pack: DomainPack | None = None) -> str:
    """The state machine as Mermaid text, drawn from the compiled graph. The same for every pack and setting."""
    return compile_raise_graph(offline_components(pack or get_pack())).get_graph().draw_mermaid()


def graph() -> CompiledStateGraph[RaiseState, None, RaiseInput, RaiseOutput]:
    """The offline agent on the shipped pack, for ``langgraph.json``: the server brings its own checkpointer."""
    return compile_raise_graph(offline_components(get_pack()))
