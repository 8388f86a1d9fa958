from __future__ import annotations

from pathlib import Path

import pytest
from askfirst.domains import DomainPack, Scenario

from tests.evals.support import Bench


@pytest.fixture
def bench(toy_pack: DomainPack, tmp_path: Path) -> Bench:
    async def oracle(scenario: Scenario, k: int) -> tuple[str, ...]:
        return ("age", "mood")[:k]

    return Bench(toy_pack, tmp_path / "run", oracle=oracle)
