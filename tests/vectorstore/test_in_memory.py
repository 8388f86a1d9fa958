from __future__ import annotations

from pathlib import Path

from askfirst.testing.path_store import SLEEP, PathStoreSuite, planned
from askfirst.vectorstore import HashEmbedder, InMemoryPathStore


class TestInMemoryPathStore(PathStoreSuite):
    def make_store(self, folder: Path) -> InMemoryPathStore:
        return InMemoryPathStore(HashEmbedder())


def test_closes_with_its_block() -> None:
    with InMemoryPathStore(HashEmbedder()) as store:
        store.add([planned(SLEEP)])
    assert store._rows == {}
