"""Whether an answer's text reflects a value: by the risk rules that it addresses, or by distinctive words of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ...domains import DomainPack

__all__ = ["Reflection"]


class Reflection:
    """The text test that the offline judge's alignment and the records' ``used`` share.

    An attribute is reflected when a risk rule that its value triggers is addressed, or a distinctive word of the value
    is named: not one of the query, of the pack's general guidance, of a short stop list, or of what the pack says about
    *other* attributes. "See a doctor" fits many people who are ill, and says nothing to a doctor.
    """

    def __init__(self, pack: DomainPack) -> None:
        self._pack = pack
        self._common = _words(" ".join(d.guidance for d in pack.domains)) | _STOP_WORDS
        self._elsewhere = {a: _words(_said_of_others(pack, a)) for a in pack.attribute_ids}

    def distinctive(self, values: Mapping[str, str], query: str) -> dict[str, set[str]]:
        """Attribute -> the words of its value that say something; attributes unknown to the pack are left out."""
        ordinary = self._common | _words(query)
        return {a: _words(v) - ordinary - self._elsewhere[a] for a, v in values.items() if a in self._elsewhere}

    def named(self, distinctive: Mapping[str, set[str]], answer: str) -> set[str]:
        """Those whose distinctive words ``answer`` names."""
        said = _words(answer)
        return {a for a, words in distinctive.items() if _names(words, said - self._elsewhere[a])}

    def of(self, values: Mapping[str, str], answer: str, *, query: str, domain: str | None) -> tuple[str, ...]:
        """The attributes of ``values`` that ``answer`` reflects, in the order of ``values``."""
        known = {a: v for a, v in values.items() if a in self._elsewhere}
        dealt = {r.attribute for r in self._pack.risks(known, domain) if r.addressed_in(answer)}
        named = self.named(self.distinctive(known, query), answer)
        return tuple(a for a in known if a in dealt or a in named)


def _said_of_others(pack: DomainPack, attribute: str) -> str:
    """What an answer by the pack says because of other attributes than this one."""
    rules = (r.guidance for r in pack.risk_rules if r.attribute != attribute)
    feelings = (e.text for e in pack.acknowledgements if e.attribute != attribute)
    return " ".join((*rules, *feelings))


def _names(distinctive: Iterable[str], said: set[str]) -> bool:
    """Whether a distinctive word is said, other endings of long words included ("diabetes", "diabetic")."""
    words = set(distinctive)
    stems = tuple(w[:6] for w in words if len(w) >= 7)
    return bool(words & said) or (bool(stems) and any(w.startswith(stems) for w in said))


def _words(text: str) -> set[str]:
    """Words of four letters or more, and numbers of two digits or more, in lower case."""
    return set(re.findall(r"[^\W\d_]{4,}|\d{2,}", text.casefold()))


# Categories that say little by themselves, and words that stand in many profiles and in many answers.
_STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        none other good stable moderate difficult severe difficulty high school single male female status
        history with from that this they them their have been were what when where which while will would about
        after again always another because before being between both could does doing down during each every
        everything feels first great having help helps here home into just keep keeps kept know knows last later
        less life like little live lives long made make makes many mind more most much must need needs never next
        nothing often once only over part past people person plan plans quiet really since some someone something soon
        still such take takes talk than then there these thing things think those through time times today
        together under until using very want wants week weeks well went work worker works working year years
        your yours yourself family friend friends money feel feeling feelings
        """,
    )
)
