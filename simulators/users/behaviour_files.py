"""Read behaviours: the packaged ones by name, others from YAML files.

Errors name the file, the key and what to do, like those of domain packs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ...domains import DomainPack, InputError, UnknownNameError, YamlProblem, read_yaml_file
from .behaviour import (
    COOPERATIVE_BEHAVIOUR,
    GROUPS,
    PRIVATE,
    Behaviour,
    Change,
    CrisisMoment,
    OffTopic,
    Phrases,
    Rewrite,
    Speech,
    drawable,
)
from .disclosure import Stance

__all__ = ["BehaviourError", "behaviour_names", "check_behaviour", "load_behaviour", "load_behaviours"]

_SUFFIXES = (".yaml", ".yml")


class BehaviourError(InputError):
    """A behaviour file cannot be used.

    Attributes:
        file: the file.
        key: dotted path of the entry at fault, such as ``stances.age``.
        problem: what is wrong with it.
        fix: what to do about it.
        more: the file's other mistakes; each has a line in the message.
    """

    def __init__(self, file: str | Path, key: str, problem: str, fix: str, more: Sequence[BehaviourError] = ()) -> None:
        self.file, self.key, self.problem, self.fix = str(file), key, problem, fix
        self.more = tuple(more)
        line = f"{file}{': ' + key if key else ''}: {problem}; {fix}"
        super().__init__("\n".join([line, *(str(e) for e in more)]))


def behaviour_names() -> tuple[str, ...]:
    """Names of the packaged behaviours, ``cooperative`` first."""
    names = sorted(f.name.removesuffix(".yaml") for f in _folder().iterdir() if f.name.endswith(".yaml"))
    return tuple(sorted(names, key=lambda n: n != COOPERATIVE_BEHAVIOUR.name))


def load_behaviours(given: Sequence[str], pack: DomainPack) -> tuple[Behaviour, ...]:
    """The behaviours that ``given`` names: each a packaged name or a path; commas separate several.

    Raises:
        BehaviourError: a file cannot be used, with this pack or at all.
        UnknownNameError: no packaged behaviour has that name; names the nearest.
        InputError: none is given, or one twice.
    """
    wanted = [name.strip() for text in given for name in text.split(",") if name.strip()]
    if not wanted:
        raise InputError(f"no behaviour given; known: {', '.join(behaviour_names())}, or the path of a file")
    loaded = tuple(_load(name, pack) for name in wanted)
    names = [b.name for b in loaded]
    if twice := next((n for n in names if names.count(n) > 1), None):
        raise InputError(f"behaviour {twice!r} is given twice")
    return loaded


def load_behaviour(name_or_path: str | Path) -> Behaviour:
    """The packaged behaviour of this name, or the one in this file.

    Raises:
        BehaviourError: the file cannot be used; all of its mistakes at once.
        UnknownNameError: no such name and no such file.
    """
    return _load(name_or_path, None)


def check_behaviour(behaviour: Behaviour, pack: DomainPack, *, where: str = "") -> None:
    """Raise ``BehaviourError`` if ``behaviour`` names what ``pack`` does not have, or lies without a false value; all
    mistakes at once."""
    file = where or behaviour.name
    errors = _unknown_names(behaviour.stances, pack, file)
    for attribute in pack.attributes:
        if behaviour.stance_on(attribute) == "lies" and not drawable(attribute):
            problem = f"behaviour {behaviour.name!r} lies about {attribute.id!r}, for which the pack lists no values"
            fix = f"write the false value: '{attribute.id}: {{lies: \"...\"}}'"
            errors.append(BehaviourError(file, f"stances.{attribute.id}", problem, fix))
    _raise(errors)


def _unknown_names(stances: Iterable[object], pack: DomainPack, file: str) -> list[BehaviourError]:
    known = (*pack.attribute_ids, *GROUPS, PRIVATE)
    errors = []
    for key in (str(k) for k in stances):
        if key not in known:
            nearest = UnknownNameError("attribute", key, known).nearest
            hint = f"did you mean {nearest!r}?" if nearest else f"known: {', '.join(known)}"
            errors.append(BehaviourError(file, f"stances.{key}", f"pack {pack.name!r} does not have this name", hint))
    return errors


def _raise(errors: Sequence[BehaviourError]) -> None:
    if errors:
        first = errors[0]
        raise BehaviourError(first.file, first.key, first.problem, first.fix, errors[1:])


def _load(name_or_path: str | Path, pack: DomainPack | None) -> Behaviour:
    text = str(name_or_path)
    path = Path(text)
    if path.suffix in _SUFFIXES or "/" in text or path.is_file():
        return _read(path, text, pack)
    if text not in behaviour_names():
        raise UnknownNameError("behaviour", text, behaviour_names())
    return _read(_folder() / f"{text}.yaml", f"{text}.yaml", pack)


def _folder() -> Traversable:
    return files("askfirst.simulators.users") / "behaviours"


def _read(file: Traversable | Path, shown: str, pack: DomainPack | None) -> Behaviour:
    try:
        raw: Any = read_yaml_file(file)
    except YamlProblem as error:
        fix = f"give a path, or one of: {', '.join(behaviour_names())}" if error.missing else error.fix
        raise BehaviourError(shown, error.where, error.problem, fix) from error
    if not isinstance(raw, dict):
        raise BehaviourError(shown, "", f"must be a mapping, not {type(raw).__name__}", "start with 'name: ...'")
    try:
        behaviour = Behaviour.model_validate(raw)
    except ValidationError as error:
        errors = {e.key: e for e in reversed([_explained(shown, found) for found in error.errors(include_url=False)])}
        named = raw.get("stances")
        unknown = _unknown_names(named, pack, shown) if pack is not None and isinstance(named, dict) else []
        _raise([*reversed(errors.values()), *(e for e in unknown if e.key not in errors)])
        raise
    if pack is not None:
        check_behaviour(behaviour, pack, where=shown)
    return behaviour


_MODELS: dict[str, type[BaseModel]] = {
    "changes": Change,
    "off_topic": OffTopic,
    "crisis": CrisisMoment,
    "speech": Speech,
    "phrases": Phrases,
    "rewrites": Rewrite,
}


def _explained(file: str, first: ErrorDetails) -> BehaviourError:
    location = [part for part in first["loc"] if part not in ("Lie",) and not str(part).startswith("literal[")]
    key = ""
    for part in location:
        key += f"[{part}]" if isinstance(part, int) else f".{part}" if key else str(part)
    if location and location[0] in ("stances", "default"):
        stances = get_args(Stance)
        given = first.get("input")
        parts = [str(p) for p in location]
        key = ".".join(parts[:2] if parts[0] == "stances" else parts[:1])
        if isinstance(given, dict) and list(given) == ["lies"]:
            told = given["lies"]
            problem = "the false value is empty" if told == "" else f"the false value {_short(told)} is not text"
            return BehaviourError(file, key, problem, 'write it in quotes: {lies: "29"}')
        given = next(iter(given), given) if isinstance(given, dict) and len(given) == 1 else given
        if first["type"] == "value_error":
            return BehaviourError(file, key, first["msg"].removeprefix("Value error, "), "choose another default")
        nearest = UnknownNameError("stance", str(given), stances).nearest
        fix = f"did you mean {nearest!r}?" if nearest else f'use one of: {", ".join(stances)}, or {{lies: "..."}}'
        return BehaviourError(file, key, f"{given!r} is not a stance", fix)
    if first["type"] == "missing":
        return BehaviourError(file, key, "is missing", "add it")
    if first["type"] == "extra_forbidden":
        return BehaviourError(file, key, "is not a known key", "remove it or correct its spelling" + _nearest(location))
    given = first.get("input")
    shown = "" if first["type"] == "value_error" else f", not {_short(given)}"
    return BehaviourError(file, key, first["msg"].removeprefix("Value error, ") + shown, "correct the value")


def _nearest(location: Iterable[int | str]) -> str:
    names = [str(p) for p in location if not isinstance(p, int)]
    model = next((_MODELS[n] for n in reversed(names[:-1]) if n in _MODELS), Behaviour)
    nearest = UnknownNameError("key", names[-1], model.model_fields).nearest
    return f" (did you mean {nearest!r}?)" if nearest else f" (known: {', '.join(model.model_fields)})"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
