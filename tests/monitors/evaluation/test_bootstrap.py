"""Resampled limits against scipy's bootstrap, and the three ways of drawing against each other."""

import numpy as np
import pytest
from scipy import stats

from surefoot.monitors import Stakes, evaluate


def residual(values, *, draws=20_000, **basis):
    """The residual hazard of rows with these hazards, by resampling."""
    ones = np.ones(len(values))
    returns = Stakes(1 - values, ones, ones, ones, ones, **basis).under(np.zeros(len(values)))
    return evaluate(returns, method="bootstrap", draws=draws, seed=1).residual_hazard


def spread(estimate):
    low, high = estimate.interval(0.9)
    return (high - low) / (2 * stats.norm.ppf(0.95))


def test_limits_agree_with_scipys_bias_corrected_accelerated_ones():
    values = np.random.default_rng(0).exponential(size=60) / 8
    peer = stats.bootstrap((values,), np.mean, n_resamples=20_000, confidence_level=0.9, method="BCa", rng=2)
    width = peer.confidence_interval.high - peer.confidence_interval.low
    assert residual(values).interval(0.9) == pytest.approx(list(peer.confidence_interval), abs=0.04 * width)


def test_counts_of_values_and_rows_give_the_same_limits():
    values = np.random.default_rng(0).integers(0, 4, 600) / 3.0
    many = np.abs(values - 1e-9 * np.random.default_rng(1).random(600))
    assert residual(values).interval(0.9) == pytest.approx(residual(many).interval(0.9), abs=0.004)


def test_pooled_units_keep_the_spread_of_the_mean():
    values = np.random.default_rng(3).beta(0.5, 5, 25_000)
    assert spread(residual(values, draws=2000)) == pytest.approx(values.std() / np.sqrt(values.size), rel=0.1)


def test_units_of_unequal_size_spread_as_a_ratio_does():
    rng = np.random.default_rng(5)
    sizes = rng.integers(1, 30, 400)
    means = rng.random(400) * (sizes > 15)
    found = residual(np.repeat(means, sizes), draws=4000, units=np.repeat(np.arange(400), sizes))
    influence = (means - found.value) * sizes
    assert spread(found) == pytest.approx(np.sqrt((influence**2).sum()) / sizes.sum(), rel=0.06)


def test_limits_widen_with_the_level():
    found = residual(np.random.default_rng(0).random(50), draws=400)
    limits = [found.upper(level) for level in (0.5, 0.7, 0.9, 0.95)]
    assert limits == sorted(limits)


def test_the_same_seed_draws_the_same_limits():
    values = np.random.default_rng(0).random(50)
    assert residual(values, draws=300).digest == residual(values, draws=300).digest


def test_blocks_that_touch_spread_as_half_as_many_do():
    values, units = np.random.default_rng(2).random(4000), np.arange(4000) // 10
    alone, touching = (residual(values, draws=4000, units=units, touching=way) for way in (False, True))
    assert spread(touching) == pytest.approx(np.sqrt(2) * spread(alone), rel=0.05)
    assert touching.value == alone.value
    assert "distant-rows-independent" in {a.id for a in touching.assumptions}
