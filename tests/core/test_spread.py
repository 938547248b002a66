"""Uniform, Gamma and Histogram against scipy.stats."""

import numpy as np
import pytest
from scipy import stats

from surefoot.core import Distribution, Gamma, Histogram, InvalidInput, Uniform

LEVELS = np.array([0.0, 1e-6, 0.1, 0.25, 0.5, 0.9, 1 - 1e-9, 1.0])
WEIGHTS, EDGES = (1.0, 0.0, 3.0), (-1.0, 0.5, 1.0, 4.0)
CASES = [
    (Uniform(-1.0, 3.0), stats.uniform(-1.0, 4.0)),
    (Gamma(0.4, 3.0), stats.gamma(0.4, scale=3.0)),
    (Gamma(30.0, 1e-4), stats.gamma(30.0, scale=1e-4)),
    (Histogram(EDGES, WEIGHTS), stats.rv_histogram((np.array(WEIGHTS), np.array(EDGES)), density=False)),
]
IDS = [str(dist) for dist, _ in CASES]


@pytest.mark.parametrize(("dist", "truth"), CASES, ids=IDS)
def test_moments_quantiles_and_levels_are_those_of_scipy(dist, truth):
    assert dist.mean == pytest.approx(truth.mean(), rel=1e-12)
    assert dist.variance == pytest.approx(truth.var(), rel=1e-10)
    inner = LEVELS[LEVELS != 0.25]  # where the empty bin begins, every value inside it is a quantile
    assert dist.ppf(inner) == pytest.approx(truth.ppf(inner), rel=1e-9)
    values = np.linspace(truth.ppf(0.001) - 1, truth.ppf(0.999) + 1, 50)
    assert dist.cdf(values) == pytest.approx(truth.cdf(values), abs=1e-12)


@pytest.mark.parametrize(("dist", "truth"), CASES, ids=IDS)
def test_samples_follow_the_distribution(dist, truth):
    drawn = dist.sample(np.random.default_rng(3), 20_000)
    assert stats.kstest(drawn, truth.cdf).pvalue > 1e-3


@pytest.mark.parametrize(("dist", "truth"), CASES, ids=IDS)
def test_plain_data_bring_back_the_distribution(dist, truth):
    assert Distribution.from_dict(dist.to_dict()) == dist


def test_the_quantile_before_an_empty_bin_is_its_lower_edge():
    assert Histogram(EDGES, WEIGHTS).ppf(0.25) == 0.5


def test_what_cannot_be_is_refused(subtests):
    for make in (
        lambda: Uniform(1.0, 1.0),
        lambda: Uniform(float("nan"), 1.0),
        lambda: Gamma(0.0, 1.0),
        lambda: Gamma(1.0, -1.0),
        lambda: Histogram((0.0, 1.0), (1.0, 2.0)),
        lambda: Histogram((0.0, 0.0, 1.0), (1.0, 2.0)),
        lambda: Histogram((0.0, 1.0), (0.0,)),
        lambda: Histogram((0.0, 1.0, 2.0), (2.0, -1.0)),
    ):
        with subtests.test(line=make.__code__.co_firstlineno), pytest.raises(InvalidInput):
            make()
