from __future__ import annotations

from askfirst.simulators import AgentTurn, UserTurn
from askfirst.simulators.dialogue.ledger import build_ledger

IDS = ("age", "mood", "job", "home", "money")


def test_each_attribute_has_one_state() -> None:
    ledger = build_ledger(
        IDS,
        [
            UserTurn(text="I'm a nurse, can I ...", disclosed=("job",), values={"job": "nurse"}),
            AgentTurn(text="How old?", kind="question", attribute="age"),
            UserTurn(text="29.", asked=("age",), disclosed=("age",), values={"age": "29"}, lied=("age",)),
            AgentTurn(text="And your mood? And at home?", kind="question"),
            UserTurn(text="Low. Rather not.", asked=("mood", "home"), disclosed=("mood",), declined=("home",)),
            AgentTurn(text="So ...", kind="answer", used=("job", "mood")),
        ],
    )
    assert ledger.states == {
        "age": "lied_about",
        "mood": "asked",
        "job": "volunteered",
        "home": "declined",
        "money": "never_came_up",
    }
    assert ledger.asked == ("age", "mood", "home")
    assert ledger.told == ("age", "mood", "job")
    assert {a for a, e in ledger.entries.items() if e.used} == {"job", "mood"}
    assert ledger.entries["home"].used is False
    assert ledger.entries["mood"].asked_turn == ledger.entries["mood"].told_turn == 2


def test_asked_but_not_known_stays_asked_and_untold() -> None:
    ledger = build_ledger(
        IDS,
        [
            UserTurn(text="Hm?"),
            AgentTurn(text="How old?", kind="question", attribute="age"),
            UserTurn(text="No idea.", asked=("age",)),
        ],
    )
    assert ledger.states["age"] == "asked"
    assert not ledger.told


def test_a_question_without_a_reply_counts_as_asked() -> None:
    ledger = build_ledger(IDS, [UserTurn(text="Hm?"), AgentTurn(text="How old?", kind="question", attribute="age")])
    assert ledger.asked == ("age",)


def test_whether_an_answer_used_something_is_unknown_unless_the_assistant_says() -> None:
    silent = build_ledger(IDS, [UserTurn(text="Hm?"), AgentTurn(text="So ...", kind="answer")])
    assert {e.used for e in silent.entries.values()} == {None}
    telling = build_ledger(IDS, [UserTurn(text="Hm?"), AgentTurn(text="So ...", kind="answer", used=())])
    assert {e.used for e in telling.entries.values()} == {False}


def test_belief_of_the_assistant_is_no_evidence_of_telling() -> None:
    ledger = build_ledger(IDS, [UserTurn(text="Hm?"), AgentTurn(text="So ...", kind="answer", known={"age": "41"})])
    assert ledger.states["age"] == "never_came_up"


def test_leaks_are_marked() -> None:
    turn = UserTurn(text="I'm 41.", faults=("leak:age",))
    assert build_ledger(IDS, [turn]).entries["age"].leaked


def test_what_was_given_and_what_was_said_are_kept_apart() -> None:
    ledger = build_ledger(
        IDS,
        [
            UserTurn(text="Hm?"),
            AgentTurn(text="How old? Your job, your mood? At home?", kind="question"),
            UserTurn(
                text="I serve coffee.",
                asked=("age", "job", "mood", "home"),
                values={"age": "41", "job": "Waiter"},
                unclear=("job",),
                omitted=("age",),
                unknown=("mood",),
            ),
        ],
    )
    assert ledger.states == {
        "age": "omitted",
        "mood": "does_not_know",
        "job": "unclear",
        "home": "asked",
        "money": "never_came_up",
    }
    assert not ledger.told
    assert (ledger.entries["age"].given_turn, ledger.entries["age"].omitted_turn) == (1, 1)


def test_a_lie_and_a_change_are_two_things() -> None:
    ledger = build_ledger(
        IDS,
        [
            UserTurn(text="Hm?"),
            AgentTurn(text="How old?", kind="question", attribute="age"),
            UserTurn(text="41.", asked=("age",), values={"age": "41"}, disclosed=("age",)),
            AgentTurn(text="And your job?", kind="question", attribute="job"),
            UserTurn(
                text="Cook. And I'm 29, really.",
                asked=("job",),
                values={"age": "29", "job": "Cook"},
                disclosed=("age", "job"),
                changed=("age",),
                lied=("job",),
            ),
        ],
    )
    age, job = ledger.entries["age"], ledger.entries["job"]
    assert (age.state, age.told_turn, age.changed_turn, age.value) == ("changed", 1, 2, "29")
    assert (job.state, job.lied_turn, job.changed_turn) == ("lied_about", 2, None)


def test_a_person_who_says_what_was_asked_outweighs_what_the_assistant_claims() -> None:
    turns = [
        UserTurn(text="Hm?"),
        AgentTurn(text="How do you feel?", kind="question", attribute="money"),
        UserTurn(text="Low.", asked=("mood",), disclosed=("mood",)),
    ]
    assert build_ledger(IDS, turns).asked == ("mood",)
