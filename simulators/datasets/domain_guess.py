"""Guess the domain of a query that comes without one, for data that must have one."""

from __future__ import annotations

import re
from collections import Counter

from ...domains import DomainPack

__all__ = ["guess_domain"]

_FALLBACK = "Life"
_TITLED = 3  # weight of a word in the title: a title names the subject, a query often only circles around it
_COMMON = re.compile(
    r"about|after|again|all|also|and|any|are|because|been|before|being|but|can|could|did|does|doing|for|from|get|had"
    r"|has|have|having|her|here|him|his|how|into|its|just|like|make|more|most|much|not|now|off|one|only|other|our|out"
    r"|over|own|really|should|some|still|such|than|that|the|their|them|then|there|these|they|this|those|through|too"
    r"|under|until|very|was|way|were|what|when|where|which|while|who|why|will|with|without|would|you|your"
)


def guess_domain(title: str, query: str, pack: DomainPack) -> str:
    """The domain of a query and its scenario title (may be empty): always one, right or wrong.

    ``DomainPack.domain_of``, by the cues that the pack's author gave, has the first word; it may say None, since an
    answer without a domain is better than one with the wrong one. A record of a data file needs a domain, and a pack
    need not have cues: then it is the domain whose name and description share most words with query and title. Words
    are compared by their first five letters. A tie goes to the earlier domain of the pack, a text that shares no word
    with any to "Life" where the pack has it, else to the first domain.

    A guess: right for about seven in ten packaged queries, where chance is one in seven, and the cues were written
    with these queries in view. Name the domain where you know it.
    """
    if (seen := pack.domain_of(f"{title}. {query}")) is not None:
        return seen
    words = Counter(_stems(query))
    for stem in _stems(title):
        words[stem] += _TITLED
    shared = {d.name: sum(words[stem] for stem in set(_stems(f"{d.name} {d.description}"))) for d in pack.domains}
    if not any(shared.values()):
        return _FALLBACK if _FALLBACK in shared else pack.domains[0].name
    return max(shared, key=lambda name: shared[name])


def _stems(text: str) -> list[str]:
    words = re.findall(r"[^\W\d_]{3,}", text.casefold())
    return [w[:5] for w in words if not _COMMON.fullmatch(w)]
