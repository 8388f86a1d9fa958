"""From where on an output counts: chosen on authors whose texts the weights have not seen, never by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from ..encoder import Encoder, Outputs
from ..reading import ACTS, FAULTS, LEVELS
from .dataset import Example

__all__ = ["choose"]

_SEEN = 0.985  # of imminent risk on these authors, at least as concern
_ALARMS = 0.025  # of hard negatives on these authors, at most as imminent
_STEPS = np.round(np.arange(0.05, 0.96, 0.01), 2)

Scores = NDArray[np.float64]


def choose(encoder: Encoder, examples: Sequence[Example]) -> tuple[float, dict[str, float]]:
    """The temperature of the levels, and output -> threshold, for the network in ``encoder``."""
    read = [encoder.read(e.text, e.before) for e in examples]
    temperature = _temperature(examples, read)
    chosen = _of_levels(examples, read, temperature)
    for head, names, source in (("acts", ACTS, "replies"), ("faults", FAULTS, "played")):
        rows = [n for n, e in enumerate(examples) if e.source == source]
        for at, name in enumerate(names):
            truth = np.array([_labelled(examples[n], name) for n in rows])
            chosen[name] = _best_f1(truth, np.array([_most(read[n], head, at) for n in rows]))
    replies = [n for n, e in enumerate(examples) if e.source == "replies"]
    injected = np.array([bool(examples[n].injection) for n in replies])
    chosen["injection"] = _best_f1(injected, np.array([_most(read[n], "injection", 0) for n in replies]))
    chosen |= _of_tags(encoder, [examples[n] for n in replies], [read[n] for n in replies])
    return temperature, chosen


def _labelled(example: Example, name: str) -> bool:
    return name in (example.acts or ()) or name == example.fault


def _most(outputs: Sequence[Outputs], head: str, at: int) -> float:
    return max(float(1 / (1 + np.exp(-o.heads[head][at]))) for o in outputs)


def _levels(outputs: Sequence[Outputs], temperature: float) -> NDArray[np.float64]:
    """Probabilities of the levels in the window that shows most danger."""
    each = []
    for output in outputs:
        powers = np.exp((output.heads["level"] - output.heads["level"].max()).astype(float) / temperature)
        each.append(powers / powers.sum())
    return min(each, key=lambda levels: float(levels[0]))


def _temperature(examples: Sequence[Example], read: Sequence[Sequence[Outputs]]) -> float:
    rows = [n for n, e in enumerate(examples) if e.level is not None]
    truth = [LEVELS.index(examples[n].level or "none") for n in rows]

    def loss(log: float) -> float:
        found = [_levels(read[n], float(np.exp(log)))[t] for n, t in zip(rows, truth, strict=True)]
        return -float(np.mean(np.log(np.maximum(found, 1e-12))))

    return float(np.exp(minimize_scalar(loss, bounds=(-1.5, 2.5), method="bounded").x))


def _of_levels(examples: Sequence[Example], read: Sequence[Sequence[Outputs]], temperature: float) -> dict[str, float]:
    """Concern: as high as nearly all imminent risk allows. Imminent: as low as few false alarms allow."""
    rows = [n for n, e in enumerate(examples) if e.source == "risk"]
    found = np.array([_levels(read[n], temperature) for n in rows])
    level = np.array([LEVELS.index(examples[n].level or "none") for n in rows])
    hard = np.array([examples[n].level == "none" and not examples[n].is_ordinary for n in rows])
    danger, imminent = 1 - found[:, 0], found[:, 2]
    concern = float(np.quantile(danger[level == 2], 1 - _SEEN, method="lower"))
    alarm = float(np.quantile(imminent[hard], 1 - _ALARMS, method="higher"))
    return {"concern": round(max(0.02, concern), 4), "imminent": round(min(0.9, max(0.2, alarm)), 4)}


def _of_tags(encoder: Encoder, examples: Sequence[Example], read: Sequence[Sequence[Outputs]]) -> dict[str, float]:
    """Thresholds of the tags of attributes, and of the tag that answers the question."""
    tags = encoder.settings.tags
    attributes = [t for t in tags if t not in ("risk", "answer")]
    truth: list[bool] = []
    scores: list[float] = []
    for example, outputs in zip(examples, read, strict=True):
        told = {t.attribute for t in example.values or ()}
        for attribute in attributes:
            truth.append(attribute in told)
            scores.append(max(float(o.tags[:, tags.index(attribute)].max(initial=0)) for o in outputs))
    answered = [any(t.attribute == e.asked for t in e.values or ()) for e in examples]
    answers = [max(float(o.tags[:, tags.index("answer")].max(initial=0)) for o in outputs) for outputs in read]
    return {
        "value": _best_f1(np.array(truth), np.array(scores)),
        "answer": _best_f1(np.array(answered), np.array(answers)),
    }


def _best_f1(truth: NDArray[np.bool_], scores: Scores) -> float:
    """The threshold with the best F1; of equals the one in the middle."""
    found = []
    for step in _STEPS:
        said = scores >= step
        found.append(2 * float((said & truth).sum()) / max(1.0, float(said.sum() + truth.sum())))
    best = [float(step) for step, f1 in zip(_STEPS, found, strict=True) if f1 >= max(found) - 1e-9]
    return best[len(best) // 2]
