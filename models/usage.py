"""How much the models were used: calls and tokens, added up over any stretch of async code."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["CUT_NOTE", "Usage", "UsageMeter", "active_meters", "collect_usage", "record_usage"]

CUT_NOTE = "answer cut at the token limit"
"""What notes say of an answer during which ``UsageMeter.cut`` rose."""


class Usage(BaseModel):
    """What was used. Adds with ``+``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    calls: int = Field(default=0, ge=0, description="Replies received, valid or not.")
    input_tokens: int = Field(default=0, ge=0, description="As the server counts them; 0 if it does not tell.")
    output_tokens: int = Field(default=0, ge=0)

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        # Sums of what was checked need no check, and every call is added up several times.
        return Usage.model_construct(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
        )


class UsageMeter:
    """Adds up usage; safe to share between tasks and threads."""

    def __init__(self) -> None:
        self._total = Usage()
        self._cut = 0
        self._lock = threading.Lock()

    @property
    def total(self) -> Usage:
        """Everything recorded so far."""
        return self._total

    @property
    def cut(self) -> int:
        """How many replies ended at the token limit and not by themselves."""
        return self._cut

    def add(self, usage: Usage, *, cut: bool = False) -> None:
        with self._lock:
            self._total = self._total + usage
            self._cut += cut


@contextmanager
def collect_usage() -> Iterator[UsageMeter]:
    """Meter everything that any model uses inside this block, in tasks that it starts too.

    Blocks nest: what an inner one counts, the outer one counts as well.
    """
    meter = UsageMeter()
    token = _METERS.set((*_METERS.get(), meter))
    try:
        yield meter
    finally:
        _METERS.reset(token)


def active_meters() -> Sequence[UsageMeter]:
    """The meters of the blocks around the caller. A stream takes them at its start: it may end in another context."""
    return _METERS.get()


def record_usage(usage: Usage, meters: Sequence[UsageMeter] | None = None, *, cut: bool = False) -> None:
    """Add ``usage`` to ``meters``, or to those around the caller. For implementations of ``ChatModel``.

    ``cut``: the reply ended at the token limit. A stream has no other way to say so.
    """
    for meter in _METERS.get() if meters is None else meters:
        meter.add(usage, cut=cut)


_METERS: ContextVar[tuple[UsageMeter, ...]] = ContextVar("askfirst_usage_meters", default=())
