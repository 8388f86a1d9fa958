"""What earlier scenarios of a domain taught, as the prior for the next: empirical Bayes (docs/adr/0004-learning.md).

The effects of a scenario (see ``effects``) are those of its domain plus its own. How large the own part is, is not set:
a few guesses (``_OWN``) are weighted by how well each foresaw every scenario from those before it. The belief without
any lesson stays among the hypotheses, with at least ``_DOUBT`` of the weight, so an odd scenario soon shows as one.

Loads numpy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from ..rewards import Lesson
from .effects import DIRECTIONS, EXACT, Background, Hypothesis, centred_log_prior, features, hypotheses
from .posterior import Array, Posterior, Scales

__all__ = ["DomainEffects"]

_DOUBT = 0.1
_FEW = 16  # lessons
_NEGLIGIBLE = 1e-6  # weight of a hypothesis, and variance of a direction


@dataclass(frozen=True)
class _Own:
    """What is a scenario's own, as a share of how much effects differ at all: directions, main effects, pairs.

    Attributes:
        triple, private: of what pairs do not explain, in latent units (see ``Scales``).
    """

    directions: float
    main: float
    pair: float
    triple: float = 0.03
    private: float = 0.02


# From nothing in common to nearly all, crossed with how much goes beyond pairs: judges give few different scores, which
# no smooth model fits.
_OWN = (
    _Own(1.0, 1.0, 1.0),
    _Own(0.6, 0.5, 1.0),
    _Own(0.6, 0.5, 0.5),
    _Own(0.3, 0.25, 0.25),
    _Own(0.6, 0.5, 1.0, 0.12, 0.05),
    _Own(0.6, 0.5, 0.5, 0.12, 0.05),
    _Own(1.0, 1.0, 1.8),
    _Own(1.0, 1.0, 1.0, 0.12, 0.1),
    _Own(0.6, 0.5, 0.5, 0.12, 0.1),
    _Own(0.6, 0.5, 0.25, 0.05, 0.1),
)


class DomainEffects:
    """Belief about the effects that the scenarios of a domain share, from exact scores. It does not change itself.

    Args:
        attributes: all that any scenario may have.

    Attributes:
        count: lessons learned.
    """

    def __init__(self, attributes: Sequence[str]) -> None:
        self._place = {a: i for i, a in enumerate(attributes)}
        self._shared = [_Shared(own, len(attributes)) for own in _OWN]
        self._untaught = np.log([s.weight for s in EXACT])  # log evidence of those that learn nothing
        self.count = 0

    def after(self, lesson: Lesson) -> Self:
        """The belief after one more scenario. What is said of unknown attributes is left out."""
        known = [a for a in lesson.prior if a in self._place]
        rows = [(s, score) for s, score in lesson.scores if set(s) <= set(known)]
        if not rows:
            return self
        seen = _Seen(
            members=np.array([[float(a in s) for a in known] for s, _ in rows]),
            scores=np.array([score for _, score in rows]),
            effects=self._effects(known),
            trust=centred_log_prior(lesson.prior, known),
        )
        background = Background.from_prior(lesson.prior, known)
        taught = copy(self)
        taught.count += 1
        taught._shared = [shared.after(seen) for shared in self._shared]
        taught._untaught = self._untaught + [seen.belief(background, scales).evidence for scales in EXACT]
        return taught

    @property
    def shared(self) -> float:
        """Share of the variance of main and pair effects that scenarios of the domain are believed to share, 0 to 1.

        0 until some scenarios have shown it.
        """
        if self.count < _FEW:
            return 0.0
        return float(sum(w * shared.share for shared, w in zip(self._shared, self._weights()[0], strict=True)))

    def hypotheses(self, prior: Mapping[str, float] | None, attributes: Sequence[str]) -> list[Hypothesis]:
        """What to believe of a scenario with these ``attributes``, all known here, before its first evaluation."""
        untaught = hypotheses(prior, attributes)
        if not self.count:
            return untaught
        taught, rest = self._weights()
        usual = np.array([h.scales.weight for h in untaught])
        rest = np.maximum(rest, _DOUBT * usual / usual.sum())
        effects, trust = self._effects(attributes), centred_log_prior(prior, attributes)
        return [
            *(
                Hypothesis(replace(shared.scales, weight=float(w)), shared.background(effects, trust))
                for shared, w in zip(self._shared, taught, strict=True)
                if w > _NEGLIGIBLE
            ),
            *(
                Hypothesis(replace(h.scales, weight=float(w)), h.background)
                for h, w in zip(untaught, rest, strict=True)
            ),
        ]

    def _weights(self) -> tuple[Array, Array]:
        """Of the hypotheses that were taught, and of those that learn nothing, by how well each foresaw scenarios."""
        log = np.array([*(shared.evidence for shared in self._shared), *self._untaught])
        weights = np.exp(log - log.max())
        weights /= weights.sum()
        return weights[: len(self._shared)], weights[len(self._shared) :]

    def _effects(self, attributes: Sequence[str]) -> Array:
        """[effects of ``attributes``, effects of the domain and trust]: 1 where the one is the other."""
        n, at = len(self._place), [self._place[a] for a in attributes]
        pair = np.zeros((n, n), dtype=int)
        i, j = np.triu_indices(n, 1)
        pair[i, j] = pair[j, i] = 1 + n + np.arange(len(i))
        first, second = np.triu_indices(len(at), 1)
        columns = [0, *(1 + a for a in at), *(int(pair[at[a], at[b]]) for a, b in zip(first, second, strict=True))]
        out = np.zeros((len(columns), 2 + n + len(i)))
        out[np.arange(len(columns)), columns] = 1.0
        return out


@dataclass(frozen=True)
class _Seen:
    """A lesson in numbers.

    Attributes:
        members: [sets, n].
        scores: [sets].
        effects: [effects of the scenario, unknowns of the domain], see ``DomainEffects._effects``.
        trust: [n] centred log prior.
    """

    members: Array
    scores: Array
    effects: Array
    trust: Array

    @cached_property
    def phi(self) -> Array:
        """Features of the sets."""
        return features(self.members)

    def belief(self, background: Background, scales: Scales) -> Posterior:
        """What one hypothesis makes of the scores."""
        belief = background.belief(scales, self.members, self.phi)
        belief.condition(range(len(self.scores)), self.scores, np.ones(len(self.scores)), 0.0)
        return belief


class _Shared:
    """Gaussian belief about the effects of a domain and the trust in its priors, under one guess of what is own.

    Unknowns are ordered: the level, the main effects, the pairs, the trust.
    """

    def __init__(self, own: _Own, n: int) -> None:
        usual, pairs = EXACT[0], n * (n - 1) // 2
        self.scales = replace(
            usual,
            main=own.main * usual.main,
            pair=own.pair * usual.pair,
            triple=own.triple,
            private=own.private,
        )
        own_variance = (self.scales.main**2 + self.scales.pair**2) / (usual.main**2 + usual.pair**2)
        self.share = max(0.0, 1.0 - own_variance)
        self.evidence = 0.0
        self._own = own.directions * DIRECTIONS.sd
        loads = np.zeros((3, 2 + n + pairs))
        loads[0, 0], loads[1, 1 : n + 1], loads[2, -1] = 1.0, 1.0, 1.0
        root = DIRECTIONS.sd[:, None] * loads
        independent = [0.0, *[usual.main**2] * n, *[usual.pair**2] * pairs, 0.0]
        self._mean = DIRECTIONS.mean @ loads
        self._covariance = np.diag(independent) + root.T @ root

    def after(self, seen: _Seen) -> _Shared:
        """Conditioned on the scores of one scenario; ``evidence`` grows by how well they were foreseen."""
        belief = seen.belief(self.background(seen.effects, seen.trust), self.scales)
        loads = seen.phi @ _with_trust(seen.effects, seen.trust)
        latent, covariance = belief.observations()
        across = loads @ self._covariance
        gain = np.linalg.solve(covariance, across).T
        after = copy(self)
        after.evidence += belief.evidence
        after._mean = self._mean + gain @ (latent - loads @ self._mean)
        after._covariance = self._covariance - gain @ across
        return after

    def background(self, effects: Array, trust: Array) -> Background:
        """Of a scenario: what is believed of its domain, and its own share of the common directions."""
        loads = _with_trust(effects, trust)
        values, vectors = np.linalg.eigh(loads @ self._covariance @ loads.T)
        keep = values > _NEGLIGIBLE
        own = np.zeros((3, len(effects)))
        own[0, 0], own[1, 1 : len(trust) + 1], own[2] = 1.0, 1.0, loads[:, -1]
        root = np.vstack([np.sqrt(values[keep])[:, None] * vectors[:, keep].T, self._own[:, None] * own])
        return Background(loads @ self._mean, root)


def _with_trust(effects: Array, trust: Array) -> Array:
    """``effects`` where the last unknown of the domain, the trust, moves the main effects by the log prior."""
    loads = effects.copy()
    loads[1 : len(trust) + 1, -1] = trust
    return loads
