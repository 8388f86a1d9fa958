"""What every ``Abstention`` keeps to. Subclass, and say how yours is made."""

from __future__ import annotations

from abc import abstractmethod

from ..agents import Abstention, AgentContext
from ..domains import DomainPack
from .suite import Suite

QUERY = "How long can I stay up before it matters?"


class AbstentionSuite(Suite):
    """Uses the toy pack: attributes ``age`` and ``mood``."""

    @abstractmethod
    def make_abstention(self, pack: DomainPack) -> Abstention:
        """The abstention under test, able to judge any number of contexts."""

    async def test_it_is_an_abstention(self, toy_pack: DomainPack) -> None:
        assert isinstance(self.make_abstention(toy_pack), Abstention)

    async def test_nothing_left_to_ask_is_sufficient(self, toy_pack: DomainPack) -> None:
        context = AgentContext(query=QUERY, plan=("mood",), declined=("mood",), asked=("mood", "age"))
        assert (await self.make_abstention(toy_pack).assess(context)).sufficient

    async def test_an_attribute_that_is_still_needed_can_be_asked(self, toy_pack: DomainPack) -> None:
        context = AgentContext(query=QUERY, plan=("mood", "age"), known={"age": "41"})
        assessment = await self.make_abstention(toy_pack).assess(context)
        assert assessment.attribute in (None, "mood")

    async def test_asking_on_ends_whatever_is_answered(self, toy_pack: DomainPack) -> None:
        abstention = self.make_abstention(toy_pack)
        for outcome in ("told", "declined", "no idea"):
            context = AgentContext(query=QUERY, plan=("mood", "age"))
            for attribute in ("mood", "age"):
                told = {attribute: "Low"} if outcome == "told" else {}
                context = context.model_copy(
                    update={
                        "asked": (*context.asked, attribute),
                        "known": {**context.known, **told},
                        "declined": (*context.declined, attribute) if outcome == "declined" else context.declined,
                    }
                )
            assert (await abstention.assess(context)).sufficient

    async def test_the_reason_tells_no_value(self, toy_pack: DomainPack) -> None:
        context = AgentContext(query=QUERY, plan=("mood", "age"), known={"mood": "zz-secret-zz"})
        assert "zz-secret-zz" not in (await self.make_abstention(toy_pack).assess(context)).model_dump_json()
