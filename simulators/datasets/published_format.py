"""The files that the authors' code writes: profiles and queries (A.3), in every published shape."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...domains import DataError, DomainPack, Scenario, fold
from .file_records import Place, Report, read_json_items, refuse
from .scenario_fields import EXTRA, FieldReader, GuessDomain, is_post, is_profile, text_of

__all__ = ["SYNTHETIC_SOURCE", "is_queries", "published_scenarios", "synthetic_id"]

SYNTHETIC_SOURCE = "penguin_synthetic"
"""The source of the authors' synthetic scenarios."""

_NOT_ATTRIBUTES = ("scenario", "domain", "id", EXTRA)
Asked = tuple[Place, dict[str, Any], list[str]]
"""A profile as it stands in its file, and the queries of this person; ``EXTRA`` in it: our other fields, by query."""


def synthetic_id(number: int, position: int) -> str:
    """The id of a query (``position`` from 1) of the profile ``number`` of a file that has no ids."""
    return f"synthetic-{number:04d}-{position:02d}"


def is_queries(items: Sequence[tuple[Place, Any]], pack: DomainPack) -> bool:
    """Whether these are the elements of a published queries file."""
    return bool(items) and all(
        isinstance(item, str) or (isinstance(item, dict) and (_has_queries(item) or _is_named_query(item, pack)))
        for _, item in items
    )


def published_scenarios(
    queries: Path,
    profiles: Path | None,
    pack: DomainPack,
    *,
    domain: str | None,
    guess: GuessDomain,
    report: Report = refuse,
) -> Iterator[tuple[Place, Scenario]]:
    """One scenario per query, in the order of the files, each with the place of its entry.

    ``queries`` holds {Scenario, User_Profile, Queries} objects, or queries alone (texts, or {"query_1": text} objects):
    then there are equally many for each of the ``profiles``, in their order. The domain is the entry's own, where it
    names one (ours do, the authors' do not), else ``domain``, else ``guess`` for all queries under one scenario title
    together. Both files are held in memory.
    """
    asked = list(_asked(queries, profiles, pack, report))
    guessed = {} if domain else _guessed(asked, guess)
    for number, (place, raw, texts) in enumerate(asked, start=1):
        reader = FieldReader(place, pack, report)
        title = _title(raw, place)
        named = _named_domain(raw) or domain
        where = reader.domain(named) if named else guessed[title]
        profile = reader.profile({k: v for k, v in raw.items() if fold(k) not in _NOT_ATTRIBUTES})
        extras = raw.get(EXTRA) or [None] * len(texts)
        if not isinstance(extras, list) or len(extras) != len(texts):
            reader.refuse(EXTRA, "must be a list with one object for each query")
            continue
        for position, text in enumerate(texts, start=1):
            if not text.strip():
                reader.refuse("Queries", f"query {position} is empty")
                continue
            scenario = reader.scenario(
                domain=where,
                title=title,
                query=text.strip(),
                profile=profile,
                **{
                    "id": synthetic_id(number, position),
                    "source": SYNTHETIC_SOURCE,
                    **reader.extra(extras[position - 1]),
                },
            )
            if scenario is not None:
                yield place, scenario


def _guessed(asked: Sequence[Asked], guess: GuessDomain) -> dict[str, str]:
    """The domain of each title, from all queries under it, where an entry names none."""
    titles: dict[str, list[str]] = {}
    for place, raw, texts in asked:
        if not _named_domain(raw):
            titles.setdefault(_title(raw, place), []).extend(texts)
    return {title: guess(title, "\n".join(texts)) for title, texts in titles.items()}


def _named_domain(raw: dict[str, Any]) -> Any:
    return next((v for k, v in raw.items() if fold(k) == "domain"), None)


def _asked(queries: Path, profiles: Path | None, pack: DomainPack, report: Report) -> Iterator[Asked]:
    """The entries that can be read. Where queries and profiles cannot be matched, nothing can be: that raises."""
    items = read_json_items(queries)
    if not is_queries(items, pack):
        raise DataError(queries, None, None, "holds no queries in a published shape")
    people = _profiles(profiles, pack) if profiles is not None else []
    if all(isinstance(item, dict) and _has_queries(item) for _, item in items):
        for number, (place, item) in enumerate(items):
            try:
                yield _entry(item, place, people, number, len(items))
            except DataError as error:
                report(error)
        return
    texts = [text for place, item in items for text in _texts(item, place)]
    if not people:
        raise DataError(queries, None, None, "holds queries without profiles, and no profiles file is beside it")
    if len(texts) % len(people):
        raise DataError(
            queries, None, None, f"{len(texts)} queries cannot be divided equally among {len(people)} profiles"
        )
    each = len(texts) // len(people)
    for number, (place, raw) in enumerate(people):
        yield place, raw, texts[number * each : (number + 1) * each]


def _entry(
    item: dict[str, Any], place: Place, people: Sequence[tuple[Place, dict[str, Any]]], number: int, count: int
) -> Asked:
    raw = next((v for k, v in item.items() if fold(k) in ("userprofile", "profile")), None)
    if raw is None:
        raw = _profile_at(people, number, count, place)
    if not isinstance(raw, dict):
        raise place.error("User_Profile", "must be an object")
    titled = {k: v for k, v in item.items() if fold(k) in ("scenario", "domain", EXTRA) and k not in raw}
    texts = _texts(next(v for k, v in item.items() if fold(k) == "queries"), place)
    entry = {**titled, **raw}
    _title(entry, place)  # a title that is no text shows here, where its entry can be left out
    return place, entry, texts


def _profiles(file: Path, pack: DomainPack) -> list[tuple[Place, dict[str, Any]]]:
    items = read_json_items(file)
    for place, item in items:
        if not is_profile(item, pack):
            raise place.error(None, "is not a profile: it has too few of the attributes")
    return items


def _profile_at(people: Sequence[tuple[Place, dict[str, Any]]], number: int, wanted: int, place: Place) -> object:
    if len(people) != wanted:
        raise place.error("User_Profile", f"is missing, and the {wanted} entries have {len(people)} profiles")
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
