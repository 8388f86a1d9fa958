"""What every ``Extraction`` keeps to. Subclass, and say how yours is made."""

from __future__ import annotations

from abc import abstractmethod

import pytest

from ..agents import AgentContext, Extraction
from ..domains import DomainPack
from .suite import Suite

CONTEXT = AgentContext(query="How long can I stay up before it matters?")


class ExtractionSuite(Suite):
    """Uses the toy pack: attributes ``age`` and ``mood``."""

    @abstractmethod
    def make_extraction(self, pack: DomainPack) -> Extraction:
        """The extraction under test, able to read any number of messages."""

    @pytest.fixture
    def extraction(self, toy_pack: DomainPack) -> Extraction:
        return self.make_extraction(toy_pack)

    async def test_it_is_an_extraction(self, extraction: Extraction) -> None:
        assert isinstance(extraction, Extraction)

    async def test_the_asked_attribute_gets_the_answer(self, extraction: Extraction) -> None:
        told = await extraction.extract("Forty-one", asked="age", context=CONTEXT)
        assert told.values == {"age": "Forty-one"}
        assert told.declined == ()

    async def test_what_was_not_asked_is_heard_too(self, extraction: Extraction) -> None:
        told = await extraction.extract("I'm 41. I feel tense these days.", asked="age", context=CONTEXT)
        assert told.values == {"age": "41", "mood": "tense"}

    async def test_the_opening_message_tells_what_it_states(self, extraction: Extraction) -> None:
        assert (await extraction.extract("I am 19 and up all night", asked=None, context=CONTEXT)).values == {
            "age": "19"
        }
        assert (await extraction.extract("Can I stay up?", asked=None, context=CONTEXT)).values == {}

    @pytest.mark.parametrize("message", ["", "   ", "skip", "I'd rather not say.", "None of your business!"])
    async def test_a_refusal_declines_and_tells_nothing(self, extraction: Extraction, message: str) -> None:
        told = await extraction.extract(message, asked="mood", context=CONTEXT)
        assert told.values == {}
        assert told.declined == ("mood",)

    async def test_no_idea_is_neither(self, extraction: Extraction) -> None:
        told = await extraction.extract("I don't know", asked="mood", context=CONTEXT)
        assert told.values == {}
        assert told.declined == ()

    async def test_a_listed_none_is_a_value(self, extraction: Extraction) -> None:
        assert (await extraction.extract("None", asked="mood", context=CONTEXT)).values == {"mood": "None"}
        assert (await extraction.extract("n/a", asked="mood", context=CONTEXT)).values == {}
