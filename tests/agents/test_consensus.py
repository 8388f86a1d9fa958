"""The plan from several retrieved paths."""

from __future__ import annotations

from askfirst.agents import consensus_plan, likely_domain
from askfirst.vectorstore import PlannedPath, RetrievedPath


def found(*path: str, similarity: float, prefix_scores: tuple[float, ...] = (), domain: str = "Life") -> RetrievedPath:
    planned = PlannedPath(
        query=f"{path} {similarity}",
        domain=domain,
        path=path,
        score=prefix_scores[-1] if prefix_scores else 4,
        prefix_scores=prefix_scores,
        evaluations=1,
        planner="mcts",
        model="m",
        judge="j",
        pack="p",
        pack_version="1",
    )
    return RetrievedPath(path=planned, similarity=similarity)


def test_gains_are_weighted_by_similarity_and_added_up() -> None:
    retrieved = [
        found("a", "b", similarity=0.5, prefix_scores=(1, 3, 4)),  # a: 2 x 0.5, b: 1 x 0.5
        found("c", "b", similarity=0.8, prefix_scores=(1, 2, 4)),  # c: 1 x 0.8, b: 2 x 0.8
    ]
    assert consensus_plan(retrieved, ("a", "b", "c")) == ("b", "a", "c")


def test_a_loss_or_a_contrary_query_counts_nothing_and_the_order_decides_between_equals() -> None:
    retrieved = [
        found("a", "b", similarity=0.9, prefix_scores=(3, 2, 4)),
        found("c", similarity=-0.5, prefix_scores=(1, 5)),
    ]
    assert consensus_plan(retrieved, ("c", "a", "b")) == ("b", "c", "a")


def test_paths_without_scores_count_by_position() -> None:
    retrieved = [found("a", "b", similarity=0.5), found("b", "a", similarity=0.6)]
    assert consensus_plan(retrieved, ()) == ("b", "a")


def test_nothing_retrieved_is_no_plan_and_no_domain() -> None:
    assert consensus_plan([], ("a",)) == ()
    assert likely_domain([]) is None


def test_a_domain_needs_more_than_half_of_the_similarity() -> None:
    life, work = found("a", similarity=0.5, domain="Life"), found("b", similarity=0.5, domain="Career")
    assert likely_domain([life, work]) is None
    assert likely_domain([life, work, found("c", similarity=0.1, domain="Life")]) == "Life"
