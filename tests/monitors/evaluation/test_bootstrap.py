"""Resampled means against scipy's bootstrap, and the three ways of drawing against each other."""

import numpy as np
import pytest
from scipy import stats

from surefoot.monitors.evaluation import bootstrap
from surefoot.monitors.evaluation.bootstrap import Resampled

DRAWS = 20_000


def resampled(values, sizes=None, *, draws=DRAWS, seed=1):
    sizes = np.ones(len(values)) if sizes is None else sizes
    return Resampled((values * sizes)[:, None], sizes, draws, seed)


def limits(found, level=0.95):
    return [found.limits(0, side).limit_at(level) for side in ("lower", "upper")]


def test_limits_agree_with_scipys_bias_corrected_accelerated_ones():
    values = np.random.default_rng(0).exponential(size=60)
    peer = stats.bootstrap((values,), np.mean, n_resamples=DRAWS, confidence_level=0.9, method="BCa", rng=2)
    width = peer.confidence_interval.high - peer.confidence_interval.low
    assert limits(resampled(values)) == pytest.approx(list(peer.confidence_interval), abs=0.04 * width)


def test_counts_of_values_and_rows_give_the_same_limits():
    values = np.random.default_rng(0).integers(0, 4, 500) / 3.0
    distinct = values + np.linspace(0, 1e-7, 500) * np.arange(500)
    assert bootstrap._kinds(np.column_stack([distinct, np.ones(500)]))[0] is not None
    many = values + 1e-9 * np.random.default_rng(1).random(500)
    assert limits(resampled(values)) == pytest.approx(limits(resampled(many)), abs=0.004)


def test_pooled_units_keep_the_spread_of_the_mean(monkeypatch):
    values = np.random.default_rng(3).gamma(0.5, size=8000)
    plain = resampled(values, draws=4000)
    monkeypatch.setattr(bootstrap, "MOST_UNITS", 500)
    pooled = resampled(values, draws=4000)
    assert pooled.means.std() == pytest.approx(plain.means.std(), rel=0.1)
    assert pooled.means.std() == pytest.approx(values.std() / np.sqrt(values.size), rel=0.1)


def test_units_of_unequal_size_spread_as_a_ratio_does():
    rng = np.random.default_rng(5)
    sizes = rng.integers(1, 30, 400).astype(float)
    values = rng.random(400) * (sizes > 15)
    found = resampled(values, sizes, draws=4000)
    influence = values * sizes - found.value[0] * sizes
    assert found.means.std() == pytest.approx(np.sqrt((influence**2).sum()) / sizes.sum(), rel=0.06)


def test_limits_widen_with_the_level():
    upper = resampled(np.random.default_rng(0).random(50), draws=400).limits(0, "upper")
    assert list(upper.limits) == sorted(upper.limits)


def test_the_same_seed_draws_the_same_means():
    values = np.random.default_rng(0).random(50)
    assert np.array_equal(resampled(values, draws=300).means, resampled(values, draws=300).means)
