from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from askfirst.agents.context import Burden, PlanLimits
from askfirst.agents.planning.attribute_sets import Choices
from askfirst.agents.planning.effects.effects import hypotheses
from askfirst.agents.planning.mcts import SetSearch
from askfirst.agents.planning.mcts_settings import MctsSettings
from askfirst.agents.planning.set_lattice import lattice_of
from askfirst.testing.path_planner import PENGUIN, best_set, synthetic

FIVE = PENGUIN[:5]
EVERYTHING = MctsSettings(worth=0, patience=None)


def search(choices: Choices, settings: MctsSettings | None = None, *, tree: bool = True, seed: int = 0) -> SetSearch:
    prior = dict.fromkeys(choices.attributes, 1 / len(choices.attributes))
    settings = settings or MctsSettings()
    beliefs = hypotheses(prior, choices.attributes, noisy=settings.noisy)
    return SetSearch(choices, prior, beliefs, settings, PlanLimits(budget=9, evaluations=60, seed=seed), tree=tree)


# ---- the graph -------------------------------------------------------------------------------------------------------


def test_one_node_a_set() -> None:
    nodes = search(Choices(FIVE, 3)).lattice
    assert len(nodes.members) == 1 + 5 + 10 + 10
    assert len(np.unique(nodes.members, axis=0)) == 26
    assert (nodes.members[nodes.terminal].sum(1) == 3).all()


def test_with_a_burden_terminal_sets_have_several_sizes() -> None:
    choices = Choices(FIVE, 3, Burden(costs={"age": 3.0}, most=3.0))
    nodes = search(choices).lattice
    found = {frozenset(FIVE[i] for i in np.flatnonzero(row)) for row in nodes.members[nodes.terminal]}
    assert found == set(choices.terminal_sets()) > {frozenset({"age"})}


def test_the_first_simulation_reaches_the_best_leaf_and_the_next_ones_others() -> None:
    graph = search(Choices(FIVE, 3))
    nodes = graph.lattice
    for seed in range(10):
        values = np.full(len(nodes.members), -np.inf)
        values[nodes.terminal] = np.random.default_rng(seed).random(10)
        reached = graph.reach(values, 10)
        assert reached[0] == int(np.argmax(values))
        assert sorted(reached) == nodes.terminal.tolist()
        assert graph.reach(values, 99) == reached


def test_puct_by_hand() -> None:
    # One question; values 1, 0.9 and 0. The first goes to the best. Its virtual loss makes it -inf, and of the others
    # exploration is worth 0.5 * P * sqrt(1) / 1, where P is a softmax of 0.9 and 0 at temperature 0.1.
    graph = search(Choices(FIVE[:3], 1))
    values = np.array([-np.inf, 1.0, 0.9, 0.0])
    assert graph.reach(values, 3) == [1, 2, 3]
    assert graph.reach(np.array([-np.inf, -np.inf, 0.5, -np.inf]), 3) == [2]
    assert graph.reach(np.full(4, -np.inf), 3) == []


def test_exploration_leaves_the_order_of_values_for_subtrees_without_a_visit() -> None:
    greedy, curious = (search(Choices(PENGUIN, 3), MctsSettings(c_puct=c)) for c in (0.0, 5.0))
    values = np.full(len(greedy.lattice.members), -np.inf)
    values[greedy.lattice.terminal] = np.random.default_rng(0).random(120)
    order = np.argsort(-values)[:20].tolist()
    assert greedy.reach(values, 20) == order
    explored = curious.reach(values, 20)
    assert explored[0] == order[0]
    assert explored != order


def test_more_sets_than_can_be_listed_are_sampled_and_every_attribute_is_among_them() -> None:
    many = tuple(f"a{n}" for n in range(40))
    nodes = lattice_of(Choices(many, 6), [1.0] * 40, np.random.default_rng(1))
    assert len(nodes.members) < 20_000
    leaves = nodes.members[nodes.terminal]
    assert (leaves.sum(1) == 6).all()
    assert leaves.any(0).all()


# ---- select and back up ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("with_tree", [True, False])
@pytest.mark.parametrize("count", [1, 4])
def test_proposals_are_new_terminal_sets(with_tree: bool, count: int) -> None:
    choices, score = Choices(PENGUIN, 3), synthetic(3)
    asked = search(choices, EVERYTHING, tree=with_tree)
    seen: list[frozenset[str]] = []
    for _ in range(6):
        proposed = asked.select(count)
        assert len(proposed) == count
        for known in proposed:
            asked.back_up([(known, score(known))])
        seen += proposed
    assert len(set(seen)) == len(seen)
    assert all(len(known) == 3 for known in seen)


def test_it_proposes_everything_once_if_an_evaluation_costs_nothing() -> None:
    choices, score = Choices(FIVE, 2), synthetic(1, FIVE)
    asked = search(choices, EVERYTHING)
    seen = []
    while proposed := asked.select(3):
        seen += proposed
        for known in proposed:
            asked.back_up([(known, score(known))])
    assert sorted(map(sorted, seen)) == sorted(map(sorted, choices.terminal_sets()))


def test_a_discarded_set_is_not_proposed_again() -> None:
    asked = search(Choices(FIVE, 2), EVERYTHING)
    (first,) = asked.select(1)
    asked.back_up([(first, None)])
    assert first not in asked.select(99)


def test_nothing_is_proposed_after_a_score_that_cannot_be_beaten() -> None:
    asked = search(Choices(PENGUIN, 3))
    (first,) = asked.select(1)
    asked.back_up([(first, 5.0)])
    assert asked.select(1) == []


def test_it_stops_when_another_evaluation_is_not_worth_its_price() -> None:
    def spent(worth: float) -> int:
        score, asked = synthetic(5), search(Choices(PENGUIN, 3), MctsSettings(worth=worth, patience=None))
        for count in itertools.count():
            if not (proposed := asked.select(1)):
                return count
            asked.back_up([(proposed[0], score(proposed[0]))])
        raise AssertionError

    assert 6 <= spent(0.3) < spent(0.03) < spent(0.001) <= spent(0) == math.comb(10, 3)


def test_noisy_sets_are_proposed_again_and_smaller_ones_too() -> None:
    rng, score = np.random.default_rng(0), synthetic(2)
    asked = search(Choices(PENGUIN, 3), MctsSettings(noisy=True))
    seen: list[frozenset[str]] = []
    for _ in range(60):
        (known,) = asked.select(1)
        seen.append(known)
        asked.back_up([(known, score(known) + rng.normal(0, 0.2))])
    assert len(set(seen)) < 60
    assert {len(known) for known in seen} > {3}
    best = score(best_set(score, 3))
    assert best - score(asked.best()) < 0.15
