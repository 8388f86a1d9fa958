from __future__ import annotations

import subprocess
import sys

import pytest
from askfirst.agents import AgentContext
from askfirst.agents.extraction.short_answers import (
    clean_answer,
    only_refuses,
    open_attributes,
    plain,
    refuses,
    sentences,
    tidy,
    without_fillers,
)
from askfirst.domains import DomainPack


def test_tidy_keeps_what_was_meant() -> None:
    assert tidy(" I’m\u200b  “fine”,\tthanks \r\n\r\n really\x00 ") == 'I\'m "fine", thanks\n\nreally'
    assert plain("ＡＢＣ Straße") == "abc strasse"


def test_sentences_split_at_their_ends_and_at_line_breaks() -> None:
    assert sentences("One. Two!  Three?\nfour") == ["One.", "Two!", "Three?", "four"]
    assert sentences("about 3.5 kg, e.g. today") == ["about 3.5 kg, e.g.", "today"]
    assert sentences(" \n ") == []


@pytest.mark.parametrize(
    ("message", "value"),
    [
        ("Well, I guess it's fine.", "it's fine"),
        ("  tight\n and tighter ", "tight and tighter"),
        ("So-so", "So-so"),
        ("Okay", "Okay"),
        ("", ""),
    ],
)
def test_clean_answer(message: str, value: str) -> None:
    assert clean_answer(message) == value


@pytest.mark.parametrize(
    "message",
    [
        *("skip", "Skip it.", "skip this one, please", "pass", "next question", "no comment", "I decline to answer"),
        *("prefer not to say", "I'd rather not", "I would rather not share that, sorry", "I don't want to answer that"),
        *("I won't say", "That's too personal", "None of your business!"),
    ],
)
def test_a_bare_refusal_is_one_and_nothing_else(message: str) -> None:
    assert refuses(message)
    assert only_refuses(message)


@pytest.mark.parametrize(
    "message",
    [
        *("", "please", "no", "pass me the exam", "skip work tomorrow?", "I'd rather not say, but I'm 34"),
        *("I don't want to talk about it. He hits me.", "I can't talk here", "I refuse to eat"),
    ],
)
def test_a_refusal_with_more_in_it_or_behind_it_must_be_read(message: str) -> None:
    assert not only_refuses(message)


def test_open_attributes_follow_the_plan_and_skip_the_settled(pack: DomainPack) -> None:
    context = AgentContext(
        query="q", plan=("age", "no_such", "gender"), known={"age": "41"}, declined=("profession",), asked=("gender",)
    )
    remaining = open_attributes(pack, context)
    assert remaining == tuple(a for a in pack.by_sensitivity() if a not in ("age", "gender", "profession"))


def test_the_package_is_light_to_import() -> None:
    code = (
        "import sys, askfirst.agents as a; a.PackResponder, a.LlmAbstention, a.LlmCrisisScreen\n"
        "heavy = {'torch', 'chromadb', 'langgraph', 'langchain_core', 'langchain_openai', 'sentence_transformers'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("Of course. Male", "Male"),
        ("All right. Single, two kids", "Single, two kids"),
        ("Of course not.", "Of course not."),
        ("All right, mostly", "All right, mostly"),
        ("Certainly not.", "Certainly not."),
    ],
)
def test_a_courtesy_that_opens_an_answer_is_no_part_of_it(said: str, left: str) -> None:
    assert without_fillers(said) == left
