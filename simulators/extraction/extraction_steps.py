"""The steps by which one post becomes a scenario, with a model and with checks by code (A.2)."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from ...domains import DomainPack, Value
from ...models import ChatModel, EmptyCompletion, InvalidStructuredOutput, fence, new_nonce
from ..datasets import Post
from ..generation import UnitFailed, load_prompt
from .redact import Known, find_identifying, proper_nouns, redact
from .redaction_rules import IdentifyingKind, is_ordinary

__all__ = ["PROMPTS", "PostReader", "Reading", "longest_shared_run"]

PROMPTS = ("extract_presence", "extract_post", "extract_identifying")
"""Names of the prompts."""

_LONGEST_POST = 12_000  # characters that are shown to the model: about 3,000 tokens, which a small local model takes
_MOST_SHARED = 11  # words in a row that a text may have in common with the post
_LONGEST_VALUE = 160
_UNUSABLE = (InvalidStructuredOutput, EmptyCompletion)
_PASSES = 3
_COMPLAINTS: Mapping[str, str] = {
    "no_query": "the query was missing.",
    "verbatim": "it copied the post; say it in other words.",
    "invalid_output": "it was not complete.",
}


class Reading(Value):
    """What one post came to.

    Attributes:
        scenario: the fields of a ``Scenario`` without its id, None if the post was rejected.
        rejected: why, empty if it was not.
        told: attributes that the post tells, by the first step.
        redacted: kind -> how many parts were taken out of the scenario's texts.
    """

    scenario: dict[str, Any] | None = None
    rejected: str = ""
    told: int = 0
    redacted: dict[str, int] = Field(default_factory=dict)


class IdentifyingPart(BaseModel):
    """A part of a text by which somebody could be found."""

    text: str
    kind: IdentifyingKind


class IdentifyingParts(BaseModel):
    """Every such part."""

    parts: list[IdentifyingPart] = Field(max_length=40)


class PostReader:
    """Reads posts with ``model``.

    Args:
        least: attributes that a post must tell.
        redraws: further tries where the third step's reply cannot be used.
    """

    def __init__(self, model: ChatModel, pack: DomainPack, *, least: int, redraws: int) -> None:
        self._model, self._pack, self._least, self._redraws = model, pack, least, redraws
        self._prompts = {name: load_prompt(name) for name in PROMPTS}
        self._lines = [f"{a.id}: {a.label}. {a.description}" for a in pack.attributes]
        self._vocabulary = _vocabulary(pack)
        # Yes or no for each attribute: a small model that lists ids may never end.
        answers: dict[str, Any] = dict.fromkeys(pack.attribute_ids, (bool, ...))
        self._presence = create_model("Presence", **answers)
        fields: dict[str, Any] = dict.fromkeys(("title", "query", "background"), (str, ...))
        fields["domain"] = (Literal[pack.domain_names], ...)
        fields |= {a: (str, "not specified") for a in pack.attribute_ids if a not in fields}
        self._schema = create_model("WrittenScenario", **fields)

    async def read(self, post: Post, *, rng: random.Random) -> Reading:
        """Decide one post.

        Raises:
            UnitFailed: no reply could be used; another try may succeed.
            ModelError: the model failed.
        """
        hidden = self._hidden(post)
        shown = fence(redact(post.text[:_LONGEST_POST], known=hidden).text, "post", new_nonce(rng))
        present = await self._present(shown)
        if len(present) < self._least:
            return Reading(rejected="too_few_attributes", told=len(present))
        problem = complaint = ""
        for _ in range(self._redraws + 1):
            try:
                written = (
                    await self._model.structured(
                        self._schema,
                        self._prompts["extract_post"].messages(
                            domains=self._pack.domain_names, attributes=self._lines, post=shown, complaint=complaint
                        ),
                    )
                ).model_dump()
            except _UNUSABLE:
                problem = "invalid_output"
            else:
                problem = self._problem(written, post, present)
            if not problem:
                return await self._redacted(written, post, present, hidden, rng)
            if problem == "too_few_values":  # what the post does not tell, another try would invent
                break
            complaint = _COMPLAINTS[problem]
        if problem == "invalid_output":
            raise UnitFailed(f"no usable reply in {self._redraws + 1} tries")
        return Reading(rejected=problem, told=len(present))

    async def _present(self, shown: str) -> tuple[str, ...]:
        reply = await self._model.structured(
            self._presence, self._prompts["extract_presence"].messages(attributes=self._lines, post=shown)
        )
        told = reply.model_dump()
        return tuple(a for a in self._pack.attribute_ids if told[a])

    def _problem(self, written: Mapping[str, str], post: Post, present: tuple[str, ...]) -> str:
        """Why a reply cannot be used, empty if it can."""
        if not written["query"].strip():
            return "no_query"
        if len(self._values(written, present)) < self._least:
            return "too_few_values"
        if any(longest_shared_run(text, post.text) > _MOST_SHARED for text in written.values()):
            return "verbatim"
        return ""

    async def _redacted(
        self,
        written: Mapping[str, str],
        post: Post,
        present: tuple[str, ...],
        hidden: list[Known],
        rng: random.Random,
    ) -> Reading:
        """The scenario without identifying parts: the rules, the model's second look, the rules again."""
        values = self._values(written, present)
        texts = {name: " ".join(written[name].split()) for name in ("title", "query", "background")}
        texts |= {f"profile.{a}": value for a, value in values.items()}
        counts: Counter[str] = Counter()
        texts = self._clean(texts, hidden, counts)
        texts = self._clean(texts, [*hidden, *await self._found_by_model(texts, rng)], counts)
        if not texts:
            return Reading(rejected="identifying", told=len(present))
        profile = {name.removeprefix("profile."): text for name, text in texts.items() if name.startswith("profile.")}
        scenario = {
            "domain": post.domain or written["domain"],
            "title": texts["title"],
            "query": texts["query"],
            "background": texts["background"],
            "profile": profile,
            "source": f"extracted:{post.subreddit}" if post.subreddit else "extracted",
        }
        return Reading(scenario=scenario, told=len(present), redacted=dict(counts))

    def _clean(self, texts: Mapping[str, str], known: Iterable[Known], counts: Counter[str]) -> dict[str, str]:
        """``texts`` after the rules; empty if something identifying cannot be got out of one."""
        listed = list(known)
        cleaned: dict[str, str] = {}
        for name, raw in texts.items():
            text = raw
            # A title or a value may be written with capitals throughout.
            strict = name in ("query", "background")
            for _ in range(_PASSES):
                done = redact(text, known=[*listed, *(self._strange(text) if strict else ())])
                counts.update(done.counts)
                text = done.text
            if find_identifying(text, known=listed):
                return {}
            cleaned[name] = text
        return cleaned

    async def _found_by_model(self, texts: Mapping[str, str], rng: random.Random) -> list[Known]:
        shown = fence("\n".join(texts.values()), "texts", new_nonce(rng))
        reply = await self._model.structured(
            IdentifyingParts, self._prompts["extract_identifying"].messages(texts=shown)
        )
        return [(part.text, part.kind) for part in reply.parts if self._may_identify(part.text)]

    def _may_identify(self, text: str) -> bool:
        """Whether a part that a model names can be one: a poor model names ordinary words and whole texts."""
        words = re.findall(r"\w+", text)
        if not 1 <= len(words) <= 8 or (len(text.strip()) < 3 and text.isascii()):
            return False
        return not all(w.casefold() in self._vocabulary or is_ordinary(w) for w in words)

    def _hidden(self, post: Post) -> list[Known]:
        """What may stand in no text that is made of this post: its author, and what the rules find in it."""
        found = [(post.text[f.start : f.end], f.kind) for f in find_identifying(post.text)]
        author: list[Known] = [(post.author, "handle")] if len(post.author) >= 3 else []
        # Lower-case finds ("my name is will") may be ordinary words elsewhere.
        names: list[Known] = [
            (word, kind)
            for text, kind in found
            if kind in ("name", "place", "employer")
            for word in re.findall(r"[\w'-]{3,}", text)
            if word[0].isupper() and not is_ordinary(word) and word.casefold() not in self._vocabulary
        ]
        whole = [(text, kind) for text, kind in found if kind not in ("name", "place", "employer") and len(text) >= 4]
        return list(dict.fromkeys([*author, *whole, *names, *self._strange(post.text)]))

    def _strange(self, text: str) -> list[Known]:
        """Capitalised words inside sentences that the pack does not use either."""
        return [(word, "other") for word in sorted(proper_nouns(text)) if word.casefold() not in self._vocabulary]

    def _values(self, written: Mapping[str, str], present: tuple[str, ...]) -> dict[str, str]:
        """The attributes that both steps see, with their values."""
        profile = self._pack.profile({a: " ".join(written[a].split())[:_LONGEST_VALUE] for a in present})
        return dict(profile.items())


def longest_shared_run(text: str, other: str) -> int:
    """The largest number of words in a row that stand in both texts."""
    words, others = (re.findall(r"\w+", t.casefold()) for t in (text, other))
    longest = 0
    row = [0] * (len(others) + 1)
    for word in words:
        previous = row
        row = [0] * (len(others) + 1)
        for place, candidate in enumerate(others, start=1):
            if word == candidate:
                row[place] = previous[place - 1] + 1
                longest = max(longest, row[place])
    return longest


def _vocabulary(pack: DomainPack) -> frozenset[str]:
    """The words that the pack itself uses: they name conditions, feelings and jobs, and nobody in particular."""
    texts = [pack.description]
    for attribute in pack.attributes:
        texts += [attribute.label, attribute.description, attribute.question, *attribute.values]
    for domain in pack.domains:
        texts += [domain.name, domain.description, domain.guidance]
    for rule in pack.risk_rules:
        texts += [rule.concern, rule.guidance, *rule.matches]
    return frozenset(word for text in texts for word in re.findall(r"[^\W\d_]{3,}", text.casefold()))
