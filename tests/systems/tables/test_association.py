import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from surefoot.systems.tables.correlations import kendall_influence, spearman_influence, standard_error

THEIRS = {kendall_influence: stats.kendalltau, spearman_influence: stats.spearmanr}
few_values = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=40)


@pytest.mark.parametrize("ours", THEIRS, ids=["kendall", "spearman"])
@settings(max_examples=25, deadline=None)
@given(rows=few_values)
def test_values_are_those_of_scipy_with_any_ties(ours, rows):
    x, y = np.array(rows, dtype=float).T
    if np.ptp(x) and np.ptp(y):
        value, influence = ours(x, y)
        assert value == pytest.approx(THEIRS[ours](x, y).statistic, abs=1e-12)
        assert influence.mean() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("ours", THEIRS, ids=["kendall", "spearman"])
@pytest.mark.parametrize("decimals", [0, 8], ids=["ties", "no ties"])
def test_influence_is_what_leaving_an_item_out_changes(ours, decimals):
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    x, y = np.round(x, decimals), np.round(x + rng.normal(size=300), decimals)
    value, influence = ours(x, y)
    without = np.array([THEIRS[ours](np.delete(x, i), np.delete(y, i)).statistic for i in range(300)])
    jackknife = 299 * (value - without)
    assert np.corrcoef(influence, jackknife)[0, 1] > 0.9999
    jackknifed = np.sqrt(299 / 300 * np.sum((without - without.mean()) ** 2))
    assert standard_error(influence, None) == pytest.approx(jackknifed, rel=0.02)


@pytest.mark.parametrize("ours", THEIRS, ids=["kendall", "spearman"])
def test_standard_error_over_units_is_that_of_resampled_units(ours):
    rng = np.random.default_rng(1)
    units = np.repeat(np.arange(60), 6)
    x = rng.normal(size=60)[units] + rng.normal(size=360)
    y = 0.5 * x + rng.normal(size=60)[units] + rng.normal(size=360)
    error = standard_error(ours(x, y)[1], units)
    drawn = []
    for _ in range(300):
        rows = (6 * rng.integers(60, size=60)[:, None] + np.arange(6)).ravel()
        drawn.append(THEIRS[ours](x[rows], y[rows]).statistic)
    assert error == pytest.approx(np.std(drawn), rel=0.12)
    assert error > 1.2 * standard_error(ours(x, y)[1], None)


def test_infinite_values_are_ranked():
    x = np.array([-np.inf, 0.0, 1.0, np.inf, np.inf])
    assert kendall_influence(x, np.arange(5.0))[0] == pytest.approx(
        stats.kendalltau([0, 1, 2, 3, 3], range(5)).statistic
    )


@pytest.mark.parametrize("ours", THEIRS, ids=["kendall", "spearman"])
def test_a_hundred_thousand_items_are_handled(ours):
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 100_000))
    value, influence = ours(x, x + y)
    assert value == pytest.approx(THEIRS[ours](x, x + y).statistic, abs=1e-12)
    assert 0 < standard_error(influence, None) < 0.01
