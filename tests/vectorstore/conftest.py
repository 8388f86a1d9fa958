"""One Chroma server for all tests of this package that need one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.vectorstore.chroma_process import chroma_server


@pytest.fixture(scope="session")
def chroma_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the server."""
    return tmp_path_factory.mktemp("chroma") / "data"


@pytest.fixture(scope="session")
def chroma_url(chroma_folder: Path) -> Iterator[str]:
    """The URL of a running server."""
    with chroma_server(chroma_folder) as url:
        yield url
