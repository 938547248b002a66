import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom

import surefoot as sf


@pytest.mark.parametrize(("trials", "shares"), [((6, 9), (0.4, 0.6)), ((8, 8), (0.9, 0.1)), ((3, 15), (0.5, 0.5))])
def test_coverage_is_exact_over_all_outcomes_and_a_grid_of_truths(trials, shares):
    level = 0.8
    outcomes = list(itertools.product(range(trials[0] + 1), range(trials[1] + 1)))
    found = [sf.bounds.stratified(k, trials, shares, level=level) for k in outcomes]
    upper, lower = (np.array([getattr(e, side)(level) for e in found]) for side in ("upper", "lower"))
    grid = np.concatenate([[0, 1e-3], np.linspace(0.02, 0.98, 13), [1]])
    for truth in itertools.product(grid, grid):
        risk = np.dot(shares, truth)
        mass = np.array([math.prod(binom.pmf(k, trials, truth)) for k in outcomes])
        assert mass[upper >= risk - 1e-12].sum() >= level - 1e-9
        assert mass[lower <= risk + 1e-12].sum() >= level - 1e-9


def test_one_stratum_is_clopper_pearson():
    assert (
        sf.bounds.stratified([3], [70], [1.0], level=0.9).bounds == sf.bounds.clopper_pearson(3, 70, level=0.9).bounds
    )


def test_many_strata_cost_little_more_than_one():
    pooled = sf.bounds.clopper_pearson(0, 1000, level=0.95).upper(0.95)
    split = sf.bounds.stratified([0] * 10, [100] * 10, [0.1] * 10, level=0.95).upper(0.95)
    shared = sf.bounds.clopper_pearson(0, 100, level=0.995).upper(0.995)
    assert pooled < split < 1.3 * pooled < shared / 10


def test_value_weighs_strata_by_operation():
    assert sf.bounds.stratified([1, 0], [10, 90], [0.5, 0.5], level=0.9).value == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("failures", "trials", "shares"),
    [
        ([0, 0], [5, 5], [0.5, 0.6]),
        ([0, 0], [5, 5], [1.0, 0.0]),
        ([0], [5, 5], [0.5, 0.5]),
        ([0, 6], [5, 5], [0.5, 0.5]),
        ([0, 0], [5, 0], [0.5, 0.5]),
        ([0, 0], [5, 5], [math.nan, 0.5]),
        ([], [], []),
        ([0, -1], [5, 5], [0.5, 0.5]),
    ],
)
def test_bad_strata_are_refused(failures, trials, shares):
    with pytest.raises(sf.InvalidInput):
        sf.bounds.stratified(failures, trials, shares, level=0.9)


def test_bad_level_is_refused():
    with pytest.raises(sf.InvalidInput):
        sf.bounds.stratified([0, 0], [5, 5], [0.5, 0.5], level=1)


@pytest.mark.parametrize("bad", [[0, [1, 2]], [0, "a"], [0, None], 3, "ab", [[0], [1]], [0, 0.5]])
def test_ragged_and_foreign_counts_are_refused(bad):
    with pytest.raises(sf.InvalidInput):
        sf.bounds.stratified(bad, [5, 5], [0.5, 0.5], level=0.9)
    with pytest.raises(sf.InvalidInput):
        sf.bounds.stratified([0, 0], bad, [0.5, 0.5], level=0.9)
    with pytest.raises(sf.InvalidInput):
        sf.bounds.stratified([0, 0], [5, 5], bad, level=0.9)
