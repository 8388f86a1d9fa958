"""Who speaks next and when it is over, apart from any simulator."""

from __future__ import annotations

import pytest
from askfirst.domains import DomainPack, Profile
from askfirst.simulators import AgentTurn, Control, Persona, ScriptedUser, UserTurn, simulate_dialogue
from askfirst.simulators.dialogue.turn_taking import StopReason, confirms, offers_more

ASK = AgentTurn(text="How old are you?", kind="question", attribute="age")
ANSWER = AgentTurn(text="Then rest first.", kind="answer", used=(), known={})
OFFER = AgentTurn(text="I have three steps in mind. Shall I go on?", kind="answer")


def play(control: Control, *talk: str | UserTurn | AgentTurn) -> StopReason | None:
    """The reason after the last of ``talk``; every one before it must let the conversation go on."""
    reason: StopReason | None = None
    for turn in talk:
        assert reason is None
        if isinstance(turn, AgentTurn):
            reason = control.answered(turn)
        else:
            reason = control.heard(UserTurn(text=turn) if isinstance(turn, str) else turn)
    return reason


def test_alternation_is_strict() -> None:
    control = Control(max_turns=9)
    with pytest.raises(RuntimeError, match="before the person"):
        control.answered(ASK)
    assert play(control, "Hm?") is None
    with pytest.raises(RuntimeError, match="in a row"):
        control.heard(UserTurn(text="And?"))
    assert play(control, ASK) is None
    with pytest.raises(RuntimeError, match="twice"):
        control.answered(ASK)


@pytest.mark.parametrize("turns", [0, 1, 3])
def test_exactly_as_many_further_turns_as_wanted(turns: int) -> None:
    control = Control(max_turns=12, turns=turns)
    assert play(control, "Hm?", ASK, "41.") is None
    reason = control.answered(ANSWER)
    for i in range(turns):
        assert reason is None
        assert play(control, f"But what about thing {i}?") is None
        reason = control.answered(AgentTurn(text=f"As for {i}, slowly.", kind="answer"))
    assert reason == ("turns_done" if turns else "answered")


def test_the_cap_is_exact_also_after_the_answer() -> None:
    assert play(Control(max_turns=2, turns=5), "Hm?", ANSWER, "And then?", ANSWER) == "turn_cap"
    with pytest.raises(ValueError, match="at least 1"):
        Control(max_turns=0)
    with pytest.raises(ValueError, match="at least 0"):
        Control(max_turns=1, turns=-1)


def test_a_final_confirmation_gets_one_more_turn_of_the_assistant() -> None:
    control = Control(max_turns=9, turns=1)
    assert play(control, "Hm?", OFFER, "Yes, please go on.", OFFER) is None
    assert play(control, "Yes, please.", ANSWER) == "turns_done"  # once in a conversation


def test_a_confirmation_with_which_the_person_leaves_is_answered() -> None:
    offer = OFFER.model_copy(update={"kind": "question"})
    leaves = UserTurn(text="Yes, please go on.", ended=True)
    assert play(Control(max_turns=9), "Hm?", offer, leaves) is None
    assert play(Control(max_turns=9), "Hm?", offer, leaves, offer) == "user_ended"


def test_accepting_an_offer_politely_is_no_goodbye() -> None:
    offer = OFFER.model_copy(update={"kind": "question"})
    thanks = AgentTurn(text="You're welcome!", kind="question")
    assert play(Control(max_turns=9), "Hm?", offer, "Yes, thank you!", thanks) is None
    assert play(Control(max_turns=9), "Hm?", thanks, "Thank you!", thanks) == "goodbye"


@pytest.mark.parametrize("text", ["Okay, thank you so much, goodbye!", "I have to go now, bye"])
@pytest.mark.parametrize("reply", [ASK, ANSWER])
def test_a_goodbye_of_the_person_gets_one_more_message_and_ends_it(text: str, reply: AgentTurn) -> None:
    assert play(Control(max_turns=9, turns=5), "Hm?", ASK, text, reply) == "goodbye"
    assert play(Control(max_turns=9, turns=5), "Hm?", ANSWER, text, reply) == "goodbye"
    assert play(Control(max_turns=9, turns=5), "Hm?", ANSWER, "Thanks, that helps.", reply) is None


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (UserTurn(text=" "), "empty_user"),
        (UserTurn(text="", ended=True), "user_ended"),
        (UserTurn(text="", ended=True, faults=("empty",)), "unusable_user"),
        (UserTurn(text="x" * 5000, faults=("too_long",)), "unusable_user"),
        (UserTurn(text="", ended=True, faults=("refused",)), "unusable_user"),
        (UserTurn(text="", ended=True, faults=("redrawn:echo", "echo")), "unusable_user"),
        (UserTurn(text="How can I help?", faults=("role_swap",)), "role_swap"),
    ],
)
def test_messages_that_are_not_heard(said: UserTurn, reason: str) -> None:
    assert play(Control(max_turns=9), "Hm?", ASK, said) == reason


@pytest.mark.parametrize(
    "text", ["Shall I go on?", "That was part one. Would you like me to write it down?", "May I explain why?"]
)
def test_offers(text: str) -> None:
    assert offers_more(text)
    assert confirms("Yes, please go on!", text)
    assert confirms("Sure, thanks.", text)
    assert not confirms("Yes, but what does it cost?", text)
    assert not confirms("", text)


@pytest.mark.parametrize("text", ["How old are you?", "Shall I go on? First some facts.", "You may go on."])
def test_no_offers(text: str) -> None:
    assert not offers_more(text)
    assert not confirms("Yes.", text)


class Session:
    def __init__(self, *turns: AgentTurn) -> None:
        self.turns, self.heard = list(turns), []

    async def reply(self, message: str) -> AgentTurn:
        self.heard.append(message)
        return self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]

    async def aclose(self) -> None: ...


async def test_the_person_reacts_to_the_answer_and_the_whole_is_kept(toy_pack: DomainPack) -> None:
    persona = Persona(query="How long can I stay up?", profile=Profile(values={"age": "41", "mood": "Low, tired"}))
    session = Session(ASK, ANSWER, AgentTurn(text="With a low mood, sleep first.", kind="answer", used=("mood",)))
    talk = await simulate_dialogue(session, ScriptedUser(persona, toy_pack, turns=2), turns=2)
    assert talk.stop_reason == "turns_done"
    assert [m.role for m in talk.transcript] == ["user", "assistant"] * 4
    assert talk.answers == ("Then rest first.", *["With a low mood, sleep first."] * 2)
    assert talk.told == {"age": "41", "mood": "Low, tired"}
    entry = talk.ledger.entries["mood"]
    assert (entry.state, entry.told_turn, entry.used) == ("volunteered", 2, True)


async def test_without_an_answer_nothing_is_judged(toy_pack: DomainPack) -> None:
    persona = Persona(query="How long can I stay up?", profile=Profile(values={"age": "41"}))
    talk = await simulate_dialogue(Session(ASK), ScriptedUser(persona, toy_pack), max_turns=2)
    assert (talk.answers, talk.answer, talk.disqualified_by) == ((), None, "no answer")


async def test_faults_that_show_by_themselves_are_seen_whoever_wrote_the_user() -> None:
    class Looping:
        attributes = ("age",)

        async def opening(self) -> UserTurn:
            return UserTurn(text="May I?")

        async def reply(self, agent: AgentTurn) -> UserTurn:
            return UserTurn(text="I only want all of this to be over soon.")

    session = Session(ASK, AgentTurn(text="What would help?", kind="question"), ANSWER)
    talk = await simulate_dialogue(session, Looping())
    assert talk.faults == ("repeated",)
    assert talk.simulator_failure == talk.disqualified_by == "repeated"
