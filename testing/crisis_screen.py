"""What every ``CrisisScreen`` keeps to. Subclass, and say how yours is made."""

from __future__ import annotations

from abc import abstractmethod

import pytest

from ..agents import AgentContext, CrisisScreen
from ..domains import DomainPack
from .suite import Suite

CONTEXT = AgentContext(query="How long can I stay up before it matters?")


class CrisisScreenSuite(Suite):
    """Uses the toy pack, whose only service is for everywhere."""

    @abstractmethod
    def make_screen(self, pack: DomainPack) -> CrisisScreen:
        """The screen under test; a model in it sees no risk, or fails."""

    @pytest.fixture
    def screen(self, toy_pack: DomainPack) -> CrisisScreen:
        return self.make_screen(toy_pack)

    async def test_it_is_a_crisis_screen(self, screen: CrisisScreen) -> None:
        assert isinstance(screen, CrisisScreen)

    async def test_the_rules_decide_without_a_model(self, screen: CrisisScreen) -> None:
        signal = screen.rules("I want to die")
        assert signal is not None
        assert signal.source == "rule"
        assert "die" not in signal.rule
        assert screen.rules("My feet are killing me") is None
        assert screen.rules("My feet are killing me", asked="mood") is None

    async def test_an_opinion_never_raises(self, screen: CrisisScreen) -> None:
        assert await screen.model("I want to die", CONTEXT) is None

    async def test_the_answer_holds_the_fixed_parts_and_nothing_else(
        self, screen: CrisisScreen, toy_pack: DomainPack
    ) -> None:
        answer = screen.answer(None)
        fixed = toy_pack.resources
        for part in (fixed.opening, fixed.emergency, fixed.closing, fixed.services[0].contact):
            assert part in answer
        assert screen.answer("XX") == answer

    async def test_what_follows_a_crisis_answer_is_short_and_names_help_again(
        self, screen: CrisisScreen, toy_pack: DomainPack
    ) -> None:
        said = [screen.answer(None)]
        for message in ("Hm.", "Hm.", "I want to die", "I want to die"):
            said.append(screen.follow_up(None, message, said=said))
            assert said[-1] != said[-2]
            assert toy_pack.resources.services[0].contact in said[-1]
        assert len(said[1].split()) < len(said[0].split())
        assert said[3] == screen.answer(None, again=True)
