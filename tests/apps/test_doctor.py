from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.apps.conftest import Outcome

Cli = Callable[..., Outcome]


@pytest.mark.parametrize("name", ["LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING_V2"])
def test_a_tracing_variable_is_noted_and_is_no_fault(cli: Cli, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "true")
    seen = cli("doctor", "--json")
    assert seen.code == 0, seen.err
    [check] = [c for c in seen.json["checks"] if c["part"] == "tracing"]
    assert check["ok"]
    assert name in check["state"]
    assert "keeps tracing off" in check["state"]


def test_without_one_nothing_is_said_of_tracing(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANGSMITH_TRACING", "false")
    assert "tracing" not in {c["part"] for c in cli("doctor", "--json").json["checks"]}


def test_the_demo_says_that_it_keeps_its_own_paths(cli: Cli) -> None:
    assert "ASKFIRST_CHROMA_URL" in cli("demo", "--help").out
