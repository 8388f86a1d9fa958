"""Varied real sentences for the benchmarks of the store: people who tell of themselves and ask something."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from askfirst.domains import get_pack
from askfirst.simulators import packaged_scenarios
from askfirst.simulators.generation.profile_sampler import sample_drafts
from askfirst.simulators.generation.tables import load_tables

__all__ = ["varied_queries"]

_FRAMES = (
    "{title}: {told} {ask}",
    "It is about this: {lower}. {told} {ask}",
    "{told} Now there is {lower}, and I wonder: {ask}",
    "{ask} {told} The background is {lower}.",
    "{since} I think of little else than {lower}. {told} {ask}",
    "{told} {since} it has been {lower} that keeps me busy. {ask}",
)
_SINCE = (
    *("Since last week", "For two years now", "Since my sister called on Sunday", "Ever since the spring"),
    *("Since the letter came", "After a bad night", "Since we talked in the kitchen", "For about a month"),
)
_ASKS = (
    *("What should I do first?", "Is it a mistake to decide this week?", "How do I start that conversation?"),
    *("Would it be wrong to say no?", "Can I do this alone, or do I need somebody?", "How would you go about it?"),
    *("Should I wait until the summer?", "What do people usually regret here?", "Who could I ask about this?"),
    *("How much should I spend on it?", "Is there a way back if it goes wrong?", "What would a cautious person do?"),
    *("Do I have to tell my family?", "Can you give me a plan for the next ten days?", "Am I making too much of it?"),
    *("Which of the two options is safer?", "How do I stop thinking about it at night?", "Should I write it all down?"),
    *("What are my rights?", "Is it too late to change my mind?", "How do I explain it to my children?"),
    *("Could I do it without anybody noticing?", "What should I pack?", "What does it cost me if I do nothing?"),
)


def varied_queries(count: int, *, seed: int) -> list[str]:
    """``count`` different sentences: the packaged queries first, then made ones.

    The made ones come from the sampled profiles (A.3): a title of the tables, two or three things that the person
    tells, and a question. The first 100 of 10,000 are the same as those of 100.
    """
    packaged = (scenario.query for scenario in packaged_scenarios(get_pack()))
    different = dict.fromkeys(itertools.islice(_distinct(itertools.chain(packaged, _made(seed))), count))
    return list(different)


def _distinct(texts: Iterator[str]) -> Iterator[str]:
    seen: set[str] = set()
    for text in texts:
        if text not in seen:
            seen.add(text)
            yield text


def _made(seed: int) -> Iterator[str]:
    pack, rng = get_pack(), random.Random(seed)
    for draft in sample_drafts(10_000_000, load_tables(None, pack), pack, seed=seed):
        values = list(draft.profile.values.items())
        told = rng.sample(values, k=min(len(values), rng.choice((2, 3))))
        yield rng.choice(_FRAMES).format(
            title=draft.title,
            lower=draft.title[:1].lower() + draft.title[1:],
            told=" ".join(pack.attribute(attribute).said(value) for attribute, value in told),
            since=rng.choice(_SINCE),
            ask=rng.choice(_ASKS),
        )
