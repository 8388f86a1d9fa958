"""The errors of the online agent. Their texts name threads and causes, never what a person wrote.

    AskfirstError
    ├── InputError
    │   ├── EmptyQueryError            there is no opening message to answer
    │   ├── InvalidQueryError          an opening message that is no text
    │   ├── MessageTooLongError        a message beyond what a person types
    │   ├── InvalidReplyError          a reply that is neither text nor a skip
    │   ├── SettingsError              a setting of the agent is out of range
    │   ├── CheckpointError            the checkpoint file cannot be used
    │   └── ConversationError          what was asked of a conversation does not fit its state
    │       ├── UnknownThreadError         no such conversation
    │       ├── ThreadExistsError          that id is taken
    │       ├── ConversationFinishedError  it was answered already
    │       ├── ConversationBusyError      another call is working on it
    │       └── TurnUnfinishedError        a failed turn must be resumed first
    └── EmptyAnswerError               the responder wrote nothing

Failures of models (``ModelError``) pass through unchanged, with a note that names the thread to resume.
"""

from __future__ import annotations

from ..domains import AskfirstError, InputError

__all__ = [
    "CheckpointError",
    "ConversationBusyError",
    "ConversationError",
    "ConversationFinishedError",
    "EmptyAnswerError",
    "EmptyQueryError",
    "InvalidQueryError",
    "InvalidReplyError",
    "MessageTooLongError",
    "SettingsError",
    "ThreadExistsError",
    "TurnUnfinishedError",
    "UnknownThreadError",
]


class EmptyQueryError(InputError):
    """The opening message is missing or blank."""

    def __init__(self) -> None:
        super().__init__("the opening message is missing; give a query, or messages that include one from the person")


class InvalidQueryError(InputError):
    """The opening message is no text.

    Attributes:
        kind: name of the type that was given.
    """

    def __init__(self, value: object) -> None:
        self.kind = type(value).__name__
        super().__init__(f"the opening message must be text, not {self.kind}")


class MessageTooLongError(InputError):
    """A message has more characters than any part is made to read.

    Attributes:
        length: how many it has.
        limit: how many it may have.
    """

    def __init__(self, length: int, limit: int) -> None:
        self.length, self.limit = length, limit
        super().__init__(f"a message may have {limit:,} characters, but this one has {length:,}; shorten it")


class InvalidReplyError(InputError):
    """A reply is neither text nor a skip.

    Attributes:
        kind: name of the type that was given.
    """

    def __init__(self, value: object) -> None:
        self.kind = type(value).__name__
        super().__init__(f"a reply must be text, {{'text': ...}}, or None to skip the question, not {self.kind}")


class SettingsError(InputError):
    """A setting is out of range.

    Attributes:
        setting: its name.
        value: the value that was given.
    """

    def __init__(self, setting: str, value: object, rule: str) -> None:
        self.setting, self.value = setting, value
        super().__init__(f"{setting} {rule}, not {value!r}")


class CheckpointError(InputError):
    """Conversations cannot be kept where it was asked.

    Attributes:
        where: the file or specification that was given.
    """

    def __init__(self, where: str, problem: str, fix: str) -> None:
        self.where = where
        super().__init__(f"{where}: {problem}; {fix}")


class ConversationError(InputError):
    """What was asked of a conversation does not fit its state.

    Attributes:
        thread_id: the conversation.
    """

    def __init__(self, thread_id: str, problem: str) -> None:
        self.thread_id = thread_id
        super().__init__(f"conversation {thread_id!r} {problem}")


class UnknownThreadError(ConversationError):
    """There is no conversation with this id."""

    def __init__(self, thread_id: str) -> None:
        super().__init__(thread_id, "does not exist; start one with start()")


class ThreadExistsError(ConversationError):
    """A conversation with this id was begun before."""

    def __init__(self, thread_id: str) -> None:
        super().__init__(
            thread_id,
            "already exists; continue it with reply() or resume(), remove it with forget(), or use another id",
        )


class ConversationFinishedError(ConversationError):
    """The conversation has its answer; a reply would be lost without a trace."""

    def __init__(self, thread_id: str) -> None:
        super().__init__(thread_id, "has been answered and takes no more replies; start another with start()")


class ConversationBusyError(ConversationError):
    """Another call of this process is working on the conversation."""

    def __init__(self, thread_id: str) -> None:
        super().__init__(thread_id, "is in use by another call; wait for that call to finish")


class TurnUnfinishedError(ConversationError):
    """An earlier turn stopped half-way, so that a new reply has no question to answer."""

    def __init__(self, thread_id: str) -> None:
        super().__init__(thread_id, "stopped in the middle of a turn; finish that turn with resume() first")


class EmptyAnswerError(AskfirstError):
    """The responder wrote nothing; an empty text is never an answer."""

    def __init__(self) -> None:
        super().__init__("the responder returned an empty answer; try again, or check the model's token limit")
