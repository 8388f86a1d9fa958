"""Scenarios written by a language model under the paper's constraints: titles, profiles, queries (A.3)."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from pydantic import Field

from ...domains import DomainPack, Scenario, Value
from ...models import ChatModel
from .drafts import Draft, draft_record
from .journal import Journal
from .llm_writers import PROMPTS, ProfileWriter, QueryWriter, TitleWriter, load_prompt
from .near_duplicates import Embed, NearDuplicates
from .profile_sampler import ProfileSampler
from .run_units import NothingUsable, OnProgress, UnitFailed, run_units
from .tables import SamplingTables, Title

__all__ = [
    "GenerationRequest",
    "GenerationResult",
    "generate_scenarios",
    "generated_drafts",
    "generated_scenarios",
    "generation_settings",
]


class GenerationRequest(Value):
    """How much to generate, and how strictly."""

    profiles: int = Field(ge=1)
    queries: int = Field(default=10, ge=1, description="Queries for each profile.")
    titles: int = Field(
        default=12, ge=0, description="Titles that the model writes per domain; 0: those of the tables."
    )
    sampled: bool = Field(default=False, description="Whether profiles come from the tables instead of the model.")
    domains: tuple[str, ...] = Field(default=(), description="Which domains; empty: all of the pack.")
    seed: int = 0
    redraws: int = Field(default=3, ge=0, description="Further tries for what had to be rejected.")
    similarity: float = Field(default=0.9, gt=0, le=1, description="Cosine from which two texts are near-duplicates.")


class GenerationResult(Value):
    """What came of a run, earlier sessions included.

    Attributes:
        profiles: those that have queries.
        scenarios: queries in all.
        short: profiles with fewer queries than were asked for.
        rejected: reason -> how many titles, profiles or queries.
        failed: (unit, reason) of what is still missing; the same run tries it again.
    """

    profiles: int
    scenarios: int
    short: int
    rejected: dict[str, int]
    failed: tuple[tuple[str, str], ...]


def generation_settings(
    request: GenerationRequest, *, model: str, tables: SamplingTables, pack: DomainPack, drafts: Sequence[Draft] = ()
) -> dict[str, Any]:
    """Everything that must be the same for a run to go on."""
    given = hashlib.sha256("".join(d.model_dump_json() for d in drafts).encode()).hexdigest()[:12]
    return {
        "command": "generate",
        "model": model,
        "pack": f"{pack.name} {pack.version}",
        "tables": hashlib.sha256(tables.model_dump_json().encode()).hexdigest()[:12],
        "prompts": {name: load_prompt(name).hash for name in PROMPTS},
        "from": given if drafts else None,
        **request.model_dump(mode="json"),
    }


async def generate_scenarios(
    request: GenerationRequest,
    journal: Journal,
    *,
    model: ChatModel,
    tables: SamplingTables,
    pack: DomainPack,
    embed: Embed,
    drafts: Sequence[Draft] = (),
    concurrency: int = 8,
    on_progress: OnProgress = lambda done, total: None,
) -> GenerationResult:
    """Generate what ``journal`` does not hold yet.

    Titles per domain, then for each profile: the profile (checked against every rule, drawn anew where it breaks one),
    then its queries (those that name a detail of the person, mention an open risk or repeat another are rejected, and
    others asked for). Each finished step is in the journal before the next.

    Args:
        drafts: profiles to write queries for; no titles or profiles are generated then.

    Raises:
        ModelError: the model cannot be used. What was finished is in the journal.
        NothingUsable: the model's replies cannot be used, one after another.
    """
    generation = _Generation(request, journal, model, tables, pack, embed, drafts)
    await generation.write_titles()
    failed = await run_units(
        generation.numbers,
        generation.write_scenarios,
        total=len(generation.numbers),
        skip=lambda number: _queries_unit(number) in journal,
        concurrency=concurrency,
        on_progress=on_progress,
    )
    return generation.result(failed)


def generated_scenarios(journal: Journal, pack: DomainPack) -> Iterator[Scenario]:
    """The scenarios that a journal holds, in the order of their profiles."""
    model = journal.header["settings"]["model"]
    for unit, record in sorted(journal.units("queries:")):
        draft = _kept_draft(journal, int(unit.partition(":")[2]), pack)
        for position, query in enumerate(record["queries"], start=1):
            yield Scenario(
                id=f"{draft.id}-{position:02d}",
                domain=draft.domain,
                title=draft.title,
                query=query,
                profile=draft.profile,
                source=f"generated:{model}",
            )


def generated_drafts(journal: Journal, pack: DomainPack) -> Iterator[Draft]:
    """The profiles behind the scenarios that a journal holds."""
    for unit, _ in sorted(journal.units("queries:")):
        yield _kept_draft(journal, int(unit.partition(":")[2]), pack)


class _Generation:
    def __init__(
        self,
        request: GenerationRequest,
        journal: Journal,
        model: ChatModel,
        tables: SamplingTables,
        pack: DomainPack,
        embed: Embed,
        drafts: Sequence[Draft],
    ) -> None:
        self._request, self._journal, self._model = request, journal, model
        self._tables, self._pack, self._embed = tables, pack, embed
        self._drafts = drafts
        self._domains = tuple(pack.domain(d).name for d in request.domains) or pack.domain_names
        self._sampler = ProfileSampler(tables, pack)
        self._lost: Counter[str] = Counter()  # rejected on behalf of units that are not finished
        self.numbers = range(1, (len(drafts) if drafts else request.profiles) + 1)

    async def write_titles(self) -> None:
        """The titles of every domain, where titles are wanted and not there yet."""
        if self._drafts or not self._request.titles:
            return
        request = self._request
        writer = TitleWriter(
            self._model,
            self._tables,
            self._pack,
            self._embed,
            similarity=request.similarity,
            redraws=request.redraws,
        )
        for domain in self._domains:
            if _titles_unit(domain) in self._journal:
                continue
            try:
                titles, rejected = await writer.write(domain, request.titles)
            except UnitFailed as error:
                raise NothingUsable(str(error)) from error
            kept = [t.model_dump(mode="json") for t in titles]
            self._journal.add(_titles_unit(domain), {"titles": kept, "rejected": rejected})

    async def write_scenarios(self, number: int) -> None:
        """Profile and queries of one number."""
        try:
            if _profile_unit(number) not in self._journal:
                draft, rejected = await self._draft(number)
                self._journal.add(_profile_unit(number), {"draft": draft_record(draft), "rejected": rejected})
            draft = _kept_draft(self._journal, number, self._pack)
            queries, rejected = await self._query_writer.write(draft, self._request.queries)
        except UnitFailed as error:
            self._lost.update(error.rejected)
            raise
        self._journal.add(_queries_unit(number), {"queries": queries, "rejected": rejected})

    def result(self, failed: Sequence[tuple[int, str]]) -> GenerationResult:
        """What the journal holds now."""
        rejected = self._lost.copy()
        for _, record in self._journal.units():
            rejected.update(record.get("rejected", {}))
        counts = [len(record["queries"]) for _, record in self._journal.units("queries:")]
        return GenerationResult(
            profiles=len(counts),
            scenarios=sum(counts),
            short=sum(count < self._request.queries for count in counts),
            rejected=dict(rejected.most_common()),
            failed=tuple((f"profile {number}", reason) for number, reason in failed),
        )

    async def _draft(self, number: int) -> tuple[Draft, Counter[str]]:
        if self._drafts:
            return self._drafts[number - 1], Counter()
        rng = random.Random(f"{self._request.seed}:{number}")
        domain = self._domains[(number - 1) % len(self._domains)]
        titles = self._titles(domain)
        title = titles[int(rng.random() * len(titles))]
        rejected: Counter[str] = Counter()
        if self._request.sampled:
            profile = self._sampler.draw(rng, title)
        else:
            profile, rejected = await self._profile_writer.write(domain, title)
        return Draft.of(f"generated-{number:05d}", domain, title, profile), rejected

    def _titles(self, domain: str) -> Sequence[Title]:
        record = self._journal.get(_titles_unit(domain))
        return self._tables.titles[domain] if record is None else [Title(**t) for t in record["titles"]]

    @cached_property
    def _profile_writer(self) -> ProfileWriter:
        kept = [r["draft"] for _, r in self._journal.units("profile:")]
        return ProfileWriter(
            self._model,
            self._tables,
            self._pack,
            redraws=self._request.redraws,
            written=[(draft["title"], self._pack.profile(draft["profile"])) for draft in kept],
        )

    @cached_property
    def _query_writer(self) -> QueryWriter:
        index = NearDuplicates(self._embed, threshold=self._request.similarity)
        index.accept_all([q for _, record in self._journal.units("queries:") for q in record["queries"]])
        return QueryWriter(self._model, self._tables, self._pack, index, redraws=self._request.redraws)


def _titles_unit(domain: str) -> str:
    return f"titles:{domain}"


def _profile_unit(number: int) -> str:
    return f"profile:{number:06d}"


def _queries_unit(number: int) -> str:
    return f"queries:{number:06d}"


def _kept_draft(journal: Journal, number: int, pack: DomainPack) -> Draft:
    record = journal.get(_profile_unit(number)) or {}
    return Draft(**{**record["draft"], "profile": pack.profile(record["draft"]["profile"])})
