"""The labelled texts: read strictly, and told apart by author."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError, model_validator

from ...domains import DataError, Value
from ..reading import Act, Fault, RiskKind, RiskLevel, Turn

__all__ = ["DATA", "DEVELOPMENT", "HELD_OUT", "Example", "Told", "examples_from", "load_examples"]

DATA = Path(__file__).parents[1] / "data"
"""Folder of the packaged texts: ``risk.jsonl``, ``replies.jsonl``, ``played.jsonl``."""

HELD_OUT = ("ivo", "june")
"""Authors whose texts are never trained on, and on which nothing is chosen: the published figures come from them."""

DEVELOPMENT = ("chen",)
"""Authors on whom thresholds are chosen, with weights that have not seen them."""


class Told(Value):
    """A labelled fact."""

    attribute: str
    fact: str
    quote: str = Field(min_length=1)


class Example(Value):
    """One labelled text. What was not labelled is None, and neither trained nor measured."""

    author: str
    source: Literal["risk", "replies", "played"]
    text: str = Field(min_length=1)
    before: tuple[Turn, ...] = ()
    asked: str | None = None
    lang: str
    style: str = Field(default="", description="How it was meant: idiom, oblique, ordinary_query ...")
    level: RiskLevel | None = None
    kind: RiskKind | None = None
    sentence: str = ""
    acts: tuple[Act, ...] | None = None
    values: tuple[Told, ...] | None = None
    injection: bool | None = None
    fault: Fault | None = None

    @model_validator(mode="after")
    def _quotes_stand_in_the_text(self) -> Example:
        if self.sentence not in self.text:
            raise ValueError("its sentence does not stand in its text")
        if any(told.quote not in self.text for told in self.values or ()):
            raise ValueError("a quote does not stand in its text")
        return self

    @property
    def is_ordinary(self) -> bool:
        """Whether it is no danger and not made to look like one."""
        return self.style.startswith("ordinary")


def load_examples(
    folder: Path = DATA, *, authors: Iterable[str] | None = None, but: Iterable[str] = ()
) -> list[Example]:
    """All texts of ``folder``, in the order of the files.

    Args:
        authors: only these; None: all.
        but: without these.

    Raises:
        DataError: names the file and the line that cannot be used.
    """
    wanted, out = None if authors is None else set(authors), set(but)
    found = [e for source in ("risk", "replies", "played") for e in examples_from(folder / f"{source}.jsonl")]
    return [e for e in found if (wanted is None or e.author in wanted) and e.author not in out]


def examples_from(file: Path) -> Iterator[Example]:
    """The texts of one file; its name says what is labelled in it."""
    source = file.stem
    if not file.exists():
        return
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            yield Example.model_validate({"source": source, **_fields(source, json.loads(line))})
        except (ValidationError, ValueError, KeyError) as error:
            problem = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
            raise DataError(file, number, None, problem) from error


def _fields(source: str, row: dict[str, object]) -> dict[str, object]:
    """A row of a file as the fields of an example."""
    if source == "risk":
        return {**row, "kind": None if row["kind"] == "none" else row["kind"]}
    turns = [{"role": "user", "text": row.pop("query")}] if row.get("query") else []
    before = [*turns, {"role": "assistant", "text": row.pop("question")}]
    row.pop("query", None)
    text = row.pop("reply")
    if source == "played":
        fault = row.pop("fault")
        return {**row, "text": text, "before": before, "fault": None if fault == "none" else fault}
    return {**row, "text": text, "before": before}
