"""The plan from several retrieved paths."""

from __future__ import annotations

from askfirst.agents import consensus_plan
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


def test_nothing_retrieved_is_no_plan() -> None:
    assert consensus_plan([], ("a",)) == ()
