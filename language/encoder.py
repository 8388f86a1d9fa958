"""The trained network as it ships: ONNX with weights of 8 bits, run by onnxruntime on the CPU."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ..domains import InputError, Value
from .inputs import Encoded, Spelling, context_text, padded
from .reading import Turn

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

__all__ = ["WEIGHTS", "Encoder", "Outputs", "Settings", "load_encoder"]

WEIGHTS = Path(__file__).with_name("weights")
"""Folder into which training writes the weights: ``reader.onnx``, ``tokenizer.json``, ``reader.json``."""

_FILES = ("reader.onnx", "tokenizer.json", "reader.json")
_BATCH = 16  # windows at once; more take no less time on a few cores


class Settings(Value):
    """What training found besides the weights: the names of the outputs, and from where on they count."""

    heads: dict[str, tuple[str, ...]] = Field(description="Head -> names of its outputs, in order.")
    tags: tuple[str, ...] = Field(description="Names of the outputs of each token.")
    temperature: float = Field(
        gt=0, description="Divides the logits of the level, so that probabilities are calibrated."
    )
    thresholds: dict[str, float] = Field(description="Output -> probability from which on it counts.")
    measured: dict[str, str] = Field(default_factory=dict, description="Figures on the authors kept out.")
    texts: str = Field(default="", description="Digest of the texts that it was trained from.")


class Outputs(NamedTuple):
    """What the network says of one window.

    Attributes:
        heads: head -> logits of its outputs.
        tags: [tokens, tags], probabilities.
        offsets: (start, end) in the message of each token.
    """

    heads: Mapping[str, NDArray[np.float32]]
    tags: NDArray[np.float32]
    offsets: Sequence[tuple[int, int]]


class Encoder:
    """The network and its tokenizer. Safe to use from several threads."""

    def __init__(self, session: InferenceSession, spelling: Spelling, settings: Settings) -> None:
        self._session, self._spelling, self.settings = session, spelling, settings

    def read(self, message: str, before: Sequence[Turn] = ()) -> list[Outputs]:
        """``message`` in windows, in order; at least one."""
        windows = self._spelling.windows(message, context_text(before))
        return [o for at in range(0, len(windows), _BATCH) for o in self._run(windows[at : at + _BATCH])]

    def _run(self, windows: Sequence[Encoded]) -> list[Outputs]:
        ids, mask, own = padded(windows)
        heads, tags = self._session.run(None, {"ids": ids, "mask": mask, "message": own})
        found = []
        for row, window in enumerate(windows):
            named, at = {}, 0
            for head, names in self.settings.heads.items():
                named[head] = heads[row, at : at + len(names)]
                at += len(names)
            logits = tags[row, window.start : window.start + len(window.offsets)]
            found.append(Outputs(named, 1 / (1 + np.exp(-logits)), window.offsets))
        return found


@cache
def load_encoder(folder: Path = WEIGHTS) -> Encoder:
    """The encoder in ``folder``; loaded once in a process (about 0.3 s).

    Raises:
        InputError: there are no weights.
    """
    import onnxruntime

    if missing := [name for name in _FILES if not (folder / name).is_file()]:
        raise InputError(f"{folder}: {missing[0]} is missing; train the reader with: make reader")

    options = onnxruntime.SessionOptions()
    # One message at a time: more threads than cores that are free make it slower, and others share the machine.
    options.intra_op_num_threads = 2
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(folder / "reader.onnx"), options, providers=["CPUExecutionProvider"])
    settings = Settings.model_validate(json.loads((folder / "reader.json").read_text(encoding="utf-8")))
    return Encoder(session, Spelling.load(folder / "tokenizer.json"), settings)
