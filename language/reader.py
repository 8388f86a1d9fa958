"""The message reader: the learned network and the floor of rules, the higher of the two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ..domains import DomainPack
from .encoder import WEIGHTS, Encoder, Outputs, load_encoder
from .floor import Floor, load_floor
from .reading import Act, Fault, MessageReading, RiskKind, RiskLevel, RiskReading, ToldValue, Turn, higher

__all__ = ["LearnedReader", "load_reader"]

LONGEST_MESSAGE = 20_000
"""Most characters that are read; of a longer message both ends."""

_GAP = 6  # characters between two pieces of one fact: "depressed, on and off"


def load_reader(pack: DomainPack, *, folder: Path = WEIGHTS) -> LearnedReader:
    """The reader for ``pack`` with the weights in ``folder``, which are loaded when a message is first read."""
    return LearnedReader(pack, folder)


class LearnedReader:
    """A ``MessageReader``. Deterministic; some milliseconds a message.

    Args:
        pack: says which attributes there are. Those that the network has no tag for are found by their question.
        folder: of the weights.
        floor: plain statements that count whatever the network says; None: the packaged ones.
    """

    def __init__(self, pack: DomainPack, folder: Path = WEIGHTS, *, floor: Floor | None = None) -> None:
        self._pack, self._folder = pack, folder
        self._floor = floor or load_floor()

    def read(self, message: str, *, asked: str | None = None, before: Sequence[Turn] = ()) -> MessageReading:
        """See ``MessageReader``."""
        text = _both_ends(message)
        if not any(c.isalnum() for c in text):
            return MessageReading()
        encoder = self._encoder
        outputs = encoder.read(text, before)
        acts = self._named(outputs, "acts")
        injected = bool(self._named(outputs, "injection"))
        values = () if injected else tuple(self._values(text, outputs, asked, before))
        return MessageReading(
            risk=higher(self._floor.read(message), self._risk(text, outputs)),
            acts=cast("tuple[Act, ...]", acts),
            values=values,
            injected=injected,
            faults=cast("tuple[Fault, ...]", self._named(outputs, "faults")),
        )

    @property
    def _encoder(self) -> Encoder:
        return load_encoder(self._folder)

    def _named(self, outputs: Sequence[Outputs], head: str) -> tuple[str, ...]:
        """The outputs of ``head`` that count in any window."""
        settings = self._encoder.settings
        best = np.max([_sigmoid(o.heads[head]) for o in outputs], axis=0)
        return tuple(n for n, p in zip(settings.heads[head], best, strict=True) if p >= settings.thresholds[n])

    def _risk(self, text: str, outputs: Sequence[Outputs]) -> RiskReading:
        settings = self._encoder.settings
        levels = [_softmax(o.heads["level"] / settings.temperature) for o in outputs]
        worst = max(range(len(outputs)), key=lambda n: 1 - levels[n][0])
        _, concern, imminent = (float(p) for p in levels[worst])
        danger = concern + imminent
        level: RiskLevel = "none"
        if danger >= settings.thresholds["concern"]:
            level = "imminent" if imminent >= settings.thresholds["imminent"] else "concern"
        if level == "none":
            return RiskReading(probability=min(1.0, danger))
        kinds = settings.heads["kind"]
        kind = kinds[1 + int(np.argmax(outputs[worst].heads["kind"][1:]))]
        return RiskReading(
            level=level,
            kind=cast("RiskKind", kind),
            sentence=_shown(text, outputs[worst], settings.tags.index("risk")),
            probability=min(1.0, danger),
        )

    def _values(
        self, text: str, outputs: Sequence[Outputs], asked: str | None, before: Sequence[Turn]
    ) -> Iterator[ToldValue]:
        settings = self._encoder.settings
        for attribute in self._pack.attribute_ids:
            if attribute in settings.tags:
                found = outputs
                tag = settings.tags.index(attribute)
            elif attribute == asked:
                found, tag = outputs, settings.tags.index("answer")
            else:
                question = Turn(role="assistant", text=self._pack.attribute(attribute).question)
                found = self._encoder.read(text, (*before[:1], question))
                tag = settings.tags.index("answer")
            threshold = settings.thresholds["answer" if tag == settings.tags.index("answer") else "value"]
            for start, end in _spans(text, found, tag, threshold):
                quote = text[start:end]
                yield ToldValue(attribute=attribute, fact=_fact(quote), quote=quote)


def _spans(text: str, outputs: Sequence[Outputs], tag: int, threshold: float) -> Iterator[tuple[int, int]]:
    """Where ``tag`` counts, as (start, end) in ``text``: whole words, pieces that are near each other as one."""
    told = np.zeros(len(text) + 1, bool)
    for output in outputs:
        for (start, end), p in zip(output.offsets, output.tags[:, tag], strict=True):
            if p >= threshold:
                told[start:end] = True
    places = np.flatnonzero(told)
    if not len(places):
        return
    breaks = np.flatnonzero(np.diff(places) > _GAP)
    for piece in np.split(places, breaks + 1):
        start, end = _whole_words(text, int(piece[0]), int(piece[-1]) + 1)
        if any(c.isalnum() for c in text[start:end]):
            yield start, end


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without white space at its ends, and with all of the words that it touches."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if text[start : start + 1].isascii():  # Chinese has no spaces between words
        while start > 0 and text[start - 1].isalnum() and text[start - 1].isascii():
            start -= 1
    while end < len(text) and text[end].isalnum() and text[end].isascii() and text[end - 1].isascii():
        end += 1
    return start, end


def _shown(text: str, output: Outputs, tag: int) -> str:
    """The words that show the danger most: what is tagged around the likeliest token; without any, the window."""
    if not len(output.offsets):
        return ""
    likely = output.tags[:, tag]
    top = int(np.argmax(likely))
    low = high = top
    while low > 0 and likely[low - 1] >= likely[top] / 2:
        low -= 1
    while high + 1 < len(likely) and likely[high + 1] >= likely[top] / 2:
        high += 1
    start, end = _whole_words(text, output.offsets[low][0], output.offsets[high][1])
    return text[start:end]


def _fact(quote: str) -> str:
    return quote.strip(" \t\n.,;:!-–—\"'")


def _both_ends(message: str) -> str:
    if len(message) <= LONGEST_MESSAGE:
        return message
    half = LONGEST_MESSAGE // 2
    return f"{message[:half]}\n{message[-half:]}"


def _sigmoid(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(1 / (1 + np.exp(-logits)), np.float32)


def _softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    powers = np.exp(logits - logits.max())
    return np.asarray(powers / powers.sum(), np.float32)
