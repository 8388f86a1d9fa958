"""Shared fixtures: the packs, and a guard that keeps every test off the network."""

from __future__ import annotations

import ipaddress
import socket
from typing import Any

import pytest
from askfirst.domains import DomainPack, get_pack, load_pack
from askfirst.testing import TOY_PACK
from hypothesis import settings

# Whether an example takes long depends on who else uses the machine.
settings.register_profile("askfirst", deadline=None)
settings.load_profile("askfirst")


@pytest.fixture(scope="session")
def pack() -> DomainPack:
    """The shipped PENGUIN pack."""
    return get_pack("penguin")


@pytest.fixture(scope="session")
def toy_pack() -> DomainPack:
    """Two attributes (age, mood), one domain (Everyday)."""
    return load_pack(TOY_PACK)


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only loopback may be contacted; keys and tracing variables of the developer's shell do not reach a test."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "LANGSMITH_API_KEY", "LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"):
        monkeypatch.delenv(name, raising=False)
    real_connect = socket.socket.connect
    real_connect_ex = socket.socket.connect_ex

    def check(address: Any) -> None:
        if isinstance(address, tuple) and not _is_loopback(str(address[0])):
            raise AssertionError(f"a test tried to reach {address[0]!r}")

    def connect(self: socket.socket, address: Any) -> None:
        check(address)
        return real_connect(self, address)

    def connect_ex(self: socket.socket, address: Any) -> int:
        check(address)
        return real_connect_ex(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket.socket, "connect_ex", connect_ex)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
