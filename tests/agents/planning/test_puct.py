from __future__ import annotations

import pytest
from askfirst.agents.planning.attribute_sets import Choices
from askfirst.agents.planning.paper_tree import SearchTree
from askfirst.agents.planning.puct import action_value, puct, rollout_epsilon

A, B, C = "age", "gender", "profession"


def s(*attributes: str) -> frozenset[str]:
    return frozenset(attributes)


# ---- PUCT by hand --------------------------------------------------------------------------------------------------


def test_puct_by_hand() -> None:
    # 0.6 + 0.5 * 0.4 * sqrt(25) / (1 + 4)
    assert puct(0.6, 0.4, visits=4, siblings=25, c=0.5) == pytest.approx(0.8)
    assert puct(0.6, 0.4, visits=4, siblings=25, c=0.0) == 0.6


def test_hand_made_visit_counts_choose_as_they_should() -> None:
    # (value, prior, visits): the first is best so far, the second hardly visited, the third poor and well known.
    actions = {A: (0.70, 0.2, 30), B: (0.60, 0.5, 2), C: (0.20, 0.3, 17)}
    siblings = 49

    def chosen(c: float) -> str:
        scores = {a: puct(q, p, n, siblings, c) for a, (q, p, n) in actions.items()}
        return max(scores, key=scores.__getitem__)

    assert chosen(0.05) == A  # 0.70 + 0.05 * 0.2 * 7 / 31 = 0.702 against 0.60 + 0.05 * 0.5 * 7 / 3 = 0.658
    assert chosen(0.50) == B  # 0.70 + 0.023 = 0.723 against 0.60 + 0.583 = 1.183


def test_an_action_without_a_visit_is_tried_by_its_prior_alone() -> None:
    assert puct(0.0, 0.3, visits=0, siblings=16, c=1.0) == pytest.approx(1.2)


def test_an_action_is_worth_its_mean_or_without_a_visit_what_it_is_told() -> None:
    assert action_value(0.8, 3, 0.2) == pytest.approx(0.8)
    assert action_value(0.0, 0, 0.4) == 0.4


def test_virtual_loss_by_hand() -> None:
    # Three visits worth 0.8 and one pending: a whole loss makes 2.4 of 4, none leaves the mean.
    assert action_value(0.8, 3, 0.5, pending=1, virtual_loss=1.0) == pytest.approx(0.6)
    assert action_value(0.8, 3, 0.5, pending=1, virtual_loss=0.0) == pytest.approx(0.8)
    assert action_value(0.0, 0, 0.5, pending=2, virtual_loss=1.0) == 0.0


def test_rollouts_explore_less_the_deeper_they_are() -> None:
    values = [rollout_epsilon(d, 4, 0.2) for d in range(5)]
    assert values == sorted(values, reverse=True)
    assert values[2] == pytest.approx(0.1)  # half of the scale, half way down
    assert rollout_epsilon(0, 4, 0.0) == 0.0


# ---- the tree ------------------------------------------------------------------------------------------------------


def tree() -> SearchTree:
    return SearchTree(Choices((A, B, C), 2))


def test_one_node_a_set_whatever_the_order() -> None:
    nodes = tree()
    assert nodes.child(s(A), B) is nodes.child(s(B), A)


def test_a_reward_reaches_the_nodes_that_were_passed() -> None:
    nodes = tree()
    nodes.back_up([s(), s(A), s(A, B)], 0.75)
    nodes.back_up([s(), s(C), s(B, C)], 0.25)
    assert (nodes.node(s()).visits, nodes.node(s()).mean) == (2, 0.5)
    assert (nodes.node(s(A)).visits, nodes.node(s(A)).mean) == (1, 0.75)
    assert nodes.node(s(B)).visits == 0
    assert nodes.visited_actions(s()) == [A, C]
    assert nodes.visited_actions(s(A)) == [B]
    assert nodes.visited_actions(s(A, B)) == []
