"""Which scenario learns from which: in the order of the data, whatever finishes first (docs/adr/0004-learning.md)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...domains import Scenario
from .rewards import Lesson, Recipe, RewardLedger, scenario_digest

if TYPE_CHECKING:
    from .effects import DomainEffects

__all__ = ["DISTANCE", "Curriculum"]

DISTANCE = 32
"""A scenario learns from those of its domain at least so many places before it: nearer ones may be under way still."""
_MOST = 300  # lessons: by then the domain is known, and each costs some milliseconds


class Curriculum:
    """The lessons of one command that plans ``scenarios``.

    A scenario learns from what the ledger holds of scenarios that are not part of the command, and from those of the
    command, planned with the same settings, that stand far enough before it. So a plan depends neither on timing, nor
    on whether the command was interrupted and started again, nor on how its scenarios were planned otherwise.

    Args:
        scenarios: all of the command, planned already or not.
        attributes: all that a scenario may have.
        ledger: where lessons are kept.
        recipe: of the scores.
        settings: digest of everything else that a plan depends on.
    """

    def __init__(
        self,
        scenarios: Sequence[Scenario],
        attributes: Sequence[str],
        ledger: RewardLedger,
        recipe: Recipe,
        settings: str,
    ) -> None:
        self._attributes, self._ledger, self._recipe, self._settings = tuple(attributes), ledger, recipe, settings
        self._courses: dict[str, _Course] = {}
        self._place: dict[str, int] = {}
        for scenario in scenarios:
            course = self._courses.setdefault(scenario.domain, _Course())
            self._place.setdefault(scenario.id, len(course.order))
            course.order.append(scenario_digest(scenario))

    async def before(self, scenario: Scenario) -> DomainEffects:
        """What ``scenario`` learns from others, after waiting for those of them that are under way.

        Scenarios begin in the order of the data, and every one that began must come to ``finish``.
        """
        course, own = self._courses[scenario.domain], scenario_digest(scenario)
        async with course.turn:  # in order, so that none sees what is meant for those after it
            taught = course.taught or self._outset(course, scenario.domain)
            while course.learned < self._place[scenario.id] + 1 - DISTANCE:
                await course.ended(digest := course.order[course.learned])
                taught = _after(taught, course.lessons.get(digest))
                course.learned += 1
            course.taught = taught
            await course.ended(own)  # a scenario of the same content
            course.under_way[own] = asyncio.Event()
        return taught

    def keep(self, scenario: Scenario, lesson: Lesson) -> None:
        """What others may learn from ``scenario``. To be kept before its path is: a path in the store is not planned
        again, and so would never teach."""
        digest = scenario_digest(scenario)
        kept = self._ledger.keep_lesson(self._recipe, scenario.domain, digest, self._settings, lesson)
        self._courses[scenario.domain].lessons[digest] = kept

    def finish(self, scenario: Scenario) -> None:
        """``scenario`` has ended, with a lesson or without."""
        if event := self._courses[scenario.domain].under_way.pop(scenario_digest(scenario), None):
            event.set()

    def _outset(self, course: _Course, domain: str) -> DomainEffects:
        from .effects import DomainEffects  # numpy

        kept = self._ledger.lessons(self._recipe, domain)
        own = set(course.order)
        course.lessons = {
            scenario: kept[scenario, s] for scenario, s in kept if scenario in own and s == self._settings
        }
        taught, others = DomainEffects(self._attributes), {scenario: s for scenario, s in kept if scenario not in own}
        others |= {scenario: s for scenario, s in kept if scenario in others and s == self._settings}
        for scenario, settings in others.items():
            taught = _after(taught, kept[scenario, settings])
        return taught


class _Course:
    """The scenarios of one domain by digest, in order, and how far they have been learned from."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.order: list[str] = []
        self.lessons: dict[str, Lesson] = {}
        self.under_way: dict[str, asyncio.Event] = {}
        self.learned = 0
        self.taught: DomainEffects | None = None

    async def ended(self, digest: str) -> None:
        if digest in self.under_way:
            await self.under_way[digest].wait()


def _after(taught: DomainEffects, lesson: Lesson | None) -> DomainEffects:
    return taught.after(lesson) if lesson is not None and taught.count < _MOST else taught
