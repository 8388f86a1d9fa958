"""What every store of planned paths must do. Subclass ``PathStoreSuite`` and say how to make a store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..vectorstore import HashEmbedder, PathStore, PlannedPath, StoreUnusable
from .suite import Suite

SLEEP = "I cannot sleep since the move"
SLEEP_TOO = "I cannot sleep since we moved house"
MONEY = "Should I lend my brother the rent money?"
EXAM = "My exam results came back today"


def planned(query: str, **changes: Any) -> PlannedPath:
    """A planned path for ``query``, with ``changes``."""
    values: dict[str, Any] = {
        "query": query,
        "domain": "Health",
        "path": ("emotional_state", "age"),
        "score": 4.25,
        "prefix_scores": (2.5, 3.0, 4.25),
        "evaluations": 12,
        "planner": "mcts",
        "model": "scripted",
        "judge": "heuristic",
        "pack": "penguin",
        "pack_version": "1",
    }
    return PlannedPath(**{**values, **changes})


class PathStoreSuite(Suite):
    """The contract. ``make_store`` gives a new, empty store."""

    def make_store(self, folder: Path) -> PathStore:
        raise AssertionError("say how to make a store")

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[PathStore]:
        store = self.make_store(tmp_path / "paths")
        yield store
        store.close()

    def test_is_a_path_store(self, store: PathStore) -> None:
        assert isinstance(store, PathStore)

    def test_an_empty_store_finds_nothing(self, store: PathStore) -> None:
        assert (len(store), store.search(SLEEP), list(store.paths())) == (0, [], [])

    def test_adding_nothing_changes_nothing(self, store: PathStore) -> None:
        store.add([])
        assert len(store) == 0

    def test_gives_back_exactly_what_was_stored(self, store: PathStore) -> None:
        path = planned(SLEEP, scenario_id="health-001")
        store.add([path])
        assert list(store.paths()) == [path]
        assert [found.path for found in store.search(SLEEP)] == [path]

    def test_the_nearest_query_comes_first(self, store: PathStore) -> None:
        store.add([planned(MONEY), planned(SLEEP_TOO), planned(EXAM), planned(SLEEP)])
        found = store.search(SLEEP, k=4)
        assert [f.path.query for f in found[:2]] == [SLEEP, SLEEP_TOO]
        similarities = [f.similarity for f in found]
        assert similarities == sorted(similarities, reverse=True)
        assert similarities[0] == pytest.approx(1.0, abs=1e-5)
        assert all(-1.0 <= s < 0.99 for s in similarities[1:])

    def test_similarity_is_the_cosine_of_the_embedder(self, store: PathStore) -> None:
        store.add([planned(SLEEP_TOO)])
        one, two = HashEmbedder().embed([SLEEP, SLEEP_TOO])
        assert store.search(SLEEP)[0].similarity == pytest.approx(float(one @ two), abs=1e-5)

    def test_gives_at_most_k(self, store: PathStore) -> None:
        store.add([planned(q) for q in (SLEEP, SLEEP_TOO, MONEY)])
        assert len(store.search(SLEEP, k=2)) == 2

    def test_k_beyond_the_store_gives_all(self, store: PathStore) -> None:
        store.add([planned(SLEEP), planned(MONEY)])
        assert len(store.search(SLEEP, k=50)) == 2

    @pytest.mark.parametrize("k", [0, -1])
    def test_k_below_one_is_refused(self, store: PathStore, k: int) -> None:
        store.add([planned(SLEEP)])
        with pytest.raises(ValueError, match="at least 1"):
            store.search(SLEEP, k=k)

    def test_the_domain_filter_keeps_only_that_domain(self, store: PathStore) -> None:
        store.add([planned(SLEEP, domain="Life"), planned(SLEEP_TOO), planned(MONEY, domain="Financial")])
        assert [f.path.query for f in store.search(SLEEP, domain="Health")] == [SLEEP_TOO]
        assert store.search(SLEEP, domain="Career") == []

    def test_one_query_in_two_domains_is_two_paths(self, store: PathStore) -> None:
        store.add([planned(SLEEP), planned(SLEEP, domain="Life")])
        assert {f.path.domain for f in store.search(SLEEP)} == {"Health", "Life"}

    def test_one_query_of_two_people_is_two_paths(self, store: PathStore) -> None:
        store.add([planned(SLEEP, scenario_id="one"), planned(SLEEP, scenario_id="two")])
        assert {f.path.scenario_id for f in store.search(SLEEP)} == {"one", "two"}

    def test_equals_are_cut_in_a_fixed_order(self, store: PathStore) -> None:
        people = [planned(SLEEP, scenario_id=f"person {i}") for i in range(9)]
        store.add(people)
        expected = sorted(p.id for p in people)
        assert [f.path.id for f in store.search(SLEEP, k=3)] == expected[:3]

    def test_many_equals_and_a_nearer_one(self, store: PathStore) -> None:
        people = [planned(SLEEP_TOO, scenario_id=f"person {i}") for i in range(40)]
        store.add([*people, planned(SLEEP), planned(MONEY)])
        found = [f.path for f in store.search(SLEEP, k=4)]
        assert found == [planned(SLEEP), *sorted(people, key=lambda p: p.id)[:3]]

    def test_equals_in_a_domain_are_cut_in_the_same_order(self, store: PathStore) -> None:
        near = [planned(SLEEP, scenario_id=f"person {i}") for i in range(60)]
        wanted = [planned(SLEEP_TOO, domain="Life", scenario_id=f"person {i}") for i in range(9)]
        store.add([*near, *wanted])
        found = [f.path for f in store.search(SLEEP, k=3, domain="Life")]
        assert found == sorted(wanted, key=lambda p: p.id)[:3]

    def test_a_domain_may_be_rare_or_have_fewer_than_k(self, store: PathStore) -> None:
        store.add([planned(f"{SLEEP} {i}") for i in range(120)])
        store.add([planned(MONEY, domain="Financial"), planned(EXAM, domain="Education")])
        assert [f.path.query for f in store.search(SLEEP, k=5, domain="Financial")] == [MONEY]

    def test_a_known_id_replaces_the_old_path_whole(self, store: PathStore) -> None:
        store.add([planned(SLEEP), planned(MONEY)])
        new = planned(SLEEP, path=("age",), score=3.0, prefix_scores=(), evaluations=1, planner="static")
        store.add([new])
        assert len(store) == 2
        assert store.search(SLEEP, k=1)[0].path == new

    def test_the_last_of_two_with_one_id_in_one_call_stays(self, store: PathStore) -> None:
        store.add([planned(SLEEP), planned(SLEEP, score=1.0)])
        assert [path.score for path in store.paths()] == [1.0]

    def test_the_order_of_paths_does_not_depend_on_when_they_came(self, store: PathStore) -> None:
        one, two, three = (planned(q) for q in (SLEEP, MONEY, EXAM))
        store.add([one])
        store.add([three, two])
        store.add([one])
        assert [p.id for p in store.paths()] == sorted(p.id for p in (one, two, three))

    @pytest.mark.parametrize(
        "query",
        [
            "Ich schlafe nicht mehr, seit wir umgezogen sind: 眠れない 😔",
            "a\x00b",
            "half \ud800 pair",
            "'; DROP TABLE x",
            "x" * 20_000,
        ],
        ids=["unicode", "nul", "surrogate", "quotes", "long"],
    )
    def test_any_text_can_be_stored_and_searched_for(self, store: PathStore, query: str) -> None:
        store.add([planned(query), planned(MONEY)])
        found = store.search(query, k=1)[0]
        assert found.path == planned(query)
        assert found.similarity == pytest.approx(1.0, abs=1e-5)
        store.search(MONEY, domain=query)

    def test_an_empty_query_is_searched_for_without_an_error(self, store: PathStore) -> None:
        store.add([planned(SLEEP)])
        assert len(store.search("")) == 1

    def test_a_closed_store_refuses(self, store: PathStore) -> None:
        store.add([planned(SLEEP)])
        store.close()
        store.close()
        for use in (
            lambda: store.add([planned(MONEY)]),
            lambda: store.search(SLEEP),
            lambda: len(store),
            lambda: list(store.paths()),
        ):
            with pytest.raises(StoreUnusable, match="closed"):
                use()
