"""What every ``Responder`` keeps to. Subclass, and say how yours is made."""

from __future__ import annotations

from abc import abstractmethod

import pytest

from ..agents import AgentContext, Responder
from ..domains import DomainPack
from .suite import Suite

CONTEXT = AgentContext(query="How long can I stay up before it matters?", known={"age": "41"})


class ResponderSuite(Suite):
    """Uses the toy pack: attributes ``age`` and ``mood``."""

    @abstractmethod
    def make_responder(self, pack: DomainPack) -> Responder:
        """The responder under test, able to answer twice."""

    @pytest.fixture
    def responder(self, toy_pack: DomainPack) -> Responder:
        return self.make_responder(toy_pack)

    async def test_it_is_a_responder(self, responder: Responder) -> None:
        assert isinstance(responder, Responder)

    async def test_the_pieces_are_the_answer(self, responder: Responder) -> None:
        pieces = [piece async for piece in responder.stream(CONTEXT)]
        assert len(pieces) > 1
        assert all(pieces)
        assert "".join(pieces).strip() == await responder.answer(CONTEXT) != ""

    async def test_an_answer_without_knowing_anything(self, responder: Responder) -> None:
        assert (await responder.answer(AgentContext(query="Is this a good plan?"))).strip()
