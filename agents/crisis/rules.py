"""Reads and applies ``rules.yaml``, the table of rules that see imminent risk."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from pydantic import Field

from ...domains import Value

__all__ = ["CrisisRule", "CrisisRules", "load_crisis_rules", "read_crisis_rules"]


class CrisisRule(Value):
    """One kind of imminent risk."""

    name: str = Field(description="What is recorded when it fires.")
    reason: str = Field(description="Why it is there, for people who check the table.")
    patterns: tuple[re.Pattern[str], ...] = Field(min_length=1)
    harmless: tuple[re.Pattern[str], ...] = ()
    unless: tuple[re.Pattern[str], ...] = ()
    negatable: bool = True
    fiction: bool = False
    asked: tuple[str, ...] = Field(
        default=(), description="Counts only after a question about one of these attributes."
    )
    whole: bool = Field(default=False, description="Reads the message as one line, not sentence by sentence.")


class CrisisRules(Value):
    """The whole table. The file's own header says how a rule fires."""

    negated: re.Pattern[str]
    no_real_negation: re.Pattern[str]
    long_ago: tuple[re.Pattern[str], ...]
    still: tuple[re.Pattern[str], ...]
    past_tense: re.Pattern[str]
    present_tense: re.Pattern[str]
    fiction: tuple[re.Pattern[str], ...]
    rules: tuple[CrisisRule, ...]

    def first(self, text: str, *, whole: bool = False, asked: str | None = None) -> CrisisRule | None:
        """The first rule that fires on ``text`` (lower case, straight quotes).

        Args:
            whole: ``text`` is a whole message on one line, else it is one sentence. Each rule looks at one of the two.
            asked: attribute that the question before was about.
        """
        counting = (r for r in self.rules if r.whole == whole and (not r.asked or asked in r.asked))
        return next((rule for rule in counting if self._fires(rule, text)), None)

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
    text = files("askfirst.agents.crisis").joinpath("rules.yaml").read_text(encoding="utf-8")
    return read_crisis_rules(text)


def read_crisis_rules(text: str) -> CrisisRules:
    """A table from its YAML text. Raises ``ValueError`` for a ``<name>`` that ``words`` lacks, or a bad entry."""
    import yaml

    raw = yaml.safe_load(text)
    words = raw.pop("words", {})
    return CrisisRules.model_validate(_filled(raw, words))


def _any(patterns: tuple[re.Pattern[str], ...], sentence: str) -> bool:
    return any(pattern.search(sentence) for pattern in patterns)


def _filled(value: object, words: Mapping[str, str]) -> object:
    """``value`` with every string, however deep, on one line and its ``<name>`` replaced."""
    if isinstance(value, dict):
        return {key: _filled(item, words) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, words) for item in value]
    if isinstance(value, str):
        return re.sub(r"<([a-z_]+)>", lambda name: _word(name[1], words), value.replace("\n", ""))
    return value


def _word(name: str, words: Mapping[str, str]) -> str:
    if name not in words:
        raise ValueError(f"<{name}> is not among the words of the crisis rules: {', '.join(sorted(words))}")
    return str(_filled(words[name], words))
