"""Take identifying details out of text: contacts, links, handles, addresses, numbers, names, places, employers.

Rules only; a model may add to them (``extract``). Countries, nationalities and single years stay: they identify nobody.
The rules know English best, and the shapes of addresses and numbers of some other countries. What nothing stands around
(a name in lower case, an unlisted place) they do not find: ``docs/scenarios.md`` gives the measured recall.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, get_args

from ...domains import QUOTES, is_soft
from .redaction_rules import CONTEXTS, INSIDE_SENTENCE, PHONE, SHAPES, SURNAME, IdentifyingKind, is_ordinary, word_lists

__all__ = ["Identifying", "IdentifyingKind", "Known", "Redacted", "find_identifying", "proper_nouns", "redact"]

Known = tuple[str, IdentifyingKind]
"""A string that is known to identify somebody, and its kind."""

_TRIMMED = ("name", "place", "employer")
_WORDS = (*_TRIMMED, "other")
_REPEATED = re.compile(rf"(\[(?:{'|'.join(get_args(IdentifyingKind))})\])(?: \1)+")
_INVISIBLE = "\u00ad\u180e\u200b\u200c\u200d\u2060\ufeff"
_RUN = re.compile(r"\s+|\S+")


class Identifying(NamedTuple):
    """A part of a text that may identify somebody."""

    start: int
    end: int
    kind: IdentifyingKind


class Redacted(NamedTuple):
    """A text with placeholders such as ``[name]``, and how many parts of each kind were replaced."""

    text: str
    counts: Counter[str]


def redact(text: str, *, known: Iterable[Known] = (), strict: bool = False) -> Redacted:
    """``text`` with every identifying part replaced by its kind in brackets.

    Args:
        known: further strings to replace: what a model found, or the author's handle. Names, places and employers are
            found as they are written or in capitals, everything else in any case.
        strict: whether any capitalised word inside a sentence that is no ordinary one goes too (``proper_nouns``).
    """
    counts: Counter[str] = Counter()
    parts: list[str] = []
    position = 0
    for found in find_identifying(text, known=known, strict=strict):
        parts += [text[position : found.start], f"[{found.kind}]"]
        counts[found.kind] += 1
        position = found.end
    # Two parts of one name say no more than one does.
    return Redacted(_REPEATED.sub(r"\1", "".join([*parts, text[position:]])), counts)


def find_identifying(text: str, *, known: Iterable[Known] = (), strict: bool = False) -> list[Identifying]:
    """The identifying parts of ``text``, in order, none overlapping another.

    Letters that nobody sees (zero-width) and full-width ones hide nothing: the rules look at the text without them.
    """
    plain, places = _plain(text)
    found: list[Identifying] = []
    taken = bytearray(len(plain))
    for candidate in _candidates(plain, ((_plain(part)[0], kind) for part, kind in known), strict):
        start, end = candidate.start, candidate.end
        if start < end and not any(taken[start:end]) and not _is_placeholder(plain, start, end):
            taken[start:end] = b"\x01" * (end - start)
            found.append(Identifying(places[start], places[end - 1] + 1, candidate.kind))
    return sorted(found)


def proper_nouns(text: str) -> frozenset[str]:
    """Capitalised words that stand inside a sentence of ``text`` and are not ordinary ones.

    Empty where capitals mean nothing: a text in which more than a quarter of the words have one inside a sentence (a
    title, German).
    """
    text, _ = _plain(text)
    words = len(re.findall(r"\w+", text))
    capital = [m[0] for m in INSIDE_SENTENCE.finditer(text) if m[0] != "St" and not is_ordinary(m[0])]
    if words >= 8 and len(capital) > words / 4:
        return frozenset()
    return frozenset(capital)


def _plain(text: str) -> tuple[str, Sequence[int]]:
    """``text`` as the rules read it, and for each of its characters where it stands in ``text``."""
    kept: list[tuple[str, int]] = []
    for run in _RUN.finditer(text.translate(QUOTES)):
        if run[0].isspace():
            kept.extend([(" ", run.start())] if is_soft(run) else [("\n", run.start())])
        else:
            kept.extend((c, run.start() + n) for n, c in enumerate(run[0]) if c not in _INVISIBLE)
    return "".join(chr(ord(c) - 0xFEE0) if "！" <= c <= "～" else c for c, _ in kept), [n for _, n in kept]


def _candidates(text: str, known: Iterable[Known], strict: bool) -> Iterator[Identifying]:
    """Everything that a rule finds; where two overlap, the earlier counts."""
    for string, kind in known:
        yield from _occurrences(text, string, kind)
    for kind, pattern in SHAPES:
        yield from _matches(text, kind, pattern)
    for match in PHONE.finditer(text):
        if _is_phone(match[0]):
            yield Identifying(match.start(), match.end(), "contact")
    lists = word_lists()
    yield from _matches(text, "employer", lists.organisations)
    yield from _matches(text, "employer", lists.employers)
    for kind, pattern in CONTEXTS:
        yield from (found for found in _matches(text, kind, pattern) if not _all_ordinary(text, found))
    yield from _matches(text, "place", lists.places)
    yield from _matches(text, "place", lists.places_after_preposition)
    yield from _matches(text, "name", lists.names)
    yield from _matches(text, "name", lists.names_after_introduction)
    if strict:
        for word in sorted(proper_nouns(text)):
            yield from _occurrences(text, word, "other")


def _matches(text: str, kind: IdentifyingKind, pattern: re.Pattern[str]) -> Iterator[Identifying]:
    for match in pattern.finditer(text):
        group = next((g for g, value in match.groupdict().items() if value is not None), 0)
        start, end = match.span(group)
        yield Identifying(*(_trimmed(text, start, end) if kind in _TRIMMED else (start, end)), kind)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """A run of capitalised words without the ordinary ones at its ends ("Torvald I" -> "Torvald")."""
    words = list(re.finditer(r"\S+", text[start:end]))
    while len(words) > 1 and (is_ordinary(words[-1][0]) or words[-1][0].islower()):
        words.pop()
    while len(words) > 1 and is_ordinary(words[0][0]) and words[0][0].lower() != "the":
        words.pop(0)
    return start + words[0].start(), start + words[-1].end()


def _all_ordinary(text: str, found: Identifying) -> bool:
    return all(is_ordinary(word) for word in text[found.start : found.end].split())


def _is_phone(number: str) -> bool:
    """Whether a run of digits and separators is a telephone number, and no amount, decimal or span of years."""
    plain = number.strip()
    if not 7 <= len(re.sub(r"\D", "", plain)) <= 15:
        return False
    if re.fullmatch(r"(?:19|20)\d\d ?[-.\s/] ?(?:19|20)\d\d", plain) or re.fullmatch(r"\d+\.\d+", plain):
        return False
    return not re.fullmatch(r"[1-9]\d?(?:[ .]\d{3})+|[1-9]\d{0,2}(?:[ .]\d{3})*[ .]000|[1-9]\d*000", plain)


def _occurrences(text: str, string: str, kind: IdentifyingKind) -> Iterator[Identifying]:
    wanted = string.strip()
    if not wanted:
        return
    left = r"(?<!\w)" if wanted[0].isalnum() else ""
    right = r"(?!\w)" if wanted[-1].isalnum() else ""
    # "Will" is a name here, "will" hardly ever is.
    forms = {wanted, wanted.upper()} if kind in _WORDS and wanted[0].isupper() else {wanted}
    flags = re.NOFLAG if kind in _WORDS else re.IGNORECASE
    if kind == "handle":
        left += "(?:@|/?u/)?"
    # A name brings its surname along, whoever wrote it: "Tom" of a post is "Tom Baker" in what is made of it.
    more = SURNAME if kind == "name" else ""
    pattern = re.compile(f"{left}(?:{'|'.join(map(re.escape, sorted(forms)))}){more}(?:'s)?{right}", flags)
    for match in pattern.finditer(text):
        end = _trimmed(text, *match.span())[1] if more else match.end()
        yield Identifying(match.start(), end, kind)


def _is_placeholder(text: str, start: int, end: int) -> bool:
    return text[start - 1 : start] == "[" and text[end : end + 1] == "]"
