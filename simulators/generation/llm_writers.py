"""A language model that writes titles, profiles and queries, and the checks that each must pass (A.3)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from ...domains import DomainPack, Profile
from ...models import ChatModel, EmptyCompletion, InvalidStructuredOutput, Message, Prompt
from .constraints import broken_constraints
from .drafts import Draft
from .near_duplicates import Embed, NearDuplicates
from .query_checks import query_problem, tidy_query
from .run_units import UnitFailed
from .tables import SamplingTables, Title

__all__ = ["PROMPTS", "ProfileWriter", "QueryWriter", "TitleWriter", "load_prompt"]

PROMPTS = ("scenario_titles", "scenario_profile", "scenario_queries")
"""Names of the prompts."""

_UNUSABLE = (InvalidStructuredOutput, EmptyCompletion)
_SHOWN = 12  # earlier profiles or queries that a prompt shows, so that the model writes others
_TITLES_AT_ONCE = 20
_TITLE_LENGTH = range(2, 81)  # characters


def load_prompt(name: str) -> Prompt:
    """The prompt of this name."""
    return Prompt.load(package="askfirst.simulators", name=name)


class WrittenTitle(BaseModel):
    """A title as the model writes it."""

    title: str
    tone: Literal["good", "hard"]
    tags: list[str] = Field(default_factory=list)


class WrittenTitles(BaseModel):
    """Titles of situations."""

    titles: list[WrittenTitle] = Field(max_length=60)


class WrittenQueries(BaseModel):
    """Questions of one person."""

    queries: list[str] = Field(max_length=100)


class TitleWriter:
    """Writes the titles of a domain; near-duplicates and overlong ones are rejected, and others asked for."""

    def __init__(
        self,
        model: ChatModel,
        tables: SamplingTables,
        pack: DomainPack,
        embed: Embed,
        *,
        similarity: float,
        redraws: int,
    ) -> None:
        self._model, self._tables, self._pack = model, tables, pack
        self._embed, self._similarity, self._redraws = embed, similarity, redraws
        self._prompt = load_prompt("scenario_titles")

    async def write(self, domain: str, count: int) -> tuple[list[Title], Counter[str]]:
        """Up to ``count`` titles, and why others were rejected. Raises ``UnitFailed`` if there is none."""
        titles: list[Title] = []
        rejected: Counter[str] = Counter()
        index = NearDuplicates(self._embed, threshold=self._similarity)
        for _ in range(self._redraws + 1 + count // _TITLES_AT_ONCE):
            missing = count - len(titles)
            if not missing:
                break
            for written in (await self._ask(domain, min(missing, _TITLES_AT_ONCE), titles, rejected))[:missing]:
                text = tidy_query(written.title)
                if len(text) not in _TITLE_LENGTH:
                    rejected["title_length"] += 1
                elif not (await asyncio.to_thread(index.accept_all, [text]))[0]:
                    rejected["title_near_duplicate"] += 1
                else:
                    tags = tuple(dict.fromkeys(t for t in written.tags if t in self._tables.tags))
                    titles.append(Title(title=text, tone=written.tone, tags=tags))
        if not titles:
            raise UnitFailed(f"no usable title for the domain {domain}", rejected)
        return titles, rejected

    async def _ask(self, domain: str, count: int, known: Sequence[Title], rejected: Counter[str]) -> list[WrittenTitle]:
        messages = self._prompt.messages(
            domain=domain,
            description=self._pack.domain(domain).description,
            tones=list(self._tables.tones.items()),
            tags=list(self._tables.tags.items()),
            count=count,
            known=[t.title for t in known],
        )
        try:
            return (await self._model.structured(WrittenTitles, messages)).titles
        except _UNUSABLE:
            rejected["invalid_output"] += 1
            return []


class ProfileWriter:
    """Writes profiles for a title; one that breaks a constraint, or was written before, is drawn anew."""

    def __init__(
        self,
        model: ChatModel,
        tables: SamplingTables,
        pack: DomainPack,
        *,
        redraws: int,
        written: Sequence[tuple[str, Profile]] = (),
    ) -> None:
        self._model, self._tables, self._pack, self._redraws = model, tables, pack, redraws
        self._prompt = load_prompt("scenario_profile")
        self._written: dict[str, list[dict[str, str]]] = {}
        for title, profile in written:
            self._written.setdefault(title, []).append(dict(profile.items()))
        fields: dict[str, Any] = {a: (Literal[values], ...) for a, values in tables.allowed.items()}
        self._schema = create_model("WrittenProfile", **fields)

    async def write(self, domain: str, title: Title) -> tuple[Profile, Counter[str]]:
        """A valid profile, and why others were rejected. Raises ``UnitFailed`` if there is none."""
        rejected: Counter[str] = Counter()
        complaint = ""
        for _ in range(self._redraws + 1):
            try:
                reply = await self._model.structured(self._schema, self._messages(domain, title, complaint))
            except _UNUSABLE:
                rejected["invalid_output"] += 1
                continue
            profile = self._pack.profile(reply.model_dump())
            earlier = self._written.setdefault(title.title, [])
            if broken := broken_constraints(profile, self._tables, title.tone):
                rejected.update(b.name for b in broken)
                complaint = " ".join(b.why for b in broken)
            elif (values := dict(profile.items())) in earlier:
                rejected["profile_repeated"] += 1
                complaint = "This person was written before."
            else:
                earlier.append(values)
                return profile, rejected
        raise UnitFailed(f"no valid profile in {self._redraws + 1} tries", rejected)

    def _messages(self, domain: str, title: Title, complaint: str) -> list[Message]:
        return self._prompt.messages(
            allowed=[(self._pack.attribute(a).label, values) for a, values in self._tables.allowed.items()],
            rules=[*(r.why for r in self._tables.rules), *(t.why for t in self._tables.tendencies)],
            title=title.title,
            domain=domain,
            tone=self._tables.tones.get(title.tone, title.tone),
            known=["; ".join(values.values()) for values in self._written.get(title.title, [])[-_SHOWN:]],
            complaint=complaint,
        )


class QueryWriter:
    """Writes the queries of a profile; those that may not be used are rejected, and others asked for.

    Args:
        index: the queries of all profiles so far.
    """

    def __init__(
        self, model: ChatModel, tables: SamplingTables, pack: DomainPack, index: NearDuplicates, *, redraws: int
    ) -> None:
        self._model, self._tables, self._pack = model, tables, pack
        self._index, self._redraws = index, redraws
        self._prompt = load_prompt("scenario_queries")

    async def write(self, draft: Draft, count: int) -> tuple[list[str], Counter[str]]:
        """Up to ``count`` queries, and why others were rejected. Raises ``UnitFailed`` if there is none."""
        accepted: list[str] = []
        rejected: Counter[str] = Counter()
        complaint = ""
        for _ in range(self._redraws + 1):
            missing = count - len(accepted)
            if not missing:
                break
            refused: Counter[str] = Counter()
            usable = []
            for text in await self._ask(draft, missing, accepted, complaint, rejected):
                problem = query_problem(text, draft.profile, self._tables, self._pack)
                if problem is None:
                    usable.append(text)
                else:
                    refused[problem] += 1
            refused["near_duplicate"] = await self._accept(usable, accepted, count)
            rejected.update(+refused)
            complaint = "; ".join(text for name, text in _COMPLAINTS.items() if refused[name])
        if not accepted:
            raise UnitFailed(f"no usable query in {self._redraws + 1} tries", rejected)
        return accepted, rejected

    async def _accept(self, usable: Sequence[str], accepted: list[str], count: int) -> int:
        """Add the new ones to ``accepted``, as long as some are missing; how many are near-duplicates."""
        if not usable:
            return 0
        refused = 0
        vectors = await asyncio.to_thread(self._index.vectors, usable)
        for text, vector in zip(usable, vectors, strict=True):
            if len(accepted) == count:
                break
            if self._index.accept(text, vector):
                accepted.append(text)
            else:
                refused += 1
        return refused

    async def _ask(
        self, draft: Draft, count: int, known: Sequence[str], complaint: str, rejected: Counter[str]
    ) -> list[str]:
        messages = self._prompt.messages(
            title=draft.title,
            domain=draft.domain,
            profile=[f"{self._pack.attribute(a).label}: {value}" for a, value in draft.profile.items()],
            count=count,
            known=list(known[-_SHOWN:]),
            complaint=complaint,
        )
        try:
            written = await self._model.structured(WrittenQueries, messages)
        except _UNUSABLE:
            rejected["invalid_output"] += 1
            return []
        return [tidy_query(text) for text in written.queries]


_COMPLAINTS: Mapping[str, str] = {
    "names_detail": "they told something about the person",
    "open_risk": "they mentioned a crisis",
    "excludes_person": "this person would not ask them",
    "instruction": "they were instructions to a model",
    "near_duplicate": "they repeated another question",
    "too_long": "they were too long",
    "too_short": "they were too short",
}
