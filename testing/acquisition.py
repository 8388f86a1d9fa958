"""What every ``Acquisition`` keeps to. Subclass, and say how yours is made."""

from __future__ import annotations

from abc import abstractmethod

from ..agents import Acquisition, AgentContext
from ..domains import DomainPack
from .suite import Suite

QUERY = "How long can I stay up before it matters?"


class AcquisitionSuite(Suite):
    """Uses the toy pack: attributes ``age`` and ``mood``."""

    @abstractmethod
    def make_acquisition(self, pack: DomainPack) -> Acquisition:
        """The acquisition under test, able to ask any number of questions."""

    async def test_it_is_an_acquisition(self, toy_pack: DomainPack) -> None:
        assert isinstance(self.make_acquisition(toy_pack), Acquisition)

    async def test_each_attribute_is_asked_once_and_then_nothing(self, toy_pack: DomainPack) -> None:
        acquisition = self.make_acquisition(toy_pack)
        asked: tuple[str, ...] = ()
        while question := await acquisition.next_question(AgentContext(query=QUERY, plan=("mood",), asked=asked)):
            assert question.text.strip()
            assert question.text.count("?") <= 1
            asked = (*asked, question.attribute)
            assert len(asked) <= 2
        assert sorted(asked) == ["age", "mood"]

    async def test_what_is_known_or_declined_is_not_asked(self, toy_pack: DomainPack) -> None:
        acquisition = self.make_acquisition(toy_pack)
        for settled in ({"known": {"mood": "Low"}}, {"declined": ("mood",)}):
            context = AgentContext.model_validate({"query": QUERY, "plan": ("mood", "age"), **settled})
            question = await acquisition.next_question(context)
            assert question is not None
            assert question.attribute == "age"
