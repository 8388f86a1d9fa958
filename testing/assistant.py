"""What every ``Assistant`` keeps to. Subclass, and say how yours is made."""

from __future__ import annotations

import asyncio
from abc import abstractmethod

import pytest

from ..domains import DomainPack
from ..evals import Assistant
from ..simulators import AgentSession, AgentTurn
from .suite import Suite

QUERY = "How long can I stay up before it matters?"
REPLIES = ("I'm 41.", "Lately I feel low.", "I'd rather not say.")


class AssistantSuite(Suite):
    """Uses the toy pack: attributes ``age`` and ``mood``."""

    @abstractmethod
    def make_assistant(self, pack: DomainPack) -> Assistant:
        """The assistant under test."""

    @pytest.fixture
    def assistant(self, toy_pack: DomainPack) -> Assistant:
        return self.make_assistant(toy_pack)

    async def test_it_is_an_assistant_with_a_name(self, assistant: Assistant) -> None:
        assert isinstance(assistant, Assistant)
        assert assistant.name

    async def test_it_ends_with_an_answer(self, assistant: Assistant) -> None:
        turns = await _talk(assistant, seed=1)
        assert [t.kind for t in turns[:-1]] == ["question"] * (len(turns) - 1)
        assert turns[-1].kind == "answer"
        assert all(t.text.strip() for t in turns)

    async def test_conversations_at_the_same_time_do_not_mix(self, assistant: Assistant) -> None:
        alone = await _talk(assistant, seed=1)
        together = await asyncio.gather(*(_talk(assistant, seed=seed) for seed in (1, 2, 3)))
        assert [t.text for t in together[0]] == [t.text for t in alone]

    async def test_a_session_can_be_closed_before_it_ends(self, assistant: Assistant) -> None:
        session = assistant.start(scenario_id="everyday-01", seed=4, granted={}, country=None)
        assert isinstance(session, AgentSession)
        await session.reply(QUERY)
        await session.aclose()


async def _talk(assistant: Assistant, seed: int) -> list[AgentTurn]:
    session = assistant.start(scenario_id="everyday-01", seed=seed, granted={}, country=None)
    turns = [await session.reply(QUERY)]
    for reply in REPLIES:
        if turns[-1].kind == "answer":
            break
        turns.append(await session.reply(reply))
    await session.aclose()
    return turns
