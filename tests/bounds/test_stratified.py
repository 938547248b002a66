import itertools
import math

import numpy as np
import pytest
from scipy.stats import beta, binom
from tests.refusals import refusal

import surefoot as sf


@pytest.mark.parametrize(("trials", "shares"), [((6, 9), (0.4, 0.6)), ((8, 8), (0.9, 0.1)), ((3, 15), (0.5, 0.5))])
def test_coverage_is_exact_over_all_outcomes_and_a_grid_of_truths(trials, shares):
    level = 0.8
    outcomes = list(itertools.product(range(trials[0] + 1), range(trials[1] + 1)))
    found = [sf.bounds.stratified(k, trials, shares, level=level) for k in outcomes]
    upper, lower = (np.array([getattr(e, side)(level) for e in found]) for side in ("upper", "lower"))
    grid = np.concatenate([[0, 1e-3], np.linspace(0.02, 0.98, 9), [1]])
    for truth in itertools.product(grid, grid):
        risk = np.dot(shares, truth)
        mass = np.array([math.prod(binom.pmf(k, trials, truth)) for k in outcomes])
        assert mass[upper >= risk - 1e-12].sum() >= level - 1e-9
        assert mass[lower <= risk + 1e-12].sum() >= level - 1e-9


def test_one_stratum_is_clopper_pearson():
    assert (
        sf.bounds.stratified([3], [70], [1.0], level=0.9).bounds == sf.bounds.clopper_pearson(3, 70, level=0.9).bounds
    )


@pytest.mark.parametrize("failures", [[0] * 10, [1] + [0] * 9, [1, 1, 1] + [0] * 7, [30] * 10])
def test_many_strata_cost_little_more_than_one(failures):
    """By the exact bound of the total count, whose values are published in no table but easily derived."""
    pooled = sf.bounds.clopper_pearson(sum(failures), 1000, level=0.95)
    split = sf.bounds.stratified(failures, [100] * 10, [0.1] * 10, level=0.95)
    assert pooled.upper(0.95) <= split.upper(0.95) < 1.05 * pooled.upper(0.95)
    assert split.lower(0.95) == pytest.approx(pooled.lower(0.95), rel=0.03)


REFERENCE = [  # independent grid search of sup{h(p): P_p(S(X) <= S(x)) >= alpha}, and sharing alpha
    ((0.95, 0.05), (500, 500), (0, 0), 0.00567487, 0.00735061),
    ((0.95, 0.05), (500, 500), (1, 0), 0.00897967, 0.0109054),
    ((0.95, 0.05), (500, 500), (0, 3), 0.00573954, 0.00785476),
    ((0.95, 0.05), (500, 500), (2, 3), 0.0119755, 0.0145271),
    ((0.5, 0.3, 0.2), (500, 300, 200), (0, 0, 0), 0.00299125, 0.0121969),
    ((0.5, 0.3, 0.2), (500, 300, 200), (0, 1, 1), 0.0062688, 0.0160451),
    ((0.5, 0.3, 0.2), (500, 300, 200), (2, 1, 0), 0.00773062, 0.0177575),
    ((0.95, 0.05), (300, 300), (1, 0), 0.0149, 0.0181),
]


def test_two_and_three_strata_are_inverted_exactly():
    for shares, trials, failures, exact, shared in REFERENCE:
        found = sf.bounds.stratified(failures, trials, shares, level=0.95).upper(0.95)
        assert exact * 0.9995 <= found <= exact * (1.004 if len(trials) == 2 else 1.01), (shares, trials, failures)
        assert found < shared, (shares, trials, failures, exact, shared)
        assert sharing(failures, trials, shares, 0.05) == pytest.approx(shared, rel=3e-3), (shares, trials, failures)


def sharing(failures, trials, shares, alpha):
    each = alpha / len(trials)
    limits = [binom_upper(k, n, each) for k, n in zip(failures, trials, strict=True)]
    return float(np.dot(shares, limits))


def binom_upper(k, n, alpha):
    return beta.isf(alpha, k + 1, n - k) if k < n else 1.0


@pytest.mark.parametrize(
    ("failures", "trials", "shares"),
    [
        ((0, 40), (40, 40), (0.5, 0.5)),
        ((3, 17), (300, 20), (0.2, 0.8)),
        ((60, 6), (150, 900), (0.5, 0.5)),
        ((0, 1, 8), (20, 70, 9), (0.6, 0.3, 0.1)),
        ((0, 2, 0, 9), (300, 300, 300, 20), (0.9, 0.04, 0.03, 0.03)),
        ((20, 0, 20, 0), (40, 40, 40, 40), (0.25, 0.25, 0.25, 0.25)),
    ],
)
def test_limits_are_never_wider_than_sharing_alpha(failures, trials, shares):
    for alpha in (0.3, 0.05, 1e-9):
        found = sf.bounds.stratified(failures, trials, shares, level=1 - alpha)
        assert found.upper(1 - alpha) <= sharing(failures, trials, shares, alpha) * (1 + 1e-6), alpha
        if len(trials) <= 3:
            passed = [n - k for k, n in zip(failures, trials, strict=True)]
            assert found.lower(1 - alpha) >= 1 - sharing(passed, trials, shares, alpha) - 1e-9, alpha


@pytest.mark.parametrize(
    ("trials", "shares", "side"),
    [
        ((4, 6, 3, 5), (0.4, 0.3, 0.2, 0.1), "upper"),
        ((4, 6, 3, 5), (0.4, 0.3, 0.2, 0.1), "lower"),
        ((6, 3, 3, 3), (0.97, 0.01, 0.01, 0.01), "upper"),
    ],
)
def test_four_strata_cover_at_their_level(trials, shares, side):
    """Exact over all outcomes, unequal weights."""
    level, none = 0.8, sf.bounds.stratified([0] * 4, trials, shares, level=0.8)
    recorded = next(family.to_dict() for family in none.bounds if family.side == side)
    outcomes = itertools.product(*(range(n + 1) for n in trials))
    families = [sf.BoundFamily.from_dict({**recorded, "failures": k}) for k in outcomes]
    limits = np.array([family.limit_at(level) for family in families]).reshape([n + 1 for n in trials])
    for truth in itertools.product((0, 0.1, 0.5, 0.95), repeat=4):
        mass = math.prod(np.ix_(*(binom.pmf(np.arange(n + 1), n, p) for n, p in zip(trials, truth, strict=True))))
        risk = np.dot(shares, truth)
        held = limits >= risk - 1e-12 if side == "upper" else limits <= risk + 1e-12
        assert mass[held].sum() >= level - 1e-9, truth


def test_a_million_trials_are_no_obstacle():
    few = sf.bounds.stratified([3, 1], [10**6, 10**6], [0.5, 0.5], level=0.95)
    assert few.upper(0.95) == pytest.approx(sf.bounds.clopper_pearson(4, 2 * 10**6, level=0.95).upper(0.95), rel=0.01)
    many = sf.bounds.stratified([3, 0, 1, 200], [10**6] * 4, [0.25] * 4, level=0.95)
    assert many.details["method"] == "count budget"
    assert many.lower(0.95) < 51e-6 < many.upper(0.95) < 58e-6


def test_limits_survive_a_round_trip():
    found = sf.bounds.stratified([1, 0], [30, 40], [0.5, 0.5], level=0.95)
    assert sf.Estimate.from_dict(found.to_dict()) == found
    assert found.upper(0.9) < found.upper(0.95) < found.upper(0.999)


def test_value_weighs_strata_by_operation():
    assert sf.bounds.stratified([1, 0], [10, 90], [0.5, 0.5], level=0.9).value == pytest.approx(0.05)


def test_bad_strata_are_refused():
    for failures, trials, shares in (
        ([0, 0], [5, 5], [0.5, 0.6]),
        ([0, 0], [5, 5], [1.0, 0.0]),
        ([0], [5, 5], [0.5, 0.5]),
        ([0, 6], [5, 5], [0.5, 0.5]),
        ([0, 0], [5, 0], [0.5, 0.5]),
        ([0, 0], [5, 5], [math.nan, 0.5]),
        ([], [], []),
        ([0, -1], [5, 5], [0.5, 0.5]),
    ):
        assert refusal(sf.InvalidInput, sf.bounds.stratified, failures, trials, shares, level=0.9), (failures, trials)


def test_bad_level_is_refused():
    with pytest.raises(sf.InvalidInput):
        sf.bounds.stratified([0, 0], [5, 5], [0.5, 0.5], level=1)


def test_ragged_and_foreign_counts_are_refused():
    for bad in ([0, [1, 2]], [0, "a"], [0, None], 3, "ab", [[0], [1]], [0, 0.5]):
        assert refusal(sf.InvalidInput, sf.bounds.stratified, bad, [5, 5], [0.5, 0.5], level=0.9), bad
        assert refusal(sf.InvalidInput, sf.bounds.stratified, [0, 0], bad, [0.5, 0.5], level=0.9), bad
        assert refusal(sf.InvalidInput, sf.bounds.stratified, [0, 0], [5, 5], bad, level=0.9), bad


def test_few_trials_at_high_levels_show_little_and_raise_nothing():
    for trials, shares, level in (((2, 2, 3, 1), (0.1, 0.2, 0.3, 0.4), 0.99), ((50, 40, 60, 2), (0.25,) * 4, 0.999)):
        found = sf.bounds.stratified([0] * 4, trials, shares, level=level)
        assert 0 < found.upper(level) <= 1, (trials, shares, level)
