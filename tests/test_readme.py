"""What the README shows is what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from askfirst.domains import DomainPack
from askfirst.graphs import AnswerReply, draw_mermaid

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.S | re.M)


def test_the_picture_is_drawn_from_the_code() -> None:
    assert blocks("mermaid") == [draw_mermaid()]


def test_the_python_example_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("builtins.input", lambda prompt: "I would rather not say")
    names: dict[str, object] = {}
    exec(blocks("python")[0], names)
    reply = names["reply"]
    assert isinstance(reply, AnswerReply)
    assert reply.text


def test_every_folder_is_explained(pack: DomainPack) -> None:
    root = Path(__file__).parents[1]
    folders = {p.parent.name for p in root.glob("*/__init__.py")} | {"benchmarks", "docs", "tests"}
    listed = set(re.findall(r"^\| `(\w+)/` \|", README, flags=re.M))
    assert folders <= listed
