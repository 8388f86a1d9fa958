from __future__ import annotations

import pytest
from askfirst.agents.context import Burden, PlanLimits
from askfirst.agents.errors import PlanningError
from askfirst.agents.planning.attribute_sets import Choices, choices_for
from askfirst.testing.path_planner import person

A, B, C, D = "age", "gender", "profession", "health_status"


def s(*attributes: str) -> frozenset[str]:
    return frozenset(attributes)


def within(budget: int, burden: Burden | None = None) -> PlanLimits:
    return PlanLimits(budget=budget, evaluations=1, burden=burden or Burden())


def test_attributes_are_planned_over_once_and_in_their_order() -> None:
    known = choices_for(person([A, C, B]), [C, A, C, "mood", B], within(2))
    assert (known.attributes, known.depth) == ((C, A, B), 2)
    assert choices_for(person([A]), [A, B], within(5)).depth == 1


def test_without_a_burden_a_set_is_terminal_at_the_depth() -> None:
    three = Choices((A, B, C), 2)
    assert three.extensions(s(B)) == [A, C]
    assert three.extensions(s(A, B)) == []
    assert set(three.terminal_sets()) == {s(A, B), s(A, C), s(B, C)}
    assert three.cost(s(A, B)) == 2.0


def test_with_a_burden_a_set_is_terminal_where_it_leaves_no_room() -> None:
    limited = Choices((A, B, C, D), 3, Burden(costs={A: 0.1, B: 0.2, D: 2.0}, most=2.0))
    assert limited.extensions(s(A)) == [B, C]
    assert set(limited.terminal_sets()) == {s(A, B, C), s(D)}
    assert limited.fill([D, A, B]) == [D]
    assert limited.fill([A, D, C, B]) == [A, C, B]


def test_sums_that_only_differ_by_rounding_are_within_the_burden() -> None:
    assert Choices((A, B), 2, Burden(costs={A: 0.1, B: 0.2}, most=0.3)).allows(s(A, B))


def test_questions_that_nobody_may_ask_are_left_out() -> None:
    scenario = person([A, B])
    assert choices_for(scenario, [A, B], within(2, Burden(costs={B: 3.0}, most=1.0))).attributes == (A,)
    with pytest.raises(PlanningError, match=r"costs at most 0.5; the cheapest costs 0.8"):
        choices_for(scenario, [A, B], within(2, Burden(costs={A: 0.8, B: 3.0}, most=0.5)))
