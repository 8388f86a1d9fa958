"""The floor: plain statements that count as danger whatever the learned reader says. A short table with reasons."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from ..domains import Value, plain, read_yaml_file, sentences
from .reading import RiskKind, RiskReading

__all__ = ["FLOOR", "Floor", "FloorRule", "load_floor"]

FLOOR = Path(__file__).with_name("floor.yaml")


class FloorRule(Value):
    """One plain statement, in the words of one or several languages."""

    reason: str = Field(min_length=1, description="Why it counts, for people who check the table.")
    kind: RiskKind
    level: Literal["concern", "imminent"] = "imminent"
    patterns: tuple[str, ...] = Field(
        min_length=1, description="Regular expressions, on lower case and straight quotes."
    )


class Floor:
    """The rules, compiled. Packs and users may add rules of their own; none takes one away."""

    def __init__(self, rules: Sequence[FloorRule], *, denied: str = "") -> None:
        self.rules = tuple(rules)
        self._compiled = [(rule, [re.compile(p) for p in rule.patterns]) for rule in rules]
        self._denied = re.compile(denied) if denied else None

    def read(self, message: str) -> RiskReading:
        """The gravest rule that fires in a sentence of ``message``, and is not denied just before; else no danger."""
        found = RiskReading(source="floor")
        for original in sentences(message):
            sentence = plain(original)
            for rule, patterns in self._compiled:
                if rule.level == found.level or found.level == "imminent":
                    continue
                if any(self._fires(pattern, sentence) for pattern in patterns):
                    found = RiskReading(
                        level=rule.level, kind=rule.kind, sentence=original, probability=1.0, source="floor"
                    )
        return found

    def with_rules(self, rules: Sequence[FloorRule]) -> Floor:
        """These rules and ``rules``."""
        return Floor((*self.rules, *rules), denied=self._denied.pattern if self._denied else "")

    def _fires(self, pattern: re.Pattern[str], sentence: str) -> bool:
        return any(
            self._denied is None or not self._denied.search(sentence[max(0, m.start() - 40) : m.start()])
            for m in pattern.finditer(sentence)
        )


@cache
def load_floor(file: Path = FLOOR) -> Floor:
    """The floor in ``file``.

    Raises:
        PackError: the file cannot be used.
    """
    raw = read_yaml_file(file)
    return Floor([FloorRule.model_validate(rule) for rule in raw["rules"]], denied=raw.get("denied", ""))
