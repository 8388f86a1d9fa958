from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from askfirst.agents.planning.effects.effects import BayesianEffects, centred_log_prior, hypotheses

NAMES = tuple("abcdef")
SETS = np.array([[float(i in c) for i in range(6)] for c in itertools.combinations(range(6), 3)])
EVEN = hypotheses(None, NAMES)


def row(*members: int) -> int:
    return list(itertools.combinations(range(6), 3)).index(tuple(sorted(members)))


def rewards(main: dict[int, float], pair: dict[tuple[int, int], float] | None = None) -> list[float]:
    """Of all sets of three, from effects through the saturating link."""
    found = []
    for members in itertools.combinations(range(6), 3):
        latent = sum(main.get(i, 0.0) for i in members)
        latent += sum((pair or {}).get(p, 0.0) for p in itertools.combinations(members, 2))
        found.append(5 - math.exp(-latent))
    return found


def test_before_any_evaluation_equal_sets_are_expected_to_be_equal() -> None:
    belief = BayesianEffects(SETS, EVEN)
    assert np.ptp(belief.mean()) < 1e-9
    assert 2.5 < belief.mean()[0] < 4.5
    assert belief.weights.sum() == pytest.approx(1.0)


def test_what_was_evaluated_is_known_and_the_more_a_set_shares_with_it_the_better() -> None:
    belief = BayesianEffects(SETS, EVEN)
    belief.update([(row(0, 1, 2), 4.2)])
    assert belief.mean()[row(0, 1, 2)] == pytest.approx(4.2, abs=1e-3)
    sd = belief.sd()
    assert sd[row(0, 1, 2)] < 0.05 < sd[row(0, 1, 3)] < sd[row(0, 4, 3)] < sd[row(3, 4, 5)]


def test_main_effects_are_told_apart() -> None:
    truth = rewards({0: 0.6, 1: 0.5, 2: 0.1, 3: 0.0, 4: -0.1, 5: -0.2})
    belief = BayesianEffects(SETS, EVEN)
    seen = [row(0, 3, 4), row(1, 2, 5), row(0, 2, 5), row(1, 3, 4), row(0, 4, 5), row(1, 3, 5), row(2, 3, 4)]
    belief.update([(r, truth[r]) for r in seen])
    mean = belief.mean()
    both, neither = [r for r in range(20) if SETS[r, :2].all()], [r for r in range(20) if not SETS[r, :2].any()]
    assert not set(both) & set(seen)
    assert min(mean[both]) > max(mean[neither])


def test_a_pair_that_helps_is_seen_where_it_was_not_evaluated() -> None:
    truth = rewards(dict.fromkeys(range(6), 0.1), {(0, 1): 0.8})
    belief = BayesianEffects(SETS, EVEN)
    seen = [row(0, 1, 2), row(0, 1, 3), row(0, 2, 3), row(1, 2, 4), row(0, 4, 5), row(2, 3, 4)]
    belief.update([(r, truth[r]) for r in seen])
    mean = belief.mean()
    assert min(mean[row(0, 1, 4)], mean[row(0, 1, 5)]) > max(mean[r] for r in range(20) if not SETS[r, :2].all())


def test_a_prior_counts_until_it_turns_out_to_mislead() -> None:
    prior = dict(zip(NAMES, (0.4, 0.25, 0.15, 0.1, 0.06, 0.04), strict=True))
    belief = BayesianEffects(SETS, hypotheses(prior, NAMES))
    assert int(np.argmax(belief.mean())) == row(0, 1, 2)
    truth = rewards({0: -0.4, 1: -0.2, 2: 0.0, 3: 0.2, 4: 0.4, 5: 0.6})
    belief.update([(r, truth[r]) for r in (row(0, 1, 2), row(0, 1, 3))])
    belief.update([(row(0, 2, 3), truth[row(0, 2, 3)])])
    mean = belief.mean()
    assert mean[row(3, 4, 5)] > mean[row(0, 1, 4)]  # the prior's last three, of which two were never evaluated


def test_an_overconfident_prior_is_narrowed_and_a_missing_weight_is_small() -> None:
    logs = centred_log_prior({"a": 1.0, "b": 1e-9}, NAMES)
    assert logs.sum() == pytest.approx(0.0)
    assert logs.std() == pytest.approx(1.0)
    assert logs[0] > logs[1] == logs[5]
    assert centred_log_prior({"a": 0.6, "b": 0.4}, ("a", "b"))[0] == pytest.approx(math.log(1.5) / 2)
    assert not centred_log_prior(None, NAMES).any()


def test_nothing_can_be_gained_where_everything_is_known() -> None:
    truth = rewards({0: 0.5, 1: 0.4, 2: 0.3, 3: 0.2, 4: 0.1})
    belief = BayesianEffects(SETS, EVEN)
    before = belief.gain(belief.optimistic(1.0))
    belief.update(list(enumerate(truth)))
    assert before > 0.02
    assert belief.gain(belief.optimistic(1.0)) < 1e-3
    assert belief.mean() == pytest.approx(np.array(truth), abs=2e-3)


def test_scores_at_the_top_are_no_infinite_latent() -> None:
    belief = BayesianEffects(SETS, EVEN)
    belief.update([(0, 5.0), (1, 5.0), (5, 1.0)])
    assert np.isfinite(belief.mean()).all()
    assert np.isfinite(belief.optimistic(1.2)).all()


def test_repeated_draws_tell_the_noise_and_narrow_the_belief() -> None:
    rng = np.random.default_rng(0)
    belief = BayesianEffects(SETS, hypotheses(None, NAMES, noisy=True))
    belief.update([(3, 4.0 + rng.normal(0, 0.35))])
    once = belief.sd()[3]
    belief.update([(3, 4.0 + rng.normal(0, 0.35)) for _ in range(30)])
    assert belief.sd()[3] < once / 2
    assert belief.mean()[3] == pytest.approx(4.0, abs=0.2)
    assert sum(w for w, m in zip(belief.weights, belief._models, strict=True) if m.scales.noise in (0.2, 0.35)) > 0.9


def test_the_draw_that_tells_most_about_two_sets_is_not_of_a_third_without_their_difference() -> None:
    belief = BayesianEffects(SETS, hypotheses(None, NAMES, noisy=True))
    told = belief.contrast(row(0, 1, 2), row(0, 1, 3))
    assert told[row(0, 1, 2)] > 10 * told[row(0, 4, 5)]
    assert told[row(2, 4, 5)] > told[row(0, 4, 5)]  # holds what they differ in
