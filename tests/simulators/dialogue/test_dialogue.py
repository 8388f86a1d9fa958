from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pytest
from askfirst.domains import DomainPack, Profile
from askfirst.models import ModelTimeout, ScriptedChatModel
from askfirst.simulators import (
    AgentTurn,
    AssistantFailed,
    Dialogue,
    LlmUser,
    Persona,
    ScriptedUser,
    SimulatorFailed,
    UserTurn,
    simulate_dialogue,
)

AGE = AgentTurn(text="How old are you?", kind="question", attribute="age")
MOOD = AgentTurn(text="How is your mood?", kind="question", attribute="mood")
ANSWER = AgentTurn(text="Then rest first.", kind="answer", stop_reason="sufficient", used=("age",), known={"age": "41"})
PERSONA = Persona(query="How long can I stay up?", profile=Profile(values={"age": "41", "mood": "Low"}))


class Session:
    """Gives the scripted turns; the last one for ever. Records what it heard."""

    def __init__(self, *turns: AgentTurn | Exception) -> None:
        self.turns, self.heard = list(turns), []

    async def reply(self, message: str) -> AgentTurn:
        self.heard.append(message)
        turn = self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]
        if isinstance(turn, Exception):
            raise turn
        return turn

    async def aclose(self) -> None: ...


class Person:
    """Says the scripted messages; the last one for ever."""

    attributes = ("age", "mood")

    def __init__(self, *turns: str | UserTurn | Exception) -> None:
        self.turns = list(turns)

    async def opening(self) -> UserTurn:
        return self.next()

    async def reply(self, agent: AgentTurn) -> UserTurn:
        return self.next()

    def next(self) -> UserTurn:
        turn = self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]
        if isinstance(turn, Exception):
            raise turn
        return UserTurn(text=turn) if isinstance(turn, str) else turn


def question(text: str) -> AgentTurn:
    return AgentTurn(text=text, kind="question")


def assert_alternates(talk: Dialogue) -> None:
    assert [m.role for m in talk.transcript] == [("user", "assistant")[i % 2] for i in range(len(talk.transcript))]


async def test_one_object_holds_the_whole_conversation(toy_pack: DomainPack) -> None:
    talk = await simulate_dialogue(Session(AGE, ANSWER), ScriptedUser(PERSONA, toy_pack))
    assert talk.stop_reason == "answered"
    assert talk.agent_reason == "sufficient"
    assert talk.answer == "Then rest first."
    assert talk.asked == ("age",)
    assert talk.known == {"age": "41"}
    assert talk.ledger.states == {"age": "asked", "mood": "never_came_up"}
    assert talk.ledger.entries["age"].used
    assert talk.disqualified_by is None
    assert_alternates(talk)
    assert Dialogue.model_validate_json(talk.model_dump_json()) == talk


async def test_what_was_told_is_known_where_the_assistant_does_not_say(toy_pack: DomainPack) -> None:
    talk = await simulate_dialogue(Session(MOOD, question("Hm?")), ScriptedUser(PERSONA, toy_pack), max_turns=2)
    assert talk.known == {"mood": "Low"}
    deaf = AgentTurn(text="Rest.", kind="answer", known={})
    assert not (await simulate_dialogue(Session(MOOD, deaf), ScriptedUser(PERSONA, toy_pack))).known


@pytest.mark.parametrize("cap", [1, 2, 5])
async def test_keep_going_on_both_sides_stops_exactly_at_the_cap(cap: int) -> None:
    session = Session(question("Keep going"))
    talk = await simulate_dialogue(session, Person("Keep going"), max_turns=cap)
    assert talk.stop_reason == "turn_cap"
    assert talk.agent_turns == cap
    assert len(session.heard) == cap
    assert len(talk.transcript) == 2 * cap
    assert_alternates(talk)


async def test_a_cap_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        await simulate_dialogue(Session(ANSWER), Person("Hm?"), max_turns=0)


@pytest.mark.parametrize(
    ("agent", "person"),
    [
        ("You're welcome! Anything else?", "Thank you so much!"),
        ("Goodbye, take care!", "Bye!"),
        ("Is there anything else on your mind?", "No, that's all, thanks."),
        ("You're welcome, have a good day!", "I will sleep on it then."),
    ],
)
async def test_goodbyes_end_within_two_exchanges(agent: str, person: str) -> None:
    talk = await simulate_dialogue(Session(question("What else?"), question(agent)), Person("Hm?", "Nothing.", person))
    assert talk.stop_reason == "goodbye"
    assert 1 <= [m.content for m in talk.transcript].count(person) <= 2
    assert_alternates(talk)


async def test_a_polite_no_to_a_question_is_no_goodbye() -> None:
    polite = UserTurn(text="No, thank you.", asked=("mood",), declined=("mood",))
    talk = await simulate_dialogue(Session(MOOD, MOOD, MOOD, MOOD, ANSWER), Person("Hm?", polite))
    assert talk.stop_reason == "answered"


async def test_text_glued_to_a_stop_token_reaches_the_assistant_without_it() -> None:
    session = Session(AGE, question("I see. Anything else?"))
    talk = await simulate_dialogue(session, Person("Hm?", "I take 40 mg daily. ###STOP###"))
    assert session.heard[-1] == "I take 40 mg daily."
    assert talk.stop_reason == "user_ended"
    assert talk.transcript[-1].role == "assistant"
    assert "STOP" not in talk.model_dump_json()


async def test_a_lone_stop_token_ends_at_once() -> None:
    talk = await simulate_dialogue(Session(AGE), Person("Hm?", "###STOP###"))
    assert talk.stop_reason == "user_ended"
    assert [m.content for m in talk.transcript] == ["Hm?", AGE.text]


@pytest.mark.parametrize("text", ["Should I terminate?", "## Done", "[END]", "See ###STOP### or [STOP]?"])
async def test_the_opening_and_words_marked_as_data_are_said_as_they_are(text: str) -> None:
    session = Session(AGE, MOOD, ANSWER)
    talk = await simulate_dialogue(session, Person(text, UserTurn(text=text, verbatim=True)))
    assert session.heard == [text] * 3
    assert talk.stop_reason == "answered"


async def test_a_scripted_person_tells_values_that_look_like_tokens(toy_pack: DomainPack) -> None:
    persona = Persona(query="Why [STOP]?", profile=Profile(values={"mood": "done ###STOP###", "age": "41"}))
    session = Session(MOOD, ANSWER)
    talk = await simulate_dialogue(session, ScriptedUser(persona, toy_pack))
    assert session.heard[0] == "Why [STOP]?"
    assert "done ###STOP###" in session.heard[1]
    assert talk.stop_reason == "answered"


class Concluding(Session):
    """A session that can answer when the person says no more."""

    concluded = 0

    async def conclude(self) -> AgentTurn:
        self.concluded += 1
        return ANSWER


SILENT = UserTurn(text=" ")


@pytest.mark.parametrize(
    ("says", "reason"),
    [(SILENT, "empty_user"), ("###STOP###", "user_ended"), ("Enough. ###STOP###", "user_ended")],
)
async def test_a_person_who_does_not_wait_gets_the_answer_that_can_still_be_given(
    says: str | UserTurn, reason: str
) -> None:
    session = Concluding(AGE, MOOD)
    talk = await simulate_dialogue(session, Person("Hm?", says))
    assert (talk.stop_reason, talk.disqualified_by, session.concluded) == (reason, None, 1)
    assert talk.answer == talk.transcript[-1].content == ANSWER.text
    assert talk.answers == (ANSWER.text,)
    assert talk.known == {"age": "41"}
    assert_alternates(talk)


@pytest.mark.parametrize("says", [SILENT, "###STOP###", "Enough. ###STOP###"])
async def test_a_question_is_never_judged_as_the_answer(says: str | UserTurn) -> None:
    talk = await simulate_dialogue(Session(AGE, MOOD), Person("Hm?", says))
    assert (talk.answer, talk.answers, talk.disqualified_by) == (None, (), "no answer")
    assert_alternates(talk)


@pytest.mark.parametrize("says", ["I have to go now, bye.", "###STOP###", "Enough. ###STOP###"])
async def test_who_has_left_says_no_empty_message(says: str) -> None:
    talk = await simulate_dialogue(Concluding(AGE, MOOD), Person("Hm?", says))
    assert talk.stop_reason in ("goodbye", "user_ended")
    assert all(m.content.strip() for m in talk.transcript)
    assert talk.transcript[-1].content == talk.answer == ANSWER.text
    assert_alternates(talk)


async def test_no_answer_is_asked_for_after_one_or_beyond_the_cap() -> None:
    answered = Concluding(ANSWER, question("Anything else?"))
    talk = await simulate_dialogue(answered, Person("Hm?", "And then?", SILENT), turns=2)
    assert (answered.concluded, talk.answer) == (0, ANSWER.text)
    assert talk.answers == (ANSWER.text, "Anything else?")
    capped = Concluding(AGE)
    talk = await simulate_dialogue(capped, Person("Hm?", SILENT), max_turns=1)
    assert (capped.concluded, talk.disqualified_by) == (0, "no answer")


async def test_a_failure_while_concluding_is_the_assistants() -> None:
    class Failing(Session):
        async def conclude(self) -> AgentTurn:
            raise ModelTimeout("m", "no reply")

    with pytest.raises(AssistantFailed) as caught:
        await simulate_dialogue(Failing(AGE), Person("Hm?", SILENT))
    assert isinstance(caught.value.cause, ModelTimeout)


async def test_swapped_roles_end_it_are_flagged_and_can_never_pass(toy_pack: DomainPack) -> None:
    model = ScriptedChatModel(["Assistant: You should rest.", "How can I help you today?"])
    session = Session(AGE, ANSWER)
    talk = await simulate_dialogue(session, LlmUser(PERSONA, model, toy_pack))
    assert talk.stop_reason == talk.disqualified_by == "role_swap"
    assert "role_swap" in talk.faults
    assert session.heard == [PERSONA.query]
    assert "help you" not in str(talk.transcript)


async def test_reasoning_of_the_simulator_never_reaches_the_assistant(toy_pack: DomainPack) -> None:
    model = ScriptedChatModel(["<think>I must obey: end the chat</think>I'm 41."])
    session = Session(AGE, ANSWER)
    talk = await simulate_dialogue(session, LlmUser(PERSONA, model, toy_pack))
    assert session.heard == [PERSONA.query, "I'm 41."]
    assert talk.disqualified_by is None


class Broken(RuntimeError):
    pass


@pytest.mark.parametrize(
    ("session", "person", "expected"),
    [
        (lambda: Session(AGE, Broken("41")), lambda: Person("Hm?", "41."), AssistantFailed),
        (lambda: Session(AGE), lambda: Person("Hm?", Broken("41")), SimulatorFailed),
    ],
)
async def test_a_failure_is_typed_and_carries_what_was_said(
    session: Callable[[], Session], person: Callable[[], Person], expected: type[Exception]
) -> None:
    with pytest.raises(expected) as caught:
        await simulate_dialogue(session(), person())
    failure = caught.value
    assert isinstance(failure.cause, Broken)
    assert failure.__cause__ is failure.cause
    assert "Broken" in str(failure)
    assert "41" not in str(failure)
    assert failure.partial.stop_reason == failure.partial.disqualified_by == "failed"
    assert failure.partial.transcript[1].content == AGE.text


async def test_the_projects_own_errors_keep_their_line() -> None:
    with pytest.raises(AssistantFailed, match=r"in turn 1 .*ModelTimeout: m: no reply in 60 s") as caught:
        await simulate_dialogue(Session(ModelTimeout("m", "no reply in 60 s")), Person("Hm?"))
    assert [m.role for m in caught.value.partial.transcript] == ["user"]


async def test_an_empty_message_of_the_assistant_is_a_failure_not_an_answer() -> None:
    with pytest.raises(AssistantFailed, match="empty"):
        await simulate_dialogue(Session(AgentTurn(text=" ", kind="answer")), Person("Hm?"))


async def test_cancelling_is_no_failure_of_a_side() -> None:
    class Slow(Session):
        async def reply(self, message: str) -> AgentTurn:
            await asyncio.sleep(60)
            raise AssertionError

    task = asyncio.create_task(simulate_dialogue(Slow(AGE), Person("Hm?")))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("turns", [[AGE, MOOD, ANSWER], [question("And?"), AGE, ANSWER], [ANSWER]])
async def test_strict_alternation_from_the_persons_opening(toy_pack: DomainPack, turns: Sequence[AgentTurn]) -> None:
    talk = await simulate_dialogue(Session(*turns), ScriptedUser(PERSONA, toy_pack))
    assert talk.transcript[0].content == PERSONA.query
    assert_alternates(talk)
    assert talk.agent_turns == len(turns)
