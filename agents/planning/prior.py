"""Priors of the search: which attribute is worth asking next, before any reward is known (C.1, C.2)."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, create_model

from ...domains import DomainPack, Scenario
from ...models import ChatModel, ModelError, Prompt, Sampling, fence, new_nonce
from ..context import Prior
from ..errors import SpendingLimitReached
from ..prompt_context import attribute_list, labels

__all__ = ["RANKING_SAMPLING", "FallbackPrior", "LlmPrior", "PackPrior", "with_floor"]


def with_floor(prior: Mapping[str, float], remaining: Sequence[str], floor: float) -> dict[str, float]:
    """Probabilities of ``remaining`` from ``prior``, of which the share ``floor`` is spread evenly.

    So a search reaches every attribute, however wrong the prior is. Attributes that the prior leaves out get their even
    share only. Raises ``ValueError`` for a weight that is negative or no number.
    """
    weights = [float(prior.get(a, 0.0)) for a in remaining]
    for attribute, weight in zip(remaining, weights, strict=True):
        if not 0 <= weight < math.inf:
            raise ValueError(f"the prior gives {attribute!r} the weight {weight!r}; a weight is a number from 0")
    total = sum(weights)
    even = 1 / len(remaining)
    if not total:
        return dict.fromkeys(remaining, even)
    return {a: (1 - floor) * w / total + floor * even for a, w in zip(remaining, weights, strict=True)}


class PackPrior:
    """The pack's sensitivities as probabilities, the same for every query: P(a) proportional to exp(sensitivity / T).

    Sensitivities are scores (1-5), so what counts is their difference: a softmax turns a fixed difference into fixed
    odds, whatever the level, and none becomes 0. With T = 0.35 the attribute that helps most in the paper's section 4
    (3.97 alone) has about six times the probability of the one that helps least (3.33).
    """

    def __init__(self, pack: DomainPack, *, temperature: float = 0.35) -> None:
        if not temperature > 0:
            raise ValueError(f"the temperature must be above 0, not {temperature}")
        self._weights = {a.id: math.exp((a.sensitivity - 5) / temperature) for a in pack.attributes}

    async def __call__(
        self, scenario: Scenario, known: frozenset[str], remaining: Sequence[str]
    ) -> Mapping[str, float]:
        return _normalised({a: self._weights[a] for a in remaining})


class LlmPrior:
    """A model ranks the remaining attributes for a query and what is known (C.2); ranks become probabilities.

    The attribute at rank r (from 1) weighs 1 / r: the first of ten gets a third. Those that the model leaves out share
    the last place. The model sees the query and the *names* of what is known, no value of the profile.

    Args:
        model: ranks.
        pack: describes the attributes.
        rng: makes the prompts' nonces; None: the system's secure source.
    """

    def __init__(self, model: ChatModel, pack: DomainPack, *, rng: random.Random | None = None) -> None:
        self._model, self._pack, self._rng = model, pack, rng
        self._prompt = Prompt.load(package="askfirst.agents", name="prior")
        # A search asks about the same sets for every scenario, and a schema takes milliseconds to build.
        self._schema = lru_cache(maxsize=1024)(partial(_schema, pack))

    async def __call__(
        self, scenario: Scenario, known: frozenset[str], remaining: Sequence[str]
    ) -> Mapping[str, float]:
        """See ``Prior``. Raises ``ModelError`` where the model gives no usable ranking (see ``FallbackPrior``)."""
        if len(remaining) < 2:
            return dict.fromkeys(remaining, 1.0)  # nothing to rank
        messages = self._prompt.messages(
            query=fence(scenario.query, "query", new_nonce(self._rng)),
            known=labels(self._pack, sorted(known)),
            remaining=attribute_list(self._pack, remaining),
        )
        reply = await self._model.structured(self._schema(tuple(remaining)), messages, sampling=RANKING_SAMPLING)
        rank = {a: r for r, a in enumerate(reply.ranking, start=1)}
        return _normalised({a: 1 / rank.get(a, len(remaining)) for a in remaining})


RANKING_SAMPLING = Sampling(temperature=0.0, top_p=None, max_tokens=256)
"""How ``LlmPrior`` draws a ranking: as near to deterministic as endpoints allow."""


class FallbackPrior:
    """``prior``, and ``fallback`` where a model fails to rank or no call may be spent on it any more.

    Attributes:
        fallbacks: how often the fallback ranked.
    """

    def __init__(self, prior: Prior, fallback: Prior) -> None:
        self._prior, self._fallback = prior, fallback
        self.fallbacks = 0

    async def __call__(
        self, scenario: Scenario, known: frozenset[str], remaining: Sequence[str]
    ) -> Mapping[str, float]:
        try:
            return await self._prior(scenario, known, remaining)
        except (ModelError, SpendingLimitReached):
            self.fallbacks += 1
            return await self._fallback(scenario, known, remaining)


class _Ranking(BaseModel):
    ranking: list[str]


def _schema(pack: DomainPack, remaining: Sequence[str]) -> type[_Ranking]:
    def ids(value: Any) -> Any:
        # Labels become ids; repeats and what is not asked for go. What stays must be something.
        if not isinstance(value, list):
            return value
        named = (pack.attribute_named(v) for v in value if isinstance(v, str))
        return list(dict.fromkeys(a for a in named if a in remaining))

    # One for each set, so that a server which enforces schemas can only name what is to be ranked.
    options = tuple(remaining)
    choice = Literal[options]  # type: ignore[valid-type]
    choices: Any = list[choice]
    field = Field(min_length=1, max_length=len(remaining), description="Attribute ids, the most useful to ask first.")
    return create_model("Ranking", __base__=_Ranking, ranking=(Annotated[choices, BeforeValidator(ids)], field))


def _normalised(weights: Mapping[str, float]) -> dict[str, float]:
    total = sum(weights.values())
    return {a: w / total for a, w in weights.items()}
