"""Keeps conversations out of hosted tracing services."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["no_tracing", "unobserved"]


@contextmanager
def no_tracing() -> Iterator[None]:
    """Switch LangSmith tracing off inside this block, in this async context.

    LangChain and LangGraph send every run to a hosted service as soon as ``LANGSMITH_TRACING`` is in the environment.
    What people tell this system must go to the model that they chose, and nowhere else.
    """
    from langsmith import tracing_context

    with tracing_context(enabled=False, parent=False):
        yield


@contextmanager
def unobserved() -> Iterator[None]:
    """``no_tracing``, and out of sight of the callbacks of a LangChain or LangGraph run around the caller.

    A bound runnable inherits them even where a call is given none: they travel in a context variable.
    """
    from langchain_core.runnables.config import var_child_runnable_config

    token = var_child_runnable_config.set(None)
    try:
        with no_tracing():
            yield
    finally:
        var_child_runnable_config.reset(token)
