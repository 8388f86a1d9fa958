"""Redaction: the marked posts, each kind of detail, what must stay, and strange texts."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from askfirst.simulators.extraction.redact import IdentifyingKind, find_identifying, proper_nouns, redact
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.linear import assert_linear
from tests.simulators.extraction.redaction_sentences import HARMLESS, HELD_OUT, MADE_WITH_RULES
from tests.simulators.extraction.redaction_set import recall


@pytest.mark.parametrize(
    ("name", "strict", "least"),
    [("posts_a", False, 0.98), ("posts_b", False, 0.94), ("posts_b", True, 0.96), ("posts_c", True, 0.5)],
)
def test_measured_recall_on_the_marked_posts(
    name: str, strict: bool, least: float, record_property: Callable[[str, object], None]
) -> None:
    found = recall(name, lambda text: redact(text, strict=strict).text)
    print(f"redaction recall, {name}, {'strict' if strict else 'rules'}: {found.line()}")
    record_property("recall", round(found.of(), 3))
    assert found.of() >= least, found.stayed
    assert found.clean_changed == 0


def test_contacts_numbers_and_addresses_are_all_found() -> None:
    for name in ("posts_a", "posts_b"):
        found = recall(name, lambda text: redact(text).text)
        assert found.of("contact", "link", "handle", "address", "id", "date") == 1.0, found.stayed


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("mail me: a.b+c@mail.example.org!", "a.b+c@mail.example.org"),
        ("write to ann (at) example (dot) org", "ann (at) example (dot) org"),
        ("call +1 (555) 010-9988 now", "555"),
        ("see https://example.org/u/me?x=1.", "example.org"),
        ("on insta: blue.heron_9 mostly", "blue.heron_9"),
        ("/u/some-body wrote", "some-body"),
        ("IP 192.0.2.44 was logged", "192.0.2.44"),
        ("card 4111 1111 1111 1111 is maxed", "4111"),
        ("born 12.03.1987, broke since", "12.03.1987"),
        ("It is at 221B Baker Street, Apt 5.", "Baker"),
        ("ich wohne in der Lindenstraße 14", "Lindenstraße"),
        ("passport no. X1234567 expired", "X1234567"),
        ("Mrs. O'Connell-Vance shouted", "Vance"),
        ("I work at Zyx & Partners as a clerk", "Zyx"),
        ("hired by the Institute of Rare Birds", "Rare"),
        ("My husband Zbyněk drinks", "Zbyněk"),
        ("I'm from Brzeg", "Brzeg"),
        ("my name is zorro", "zorro"),
    ],
)
def test_each_kind_of_detail(text: str, gone: str) -> None:
    assert gone not in redact(text).text


@pytest.mark.parametrize(
    "text",
    [
        "I owe 1,250,000 dollars and earn 4000 a month since 2019-2021.",
        "I'm 34 and my BMI is 31.5; 10000000 people live like this.",
        "My therapist is kind. I am German. In March I moved from Poland to Germany.",
        "I'm Muslim, my wife is Catholic, and on Monday I start with Prozac.",
        "Will I ever sleep? May I stop? I hope so. Mark my words.",
        "I work from home and study at night, with PTSD and ADHD.",
        "I live in constant fear, in a flat, in debt.",
    ],
)
def test_what_identifies_nobody_stays(text: str) -> None:
    assert redact(text, strict=True).text == text


def test_known_strings_are_taken_everywhere_names_only_as_written() -> None:
    known = [("Will", "name"), ("slow_river", "handle")]
    done = redact("Will will call, WILL too. Slow_River as well; Will's phone is off.", known=known)  # type: ignore[arg-type]
    assert done.text == "[name] will call, [name] too. [handle] as well; [name] phone is off."
    assert done.counts == {"name": 3, "handle": 1}


def test_proper_nouns_are_none_where_capitals_mean_nothing() -> None:
    assert proper_nouns("then Marquita told the rest of it to Ozren") == {"Marquita", "Ozren"}
    assert proper_nouns("A Long Title In Which Every Single Word Has A Capital") == frozenset()
    assert (
        proper_nouns("Ich habe meinem Chef im Büro von der Kündigung und dem Streit mit dem Kollegen erzählt") == set()
    )


@pytest.mark.parametrize(
    ("before", "piece", "after"),
    [
        ("", "A-", ""),
        ("", "a.b+", ""),
        ("id ", "1", "_"),
        ("", "WORD ", ""),
        ("", "Word ", ""),
        ("", "(1 ", ""),
        ("", "u/", ""),
    ],
)
def test_strange_texts_take_linear_time(before: str, piece: str, after: str) -> None:
    redact("warm up")
    assert_linear(lambda text: redact(text, strict=True), lambda n: before + piece * n + after, size=500)


@settings(max_examples=60)
@given(
    st.lists(
        st.one_of(
            st.text(max_size=12),
            st.sampled_from(["my name is", "Anna", "in", "Berlin", "555-014-2233", "[name]", "@me", "\ud800", "\x00"]),
        ),
        max_size=12,
    ).map(" ".join)
)
def test_redaction_never_fails_and_its_parts_do_not_overlap(text: str) -> None:
    found = find_identifying(text, strict=True)
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))
    done = redact(text)
    assert sum(done.counts.values()) == len(find_identifying(text))


@pytest.mark.parametrize(("text", "details"), [*MADE_WITH_RULES, *HELD_OUT])
def test_hidden_and_unusual_details(text: str, details: tuple[str, ...]) -> None:
    left = redact(text).text
    assert not [detail for detail in details if detail in left], left


@pytest.mark.parametrize("text", HARMLESS)
def test_ordinary_sentences_stay(text: str) -> None:
    assert redact(text).text == text


def test_letters_that_nobody_sees_stay_where_they_hide_nothing() -> None:
    text = "\U0001f468\u200d\U0001f469\u200d\U0001f467 and I are fine, \uff4f\uff4b\u200b."
    assert redact(text).text == text
    assert redact("Ask T\u200bom Baker.", known=[("To\u200dm", "name")]).text == "Ask [name]."


@pytest.mark.parametrize(
    ("text", "known", "left"),
    [
        ("Married to Tom Baker", [("Tom", "name")], "Married to [name]"),
        ("Married to Ottoline Baker.", [], "Married to [name]."),
        ("We saw Tom on Monday, and Tom I like.", [("Tom", "name")], "We saw [name] on Monday, and [name] I like."),
        ("Ann Baker wrote", [("Ann", "name"), ("Baker", "name")], "[name] wrote"),
        ("Thanks @mothlight88!", [("mothlight88", "handle")], "Thanks [handle]!"),
        ("Ask u/mothlight88.", [("mothlight88", "handle")], "Ask [handle]."),
    ],
)
def test_what_is_known_goes_with_what_belongs_to_it(
    text: str, known: list[tuple[str, IdentifyingKind]], left: str
) -> None:
    assert redact(text, known=known).text == left
