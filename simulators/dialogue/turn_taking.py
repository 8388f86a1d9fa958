"""Who speaks next in a simulated conversation, and when it is over. Knows neither the person nor the assistant."""

from __future__ import annotations

import re
from typing import Literal

from ...domains import tidy
from .courtesy import is_courtesy, says_goodbye
from .turns import AgentTurn, UserTurn

__all__ = ["Control", "StopReason", "confirms", "offers_more"]

StopReason = Literal[
    "answered",
    "turns_done",
    "turn_cap",
    "user_ended",
    "goodbye",
    "empty_user",
    "role_swap",
    "unusable_user",
    "failed",
]


class Control:
    """Holds one conversation to its rules, message by message.

    * The person speaks first, and the sides alternate strictly.
    * It is over with the assistant's answer, or ``turns`` messages of the person (each with its reply) later.
    * A bare "yes, please go on" to an offer to go on does not count among the ``turns``, once in a conversation: what
      was offered is still to come.
    * ``max_turns`` messages of the assistant are the most, whatever else holds.
    * After a message with which the person leaves, the assistant has one more.
    * The same after a clear goodbye of the person; thanks alone are none.
    * It is over when both sides only exchange courtesies, or one of them twice running.

    Args:
        max_turns: most messages of the assistant, at least 1; exact.
        turns: messages of the person after the assistant's first answer, 0 or more.
    """

    def __init__(self, *, max_turns: int, turns: int = 0) -> None:
        if max_turns < 1:
            raise ValueError(f"max_turns must be at least 1, not {max_turns}")
        if turns < 0:
            raise ValueError(f"turns must be at least 0, not {turns}")
        self.agent_turns = 0
        self._max_turns, self._left = max_turns, turns
        self._turns = turns
        self._said: UserTurn | None = None
        self._agent: AgentTurn | None = None
        self._answered = False
        self._confirmed = False
        self._courtesies = 0

    def heard(self, said: UserTurn) -> StopReason | None:
        """The person has spoken. Why the conversation ends before this message is heard, None if it goes on.

        Raises:
            RuntimeError: it is not the person's turn.
        """
        if self._said is not None:
            raise RuntimeError("two messages of the person in a row")
        if reason := silence(said):
            return reason
        if self._answered and self._agent is not None:
            if not self._confirmed and confirms(said.text, self._agent.text):
                self._confirmed = True
            else:
                self._left -= 1
        self._said = said
        return None

    def answered(self, agent: AgentTurn) -> StopReason | None:
        """The assistant has spoken. Why the conversation ends here, None if it goes on.

        Raises:
            RuntimeError: it is not the assistant's turn.
        """
        said, before = self._said, self._agent
        if said is None:
            raise RuntimeError("the assistant speaks before the person, or twice in a row")
        self.agent_turns += 1
        self._said, self._agent = None, agent
        self._answered = self._answered or agent.kind == "answer"
        left = before is not None and says_goodbye(said.text)
        if self._answered and self._left <= 0 and not left:
            return "turns_done" if self._turns else "answered"
        if said.ended:
            return "user_ended"
        if left:
            return "goodbye"
        if self._goodbye(said, agent, before):
            return "goodbye"
        return "turn_cap" if self.agent_turns >= self._max_turns else None

    def _goodbye(self, said: UserTurn, agent: AgentTurn, before: AgentTurn | None) -> bool:
        # "No, thank you" to a question about oneself is an answer, and "yes, thank you" to an offer accepts it.
        accepted = before is not None and confirms(said.text, before.text)
        polite = is_courtesy(said.text) and not said.asked and not accepted, is_courtesy(agent.text)
        self._courtesies = self._courtesies + 1 if any(polite) else 0
        return all(polite) or self._courtesies == 2


def silence(said: UserTurn) -> StopReason | None:
    """Why the conversation ends before this message of the person is heard, None if it is heard."""
    if "role_swap" in said.faults:
        return "role_swap"
    if "too_long" in said.faults:
        return "unusable_user"
    if said.text.strip():
        return None
    if {"empty", "refused", "echo"}.intersection(said.faults):
        return "unusable_user"
    return "user_ended" if said.ended else "empty_user"


_OFFER = re.compile(
    r"\b(?:(?:shall|should|may|can) i (?:go on|continue|proceed|explain|show|write|walk|tell|give|help|list|set)"
    r"|(?:would|do) you (?:like|want) (?:me|to (?:hear|see|know|go on|continue))|want me to"
    r"|is (?:that|this) (?:ok|okay|all right)|ready (?:to|for)|may i go on|go on)\b[^?]*\?\s*$",
    re.IGNORECASE,
)
_YES = re.compile(
    r"\W*(?:(?:yes|yeah|yep|sure|ok|okay|of course|please|absolutely|definitely|certainly|go ahead|go on|continue|do"
    r"|please do|carry on|i would|i'd like that|that would be (?:good|great|nice|helpful|kind)|sounds good|why not"
    r"|thanks|thank you)\b[\s,.!]*)+",
    re.IGNORECASE,
)


def offers_more(text: str) -> bool:
    """Whether ``text``, of an assistant, closes by offering to go on."""
    return _OFFER.search(tidy(text).strip()) is not None


def confirms(text: str, to: str) -> bool:
    """Whether ``text`` accepts the offer at the end of ``to``, and says nothing else."""
    return offers_more(to) and _YES.fullmatch(tidy(text).strip()) is not None
