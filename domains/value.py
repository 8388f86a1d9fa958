"""The base of the project's values."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

__all__ = ["Value"]


class Value(BaseModel):
    """A frozen value without unknown fields. The text of its validation errors holds no input.

    What is validated is often a person's own; error texts end up in logs. Who needs the input, for a file that people
    wrote, takes it from ``error.errors()``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)
