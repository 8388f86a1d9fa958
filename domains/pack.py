"""A domain pack: the domains, attributes, risk rules and crisis resources that one field of use needs. Pure data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field, ValidationError, field_validator, model_validator
from pydantic_core import ErrorDetails

from .attribute import Attribute
from .countries import CountryCode, CountryOrAny
from .errors import PackError, UnknownNameError
from .folding import tidy
from .patterns import compilable
from .profile import Profile
from .safe_yaml import YamlProblem, read_yaml_file
from .value import Value

__all__ = ["Acknowledgement", "CrisisResource", "Domain", "DomainPack", "Resources", "RiskRule", "load_pack"]


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("is blank: write what a person in need will read")
    return text


NotBlank = Annotated[str, AfterValidator(_not_blank)]


def _compile(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(p, re.IGNORECASE) for p in patterns)


class Domain(Value):
    """A field of life that queries come from."""

    name: str = Field(min_length=1)
    description: str = Field(min_length=1)
    guidance: str = Field(min_length=1, description="General advice for this domain, safe without knowing the person.")
    cues: tuple[str, ...] = Field(
        default=(), description="Regular expressions over a query that speak for this domain."
    )

    _patterns = field_validator("cues")(staticmethod(compilable))

    @cached_property
    def _cues(self) -> tuple[re.Pattern[str], ...]:
        return _compile(self.cues)

    def cues_in(self, query: str) -> int:
        """How many different words of ``query`` are cues of it."""
        return len({m.group(0).casefold() for p in self._cues for m in p.finditer(tidy(query))})


class RiskRule(Value):
    """When a value of an attribute makes ordinary advice risky, and what a careful answer then says.

    The offline responder says ``guidance`` for the attributes it knows; the offline judge looks for ``addressed`` in
    any answer, whoever wrote it, for every rule that the full profile triggers.
    """

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    attribute: str
    matches: tuple[str, ...] = Field(min_length=1, description="Regular expressions over the value; any one triggers.")
    unless: tuple[str, ...] = Field(default=(), description="Regular expressions that veto the rule.")
    weight: float = Field(default=1.0, ge=0, le=5, description="How much of the risk it carries, relative to others.")
    by_domain: dict[str, float] = Field(
        default_factory=dict, description="Weight in particular domains, 0-5; 0: does not apply there."
    )
    concern: str = Field(min_length=1, description="The risk, in one phrase; used in justifications.")
    guidance: str = Field(min_length=1, description="What a careful answer says when it knows the value.")
    addressed: tuple[str, ...] = Field(
        min_length=1, description="Regular expressions that show that an answer dealt with the risk; any one counts."
    )

    _patterns = field_validator("matches", "unless", "addressed")(staticmethod(compilable))

    @cached_property
    def _matches(self) -> tuple[re.Pattern[str], ...]:
        return _compile(self.matches)

    @cached_property
    def _unless(self) -> tuple[re.Pattern[str], ...]:
        return _compile(self.unless)

    @cached_property
    def _addressed(self) -> tuple[re.Pattern[str], ...]:
        return _compile(self.addressed)

    def weight_in(self, domain: str | None) -> float:
        """The rule's weight in ``domain``, 0 where it does not apply."""
        return self.by_domain.get(domain, self.weight) if domain is not None else self.weight

    def triggered_by(self, value: str, domain: str | None) -> bool:
        """Whether ``value`` of this rule's attribute carries the risk in ``domain`` (None: any domain)."""
        if not self.weight_in(domain):
            return False
        value = tidy(value)
        return any(p.search(value) for p in self._matches) and not any(p.search(value) for p in self._unless)

    def addressed_in(self, answer: str) -> bool:
        """Whether ``answer`` deals with the risk."""
        return any(p.search(tidy(answer)) for p in self._addressed)


class Acknowledgement(Value):
    """A sentence that shows that a state of mind was understood."""

    attribute: str
    matches: tuple[str, ...] = Field(min_length=1)
    text: str = Field(min_length=1)

    _patterns = field_validator("matches")(staticmethod(compilable))

    def fits(self, value: str) -> bool:
        """Whether ``value`` calls for this sentence."""
        return any(p.search(tidy(value)) for p in _compile(self.matches))


class CrisisResource(Value):
    """A service for people in crisis, with the source in which its details stand."""

    country: CountryOrAny = Field(description="ISO 3166-1 alpha-2 code, or * for everywhere.")
    name: NotBlank = Field(min_length=1)
    contact: NotBlank = Field(min_length=1, description="How to reach it, as its source says.")
    availability: str = ""
    about: Literal["violence"] | None = Field(
        default=None,
        description="What it is for, if it is not for everybody in crisis: it is then listed last, and says so.",
    )
    source: str = Field(pattern=r"^https://", description="Page of the service that gives these details.")
    checked: date = Field(description="When the source was last compared.")


class CrisisFollowUp(Value):
    """A short answer to what a person writes after a crisis answer."""

    matches: tuple[str, ...] = Field(
        default=(), description="Regular expressions of messages that it answers; none: it fits any message."
    )
    text: NotBlank = Field(min_length=1)

    _patterns = field_validator("matches")(staticmethod(compilable))

    def fits(self, message: str) -> bool:
        """Whether it answers ``message``."""
        return any(p.search(tidy(message)) for p in _compile(self.matches))


class Resources(Value):
    """The fixed parts of a crisis answer. Nothing in it is written by a model."""

    opening: NotBlank = Field(min_length=1)
    closing: NotBlank = Field(min_length=1)
    again: NotBlank = Field(
        min_length=1, description="Said instead of the opening when the person writes on afterwards."
    )
    replies: tuple[CrisisFollowUp, ...] = Field(
        default=(), description="Said instead of the whole answer when the person writes on; the first that fits."
    )
    emergency: NotBlank = Field(
        min_length=1, description="What to do in immediate danger, where the number is not known."
    )
    emergency_numbers: dict[CountryCode, str] = Field(
        default_factory=dict, description="Country code -> emergency number."
    )
    services: tuple[CrisisResource, ...] = ()

    @model_validator(mode="after")
    def _has_fallback(self) -> Resources:
        if not any(s.country == "*" for s in self.services):
            raise ValueError("at least one service must have country '*', for people whose country is not known")
        return self

    def for_country(self, country: str | None) -> tuple[CrisisResource, ...]:
        """Services of ``country``, then the international ones, and last those that are not for everybody."""
        own = [s for s in self.services if s.country == country]
        everywhere = [s for s in self.services if s.country == "*"]
        return tuple(sorted(own + everywhere, key=lambda s: s.about is not None))


class DomainPack(Value):
    """Domains, attributes and rules that belong together, from ``pack.yaml`` and ``resources.yaml``."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_-]*$")
    version: str = Field(min_length=1)
    description: str = ""
    domains: tuple[Domain, ...] = Field(min_length=1)
    attributes: tuple[Attribute, ...] = Field(min_length=1)
    risk_rules: tuple[RiskRule, ...] = ()
    acknowledgements: tuple[Acknowledgement, ...] = ()
    resources: Resources

    @model_validator(mode="after")
    def _consistent(self) -> DomainPack:
        for kind, names in (
            ("attribute", [a.id for a in self.attributes]),
            ("domain", [d.name.casefold() for d in self.domains]),  # as ``domain`` looks them up
            ("risk rule", [r.id for r in self.risk_rules]),
        ):
            if repeated := sorted({n for n in names if names.count(n) > 1}):
                raise ValueError(f"{kind} {repeated[0]!r} is defined twice")
        for attribute_id in (*(r.attribute for r in self.risk_rules), *(a.attribute for a in self.acknowledgements)):
            self.attribute(attribute_id)
        for rule in self.risk_rules:
            for domain in rule.by_domain:
                self.domain(domain)
        return self

    @cached_property
    def _by_name(self) -> dict[str, str]:
        """Every spelling of an attribute in data files, folded -> its id."""
        return {fold(n): a.id for a in self.attributes for n in (a.id, a.label, *a.aliases)}

    @property
    def attribute_ids(self) -> tuple[str, ...]:
        """Attribute ids in pack order."""
        return tuple(a.id for a in self.attributes)

    @property
    def domain_names(self) -> tuple[str, ...]:
        """Domain names in pack order."""
        return tuple(d.name for d in self.domains)

    def attribute(self, attribute_id: str) -> Attribute:
        """The attribute with this id; ``UnknownNameError`` names the nearest one."""
        for attribute in self.attributes:
            if attribute.id == attribute_id:
                return attribute
        raise UnknownNameError("attribute", attribute_id, self.attribute_ids)

    def attribute_named(self, name: str) -> str | None:
        """The id of the attribute that a data file calls ``name`` ("Marital Status", "maritalStatus"), or None."""
        return self._by_name.get(fold(name))

    def domain(self, name: str) -> Domain:
        """The domain with this name, in any case; ``UnknownNameError`` names the nearest one."""
        for domain in self.domains:
            if domain.name.casefold() == name.strip().casefold():
                return domain
        raise UnknownNameError("domain", name, self.domain_names)

    def domain_of(self, query: str) -> str | None:
        """The domain with most cues in ``query``; None where there is none, or two have as many.

        Made for answers, where no domain is better than a wrong one. Data that must have a domain gets one from
        ``simulators.domain_guess``, which asks this first.
        """
        counts = sorted(((d.cues_in(query), d.name) for d in self.domains), reverse=True)
        best, name = counts[0]
        return name if best and (len(counts) == 1 or counts[1][0] < best) else None

    def by_sensitivity(self) -> tuple[str, ...]:
        """Attribute ids, the most informative first: the static order (section 4)."""
        return tuple(a.id for a in sorted(self.attributes, key=lambda a: -a.sensitivity))

    def profile(self, raw: Mapping[str, Any]) -> Profile:
        """A profile from field names and values as data files have them.

        Raises ``UnknownNameError`` for a field that is no attribute. Any spelling of "not specified" becomes unknown.
        """
        values: dict[str, str] = {}
        for name, value in raw.items():
            attribute_id = self.attribute_named(name)
            if attribute_id is None:
                raise UnknownNameError("attribute", name, self.attribute_ids)
            text = None if value is None else str(value).strip()
            if text is not None and not self.attribute(attribute_id).is_unknown(text):
                values[attribute_id] = text
        return Profile(values={a: values[a] for a in self.attribute_ids if a in values})

    def risks(self, values: Mapping[str, str], domain: str | None) -> tuple[RiskRule, ...]:
        """The rules that these attribute values trigger in ``domain`` (None: any), the heaviest first.

        The ``weight`` of each returned rule is its weight in that domain.
        """
        hits = [
            rule.model_copy(update={"weight": rule.weight_in(domain)})
            for rule in self.risk_rules
            if rule.attribute in values and rule.triggered_by(values[rule.attribute], domain)
        ]
        return tuple(sorted(hits, key=lambda r: -r.weight))

    def acknowledgement(self, values: Mapping[str, str]) -> str | None:
        """The first sentence of understanding that fits these values, None if none does."""
        for entry in self.acknowledgements:
            if entry.attribute in values and entry.fits(values[entry.attribute]):
                return entry.text
        return None


@lru_cache(maxsize=4096)  # a data set repeats its few field names in every record
def fold(name: str) -> str:
    """A field name without case, spaces and punctuation: "Past Self-Harm History" -> "pastselfharmhistory"."""
    return re.sub(r"[\W_]+", "", name).casefold()


def load_pack(folder: str | Path) -> DomainPack:
    """Read ``pack.yaml`` and ``resources.yaml`` from ``folder`` (or the given ``pack.yaml`` and its neighbour).

    Raises:
        PackError: naming the file, the key at fault and what to do.
    """
    path = Path(folder)
    pack_file = path / "pack.yaml" if path.is_dir() else path
    resources_file = pack_file.with_name("resources.yaml")
    raw = read_yaml(pack_file)
    if "resources" in raw:
        raise PackError(
            pack_file, "resources", "crisis resources belong in a separate file", "move them to resources.yaml"
        )
    resources = read_yaml(resources_file)
    try:
        parsed = Resources.model_validate(resources)
    except ValidationError as error:
        raise pack_problem(resources_file, error.errors()[0]) from error
    try:
        return DomainPack.model_validate({**raw, "resources": parsed})
    except UnknownNameError as error:
        raise PackError(
            pack_file, "risk_rules", str(error), "use the id of an attribute or the name of a domain"
        ) from error
    except ValidationError as error:
        raise pack_problem(pack_file, error.errors()[0]) from error


def read_yaml(file: Path) -> dict[str, Any]:
    """The mapping that ``file`` holds, else ``PackError``."""
    try:
        raw = read_yaml_file(file)
    except YamlProblem as error:
        fix = "a pack is a folder with pack.yaml and resources.yaml" if error.missing else error.fix
        raise PackError(file, error.where, error.problem, fix) from error
    if not isinstance(raw, dict):
        raise PackError(file, "", f"must be a mapping, not {type(raw).__name__}", "start with 'name: ...'")
    return raw


def pack_problem(file: Path, first: ErrorDetails) -> PackError:
    """One finding of pydantic as a ``PackError``: where, what, and what to do."""
    key = ""
    for part in first["loc"]:
        key += f"[{part}]" if isinstance(part, int) else f".{part}" if key else str(part)
    given = "" if first["type"] in ("missing", "value_error") else f", not {_short(first.get('input'))}"
    if first["type"] == "missing":
        return PackError(file, key, "is missing", "add it")
    if first["type"] == "extra_forbidden":
        return PackError(
            file, key, "is not a known key", "remove it or correct its spelling" + _nearest_key(first["loc"])
        )
    return PackError(file, key, first["msg"].removeprefix("Value error, ") + given, "correct the value")


def _nearest_key(location: Iterable[int | str]) -> str:
    names: dict[str, type[BaseModel]] = {
        "attributes": Attribute,
        "domains": Domain,
        "risk_rules": RiskRule,
        "acknowledgements": Acknowledgement,
        "services": CrisisResource,
        "replies": CrisisFollowUp,
    }
    parts = list(location)
    model: type[BaseModel] = names.get(str(parts[0]), DomainPack) if len(parts) > 1 else DomainPack
    nearest = UnknownNameError("key", str(parts[-1]), model.model_fields).nearest
    return f" (did you mean {nearest!r}?)" if nearest else ""


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
