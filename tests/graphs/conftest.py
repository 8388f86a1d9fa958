"""Scripted parts for the state machine: they read ``key=value`` and count what they are asked to do."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from askfirst.agents.context import AgentContext, Assessment, CrisisSignal, Extracted, Question
from askfirst.domains import DomainPack, load_pack
from askfirst.graphs import RaiseComponents
from askfirst.testing import TOY_PACK
from askfirst.vectorstore.planned_path import PlannedPath, RetrievedPath

ATTRIBUTES = ("mood", "health", "money", "job", "home", "age")


class Parts:
    """Every part of the agent in one scripted object; ``calls`` counts. One set of facts is behind all of them.

    A message tells ``key=value`` pairs and refuses with ``no:key``. "DANGER" is seen by the crisis rules,
    "worrying" only by the crisis model. Enough is known with ``enough`` values.
    """

    def __init__(self, pack: DomainPack, *, enough: int = 99) -> None:
        self.pack = pack
        self.enough = enough
        self.calls: Counter[str] = Counter()
        self.asked_of_extraction: list[str | None] = []
        self.answered_with: AgentContext | None = None

    async def assess(self, context: AgentContext) -> Assessment:
        self.calls["assess"] += 1
        return Assessment(sufficient=len(context.known) >= self.enough)

    async def next_question(self, context: AgentContext) -> Question | None:
        self.calls["next_question"] += 1
        gone = {*context.known, *context.asked, *context.declined}
        left = [a for a in (*context.plan, *self.pack.by_sensitivity()) if a not in gone]
        return Question(attribute=left[0], text=f"About {left[0]}?") if left else None

    async def extract(self, message: str, *, asked: str | None, context: AgentContext) -> Extracted:
        self.calls["extract"] += 1
        self.asked_of_extraction.append(asked)
        assert asked is None or context.exchanges[-1][1] == message
        values = dict(re.findall(r"(\w+)=(\w+)", message))
        return Extracted(values=values, declined=tuple(re.findall(r"no:(\w+)", message)))

    async def stream(self, context: AgentContext) -> AsyncIterator[str]:
        self.calls["respond"] += 1
        self.answered_with = context
        for piece in ("Answer", " for ", str(sorted(context.known))):
            yield piece

    async def answer(self, context: AgentContext) -> str:
        return "".join([piece async for piece in self.stream(context)])

    def components(self, *, store: Any = None, **parts: Any) -> RaiseComponents:
        """The graph's components, with some parts replaced."""
        components = RaiseComponents(
            pack=self.pack,
            store=store,
            abstention=self,
            acquisition=self,
            extraction=self,
            responder=self,
            crisis=Crisis(self.calls),
        )
        return replace(components, **parts)


class Crisis:
    """Sees "DANGER" by rule and "worrying" as a model."""

    def __init__(self, calls: Counter[str]) -> None:
        self.calls = calls

    def rules(self, message: str, *, asked: str | None = None) -> CrisisSignal | None:
        return CrisisSignal(source="rule", rule="danger") if "DANGER" in message else None

    async def model(self, message: str, context: AgentContext) -> CrisisSignal | None:
        self.calls["opinion"] += 1
        return CrisisSignal(source="model", rule="model") if "worrying" in message else None

    def answer(self, country: str | None) -> str:
        return f"Help is near ({country})."


class Store:
    """Finds ``found``, or fails with ``error``."""

    def __init__(self, found: Sequence[RetrievedPath] = (), error: Exception | None = None) -> None:
        self.found, self.error = list(found), error
        self.searches: list[tuple[str, int]] = []

    def search(self, query: str, k: int = 5, *, domain: str | None = None) -> list[RetrievedPath]:
        self.searches.append((query, k))
        if self.error is not None:
            raise self.error
        return self.found[:k]


def wide_pack() -> DomainPack:
    """The toy pack with six attributes, in ``ATTRIBUTES``' order of sensitivity."""
    toy = load_pack(TOY_PACK).model_dump()
    template = toy["attributes"][0]
    attributes = [
        {**template, "id": a, "label": a, "question": f"Pack question on {a}?", "sensitivity": 4.5 - i / 10}
        for i, a in enumerate(ATTRIBUTES)
    ]
    return DomainPack.model_validate({**toy, "attributes": attributes})


def found_path(*path: str, score: float = 4.0, similarity: float = 0.9, pack: str = "toy") -> RetrievedPath:
    """A retrieved path; its query names its attributes, so that each has an id of its own."""
    planned = PlannedPath(
        query=f"about {path}",
        domain="Everyday",
        path=path,
        score=score,
        evaluations=1,
        planner="test",
        model="offline",
        judge="offline",
        pack=pack,
        pack_version="1",
    )
    return RetrievedPath(path=planned, similarity=similarity)


@pytest.fixture
def parts() -> Parts:
    return Parts(wide_pack())


@pytest.fixture
def make_store() -> Callable[..., Store]:
    return Store


@pytest.fixture
def make_path() -> Callable[..., RetrievedPath]:
    return found_path
