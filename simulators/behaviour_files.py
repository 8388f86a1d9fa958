"""Read behaviours: the packaged ones by name, others from YAML files.

Errors name the file, the key and what to do, like those of domain packs.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from ..domains.errors import InputError, UnknownNameError
from ..domains.pack import DomainPack
from ..domains.profile import Profile
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
    """

    def __init__(self, file: str | Path, key: str, problem: str, fix: str) -> None:
        self.file, self.key, self.problem, self.fix = str(file), key, problem, fix
        super().__init__(f"{file}{': ' + key if key else ''}: {problem}; {fix}")


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
    loaded = tuple(load_behaviour(name) for name in wanted)
    for behaviour, name in zip(loaded, wanted, strict=True):
        check_behaviour(behaviour, pack, where=name)
    names = [b.name for b in loaded]
    if twice := next((n for n in names if names.count(n) > 1), None):
        raise InputError(f"behaviour {twice!r} is given twice")
    return loaded


def load_behaviour(name_or_path: str | Path) -> Behaviour:
    """The packaged behaviour of this name, or the one in this file.

    Raises:
        BehaviourError: the file cannot be used.
        UnknownNameError: no such name and no such file.
    """
    text = str(name_or_path)
    path = Path(text)
    if path.suffix in _SUFFIXES or "/" in text or path.is_file():
        return _read(path, text)
    if text not in behaviour_names():
        raise UnknownNameError("behaviour", text, behaviour_names())
    return _read(_folder() / f"{text}.yaml", f"{text}.yaml")


def check_behaviour(behaviour: Behaviour, pack: DomainPack, *, where: str = "") -> None:
    """Raise ``BehaviourError`` if ``behaviour`` names what ``pack`` does not have, or lies without a false value."""
    known = (*pack.attribute_ids, *GROUPS, PRIVATE)
    for key in behaviour.stances:
        if key not in known:
            nearest = UnknownNameError("attribute", key, known).nearest
            hint = f"did you mean {nearest!r}?" if nearest else f"known: {', '.join(known)}"
            raise BehaviourError(
                where or behaviour.name, f"stances.{key}", f"pack {pack.name!r} has no such name", hint
            )
    for attribute in pack.attributes:
        # A value of its own name is no listed value: what is left to draw from is then smallest.
        for truth in attribute.values or ("",):
            try:
                only = Profile(values={attribute.id: truth}) if truth else Profile()
                behaviour.disclosure(pack, only, random.Random(0))
            except InputError as error:
                fix = f"write the false value: '{attribute.id}: {{lies: \"...\"}}'"
                raise BehaviourError(
                    where or behaviour.name, f"stances.{attribute.id}", str(error).split(";")[0], fix
                ) from error


def _folder() -> Traversable:
    return files("askfirst.simulators") / "behaviours"


def _read(file: Traversable | Path, shown: str) -> Behaviour:
    import yaml

    try:
        raw: Any = yaml.safe_load(file.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        known = ", ".join(behaviour_names())
        raise BehaviourError(shown, "", "no such file", f"give a path, or one of: {known}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise BehaviourError(shown, "", f"cannot be read ({error})", "check path, permissions and encoding") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f"line {mark.line + 1}" if mark else ""
        raise BehaviourError(shown, line, "is not valid YAML", "check indentation and quotes") from error
    if not isinstance(raw, dict):
        raise BehaviourError(shown, "", f"must be a mapping, not {type(raw).__name__}", "start with 'name: ...'")
    try:
        return Behaviour.model_validate(raw)
    except ValidationError as error:
        raise _explained(shown, error) from error


_MODELS: dict[str, type[BaseModel]] = {
    "changes": Change,
    "off_topic": OffTopic,
    "crisis": CrisisMoment,
    "speech": Speech,
    "phrases": Phrases,
    "rewrites": Rewrite,
}


def _explained(file: str, error: ValidationError) -> BehaviourError:
    first = error.errors(include_url=False)[0]
    location = [part for part in first["loc"] if part not in ("Lie",) and not str(part).startswith("literal[")]
    key = ""
    for part in location:
        key += f"[{part}]" if isinstance(part, int) else f".{part}" if key else str(part)
    if location and location[0] in ("stances", "default"):
        stances = get_args(Stance)
        given = first.get("input")
        given = next(iter(given), given) if isinstance(given, dict) and len(given) == 1 else given
        parts = [str(p) for p in location]
        key = ".".join(parts[:2] if parts[0] == "stances" else parts[:1])
        if first["type"] == "value_error":
            return BehaviourError(file, key, first["msg"].removeprefix("Value error, "), "choose another default")
        nearest = UnknownNameError("stance", str(given), stances).nearest
        fix = f"did you mean {nearest!r}?" if nearest else f'use one of: {", ".join(stances)}, or {{lies: "..."}}'
        return BehaviourError(file, key, f"{given!r} is no stance", fix)
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
