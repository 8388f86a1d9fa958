"""What planning a scenario costs, the more scenarios of its domain were planned before.

    python -m benchmarks.planner_learning                       # half of what scenarios differ by is their own
    python -m benchmarks.planner_learning --shared 0            # nothing in common: learning must not harm

Persons are made up, and their best set is known (``made_up``). ``mcts`` plans them one after another, each once on its
own and once with what those before it taught; the last ``--distance`` of these count as under way still.

Printed for each block of scenarios: the mean number of evaluations until the search ends by itself; the mean number
until the first set within 0.02 of the best, in units of regret, was evaluated (a search that ends without one counts as
all that it spent); the mean regret of what was found; and the ratio of the evaluations with learning to those without.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from askfirst.agents import Lesson, MctsPlanner, MctsSettings, PlanLimits
from askfirst.agents.planning.effects.domain_effects import DomainEffects
from askfirst.domains import Profile, Scenario
from askfirst.models import run_sync

from benchmarks.made_up import ATTRIBUTES, Person, made_up, regret

_CLOSE = 0.02
_BLOCK = 50


@dataclass(frozen=True)
class _Plan:
    spent: int
    until_close: int
    regret: float


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--scenarios", type=int, default=200)
    parser.add_argument("--size", type=int, nargs="+", default=[3, 5])
    parser.add_argument("--shared", type=float, nargs="+", default=[0.0, 0.5, 0.8], help="Share of variance, 0 to 1.")
    parser.add_argument("--distance", type=int, default=32)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    columns = ("size", "shared", "scenarios", "alone", "learned", "ratio", "to close", "learned", "regret", "learned")
    print(" ".join(f"{name:>9}" for name in columns))
    for size in options.size:
        for shared in options.shared:
            alone = run_sync(_planned(size, shared, options, learn=False))
            learned = run_sync(_planned(size, shared, options, learn=True))
            for start in range(0, options.scenarios, _BLOCK):
                print(_row(size, shared, start, alone[start : start + _BLOCK], learned[start : start + _BLOCK]))


async def _planned(size: int, shared: float, options: argparse.Namespace, *, learn: bool) -> list[_Plan]:
    planner = MctsPlanner(MctsSettings(prefix_evaluations=0))
    domain, waiting, plans = DomainEffects(ATTRIBUTES), [], []
    for number in range(options.scenarios):
        if learn and len(waiting) >= options.distance:
            domain = domain.after(waiting.pop(0))
        person, seen = made_up(number, seed=options.seed, shared=shared), []

        async def reward(
            scenario: Scenario,
            attributes: frozenset[str],
            *,
            draw: int = 0,
            person: Person = person,
            seen: list[frozenset[str]] = seen,
        ) -> float:
            seen.append(attributes)
            return person(list(attributes))

        scenario = Scenario(
            id=str(number), domain="made up", query="-", profile=Profile(values=dict.fromkeys(ATTRIBUTES, "-"))
        )
        found = await planner.informed(domain).plan(
            scenario,
            reward,
            _even,
            attributes=ATTRIBUTES,
            limits=PlanLimits(budget=size, evaluations=60, seed=number),
        )
        waiting.append(Lesson.of(found, ATTRIBUTES))
        regrets = [regret(person, s, size) for s in seen]
        close = next((n for n, r in enumerate(regrets, 1) if r <= _CLOSE), len(regrets))
        plans.append(_Plan(found.evaluations, close, min(regrets)))
    return plans


async def _even(scenario: Scenario, known: frozenset[str], remaining: Sequence[str]) -> Mapping[str, float]:
    return dict.fromkeys(remaining, 1.0)


def _row(size: int, shared: float, start: int, alone: Sequence[_Plan], learned: Sequence[_Plan]) -> str:
    spent = [fmean(p.spent for p in plans) for plans in (alone, learned)]
    close = [fmean(p.until_close for p in plans) for plans in (alone, learned)]
    lost = [fmean(p.regret for p in plans) for plans in (alone, learned)]
    return (
        f"{size:>9} {shared:>9g} {f'{start + 1}-{start + len(alone)}':>9} {spent[0]:>9.1f} {spent[1]:>9.1f}"
        f" {spent[1] / spent[0]:>9.2f} {close[0]:>9.1f} {close[1]:>9.1f} {lost[0]:>9.3f} {lost[1]:>9.3f}"
    )


if __name__ == "__main__":
    main()
