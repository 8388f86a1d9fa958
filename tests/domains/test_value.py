"""A person's values stand in no error text; what people wrote into pack files does."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from askfirst.agents import AgentContext, Extracted
from askfirst.domains import Attribute, Profile, Scenario, Value
from askfirst.graphs import AnswerReply
from askfirst.models import Message
from askfirst.vectorstore import PlannedPath
from pydantic import BaseModel, ValidationError

SECRET = "zz-secret-zz"
PLANNED = {
    "domain": "d",
    "evaluations": 1,
    "planner": "p",
    "model": "m",
    "judge": "j",
    "pack": "p",
    "pack_version": "1",
}


@pytest.mark.parametrize(
    "make",
    [
        lambda: Profile(values={"age": [SECRET]}),
        lambda: Profile(values={"age": SECRET}, declined=frozenset({"age"})),
        lambda: Profile.model_validate({"values": SECRET}),
        lambda: Scenario.model_validate({"id": "1", "domain": "d", "query": "q", "profile": {"values": [SECRET]}}),
        lambda: Scenario.model_validate({"id": "1", "domain": "d", "query": [SECRET], "profile": {}}),
        lambda: Extracted(values={"age": {"value": SECRET}}),
        lambda: AgentContext(query="q", known={"age": [SECRET]}),
        lambda: AgentContext(query="q", exchanges=((SECRET,),)),
        lambda: AnswerReply.model_validate({"thread_id": "t", "text": [SECRET]}),
        lambda: PlannedPath.model_validate({**PLANNED, "query": [SECRET], "path": ["a"], "score": 3}),
        lambda: Message.model_validate({"role": "user", "content": [SECRET]}),
    ],
)
def test_the_error_holds_no_value(make: Callable[[], BaseModel]) -> None:
    with pytest.raises(ValidationError) as caught:
        make()
    assert SECRET not in str(caught.value)
    assert SECRET not in repr(caught.value)


def test_the_input_can_still_be_had_where_it_is_nobodys() -> None:
    with pytest.raises(ValidationError) as caught:
        Attribute.model_validate({"id": "Not An Id"})
    assert "Not An Id" in [error["input"] for error in caught.value.errors()]


def test_values_are_frozen_and_know_their_fields() -> None:
    class Point(Value):
        x: int

    with pytest.raises(ValidationError, match="frozen"):
        Point(x=1).x = 2  # type: ignore[misc]
    with pytest.raises(ValidationError, match="Extra inputs"):
        Point.model_validate({"x": 1, "y": 2})
