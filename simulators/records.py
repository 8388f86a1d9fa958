"""One record of a data file -> one ``Scenario``, with errors that name the file, the line and the field."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from pydantic import ValidationError

from ..domains.errors import UnknownNameError
from ..domains.pack import DomainPack, fold
from ..domains.profile import Profile
from ..domains.scenario import Scenario
from .reading import Place

__all__ = [
    "GuessDomain",
    "checked_domain",
    "is_post",
    "is_profile",
    "post_scenario",
    "profile_of",
    "scenario_of",
    "text_of",
]

GuessDomain = Callable[[str, str], str]
"""(title, query) -> the name of a domain."""

_OWN_FIELDS = tuple(Scenario.model_fields)
# How alike a field name must be to an attribute's to be taken for its misspelling: "martial_status" is, "page" is not.
_MISSPELT = 0.88
_POST_FIELDS = ("id", "query", "scenario", "title", "background", "subreddit", "domain")


def is_post(record: object, pack: DomainPack) -> bool:
    """Whether ``record`` has the shape of the public data set's posts: a query and attributes side by side."""
    if not isinstance(record, dict) or "profile" in record:
        return False
    names = {fold(name) for name in record}
    return "query" in names and any(pack.attribute_named(n) or n in ("subreddit", "background") for n in names)


def is_profile(record: object, pack: DomainPack) -> bool:
    """Whether ``record`` is a published profile: attributes and a scenario title, no query."""
    if not isinstance(record, dict) or is_post(record, pack):
        return False
    return sum(pack.attribute_named(key) is not None for key in record) >= min(3, len(pack.attributes))


def scenario_of(record: object, place: Place, pack: DomainPack, *, domain: str | None) -> Scenario:
    """A scenario in our own format; ``domain`` where the record names none."""
    fields = _object(record, place)
    for name in fields:
        if name not in _OWN_FIELDS:
            raise place.error(name, str(UnknownNameError("field", name, _OWN_FIELDS)))
    for name in ("id", "query", "profile"):
        if fields.get(name) is None:
            raise place.error(name, "is missing")
    given = fields.get("domain", domain)
    if given is None:
        raise place.error("domain", f"is missing; known: {', '.join(pack.domain_names)}")
    optional = {k: fields[k] for k in ("split", "risk", "pair", "country") if fields.get(k) is not None}
    return _scenario(
        place,
        id=text_of(fields["id"], place, "id").strip(),
        domain=checked_domain(given, place, pack),
        title=text_of(fields.get("title"), place, "title"),
        query=text_of(fields["query"], place, "query"),
        profile=profile_of(_object(fields["profile"], place, "profile"), place, pack, prefix="profile."),
        source=text_of(fields.get("source"), place, "source"),
        background=text_of(fields.get("background"), place, "background"),
        **{k: text_of(v, place, k) for k, v in optional.items()},
    )


def post_scenario(
    record: object, place: Place, pack: DomainPack, *, default_id: str, domain: str | None, guess: GuessDomain
) -> Scenario:
    """A scenario from a record of the public data set's real part (A.2): attributes stand beside the query.

    Its domain is the record's own, else ``domain``, else ``guess``. Fields that are no attribute are passed over,
    unless they look like a misspelt one.
    """
    fields = _object(record, place)
    by_name = {fold(name): value for name, value in fields.items()}
    profile = {name: value for name, value in fields.items() if pack.attribute_named(name) is not None}
    for name in fields.keys() - profile.keys():
        if nearest := _misspelt(name, pack):
            raise place.error(name, f"unknown attribute {name!r}; did you mean {nearest!r}?")
    title = text_of(by_name.get("scenario", by_name.get("title")), place, "scenario")
    query = text_of(by_name.get("query"), place, "query").strip()
    given = by_name.get("domain") or domain
    subreddit = text_of(by_name.get("subreddit"), place, "subreddit")
    return _scenario(
        place,
        id=text_of(by_name.get("id"), place, "id") or default_id,
        domain=checked_domain(given, place, pack) if given else guess(title, query),
        title=title,
        query=query,
        profile=profile_of(profile, place, pack),
        background=text_of(by_name.get("background"), place, "background"),
        source=f"penguin_real:{subreddit.removeprefix('r/')}" if subreddit else "penguin_real",
    )


def profile_of(raw: Mapping[str, Any], place: Place, pack: DomainPack, *, prefix: str = "") -> Profile:
    """A profile from field names and values as data files have them; every field must be an attribute."""
    values: dict[str, str] = {}
    names: dict[str, str] = {}
    for name, value in raw.items():
        attribute = pack.attribute_named(name)
        if attribute is None:
            raise place.error(prefix + name, str(UnknownNameError("attribute", name, pack.attribute_ids)))
        if attribute in names:
            raise place.error(prefix + name, f"gives {attribute!r} again, after {names[attribute]!r}")
        names[attribute] = name
        values[attribute] = text_of(value, place, prefix + name)
    return pack.profile(values)


def checked_domain(name: object, place: Place, pack: DomainPack) -> str:
    """The pack's spelling of a domain's name."""
    try:
        return pack.domain(text_of(name, place, "domain")).name
    except UnknownNameError as error:
        raise place.error("domain", str(error)) from error


def text_of(value: object, place: Place, field: str) -> str:
    """A value as text. A number stays the number, true and false become "Yes" and "No", null the empty text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, float):
        return str(int(value)) if math.isfinite(value) and value.is_integer() else str(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        # A lone surrogate can be written to no file.
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    raise place.error(field, f"must be text, not {_kind(value)}")


def _scenario(place: Place, **fields: Any) -> Scenario:
    try:
        return Scenario(**fields)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or None
        problem = first["msg"].removeprefix("Value error, ")
        # A query or a profile is a person's; the other fields may be shown.
        shown = f", not {first['input']!r}" if field in ("split", "risk", "country", "id") else ""
        raise place.error(field, problem[:1].lower() + problem[1:] + shown) from error


def _object(value: object, place: Place, field: str | None = None) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise place.error(field, f"must be an object, not {_kind(value)}")
    return value


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def _misspelt(name: str, pack: DomainPack) -> str | None:
    if name.casefold() in _POST_FIELDS:
        return None
    known = tuple(n for a in pack.attributes for n in (a.id, a.label, *a.aliases))
    nearest = _nearest(name, known)
    return None if nearest is None else pack.attribute_named(nearest)


@lru_cache(maxsize=1024)  # a data set repeats the same few field names in every record
def _nearest(name: str, known: tuple[str, ...]) -> str | None:
    for candidate in known:
        if difflib.SequenceMatcher(None, fold(name), fold(candidate)).ratio() >= _MISSPELT:
            return candidate
    return None
