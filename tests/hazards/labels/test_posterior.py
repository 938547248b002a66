"""The posterior from labels by stratum, against distributions that were computed another way."""

import numpy as np
import pytest
from scipy import stats

from surefoot.core import Estimate, InvalidInput
from surefoot.hazards import labels

LEVELS = (0.6, 0.9, 0.95, 0.99, 0.999)


def tally(shares, trials, failures, counted=None, **options):
    names = tuple(f"stratum {i}" for i in range(len(shares)))
    columns = (np.asarray(each, float) for each in (shares, trials, counted or trials, failures))
    return labels.Tally(names, *columns, **options)


def test_one_stratum_is_the_posterior_of_counts():
    found = labels.stratified_posterior(tally([1.0], [400], [3]), level=0.95)
    assert [found.upper(level) for level in LEVELS] == pytest.approx([stats.beta.ppf(q, 3.5, 397.5) for q in LEVELS])


def test_two_strata_are_the_convolution_of_their_posteriors():
    found = labels.stratified_posterior(tally([0.8, 0.2], [500, 60], [2, 7]), level=0.95)
    grid = np.linspace(0, 0.6, 6001)
    day = np.diff(stats.beta.cdf(np.append(grid, 0.6 + grid[1]) / 0.8, 2.5, 498.5))
    night = np.diff(stats.beta.cdf(np.append(grid, 0.6 + grid[1]) / 0.2, 7.5, 53.5))
    reached = np.cumsum(np.convolve(day, night)[: grid.size])
    exact = [grid[np.searchsorted(reached, level)] for level in LEVELS]
    assert [found.upper(level) for level in LEVELS] == pytest.approx(exact, rel=0.015)
    assert found.dist.mean == pytest.approx(0.8 * 2.5 / 501 + 0.2 * 7.5 / 61, rel=0.005)


def test_of_one_class_it_is_that_of_the_ratio():
    found = labels.stratified_posterior(tally([0.7, 0.3], [300, 200], [3, 8], counted=[150, 90]), level=0.95)
    rng = np.random.default_rng(1)
    one = rng.dirichlet((3.5, 147.5, 150.5), 200_000)
    two = rng.dirichlet((8.5, 82.5, 110.5), 200_000)
    failing, passing = (0.7 * one[:, i] + 0.3 * two[:, i] for i in (0, 1))
    assert found.upper(0.95) == pytest.approx(np.quantile(failing / (failing + passing), 0.95), rel=0.01)


def test_counted_shares_make_it_wider():
    known = labels.stratified_posterior(tally([0.9, 0.1], [500, 500], [0, 100]), level=0.95)
    counted = labels.stratified_posterior(tally([0.9, 0.1], [500, 500], [0, 100], seen=200), level=0.95)
    assert counted.upper(0.95) > 1.1 * known.upper(0.95)


def test_the_same_seed_gives_the_same_and_it_survives_a_record():
    found = labels.stratified_posterior(tally([0.8, 0.2], [500, 60], [2, 7]), level=0.95, seed=3)
    assert found == labels.stratified_posterior(tally([0.8, 0.2], [500, 60], [2, 7]), level=0.95, seed=3)
    assert Estimate.from_dict(found.to_dict()) == found
    assert {bound.kind for bound in found.bounds} == {"credible"}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"trials": [500, 0], "failures": [2, 0]}, "no label in stratum 1"),
        ({"trials": [500, 60], "failures": [2, 7], "unknown": np.array([0.0, 2.0])}, "2 rows without one"),
    ],
)
def test_what_has_no_label_is_refused(options, told):
    with pytest.raises(InvalidInput, match=told):
        labels.stratified_posterior(tally([0.8, 0.2], **options), level=0.95)
