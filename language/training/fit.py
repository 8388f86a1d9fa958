"""Fine-tune the network on labelled texts. The same texts, seed and machine give the same weights."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits as yes_no
from torch.nn.functional import cross_entropy

from ..inputs import Encoded, Spelling, context_text, padded
from ..reading import ACTS, FAULTS, KINDS, LEVELS, Turn
from .dataset import Example
from .network import ATTRIBUTES, HEADS, TAGS, Base, Network

__all__ = ["Fitted", "Recipe", "fit"]


_FEW = 24  # batches from which it is measured what all texts have in common


class Recipe(NamedTuple):
    """How to train.

    Attributes:
        epochs: how often each text is seen.
        tokens: most tokens of a batch, padding included.
        rate: highest learning rate of the encoder; the heads learn ten times as fast.
        seed: of order, dropout and the new weights.
    """

    epochs: int = 3
    tokens: int = 2048
    rate: float = 2e-4
    seed: int = 0


class Fitted(NamedTuple):
    """A trained network and the tokenizer that it was trained with."""

    network: Network
    spelling: Spelling


class _Item(NamedTuple):
    example: Example
    window: Encoded
    tags: NDArray[np.float32]  # [tokens of the window, len(TAGS)]


def fit(examples: Sequence[Example], base: Base, recipe: Recipe, *, tell: Callable[[str], None] = print) -> Fitted:
    """Train on ``examples``. ``tell`` gets a line after each epoch."""
    torch.manual_seed(recipe.seed)
    rng = random.Random(recipe.seed)
    tokenizer, places = base.tokenizer([e.text for e in examples] + [context_text(e.before) for e in examples])
    spelling, network = Spelling(tokenizer), Network(len(places))
    network.start_from(base, places)
    every = [*examples, *_asked_otherwise(examples, rng)]
    items = [item for example in every for item in _items(example, spelling)]
    few = [
        batch for _, batch in zip(range(_FEW), _batches(items, recipe.tokens, random.Random(recipe.seed)), strict=False)
    ]
    network.standardise([_tensors(batch) for batch in few])
    body, heads = list(network.encoder.parameters()), [*network.heads.parameters(), *network.tags.parameters()]
    groups = [{"params": body, "lr": recipe.rate}, {"params": heads, "lr": 10 * recipe.rate}]
    optimizer = torch.optim.AdamW(groups, weight_decay=0.01)
    steps = recipe.epochs * sum(1 for _ in _batches(items, recipe.tokens, random.Random(recipe.seed)))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, step / max(1, 0.06 * steps)) * max(0.02, 1 - step / steps)
    )
    network.train()
    for epoch in range(recipe.epochs):
        total = 0.0
        for batch in _batches(items, recipe.tokens, rng):
            loss = _loss(network, batch)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total += float(loss.detach()) * len(batch)
        tell(f"epoch {epoch + 1} of {recipe.epochs}: loss {total / len(items):.3f}")
    network.eval()
    return Fitted(network, spelling)


def _asked_otherwise(examples: Sequence[Example], rng: random.Random) -> Iterator[Example]:
    """Some replies again, behind a question about another attribute: one that they tell, or one that they do not.

    So the tag ``answer`` learns to follow the question, and reads attributes that have no tag of their own.
    """
    asking: dict[tuple[str, str], list[Turn]] = {}
    for example in examples:
        if example.asked and example.before:
            asking.setdefault((example.asked, example.lang), []).append(example.before[-1])
    for example in examples:
        told = sorted({t.attribute for t in example.values or ()} - {example.asked})
        if example.values is None or not (told or rng.random() < 0.15):
            continue
        other = rng.choice(told or ATTRIBUTES)
        if other == example.asked or (other, example.lang) not in asking:
            continue
        question = rng.choice(asking[other, example.lang])
        unlabelled = {"acts": None, "injection": None, "level": None, "sentence": ""}
        yield example.model_copy(update={"asked": other, "before": (*example.before[:-1], question), **unlabelled})


def _items(example: Example, spelling: Spelling) -> Iterator[_Item]:
    """The windows of ``example``. Of a long text only those that show the danger are labelled with it."""
    windows = spelling.windows(example.text, context_text(example.before))
    for window in windows:
        tags = np.zeros((len(window.offsets), len(TAGS)), np.float32)
        if example.sentence:
            tags[:, 0] = _covered(window, example.text, example.sentence)
        for told in example.values or ():
            covered = _covered(window, example.text, told.quote)
            if told.attribute == example.asked:
                tags[:, 1] = np.maximum(tags[:, 1], covered)
            if told.attribute in ATTRIBUTES:
                at = TAGS.index(told.attribute)
                tags[:, at] = np.maximum(tags[:, at], covered)
        if len(windows) > 1 and example.level not in (None, "none") and not tags[:, 0].any():
            continue
        yield _Item(example, window, tags)


def _covered(window: Encoded, text: str, quote: str) -> NDArray[np.float32]:
    start = text.find(quote)
    end = start + len(quote)
    return np.array([float(a < end and b > start and b > a) for a, b in window.offsets], np.float32)


def _batches(items: Sequence[_Item], most: int, rng: random.Random) -> Iterator[list[_Item]]:
    """All of ``items`` in random order, those of like length together, at most ``most`` tokens with padding."""
    order = rng.sample(range(len(items)), len(items))
    batches: list[list[_Item]] = []
    for start in range(0, len(order), 512):
        some = sorted((items[i] for i in order[start : start + 512]), key=lambda item: len(item.window.ids))
        batch: list[_Item] = []
        for item in some:
            if batch and (len(batch) + 1) * len(item.window.ids) > most:
                batches.append(batch)
                batch = []
            batch.append(item)
        batches.append(batch)
    rng.shuffle(batches)
    yield from batches


def _tensors(batch: Sequence[_Item]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    ids, mask, own = padded([item.window for item in batch])
    return torch.from_numpy(ids), torch.from_numpy(mask), torch.from_numpy(own)


def _loss(network: Network, batch: Sequence[_Item]) -> torch.Tensor:
    heads, tags = network(*_tensors(batch))
    level, kind, acts, injection, faults = heads.split(list(HEADS.values()), dim=1)
    examples = [item.example for item in batch]
    total = heads.new_zeros(())

    def those(labelled: Callable[[Example], bool]) -> list[int]:
        return [row for row, example in enumerate(examples) if labelled(example)]

    if rows := those(lambda e: e.level is not None):
        target = torch.tensor([LEVELS.index(examples[r].level or "none") for r in rows])
        total = total + 1.5 * cross_entropy(level[rows], target, reduction="sum", label_smoothing=0.02)
    if rows := those(lambda e: e.source == "risk"):
        target = torch.tensor([0 if (k := examples[r].kind) is None else 1 + KINDS.index(k) for r in rows])
        total = total + 0.5 * cross_entropy(kind[rows], target, reduction="sum")
    if rows := those(lambda e: e.acts is not None):
        target = torch.tensor([[float(a in (examples[r].acts or ())) for a in ACTS] for r in rows])
        total = total + 0.5 * yes_no(acts[rows], target, reduction="sum")
        injected = torch.tensor([[float(bool(examples[r].injection))] for r in rows])
        total = total + 0.5 * yes_no(injection[rows], injected, reduction="sum")
    if rows := those(lambda e: e.values is not None):
        total = total + 1.5 * _tag_loss(tags, batch, rows, slice(1, None))
    if rows := those(lambda e: e.source == "played"):
        target = torch.tensor([[float(examples[r].fault == f) for f in FAULTS] for r in rows])
        total = total + yes_no(faults[rows], target, reduction="sum")
    if rows := those(lambda e: bool(e.sentence)):
        total = total + 0.5 * _tag_loss(tags, batch, rows, slice(0, 1))
    mean: torch.Tensor = total / len(batch)
    return mean


def _tag_loss(tags: torch.Tensor, batch: Sequence[_Item], rows: Sequence[int], which: slice) -> torch.Tensor:
    """Summed over ``rows``, the mean over each one's own tokens."""
    losses = []
    for row in rows:
        window, target = batch[row].window, torch.from_numpy(batch[row].tags)[:, which]
        own = tags[row, window.start : window.start + len(window.offsets), which]
        losses.append(yes_no(own, target, reduction="none").sum(-1).mean() if len(window.offsets) else own.sum())
    return torch.stack(losses).sum()
