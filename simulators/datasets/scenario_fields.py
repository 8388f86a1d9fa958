"""One record of a data file -> one ``Scenario``, with errors that name the file, the line and the field."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import ValidationError

from ...domains import DataError, DomainPack, Profile, Scenario, UnknownNameError, fold
from .file_records import Place, Report, refuse

__all__ = [
    "EXTRA",
    "OWN_FIELDS",
    "REAL_SOURCE",
    "FieldReader",
    "GuessDomain",
    "checked_domain",
    "extra_fields",
    "is_draft",
    "is_post",
    "is_profile",
    "post_scenario",
    "real_source",
    "scenario_of",
    "storable",
    "text_of",
]

GuessDomain = Callable[[str, str], str]
"""(title, query) -> the name of a domain."""

OWN_FIELDS = tuple(Scenario.model_fields)
"""The fields of a scenario in our own format."""

EXTRA = "askfirst"
"""The key under which the authors' formats hold what has no place in them: an object of our own fields."""

_OPTIONAL = ("split", "pair", "changed", "risk", "country")
_EXTRA_FIELDS = ("id", "source", "background", *_OPTIONAL)

REAL_SOURCE = "penguin_real"
"""The source of the public data set's posts; ``:`` and the subreddit follow where it is known."""

T = TypeVar("T")
# How alike a field name must be to an attribute's to be taken for its misspelling: "martial_status" is, "page" is not.
_MISSPELT = 0.88
_POST_FIELDS = ("id", "query", "scenario", "title", "background", "subreddit", "domain", EXTRA)


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


def is_draft(record: object) -> bool:
    """Whether ``record`` has the shape of our own profiles without queries (``drafts.Draft``)."""
    return isinstance(record, dict) and "tone" in record and "profile" in record and "query" not in record


def scenario_of(
    record: object, place: Place, pack: DomainPack, *, domain: str | None, report: Report = refuse
) -> Scenario | None:
    """A scenario in our own format; ``domain`` where the record names none.

    None when a problem was reported, and ``report`` did not raise it.
    """
    reader = FieldReader(place, pack, report)
    fields = reader.mapping(record)
    if is_draft(fields):
        reader.refuse("query", "is missing: this is a profile; 'askfirst scenarios generate --from' writes its queries")
    if not reader.ok():
        return None
    for name in fields:
        if name not in OWN_FIELDS:
            reader.refuse(name, str(UnknownNameError("field", name, OWN_FIELDS)))
    for name in ("id", "query", "profile"):
        if fields.get(name) is None:
            reader.refuse(name, "is missing")
    values = reader.mapping(fields["profile"], "profile") if fields.get("profile") is not None else {}
    optional = reader.optional(fields)
    return reader.scenario(
        id=reader.text(fields.get("id"), "id").strip(),
        domain=reader.domain(fields.get("domain", domain)),
        title=reader.text(fields.get("title"), "title"),
        query=reader.text(fields.get("query"), "query"),
        profile=reader.profile(values, prefix="profile."),
        source=reader.text(fields.get("source"), "source"),
        background=reader.text(fields.get("background"), "background"),
        **optional,
    )


def post_scenario(
    record: object,
    place: Place,
    pack: DomainPack,
    *,
    default_id: str,
    domain: str | None,
    guess: GuessDomain,
    report: Report = refuse,
) -> Scenario | None:
    """A scenario from a record of the public data set's real part (A.2): attributes stand beside the query.

    Its domain is the record's own, else ``domain``, else ``guess``. Fields that are no attribute are passed over,
    unless they look like a misspelt one. None when a problem was reported, and ``report`` did not raise it.
    """
    reader = FieldReader(place, pack, report)
    fields = reader.mapping(record)
    if not reader.ok():
        return None
    by_name = reader.by_folded_name(fields)
    profile = {name: value for name, value in fields.items() if pack.attribute_named(name) is not None}
    for name in fields:
        if name not in profile and (nearest := _misspelt(name, pack)):
            reader.refuse(name, f"unknown attribute {name!r}; did you mean {nearest!r}?")
    title = reader.text(by_name.get("scenario", by_name.get("title")), "scenario")
    query = reader.text(by_name.get("query"), "query").strip()
    given = by_name.get("domain") or domain
    subreddit = reader.text(by_name.get("subreddit"), "subreddit")
    read = {
        "id": reader.text(by_name.get("id"), "id") or default_id,
        "background": reader.text(by_name.get("background"), "background"),
        "source": real_source(subreddit.removeprefix("r/")),
    }
    return reader.scenario(
        domain=reader.domain(given) if given else guess(title, query),
        title=title,
        query=query,
        profile=reader.profile(profile),
        **{**read, **reader.extra(fields.get(EXTRA))},
    )


def real_source(subreddit: str) -> str:
    """The source of a post of the public data set; ``subreddit`` may be empty."""
    return f"{REAL_SOURCE}:{subreddit}" if subreddit else REAL_SOURCE


def extra_fields(scenario: Scenario, as_read: Mapping[str, str]) -> dict[str, str]:
    """The fields of ``scenario`` that one of the authors' formats has no place for.

    Args:
        as_read: those that reading gives without them.
    """
    every = {name: getattr(scenario, name) or "" for name in _EXTRA_FIELDS}
    return {name: value for name, value in every.items() if value != as_read.get(name, "")}


class FieldReader:
    """Reads the fields of one record and reports every one that cannot be used."""

    def __init__(self, place: Place, pack: DomainPack, report: Report = refuse) -> None:
        self._place, self._pack, self._report = place, pack, report
        self._refused: set[str | None] = set()

    def ok(self) -> bool:
        """Whether nothing was reported so far."""
        return not self._refused

    def refuse(self, field: str | None, problem: str) -> None:
        """Report a problem of this record."""
        self._refused.add(field)
        self._report(self._place.error(field, problem))

    def take(self, make: Callable[[], T], otherwise: T) -> T:
        """What ``make`` gives; ``otherwise`` where it raises a ``DataError``, which is reported."""
        try:
            return make()
        except DataError as error:
            self._refused.add(error.field)
            self._report(error)
            return otherwise

    def mapping(self, value: object, field: str | None = None) -> dict[str, Any]:
        """A JSON object, empty where it is none."""
        if isinstance(value, dict):
            return value
        self.refuse(field, f"must be an object, not {_kind(value)}")
        return {}

    def by_folded_name(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The fields by their names without case and punctuation; two spellings of one name are a problem."""
        spelt: dict[str, str] = {}
        for name in fields:
            if (first := spelt.setdefault(fold(name), name)) != name:
                self.refuse(name, f"also appears as {first!r}")
        return {folded: fields[name] for folded, name in spelt.items()}

    def extra(self, value: object) -> dict[str, str | None]:
        """What ``extra_fields`` wrote, as fields of a scenario; empty where there is nothing."""
        fields = {} if value is None else self.mapping(value, EXTRA)
        for name in fields:
            if name not in _EXTRA_FIELDS:
                self.refuse(f"{EXTRA}.{name}", str(UnknownNameError("field", name, _EXTRA_FIELDS)))
        free: dict[str, str | None] = {
            n: self.text(fields[n], n) for n in ("id", "source", "background") if n in fields
        }
        return {**free, **self.optional(fields)}

    def optional(self, fields: Mapping[str, Any]) -> dict[str, str | None]:
        """The fields of a scenario that may be missing and are no free text, those that are given."""
        given: dict[str, str | None] = {
            name: self.text(fields[name], name) for name in _OPTIONAL if fields.get(name) is not None
        }
        if (changed := given.get("changed")) is not None and changed not in self._pack.attribute_ids:
            self.refuse("changed", str(UnknownNameError("attribute", changed, self._pack.attribute_ids)))
        return given

    def text(self, value: object, field: str) -> str:
        """``text_of``, empty where that fails."""
        return self.take(lambda: text_of(value, self._place, field), "")

    def domain(self, name: object) -> str:
        """The pack's spelling of a domain's name, empty where there is none."""
        if name is None:
            self.refuse("domain", f"is missing; known: {', '.join(self._pack.domain_names)}")
            return ""
        return self.take(lambda: checked_domain(name, self._place, self._pack), "")

    def profile(self, raw: Mapping[str, Any], *, prefix: str = "") -> Profile:
        """A profile from field names and values as data files have them; every field must be an attribute."""
        values: dict[str, str] = {}
        names: dict[str, str] = {}
        for name, value in raw.items():
            attribute = self._pack.attribute_named(name)
            if attribute is None:
                self.refuse(prefix + name, str(UnknownNameError("attribute", name, self._pack.attribute_ids)))
            elif attribute in names:
                self.refuse(prefix + name, f"gives {attribute!r} again, after {names[attribute]!r}")
            else:
                names[attribute] = name
                values[attribute] = self.text(value, prefix + name)
        return self._pack.profile(values)

    def scenario(self, **fields: Any) -> Scenario | None:
        """The scenario, None if anything about the record was reported."""
        try:
            scenario = Scenario(**fields)
        except ValidationError as error:
            for problem in error.errors():
                field = ".".join(map(str, problem["loc"])) or None
                if field not in self._refused:  # a field that was refused stands here as an empty text
                    self._refuse_value(field, problem["msg"].removeprefix("Value error, "), problem["input"])
            return None
        return scenario if self.ok() else None

    def _refuse_value(self, field: str | None, problem: str, value: object) -> None:
        # A query or a profile is a person's; the other fields may be shown.
        shown = f", not {value!r}" if field in ("split", "risk", "country", "id") else ""
        self.refuse(field, problem[:1].lower() + problem[1:] + shown)


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
        return storable(value)
    raise place.error(field, f"must be text, not {_kind(value)}")


def storable(text: str) -> str:
    """``text`` as it can be written to a file: a lone surrogate, which no encoding takes, becomes U+FFFD."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


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
