from __future__ import annotations

import pytest
from askfirst.simulators.dialogue.courtesy import is_courtesy, says_goodbye

from tests.linear import assert_linear


@pytest.mark.parametrize(
    "text",
    [
        "Thank you!",
        "Thanks so much for your help, have a great day!",
        "You're welcome! Is there anything else I can help you with?",
        "Goodbye 👋",
        "Bye, take care",
        "No, that's all. Thanks again!",
        "You’re very welcome. Feel free to reach out any time. Take care!",
        "Okay great, thank you",
        "I'm glad I could help. Wishing you all the best!",
    ],
)
def test_thanks_and_goodbyes(text: str) -> None:
    assert is_courtesy(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No.",
        "Okay.",
        "Thanks. I take 40 mg daily.",
        "Keep going",
        "Thank you, but what about my landlord?",
        "I said goodbye to him last year",
        "Well, I'm 41.",
    ],
)
def test_anything_more_is_no_courtesy(text: str) -> None:
    assert not is_courtesy(text)


def test_long_text_is_decided_in_linear_time() -> None:
    assert_linear(is_courtesy, lambda n: "thanks " + "for the thanks for so much again " * n, size=500)


@pytest.mark.parametrize(
    "text",
    [
        "Okay, thank you so much, goodbye!",
        "I have to go now, bye",
        "Thanks, have a nice day!",
        "Gotta run, thanks a lot!",
        "Great, I'll leave it there.",
        "I'm fine with that. Good night.",
    ],
)
def test_taking_leave(text: str) -> None:
    assert says_goodbye(text)


@pytest.mark.parametrize(
    "text",
    [
        "Thank you!",
        "Thanks, that helps.",
        "I said goodbye to him last year",
        "I want to say goodbye to him.",
        "I have to leave my job.",
        "I'm leaving",
        "Bye? Why?",
        "I need to go back to school",
    ],
)
def test_staying(text: str) -> None:
    assert not says_goodbye(text)
