"""The files that the authors' code writes: profiles and queries (A.3), in every published shape."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..domains.errors import DataError
from ..domains.pack import DomainPack, fold
from ..domains.scenario import Scenario
from .reading import Place, read_json_items
from .records import GuessDomain, checked_domain, is_post, is_profile, profile_of, text_of

__all__ = ["is_queries", "published_scenarios"]

_NOT_ATTRIBUTES = ("scenario", "domain", "id")
Asked = tuple[Place, dict[str, Any], list[str]]
"""A profile as it stands in its file, and the queries of this person."""


def is_queries(items: Sequence[tuple[Place, Any]], pack: DomainPack) -> bool:
    """Whether these are the elements of a published queries file."""
    return bool(items) and all(
        isinstance(item, str) or (isinstance(item, dict) and (_has_queries(item) or _is_named_query(item, pack)))
        for _, item in items
    )


def published_scenarios(
    queries: Path, profiles: Path | None, pack: DomainPack, *, domain: str | None, guess: GuessDomain
) -> list[Scenario]:
    """One scenario per query, in the order of the files.

    ``queries`` holds {Scenario, User_Profile, Queries} objects, or queries alone (texts, or {"query_1": text} objects):
    then there are equally many for each of the ``profiles``, in their order. The files name no domain: it is
    ``domain``, or ``guess`` for all queries under one scenario title together.
    """
    asked = list(_asked(queries, profiles, pack))
    titles: dict[str, list[str]] = {}
    for place, raw, texts in asked:
        titles.setdefault(_title(raw, place), []).extend(texts)
    guessed = {title: guess(title, "\n".join(texts)) for title, texts in titles.items()} if domain is None else {}
    found = []
    for number, (place, raw, texts) in enumerate(asked, start=1):
        title = _title(raw, place)
        named = next((v for k, v in raw.items() if fold(k) == "domain"), None) or domain
        where = checked_domain(named, place, pack) if named else guessed[title]
        profile = profile_of({k: v for k, v in raw.items() if fold(k) not in _NOT_ATTRIBUTES}, place, pack)
        for position, text in enumerate(texts, start=1):
            if not text.strip():
                raise place.error("Queries", f"query {position} is empty")
            found.append(
                Scenario(
                    id=f"synthetic-{number:04d}-{position:02d}",
                    domain=where,
                    title=title,
                    query=text.strip(),
                    profile=profile,
                    source="penguin_synthetic",
                )
            )
    return found


def _asked(queries: Path, profiles: Path | None, pack: DomainPack) -> Iterator[Asked]:
    items = read_json_items(queries)
    if not is_queries(items, pack):
        raise DataError(queries, None, None, "holds no queries in a published shape")
    people = _profiles(profiles, pack) if profiles is not None else []
    if all(isinstance(item, dict) and _has_queries(item) for _, item in items):
        for number, (place, item) in enumerate(items):
            raw = next((v for k, v in item.items() if fold(k) in ("userprofile", "profile")), None)
            if raw is None:
                raw = _profile_at(people, number, len(items), place)
            if not isinstance(raw, dict):
                raise place.error("User_Profile", "must be an object")
            titled = {k: v for k, v in item.items() if fold(k) in ("scenario", "domain") and k not in raw}
            texts = next(v for k, v in item.items() if fold(k) == "queries")
            yield place, {**titled, **raw}, _texts(texts, place)
        return
    texts = [text for place, item in items for text in _texts(item, place)]
    if not people:
        raise DataError(queries, None, None, "holds queries without profiles, and no profiles file is beside it")
    if len(texts) % len(people):
        raise DataError(
            queries, None, None, f"{len(texts)} queries cannot be {len(people)} profiles' with equally many each"
        )
    each = len(texts) // len(people)
    for number, (place, raw) in enumerate(people):
        yield place, raw, texts[number * each : (number + 1) * each]


def _profiles(file: Path, pack: DomainPack) -> list[tuple[Place, dict[str, Any]]]:
    items = read_json_items(file)
    for place, item in items:
        if not is_profile(item, pack):
            raise place.error(None, "is no profile: it has too few of the attributes")
    return items


def _profile_at(people: Sequence[tuple[Place, dict[str, Any]]], number: int, wanted: int, place: Place) -> object:
    if len(people) != wanted:
        raise place.error("User_Profile", f"is missing, and there are {len(people)} profiles for {wanted} entries")
    return people[number][1]


def _has_queries(item: dict[str, Any]) -> bool:
    return "queries" in map(fold, item)


def _is_named_query(item: dict[str, Any], pack: DomainPack) -> bool:
    """{"query_1": text}: any key, as long as it is neither an attribute nor the query of a post."""
    if not item or is_post(item, pack):
        return False
    return all(isinstance(v, str) and pack.attribute_named(k) is None for k, v in item.items()) and all(
        fold(k).startswith(("query", "q")) or k.strip().isdigit() for k in item
    )


def _texts(value: object, place: Place) -> list[str]:
    if isinstance(value, str):
        return [text_of(value, place, "Queries")]
    if isinstance(value, list):
        return [text for part in value for text in _texts(part, place)]
    if isinstance(value, dict):
        named = [v for k, v in value.items() if fold(k) in ("query", "text")]
        return [text for part in (named or list(value.values())) for text in _texts(part, place)]
    raise place.error("Queries", "must hold texts")


def _title(raw: dict[str, Any], place: Place) -> str:
    return text_of(next((v for k, v in raw.items() if fold(k) == "scenario"), None), place, "Scenario")
