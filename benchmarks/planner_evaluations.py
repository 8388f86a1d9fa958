"""How many evaluations a planner needs to come near the best set of attributes.

    python -m benchmarks.planner_evaluations                    # all planners, sets of 3 and of 5
    python -m benchmarks.planner_evaluations --noise 0.3        # every evaluation is a fresh draw
    python -m benchmarks.planner_evaluations --leaves 1 2 4 8 32    # mcts alone, so many evaluations at a time

Persons are made up: each has ten attributes, hidden effects of single attributes, of half of the pairs, and a share
that belongs to a set alone. The score of a set is 5 less an exponential of their sum, so that each further fact helps
less. All sets are scored in advance, so the best one is known. The prior is even, or ranks attributes well, or wrongly.

Regret is (best - found) / (best - worst) over the sets of the size. Printed for each planner: the mean number of
evaluations that it spent at the smallest budget from which the mean regret stays at or below the level, and the ratio
to that of ``greedy`` and of ``random`` in the same run. "-": not within the largest budget, and no ratio.
"""

from __future__ import annotations

import argparse
import itertools
import random
from collections.abc import Callable, Mapping, Sequence

from benchmarks import planner_callables
from benchmarks.made_up import ATTRIBUTES, Person, made_up, regret

_BUDGETS = (4, 6, 8, 10, 12, 15, 20, 30, 45, 70, 100)
_REFERENCES = ("greedy", "random")


def main() -> None:
    """Measure and print."""
    options = _options()
    planners = {f"mcts, {n}": planner_callables.mcts_with(n) for n in options.leaves} or {
        "mcts": planner_callables.mcts,
        "bayes": planner_callables.bayes,
        "mcts_paper": planner_callables.mcts_paper,
        "greedy": planner_callables.greedy,
        "random": _random,
    }
    print(f"evaluations to a mean regret of {options.level:g}, {options.persons} persons, noise {options.noise:g}")
    print(
        f"{'size':>4} {'prior':>6} {'planner':>11} {'needed':>7} {'to greedy':>9} {'to random':>9}"
        "  budget:regret (evaluations spent)"
    )
    for size, kind in itertools.product(options.size, ("even", "good", "wrong")):
        curves = {name: _curve(plan, size, kind, options) for name, plan in planners.items()}
        needed = {name: _needed(curve, options.level) for name, curve in curves.items()}
        for name, curve in curves.items():
            ratios = [_ratio(needed[name], needed.get(reference)) for reference in _REFERENCES]
            row = " ".join(f"{budget}:{lost:.3f} ({spent:.0f})" for budget, (lost, spent) in curve.items())
            print(f"{size:>4} {kind:>6} {name:>11} {_shown(needed[name]):>7} {ratios[0]:>9} {ratios[1]:>9}  {row}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--size", type=int, nargs="+", default=[3, 5])
    parser.add_argument("--persons", type=int, default=40)
    parser.add_argument("--noise", type=float, default=0.0, help="Standard deviation of one score, in points.")
    parser.add_argument("--pairs", type=float, default=0.2, help="Standard deviation of the effect of a pair.")
    parser.add_argument("--alone", type=float, default=0.02, help="Of what belongs to one set alone.")
    parser.add_argument("--level", type=float, default=0.02)
    parser.add_argument("--leaves", type=int, nargs="*", default=[])
    parser.add_argument("--budgets", type=int, nargs="+", default=list(_BUDGETS), help="Most evaluations.")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def _person(number: int, options: argparse.Namespace) -> Person:
    return made_up(number, seed=options.seed, pairs=options.pairs, alone=options.alone, noise=options.noise)


def _prior(person: Person, kind: str, rng: random.Random) -> dict[str, float]:
    """Even; or 1 / rank by the single effects, seen with a little error, or the wrong way round."""
    if kind == "even":
        return dict.fromkeys(ATTRIBUTES, 1 / len(ATTRIBUTES))
    sign = 1 if kind == "good" else -1
    seen = {a: sign * effect + rng.gauss(0, 0.1) for a, effect in person.effects.items()}
    ranked = sorted(ATTRIBUTES, key=lambda a: -seen[a])
    total = sum(1 / rank for rank in range(1, len(ranked) + 1))
    return {a: 1 / rank / total for rank, a in enumerate(ranked, start=1)}


def _curve(
    plan: planner_callables.Plan, size: int, kind: str, options: argparse.Namespace
) -> dict[int, tuple[float, float]]:
    """Budget -> (mean regret, mean evaluations spent); ends where more budget is not used."""
    curve: dict[int, tuple[float, float]] = {}
    for budget in options.budgets:
        regrets, spent = [], []
        for number in range(options.persons):
            person = _person(number, options)
            seed = 1000 * options.seed + number
            prior = _prior(person, kind, random.Random(f"{seed} prior"))
            found = frozenset(plan(person, ATTRIBUTES, size, budget, prior, seed))
            regrets.append(regret(person, found, size))
            spent.append(person.spent)
        before = max((used for _, used in curve.values()), default=-1.0)
        curve[budget] = (sum(regrets) / len(regrets), sum(spent) / len(spent))
        if curve[budget][1] <= before:
            break
    return curve


def _random(
    reward_fn: Callable[[list[str]], float],
    attributes: Sequence[str],
    k: int,
    max_evals: int,
    prior: Mapping[str, float],
    seed: int,
) -> list[str]:
    """The best of ``max_evals`` distinct sets drawn at random."""
    del prior
    every = list(itertools.combinations(attributes, k))
    drawn = random.Random(seed).sample(every, min(max_evals, len(every)))
    return list(max(drawn, key=lambda members: reward_fn(list(members))))


def _needed(curve: Mapping[int, tuple[float, float]], level: float) -> float | None:
    needed = None
    for lost, spent in curve.values():
        if lost > level:
            needed = None
        elif needed is None:
            needed = spent
    return needed


def _ratio(mine: float | None, reference: float | None) -> str:
    return "-" if mine is None or reference is None else f"{mine / reference:.2f}"


def _shown(number: float | None) -> str:
    return "-" if number is None else f"{number:.1f}"


if __name__ == "__main__":
    main()
