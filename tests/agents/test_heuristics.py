from __future__ import annotations

import subprocess
import sys

import pytest
from askfirst.agents import AgentContext
from askfirst.agents.heuristics import clean_answer, infer_domain, open_attributes, plain, sentences, tidy
from askfirst.domains import DomainPack


def test_tidy_keeps_what_was_meant() -> None:
    assert tidy(" I’m\u200b  “fine”,\tthanks \r\n\r\n really\x00 ") == 'I\'m "fine", thanks\nreally'
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


def test_open_attributes_follow_the_plan_and_skip_the_settled(pack: DomainPack) -> None:
    context = AgentContext(
        query="q", plan=("age", "no_such", "gender"), known={"age": "41"}, declined=("profession",), asked=("gender",)
    )
    remaining = open_attributes(pack, context)
    assert remaining == tuple(a for a in pack.by_sensitivity() if a not in ("age", "gender", "profession"))


def test_a_query_of_no_field_or_of_two_names_none(pack: DomainPack) -> None:
    assert infer_domain(pack, "zzz") is None
    assert infer_domain(pack, "") is None


def test_the_package_is_light_to_import() -> None:
    code = (
        "import sys, askfirst.agents as a; a.PackResponder, a.ModelAbstention, a.ModelCrisisScreen\n"
        "heavy = {'torch', 'chromadb', 'langgraph', 'langchain_core', 'langchain_openai', 'sentence_transformers'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
