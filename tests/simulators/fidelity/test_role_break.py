from __future__ import annotations

import pytest
from askfirst.domains import DomainPack
from askfirst.simulators.fidelity.role_break import leaks, speaks_as_assistant

HIDDEN = {
    "age": "41",
    "marital_status": "Married, two small boys",
    "health_status": "Good",
    "mental_health_status": "Anxiety, panic attacks since spring",
}


@pytest.mark.parametrize(
    "text",
    [
        "As an AI, I cannot give medical advice.",
        "I'm an AI assistant, so let me think.",
        "How can I help you today?",
        "I'm so sorry to hear that. I'm here to support you.",
        "I would recommend that you speak to a doctor first.",
        "You should consider talking to a therapist.",
        "May I ask how old you are?",
        "How are you feeling about all this?",
        "Thank you for sharing that with me.",
        "I’m sorry, but I can’t role-play this person.",
        "Here are some practical tips.",
    ],
)
def test_an_assistants_words(text: str) -> None:
    assert speaks_as_assistant(text)


@pytest.mark.parametrize(
    "text",
    [
        "I'm 41 and my boss says I should rest.",
        "Sorry you have to read all this.",
        'My sister said "you should talk to a doctor", but I feel fine.',
        "I work as an assistant in a dental practice.",
        "I'm an AI researcher at a small lab.",
        "Why do you ask?",
        "What would you do?",
        "Thanks. Can you tell me what to do now?",
        "I'm sorry, I don't know.",
        "What do you recommend?",
    ],
)
def test_a_persons_words(text: str) -> None:
    assert not speaks_as_assistant(text)


def test_repeating_the_assistant_is_speaking_as_it() -> None:
    to = "Do you have someone at home who could stay with you?"
    assert speaks_as_assistant(to, to)
    assert speaks_as_assistant(to + " I hope so.", to)
    assert not speaks_as_assistant("Someone at home? No.", to)


def test_leaks_are_seen_verbatim_or_by_the_packs_patterns(pack: DomainPack) -> None:
    assert leaks("I'm 41, since you ask.", HIDDEN, pack, heard="") == ("age",)
    assert leaks("I have panic attacks since spring.", HIDDEN, pack, heard="") == ("mental_health_status",)
    assert leaks("We are married with two small boys.", HIDDEN, pack, heard="") == ("marital_status",)


def test_common_words_and_what_was_heard_are_no_leak(pack: DomainPack) -> None:
    assert not leaks("Good to know, thanks.", HIDDEN, pack, heard="")
    assert not leaks("Yes, panic attacks since spring.", HIDDEN, pack, heard="You spoke of panic attacks since spring.")
    assert not leaks("I have 41 books.", HIDDEN, pack, heard="")
