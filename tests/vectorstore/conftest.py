"""One Chroma server for all tests of this package that need one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.vectorstore.chroma_process import chroma_server


@pytest.fixture(scope="session")
def chroma_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a running server."""
    with chroma_server(tmp_path_factory.mktemp("chroma") / "data") as url:
        yield url
