"""Country codes (ISO 3166-1 alpha-2). The list is the one that comes with the time zone data (``tzdata``)."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Annotated

from pydantic import AfterValidator

from .errors import InputError

__all__ = ["CountryCode", "CountryOrAny", "country_code", "known_country"]

_ALSO_CALLED = {"UK": "GB"}  # reserved beside GB, and what many people write


def country_code(given: str) -> str:
    """``given`` as an upper-case code of the list. Raises ``InputError`` that names the code that was meant, if any."""
    code = known_country(given)
    if code is None:
        meant = [code for code, name in _names().items() if _is_called(given, name)]
        hint = f"did you mean {' or '.join(map(repr, meant))}?" if meant else "give two letters, such as 'GB' or 'IN'"
        raise InputError(f"{given!r} is not a country code of ISO 3166-1; {hint}")
    return code


def known_country(given: str | None) -> str | None:
    """``given`` as an upper-case code of the list, None if it is not one."""
    code = (given or "").strip().upper()
    code = _ALSO_CALLED.get(code, code)
    return code if code in _names() else None


def _is_called(given: str, name: str) -> bool:
    wanted = given.strip().casefold()
    return len(wanted) > 3 and re.search(rf"\b{re.escape(wanted)}\b", name.casefold()) is not None


def _field(given: str) -> str:
    try:
        return country_code(given)
    except InputError as error:
        raise ValueError(str(error)) from None  # what pydantic expects of a validator


CountryCode = Annotated[str, AfterValidator(_field)]
"""A field of a value that holds such a code."""

CountryOrAny = Annotated[str, AfterValidator(lambda given: given if given == "*" else _field(given))]
"""The same, or ``*`` for everywhere."""


@cache
def _names() -> dict[str, str]:
    """Code -> English name."""
    text = (files("tzdata.zoneinfo") / "iso3166.tab").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))
    return {row[0]: row[1] for row in rows}
