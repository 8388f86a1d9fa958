"""The errors of simulated conversations.

    AskfirstError
    ├── DialogueFailed           a simulated conversation broke off; carries what was said until then
    │   ├── AssistantFailed      the assistant under test raised
    │   └── SimulatorFailed      the simulated user raised
    └── NothingUsable            making scenarios left nothing that could be used (``work``)

A bad data file is a ``DataError`` of the ``domains`` package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...domains import AskfirstError
from ...models import ModelError

if TYPE_CHECKING:
    from .record import Dialogue

__all__ = ["AssistantFailed", "DialogueFailed", "SimulatorFailed"]


class DialogueFailed(AskfirstError):
    """A simulated conversation could not be finished. It is never judged.

    Attributes:
        partial: everything until the failure, with stop reason ``"failed"``.
        cause: what was raised.
        turn: 1-based number of the assistant turn in which it happened (0: before the first).
    """

    side = "conversation"

    def __init__(self, partial: Dialogue, cause: Exception, turn: int) -> None:
        self.partial, self.cause, self.turn = partial, cause, turn
        # Only the project's own errors promise one clear line without a person's values in it.
        own = isinstance(cause, AskfirstError | ModelError)
        detail = f"{type(cause).__name__}: {cause}" if own else type(cause).__name__
        super().__init__(f"the {self.side} failed in turn {turn} ({detail})")


class AssistantFailed(DialogueFailed):
    """The assistant under test raised: its error is never taken for an answer."""

    side = "assistant"


class SimulatorFailed(DialogueFailed):
    """The simulated user raised: says nothing about the assistant."""

    side = "simulated user"
