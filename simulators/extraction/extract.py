"""From forum posts to scenarios, in three steps: which attributes are there, are they enough, what are they (A.2)."""

from __future__ import annotations

import hashlib
import math
import random
import re
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import Field

from ...domains import DomainPack, InputError, Scenario, Value
from ...models import ChatModel
from ..datasets import Post
from ..generation import Journal, OnProgress, load_prompt, run_units
from .extraction_steps import PROMPTS, PostReader

__all__ = [
    "ExtractionRequest",
    "ExtractionResult",
    "extract_scenarios",
    "extracted_scenarios",
    "extraction_settings",
    "new_salt",
    "source_records",
]


class ExtractionRequest(Value):
    """How strictly to extract."""

    least: int = Field(default=7, ge=1, description="Attributes that a post must tell (A.2: 7 of 10).")
    redraws: int = Field(default=2, ge=0, description="Further tries where a reply cannot be used.")
    keep_source: bool = Field(default=False, description="Whether the posts' own text is kept, in a file apart.")
    seed: int = Field(default=0, description="Of the nonces that fence the posts in prompts.")

    @classmethod
    def for_pack(cls, pack: DomainPack, *, least: int | None = None, **fields: Any) -> ExtractionRequest:
        """With ``least`` as 7 in 10 of the pack's attributes, rounded up, where it is not given.

        Raises ``InputError`` if it is more than the pack has.
        """
        count = len(pack.attributes)
        if least is not None and least > count:
            raise InputError(f"no post can tell {least} attributes: the pack {pack.name!r} has {count}")
        return cls(least=least or math.ceil(0.7 * count), **fields)


class ExtractionResult(Value):
    """What came of a run, earlier sessions included.

    Attributes:
        posts: those that were decided, repeats not counted.
        passed: those that became scenarios.
        repeated: posts whose text came before.
        rejected: reason -> how many posts.
        redacted: kind -> how many parts were taken out of the scenarios.
        failed: (number of the post in the file, reason); the same run tries them again.
    """

    posts: int
    passed: int
    repeated: int
    rejected: dict[str, int]
    redacted: dict[str, int]
    failed: tuple[tuple[str, str], ...]

    @property
    def pass_rate(self) -> float | None:
        """Passed of decided; None where nothing was. The paper's was 0.004."""
        return self.passed / self.posts if self.posts else None


def extraction_settings(request: ExtractionRequest, *, model: str, pack: DomainPack) -> dict[str, Any]:
    """Everything that must be the same for a run to go on. The posts may grow."""
    return {
        "command": "extract",
        "model": model,
        "pack": f"{pack.name} {pack.version}",
        "prompts": {name: load_prompt(name).hash for name in PROMPTS},
        **request.model_dump(mode="json"),
    }


def new_salt() -> str:
    """What makes the ids of a run unlike those of any other, so that nobody finds a post by the id of its scenario."""
    return secrets.token_hex(16)


async def extract_scenarios(
    posts: Iterable[Post],
    request: ExtractionRequest,
    journal: Journal,
    *,
    model: ChatModel,
    pack: DomainPack,
    total: int,
    concurrency: int = 8,
    on_progress: OnProgress = lambda done, total: None,
) -> ExtractionResult:
    """Decide every post that ``journal`` (opened with a ``salt``) has not decided yet.

    Contact details are taken out before a post is shown to the model. What the model writes goes through the redaction
    (rules, a model's second look, the rules again) before anything is stored; a text that repeats a long run of the
    post's own words is drawn anew and then rejected. The post itself is stored only with ``keep_source``.

    Args:
        posts: taken one by one; only those at work are in memory.
        total: how many there are, for ``on_progress``.

    Raises:
        ModelError: the model cannot be used. What was decided is in the journal.
        NothingUsable: the model's replies cannot be used, one after another.
    """
    salt = str(journal.header.get("salt", ""))
    reader = PostReader(model, pack, least=request.least, redraws=request.redraws)
    seen: set[str] = set()
    repeated = 0

    def numbered() -> Iterator[_Task]:
        nonlocal repeated
        for number, post in enumerate(posts, start=1):
            unit = _unit(post, salt)
            repeated += unit in seen
            yield _Task(unit, number, post, repeats=unit in seen)
            seen.add(unit)

    async def decide(task: _Task) -> None:
        reading = await reader.read(task.post, rng=random.Random(f"{request.seed}:{task.number}"))
        record: dict[str, Any] = {"number": task.number, "rejected": reading.rejected, "told": reading.told}
        if reading.scenario is not None:
            record |= {"scenario": reading.scenario, "redacted": reading.redacted}
            if request.keep_source:
                record["source"] = task.post.text
        journal.add(task.unit, record)

    failed = await run_units(
        numbered(),
        decide,
        total=total,
        skip=lambda task: task.repeats or task.unit in journal,
        concurrency=concurrency,
        on_progress=on_progress,
    )
    return _result(journal, seen, repeated, [(f"post {task.number}", reason) for task, reason in failed])


class _Task(NamedTuple):
    unit: str
    number: int
    post: Post
    repeats: bool


def _result(
    journal: Journal, seen: Iterable[str], repeated: int, failed: Sequence[tuple[str, str]]
) -> ExtractionResult:
    decided = [record for unit in seen if (record := journal.get(unit)) is not None]
    redacted: Counter[str] = Counter()
    for record in decided:
        redacted.update(record.get("redacted", {}))
    return ExtractionResult(
        posts=len(decided),
        passed=sum("scenario" in record for record in decided),
        repeated=repeated,
        rejected=dict(Counter(r["rejected"] for r in decided if r["rejected"]).most_common()),
        redacted=dict(redacted.most_common()),
        failed=tuple(failed),
    )


def extracted_scenarios(journal: Journal, pack: DomainPack) -> Iterator[Scenario]:
    """The scenarios that a journal holds, in the order of their posts."""
    for unit, record in _passed(journal):
        fields = record["scenario"]
        yield Scenario(**{**fields, "id": _id(unit), "profile": pack.profile(fields["profile"])})


def source_records(journal: Journal) -> Iterator[Mapping[str, Any]]:
    """{id, text} of the posts behind the scenarios, where a run keeps them."""
    for unit, record in _passed(journal):
        if "source" in record:
            yield {"id": _id(unit), "text": record["source"]}


def _passed(journal: Journal) -> Sequence[tuple[str, dict[str, Any]]]:
    found = [(unit, record) for unit, record in journal.units() if "scenario" in record]
    return sorted(found, key=lambda entry: entry[1]["number"])


def _unit(post: Post, salt: str) -> str:
    """The key of a post: of its text, so that the file may be reordered, and salted, so that it leads nowhere."""
    words = " ".join(re.findall(r"\w+", post.text.casefold())) or post.text
    return hashlib.sha256(f"{salt}\n{words}".encode()).hexdigest()[:16]


def _id(unit: str) -> str:
    return f"extracted-{unit[:12]}"
