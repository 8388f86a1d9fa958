"""Regular expressions that people write in packs, behaviours and tables: whether they may be used."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

__all__ = ["compilable", "pattern_problem"]

_OFTEN = 10
_TOKEN = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\((?:\?(?:[aiLmsux-]*:|P?<?[=!]?))?|[*+?]|\{(\d*)(,?)(\d*)\}|.", re.DOTALL
)


def compilable(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """``patterns``; raises ``ValueError``, with the pattern, for the first that ``pattern_problem`` has a word on."""
    for pattern in patterns:
        if problem := pattern_problem(pattern):
            raise ValueError(problem)
    return patterns


def pattern_problem(pattern: str) -> str | None:
    """Why ``pattern`` cannot be used; None if it can.

    It is no regular expression, or of a kind that takes for ever, as Python has no time limit for a match: a group that
    is repeated more than ten times and holds a repetition of more than ten ("(a+)+", "(?:[a-z]+ )*"), or alternatives
    of which one begins like another ("(a|ab)*"). Some that are refused would be quick: "(?:[a-z]+ ){0,10}" says the
    same in bounds. Rarer kinds, such as "(a?a)*", are not seen.
    """
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return f"{_short(pattern)} is not a regular expression ({error})"
    if _may_explode(pattern):
        return f"{_short(pattern)} repeats an unbounded repetition and may take forever; write {{0,10}} for * and +"
    return None


@dataclass
class _Group:
    starts: int
    repeats: bool = False
    choices: list[str] = field(default_factory=list)

    def end_choice(self, pattern: str, end: int) -> None:
        self.choices.append(pattern[self.starts : end])
        self.starts = end + 1

    @property
    def ambiguous(self) -> bool:
        return self.repeats or any(
            a.startswith(b) for n, a in enumerate(self.choices) for m, b in enumerate(self.choices) if n != m
        )


def _may_explode(pattern: str) -> bool:
    """Whether a group that can match one text in several ways is repeated often."""
    groups = [_Group(0)]  # those that are open, the innermost last
    closed: _Group | None = None  # the one that ended just before
    for token in _TOKEN.finditer(pattern):
        if (repeat := _most(token)) is not None and repeat > _OFTEN:
            if closed and closed.ambiguous:
                return True
            groups[-1].repeats = True
        elif token[0].startswith("("):
            groups.append(_Group(token.end()))
        elif token[0] == "|":
            groups[-1].end_choice(pattern, token.start())
        closed = None
        if token[0] == ")" and len(groups) > 1:
            closed = groups.pop()
            closed.end_choice(pattern, token.start())
            groups[-1].repeats = groups[-1].repeats or closed.ambiguous
    return False


def _most(token: re.Match[str]) -> float | None:
    """How often a quantifier lets its group stand; None if it is none."""
    text, (least, comma, most) = token[0], token.groups()
    if text in ("*", "+"):
        return float("inf")
    if least is None or not (least or most):
        return None
    return float(most or ("inf" if comma else least))


def _short(pattern: str) -> str:
    return repr(pattern if len(pattern) <= 60 else pattern[:57] + "...")
