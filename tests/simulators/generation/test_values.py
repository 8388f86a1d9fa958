"""What is kept of a conversation is made of the project's one kind of value, whose errors show nobody's words."""

from __future__ import annotations

from typing import Any

import pytest
from askfirst.domains import Value
from askfirst.evals import ConversationRecord, RunSettings, RunSummary, Unscored, Verdict
from askfirst.simulators import AgentTurn, Dialogue, Persona, TranscriptMessage, UserTurn
from askfirst.simulators.dialogue.ledger import Ledger, LedgerEntry
from pydantic import ValidationError


@pytest.mark.parametrize(
    "kind",
    [
        *(AgentTurn, Dialogue, Ledger, LedgerEntry, Persona, TranscriptMessage, UserTurn),
        *(ConversationRecord, RunSettings, RunSummary, Unscored, Verdict),
    ],
)
def test_it_is_a_value(kind: type[Any]) -> None:
    assert issubclass(kind, Value)


@pytest.mark.parametrize("kind", [AgentTurn, Persona, TranscriptMessage, UserTurn])
def test_an_error_shows_nothing_that_was_said(kind: type[Any]) -> None:
    with pytest.raises(ValidationError) as caught:
        kind.model_validate({"text": ["I feel low"], "content": ["I feel low"], "query": ["I feel low"]})
    assert "I feel low" not in str(caught.value)
