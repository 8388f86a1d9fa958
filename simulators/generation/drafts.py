"""A scenario that has no query yet: the sampler makes such drafts, and a model writes queries for them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from ...domains import DomainPack, Profile, Value
from ..datasets import FieldReader, Place, Report, read_json_lines, refuse
from .tables import Title, Tone

__all__ = ["Draft", "draft_of", "draft_record", "iter_drafts"]

_FIELDS = ("id", "domain", "title", "tone", "tags", "profile")


class Draft(Value):
    """A profile, and the scenario that it is for (A.3)."""

    id: str = Field(min_length=1)
    domain: str = Field(min_length=1)
    title: str = Field(min_length=1)
    tone: Tone = Field(description="Whether the scenario is a good or a hard one for the person.")
    tags: tuple[str, ...] = Field(default=(), description="What the scenario is about, for the conditional tables.")
    profile: Profile

    @classmethod
    def of(cls, draft_id: str, domain: str, title: Title, profile: Profile) -> Draft:
        """The draft of ``title`` in ``domain``."""
        return cls(id=draft_id, domain=domain, title=title.title, tone=title.tone, tags=title.tags, profile=profile)


def draft_record(draft: Draft) -> dict[str, Any]:
    """A draft as one JSON line holds it."""
    return {**draft.model_dump(exclude={"profile"}), "tags": list(draft.tags), "profile": dict(draft.profile.items())}


def iter_drafts(file: str | Path, pack: DomainPack, *, report: Report = refuse) -> Iterator[tuple[Place, Draft]]:
    """The profiles of a JSON-lines file that ``askfirst scenarios generate`` wrote without a model, one at a time.

    Problems go to ``report``; an id that comes twice is one.
    """
    seen: set[str] = set()
    for place, record in read_json_lines(Path(file), report):
        draft = draft_of(record, place, pack, report=report)
        if draft is None:
            continue
        if draft.id in seen:
            report(place.error("id", f"{draft.id!r} was used before; every id must be unique"))
            continue
        seen.add(draft.id)
        yield place, draft


def draft_of(record: object, place: Place, pack: DomainPack, *, report: Report = refuse) -> Draft | None:
    """One profile; None when a problem was reported, and ``report`` did not raise it."""
    reader = FieldReader(place, pack, report)
    fields = reader.mapping(record)
    if not reader.ok():
        return None
    for name in fields:
        if name not in _FIELDS:
            reader.refuse(name, f"is not a field of a profile; it has: {', '.join(_FIELDS)}")
    for name in ("id", "title", "tone", "profile"):
        if fields.get(name) is None:
            reader.refuse(name, "is missing")
    domain = reader.domain(fields.get("domain"))
    values = reader.mapping(fields["profile"], "profile") if fields.get("profile") is not None else {}
    profile = reader.profile(values, prefix="profile.")
    if not reader.ok():
        return None
    texts = {name: reader.text(fields[name], name) for name in ("id", "title")}
    try:
        return Draft(domain=domain, tone=fields["tone"], tags=fields.get("tags", ()), profile=profile, **texts)
    except ValidationError as error:
        for problem in error.errors():
            reader.refuse(".".join(map(str, problem["loc"])), problem["msg"][:1].lower() + problem["msg"][1:])
        return None
