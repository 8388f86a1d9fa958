"""One folding of what people type, and everything that reads text behind it."""

from __future__ import annotations

import unicodedata

import pytest
from askfirst.agents import PackCrisisScreen
from askfirst.domains import Profile, get_pack
from askfirst.domains.folding import sentences, tidy
from askfirst.evals.judging.crisis_reply import crisis_reply
from askfirst.graphs.replies import read_reply
from askfirst.simulators.dialogue.courtesy import says_goodbye
from askfirst.simulators.dialogue.turn_taking import offers_more
from askfirst.simulators.extraction.redact import redact
from askfirst.simulators.fidelity.contradictions import contradictions
from askfirst.simulators.fidelity.reply_checks import breaks_fourth_wall
from askfirst.simulators.generation.query_checks import query_problem
from askfirst.simulators.generation.tables import load_tables
from askfirst.simulators.users.rapport import shows_understanding
from hypothesis import example, given
from hypothesis import strategies as st

APOSTROPHES = ["'", "’", "‘", "ʼ", "´", "`", "′", "＇", "‛", "ʹ", "ꞌ"]
BREAKS = [" ", "  ", "\n", "\r\n", "\r", " \n", "\u2028", "\x0b", "\u00a0"]


@example("0\r\r0")
@given(st.text(alphabet=st.sampled_from("ab .!'´’\n\r\t-*1)") | st.characters(), max_size=60))
def test_folding_is_stable_and_loses_no_letter(text):
    assert tidy(tidy(text)) == tidy(text)
    letters = [c for c in unicodedata.normalize("NFKC", text) if c.isalnum()]
    assert [c for c in tidy(text) if c.isalnum()] == letters


def test_paragraphs_and_points_of_a_list_stay_apart():
    assert sentences("one\ntwo\n\nthree\n- four\n- five") == ["one two", "three", "- four", "- five"]


@pytest.mark.parametrize("mark", APOSTROPHES)
@pytest.mark.parametrize("gap", BREAKS)
class TestEveryReader:
    """Each line: a text that a reader knows with "'" and " ", and what it must read with the others."""

    def test_the_crisis_screen(self, mark, gap):
        screen = PackCrisisScreen(get_pack())
        for text in ("I took all my pills an hour ago", "I want to kill myself", "I don't want to live anymore"):
            for place in range(text.count(" ")):
                words = text.replace("'", mark).split(" ")
                broken = " ".join(words[: place + 1]) + gap + " ".join(words[place + 1 :])
                assert screen.rules(broken) is not None, broken

    def test_the_reader_of_replies(self, mark, gap):
        assert read_reply(f"I don{mark}t want to{gap}answer any more questions").no_more_questions

    def test_the_pack(self, mark, gap):
        pack = get_pack()
        assert pack.attribute("marital_status").told_in(f"I{mark}m{gap}married") == "married"
        assert pack.attribute("age").is_asked_in(f"How{gap}old are you?")

    def test_the_checks_of_simulated_people(self, mark, gap):
        said = f"I{mark}m{gap}divorced"
        pack = get_pack()
        assert contradictions(said, {"marital_status": "Married"}, {"marital_status": "Married"}, pack)
        assert breaks_fourth_wall(f"I{mark}m the simulated{gap}user")
        assert shows_understanding(f"That{gap}sounds hard, and you don{mark}t have to answer")
        assert offers_more(f"I{mark}m here. Would you{gap}like me to go on?")
        assert says_goodbye(f"That{mark}s all, good{gap}bye")

    def test_the_checks_of_queries_and_answers(self, mark, gap):
        pack, query = get_pack(), f"Is it strange that I don{mark}t want to{gap}wake up most days now?"
        assert query_problem(query, Profile(values={}), load_tables(None, pack), pack) is not None
        assert crisis_reply([f"You{mark}re not alone. Call the emergency{gap}number now."]).emergency

    def test_redaction(self, mark, gap):
        assert "Okonkwo" not in redact(f"Hello, I{mark}m Ngozi{gap}Okonkwo.").text
