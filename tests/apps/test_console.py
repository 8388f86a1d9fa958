"""What commands say on the terminal, whichever command it is."""

from __future__ import annotations

import pytest
from askfirst.apps.cli.terminal import resumable


def test_an_interruption_says_how_to_go_on_and_stays_one(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt), resumable("The same command goes on."):
        raise KeyboardInterrupt
    assert capsys.readouterr().err == "The same command goes on.\n"


def test_without_an_interruption_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="else"), resumable("The same command goes on."):
        raise ValueError("else")
    with resumable("The same command goes on."):
        pass
    assert capsys.readouterr().err == ""
