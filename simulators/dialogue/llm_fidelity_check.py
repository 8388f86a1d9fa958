"""A language model's opinion on whether a simulated person stayed that person: sees what code does not (paraphrase)."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, Field

from ...domains import DomainPack
from ...models import ChatModel, ModelError, Prompt, Sampling, fence, new_nonce
from ..fidelity import fold, holds
from .ledger import Ledger, settled
from .record import Dialogue

__all__ = ["LlmFidelityCheck"]


class Finding(BaseModel):
    """One fault that the model sees."""

    fault: Literal["role_swap", "fourth_wall", "softened", "contradiction", "invented"]
    fact: str | None = Field(default=None, description="Id of the fact, if it is about one.")
    words: str = Field(description="The person's exact words that show it.")


class Settled(BaseModel):
    """Whether a fact was told of which code cannot see it."""

    fact: str
    words: str = Field(description="The person's exact words that tell it; empty if no message does.")


class Findings(BaseModel):
    """All faults that the model sees; empty if there are none."""

    findings: list[Finding]
    told: list[Settled] = Field(default_factory=list, description="One entry for each fact that is not clear.")


class LlmFidelityCheck:
    """Asks ``model`` once for a whole conversation. It adds to the checks by code, and takes nothing away.

    A finding counts only if its words stand in a message of the person after the opening, and if the fact it names was
    to be told; so a model cannot invent a fault. It also settles which values were told that code calls ``unclear``:
    told with the person's words, ``omitted`` if the model finds none. Whether enough was told is then counted anew.

    Args:
        model: gives the opinion; better not the one that plays the person.
        pack: labels of the attributes.
        rng: source of the fence codes; None for unpredictable ones.
    """

    def __init__(self, model: ChatModel, pack: DomainPack, *, rng: random.Random | None = None) -> None:
        self._model, self._pack, self._rng = model, pack, rng
        self._prompt = Prompt.load(package="askfirst.simulators", name="fidelity")

    async def check(self, dialogue: Dialogue) -> Dialogue:
        """``dialogue`` with the faults found; with a note if the model failed, which accuses nobody."""
        said = [m.content for m in dialogue.transcript[1:] if m.role == "user"]
        if not said:
            return dialogue
        nonce = new_nonce(self._rng)
        facts = "\n".join(f"{a} ({self._pack.attribute(a).label}): {v}" for a, v in dialogue.given.items())
        unclear = [a for a, e in dialogue.ledger.entries.items() if e.state == "unclear" and a in dialogue.given]
        names = {"user": "PERSON", "assistant": "ASSISTANT"}
        talk = "\n\n".join(f"{names[m.role]}: {m.content}" for m in dialogue.transcript)
        messages = self._prompt.messages(
            nonce=nonce,
            facts=fence(facts or "(nothing)", "facts", nonce),
            unclear=", ".join(unclear),
            conversation=fence(talk, "conversation", nonce),
        )
        try:
            seen = await self._model.structured(Findings, messages, sampling=Sampling(temperature=0.0, top_p=None))
        except ModelError as error:
            return dialogue.model_copy(update={"notes": (*dialogue.notes, f"user check: {type(error).__name__}")})
        heard = " ".join(fold(text) for text in said)
        faults = [
            finding.fault if finding.fact is None else f"{finding.fault}:{finding.fact}"
            for finding in seen.findings
            if fold(finding.words) and f" {fold(finding.words)} " in f" {heard} "
            and (finding.fact is None or finding.fact in dialogue.given)
        ]  # fmt: skip
        return _with_settled(dialogue, faults, {s.fact: s.words for s in seen.told if s.fact in unclear})


def _with_settled(dialogue: Dialogue, faults: list[str], opinions: Mapping[str, str]) -> Dialogue:
    """``dialogue`` with ``faults``, and with what the model says of values that were unclear (id -> words or "")."""
    entries, told = dict(dialogue.ledger.entries), dict(dialogue.told)
    for attribute, words in opinions.items():
        turn = _turn_with(words, dialogue) if words.strip() else None
        if words.strip() and turn is None:
            continue  # words that nobody said settle nothing
        value = dialogue.given[attribute] if words.strip() else None
        entries[attribute] = settled(entries[attribute], told=value, turn=turn)
        if value is None:
            faults.append(f"omitted:{attribute}")
        else:
            told[attribute] = value
    return dialogue.with_second_opinion(Ledger(entries=entries), told, faults)


def _turn_with(words: str, dialogue: Dialogue) -> int | None:
    """The turn of the person's message, after the opening, in which ``words`` stand."""
    number = 0
    for message in dialogue.transcript:
        if message.role == "assistant":
            number += 1
        elif number and holds(message.content, words):
            return number
    return None
