"""Regular expressions that people write: those that may take forever are refused before anything runs."""

from __future__ import annotations

import pytest
from askfirst.domains.patterns import pattern_problem


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(?:\\w+ )*x", "(?P<x>a*)*", "(a|aa)*b", "((a+)b?)+c", "(?:(?:ab)+|c)+d", "(a+){2,}b"]
)
def test_a_repeated_repetition_is_refused(pattern: str) -> None:
    assert "may take forever" in str(pattern_problem(pattern))


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"\bhow old\b", "a+b*", "(?:so |very |just )*tired", r"(?:\w+ ){0,5}x", "[(a+)+]+", r"\(a+\)+", "(a+)?b"),
        *(r".{0,80}\b(?:week|feel)", "(?i:a|b)c", r"\d{1,2}[./]\d{4}"),
    ],
)
def test_ordinary_patterns_pass(pattern: str) -> None:
    assert pattern_problem(pattern) is None


def test_no_pattern_at_all() -> None:
    assert "not a regular expression" in str(pattern_problem("(how"))
    assert len(str(pattern_problem("(" * 5000))) < 200
