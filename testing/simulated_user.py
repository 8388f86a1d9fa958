"""What every ``SimulatedUser`` keeps to. Subclass, and say how yours is made."""

from __future__ import annotations

from abc import abstractmethod

import pytest

from ..domains import DomainPack, Profile
from ..simulators import AgentTurn, Disclosure, Persona, SimulatedUser, simulate_dialogue
from .suite import Suite

QUERY = "  how long can i stay up before it matters?? 😶\nasking because of work "
VALUES = {"age": "41", "mood": "Low, since the move"}
AGE = AgentTurn(text="How old are you?", kind="question", attribute="age")
MOOD = AgentTurn(text="How have you been feeling lately?", kind="question", attribute="mood")
ANSWER = AgentTurn(text="Take one small step first.", kind="answer")


class SimulatedUserSuite(Suite):
    """Uses the toy pack: attributes ``age`` and ``mood``."""

    @abstractmethod
    def make_user(self, persona: Persona, pack: DomainPack) -> SimulatedUser:
        """The user under test, able to answer at least six questions."""

    @pytest.fixture
    def person(self, toy_pack: DomainPack) -> SimulatedUser:
        return self.user(toy_pack)

    def user(self, pack: DomainPack, **stances: str) -> SimulatedUser:
        disclosure = Disclosure.model_validate({"stances": stances, "false_values": {"age": "29", "mood": "Calm"}})
        return self.make_user(Persona(query=QUERY, profile=Profile(values=VALUES), disclosure=disclosure), pack)

    async def test_it_is_a_simulated_user(self, person: SimulatedUser, toy_pack: DomainPack) -> None:
        assert isinstance(person, SimulatedUser)
        assert person.attributes == toy_pack.attribute_ids

    async def test_opening_is_the_query_word_for_word(self, person: SimulatedUser) -> None:
        opening = await person.opening()
        assert opening.text == QUERY
        assert not opening.ended
        assert not opening.disclosed

    async def test_tells_what_is_asked_and_nothing_else(self, person: SimulatedUser) -> None:
        await person.opening()
        turn = await person.reply(AGE)
        assert turn.asked == turn.disclosed == ("age",)
        assert turn.values == {"age": "41"}
        assert "41" in turn.text
        assert "low" not in turn.text.lower()
        assert not turn.ended
        assert not turn.faults

    async def test_understands_a_question_that_names_no_attribute(self, person: SimulatedUser) -> None:
        await person.opening()
        turn = await person.reply(AGE.model_copy(update={"attribute": None}))
        assert turn.disclosed == ("age",)

    async def test_an_attribute_that_the_pack_does_not_have_is_passed_over(self, person: SimulatedUser) -> None:
        await person.opening()
        turn = await person.reply(MOOD.model_copy(update={"attribute": "shoe_size"}))
        assert turn.disclosed == ("mood",)

    async def test_tells_the_same_when_asked_again(self, person: SimulatedUser) -> None:
        await person.opening()
        first, again = await person.reply(MOOD), await person.reply(MOOD)
        assert first.values == again.values == {"mood": "Low, since the move"}

    async def test_does_not_know_what_the_profile_lacks(self, toy_pack: DomainPack) -> None:
        person = self.make_user(Persona(query=QUERY, profile=Profile(values={"age": "41"})), toy_pack)
        await person.opening()
        turn = await person.reply(MOOD)
        assert turn.asked == ("mood",)
        assert not turn.disclosed
        assert not turn.declined
        assert turn.text.strip()

    async def test_declines(self, toy_pack: DomainPack) -> None:
        person = self.user(toy_pack, age="declines")
        await person.opening()
        turn = await person.reply(AGE)
        assert turn.declined == ("age",)
        assert not turn.values
        assert turn.text.strip()
        assert "41" not in turn.text

    async def test_lies(self, toy_pack: DomainPack) -> None:
        person = self.user(toy_pack, age="lies")
        await person.opening()
        turn = await person.reply(AGE)
        assert turn.lied == ("age",)
        assert turn.values == {"age": "29"}
        assert "41" not in turn.text

    async def test_volunteers_with_the_first_message_after_the_opening(self, toy_pack: DomainPack) -> None:
        person = self.user(toy_pack, mood="volunteers")
        await person.opening()
        first, second = await person.reply(AGE), await person.reply(AGE)
        assert set(first.disclosed) == {"age", "mood"}
        assert first.asked == ("age",)
        assert second.disclosed == ("age",)

    async def test_ends_after_an_answer(self, person: SimulatedUser) -> None:
        await person.opening()
        turn = await person.reply(ANSWER)
        assert turn.ended
        assert not turn.disclosed

    async def test_holds_a_conversation(self, person: SimulatedUser) -> None:
        turns = iter([AGE, MOOD, ANSWER])

        class Session:
            async def reply(self, message: str) -> AgentTurn:
                return next(turns)

            async def aclose(self) -> None: ...

        talk = await simulate_dialogue(Session(), person)
        assert [m.role for m in talk.transcript] == ["user", "assistant"] * 3
        assert talk.ledger.states == {"age": "asked", "mood": "asked"}
        assert talk.stop_reason == "answered"
