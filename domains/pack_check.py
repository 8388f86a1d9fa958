"""Check a pack that somebody is writing: every mistake at once, and what loads but will not work well."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from .attribute import Group
from .errors import PackError, UnknownNameError
from .pack import DomainPack, Resources, fold, pack_problem, read_yaml
from .scenario import Scenario
from .value import Value

__all__ = ["PackHint", "pack_hints", "pack_problems"]

_RESERVED = frozenset((*Scenario.model_fields, "private", *get_args(Group), "tone", "tag", "scenario", "queries"))
"""Names that stand for something else than an attribute: fields of data files, stances by kind, parts of tables."""


class PackHint(Value):
    """Something in a pack that loads, but will not do what its author expects."""

    key: str
    hint: str


def pack_problems(folder: str | Path) -> tuple[PackError, ...]:
    """All that keeps ``load_pack(folder)`` from working, in file order; empty if it works.

    Unlike ``load_pack``, which ends at the first mistake, both files are read to the end.
    """
    path = Path(folder)
    pack_file = path / "pack.yaml" if path.is_dir() else path
    resources_file = pack_file.with_name("resources.yaml")
    problems: list[PackError] = []
    raw = _read(pack_file, problems)
    if raw is not None:
        if raw.pop("resources", None) is not None:
            fix = "move them to resources.yaml"
            problems.append(PackError(pack_file, "resources", "crisis resources belong in a separate file", fix))
        # Without its resources the pack is never complete: pydantic then reports the fields alone, and what must fit
        # together is looked at below, entry by entry.
        problems += [p for p in _invalid(DomainPack, raw, pack_file) if p.key != "resources"]
        problems += _repeated(pack_file, raw)
        problems += _unknown(pack_file, raw)
    resources = _read(resources_file, problems)
    if resources is not None:
        problems += _invalid(Resources, resources, resources_file)
    return tuple(problems)


def pack_hints(pack: DomainPack) -> tuple[PackHint, ...]:
    """What in a pack that loads works badly: entries that the offline parts or data files cannot recognise."""
    return tuple(_hints(pack))


def _read(file: Path, problems: list[PackError]) -> dict[str, Any] | None:
    try:
        return read_yaml(file)
    except PackError as error:
        problems.append(error)
        return None


def _invalid(model: type[BaseModel], raw: dict[str, Any], file: Path) -> list[PackError]:
    try:
        model.model_validate(raw)
    except ValidationError as error:
        found = error.errors()
        # A list whose entries are all wrong counts as empty for pydantic: that is no mistake of its own.
        deeper = {details["loc"][:1] for details in found if len(details["loc"]) > 1}
        shown = [d for d in found if d["type"] != "too_short" or len(d["loc"]) > 1 or d["loc"] not in deeper]
        return [pack_problem(file, details) for details in shown]
    return []


def _repeated(file: Path, raw: dict[str, Any]) -> Iterator[PackError]:
    for key, name in (("domains", "name"), ("attributes", "id"), ("risk_rules", "id")):
        seen: dict[str, int] = {}
        for number, entry in _entries(raw, key):
            value = entry.get(name)
            if not isinstance(value, str):
                continue
            folded = value.casefold() if key == "domains" else value
            if folded in seen:
                problem = f"{value!r} already appears in {key}[{seen[folded]}]" + (
                    " (upper and lower case count as the same)" if key == "domains" else ""
                )
                yield PackError(file, f"{key}[{number}].{name}", problem, "remove one or rename it")
            seen.setdefault(folded, number)


def _unknown(file: Path, raw: dict[str, Any]) -> Iterator[PackError]:
    """References to attributes and domains that the pack does not have."""
    attributes = _names(raw, "attributes", "id")
    domains = _names(raw, "domains", "name")
    folded = {d.casefold() for d in domains}
    for key in ("acknowledgements", "risk_rules"):
        for number, entry in _entries(raw, key):
            attribute = entry.get("attribute")
            if isinstance(attribute, str) and attribute not in attributes:
                unknown = UnknownNameError("attribute", attribute, attributes)
                yield PackError(file, f"{key}[{number}].attribute", str(unknown), "use the id of an attribute")
            weights = entry.get("by_domain")
            for domain in weights if isinstance(weights, dict) else ():
                if isinstance(domain, str) and domain.casefold() not in folded:
                    unknown = UnknownNameError("domain", domain, domains)
                    yield PackError(file, f"{key}[{number}].by_domain", str(unknown), "use the name of a domain")


def _names(raw: dict[str, Any], key: str, name: str) -> list[str]:
    return [entry[name] for _, entry in _entries(raw, key) if isinstance(entry.get(name), str)]


def _entries(raw: dict[str, Any], key: str) -> list[tuple[int, dict[str, Any]]]:
    listed = raw.get(key)
    return [(n, e) for n, e in enumerate(listed) if isinstance(e, dict)] if isinstance(listed, list) else []


def _hints(pack: DomainPack) -> Iterator[PackHint]:
    yield from _attribute_hints(pack)
    for number, domain in enumerate(pack.domains):
        if not domain.cues:
            hint = "without cues, no query is recognised as belonging to this domain"
            yield PackHint(key=f"domains[{number}].cues", hint=hint)
    for number, rule in enumerate(pack.risk_rules):
        if not rule.addressed_in(rule.guidance):
            hint = "no pattern matches the rule's own guidance, so the offline judge would not count it"
            yield PackHint(key=f"risk_rules[{number}].addressed", hint=hint)
    for key, pattern in _patterns(pack):
        if re.compile(pattern).fullmatch(""):
            yield PackHint(key=key, hint=f"{pattern!r} matches the empty text, and so matches everything")


def _attribute_hints(pack: DomainPack) -> Iterator[PackHint]:
    owners: dict[str, str] = {}
    for number, attribute in enumerate(pack.attributes):
        key = f"attributes[{number}]"
        if attribute.id in _RESERVED:
            hint = f"{attribute.id!r} has another meaning in data files, behaviours or tables; choose another id"
            yield PackHint(key=f"{key}.id", hint=hint)
        if not attribute.is_asked_in(attribute.question):
            hint = f"no cue matches the question {attribute.question!r}: a simulated person will not notice being asked"
            yield PackHint(key=f"{key}.cues", hint=hint)
        if not any(rule.attribute == attribute.id for rule in pack.risk_rules):
            hint = "no risk rule uses it, so the offline planner and judge cannot see that it matters"
            yield PackHint(key=key, hint=hint)
        for name in (attribute.id, attribute.label, *attribute.aliases):
            owner = owners.setdefault(fold(name), attribute.id)
            if owner != attribute.id:
                yield PackHint(key=key, hint=f"{name!r} also names {owner!r}, so it is ambiguous in data files")


def _patterns(pack: DomainPack) -> Iterator[tuple[str, str]]:
    """Every regular expression of the pack, with its key."""
    for kind in ("attributes", "domains", "risk_rules", "acknowledgements"):
        for number, entry in enumerate(getattr(pack, kind)):
            for name in ("cues", "tells", "matches", "unless", "addressed"):
                for place, pattern in enumerate(getattr(entry, name, ())):
                    yield f"{kind}[{number}].{name}[{place}]", pattern
