"""Reads and applies ``crisis_rules.yaml``, the table of rules that see imminent risk."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["CrisisRule", "CrisisRules", "load_crisis_rules"]


class CrisisRule(BaseModel):
    """One kind of imminent risk."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(description="What is recorded when it fires.")
    reason: str = Field(description="Why it is there, for people who check the table.")
    patterns: tuple[re.Pattern[str], ...] = Field(min_length=1)
    harmless: tuple[re.Pattern[str], ...] = ()
    unless: tuple[re.Pattern[str], ...] = ()
    negatable: bool = True
    fiction: bool = False


class CrisisRules(BaseModel):
    """The whole table. The file's own header says how a rule fires."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    negated: re.Pattern[str]
    no_real_negation: re.Pattern[str]
    long_ago: tuple[re.Pattern[str], ...]
    still: tuple[re.Pattern[str], ...]
    past_tense: re.Pattern[str]
    present_tense: re.Pattern[str]
    fiction: tuple[re.Pattern[str], ...]
    rules: tuple[CrisisRule, ...]

    def first(self, sentence: str) -> CrisisRule | None:
        """The first rule that fires on ``sentence`` (lower case, straight quotes)."""
        return next((rule for rule in self.rules if self._fires(rule, sentence)), None)

    def _fires(self, rule: CrisisRule, sentence: str) -> bool:
        if not _any(rule.patterns, sentence):
            return False
        rest = sentence
        for phrase in rule.harmless:
            rest = phrase.sub(" _ ", rest)
        if _any(rule.unless, sentence) or (rule.fiction and _any(self.fiction, sentence)):
            return False
        matches = (match for pattern in rule.patterns for match in pattern.finditer(rest))
        return any(
            not (rule.negatable and self._is_negated(rest[: match.start()])) and not self._is_over(rest, match)
            for match in matches
        )

    def _is_negated(self, before: str) -> bool:
        clause = _CLAUSE_END.split(before)[-1]
        return self.negated.search(clause) is not None and self.no_real_negation.search(clause) is None

    def _is_over(self, sentence: str, match: re.Match[str]) -> bool:
        if not _any(self.long_ago, sentence) or _any(self.still, sentence):
            return False
        before = _CLAUSE_END.split(sentence[: match.start()])[-1]
        after = _CLAUSE_END.split(sentence[match.end() :])[0]
        clause = before + match.group() + after
        return _any(self.long_ago, clause) or bool(
            self.past_tense.search(clause) and not self.present_tense.search(clause)
        )


# "Not going to lie, I want to die": a negation, or a past, reaches no further than its own clause.
_CLAUSE_END = re.compile(r"[,;:]| but | so | because | and | since (?=i\b)| then | therefore ")


@cache
def load_crisis_rules() -> CrisisRules:
    """The packaged table, compiled."""
    import yaml

    text = files(__package__ or "askfirst.agents").joinpath("crisis_rules.yaml").read_text(encoding="utf-8")
    raw = yaml.safe_load(text)
    words = {name: _joined(value) for name, value in raw.pop("words").items()}
    return CrisisRules.model_validate(_compiled(raw, words))


def _any(patterns: tuple[re.Pattern[str], ...], sentence: str) -> bool:
    return any(pattern.search(sentence) for pattern in patterns)


_PATTERN_KEYS = frozenset(
    {
        "negated",
        "no_real_negation",
        "long_ago",
        "still",
        "past_tense",
        "present_tense",
        "fiction",
        "patterns",
        "harmless",
        "unless",
    }
)


def _compiled(raw: Mapping[str, object], words: Mapping[str, str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in raw.items():
        if key == "rules" and isinstance(value, list):
            found[key] = [_compiled(rule, words) for rule in value]
        elif key not in _PATTERN_KEYS or isinstance(value, bool):
            found[key] = value
        elif isinstance(value, list):
            found[key] = tuple(re.compile(_filled(v, words)) for v in value)
        else:
            found[key] = re.compile(_filled(str(value), words))
    return found


def _joined(pattern: str) -> str:
    return "".join(pattern.split("\n"))


def _filled(pattern: str, words: Mapping[str, str]) -> str:
    text = _joined(pattern)
    while (filled := re.sub(r"<([a-z_]+)>", lambda m: words[m.group(1)], text)) != text:
        text = filled
    return text
