"""What all conformance suites share: the packs that they run on."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..domains import DomainPack, get_pack, load_pack

__all__ = ["TOY_PACK", "Suite"]

TOY_PACK = Path(__file__).with_name("toy_pack")
"""Folder of a small pack: two attributes (age, mood) and one domain (Everyday)."""


class Suite:
    """Base of every suite. Override a fixture to run on a pack of your own, where the suite says that it may be any."""

    @pytest.fixture
    def pack(self) -> DomainPack:
        """The shipped PENGUIN pack."""
        return get_pack("penguin")

    @pytest.fixture
    def toy_pack(self) -> DomainPack:
        """The pack in ``TOY_PACK``."""
        return load_pack(TOY_PACK)
