import re
import tracemalloc

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special
from tests.refusals import refusal

from surefoot.bounds import critical_ratio, normal_score_minimum, normal_score_violation
from surefoot.bounds.score_function import Constants, chi2_lower, curve, minimise, score_bound, score_bound_gradient
from surefoot.core import InvalidInput

# N, Phi(-mean/sd) as printed in Tables 1 and 2 of NRB, minimum of g_N recomputed from them.
ERRATA = [
    (75, 5.95e-2, 0.168568),
    (100, 5.40e-2, 0.144706),
    (125, 5.28e-2, 0.132767),
    (75, 1.61e-2, 0.082614),
    (100, 4.21e-2, 0.124758),
    (125, 3.70e-2, 0.106426),
    (110, 7.79e-2, 0.175825),
    (300, 1.90e-2, 0.049887),
    (190, 3.52e-5, 0.001468),
]
PRINTED = [0.1725, 0.1459, 0.1334, 0.0840, 0.1247, 0.1064, 0.176, 0.0506, 1.53e-3]


def brute_force(ratio, n, points=100):
    """Smallest g on grids over (log t, log y), each zoomed into around the best point of the one before."""
    df, root = n - 1, np.sqrt(n)
    top = np.log(ratio * root)
    t_range, y_range = (min(np.log(1e-3), top - 5), top), (np.log(1e-6), np.log(60.0))
    best = np.inf
    for _ in range(18):
        log_t, log_y = np.linspace(*t_range, points), np.linspace(*y_range, points)
        t, v = np.exp(log_t)[:, None], np.exp(-np.exp(log_y))[None, :]
        tails = special.stdtr(df, -t) + chi2_lower(df, df * v)
        g = special.ndtr((t / root - ratio) * np.sqrt(v)) + tails
        i, j = np.unravel_index(g.argmin(), g.shape)
        best = min(best, g[i, j])
        reach_t, reach_y = (4 * (a[1] - a[0]) / points for a in (t_range, y_range))
        t_range = (log_t[i] - reach_t, min(log_t[i] + reach_t, top))
        y_range = (log_y[j] - reach_y, log_y[j] + reach_y)
    return best


def by_mpmath(ratio, n, t, c):
    df, ratio, t, c = n - 1, mp.mpf(ratio), mp.mpf(t), mp.mpf(c)
    half = mp.mpf(df) / 2
    gamma = mp.betainc(half, mp.mpf("0.5"), 0, df / (df + t * t), regularized=True) / 2
    eta = mp.gammainc(half, 0, c / 2, regularized=True)
    return mp.ncdf((t / mp.sqrt(n) - ratio) * mp.sqrt(c / df)) + gamma + eta


def test_nrb_matches_errata_table():
    for n, risk, minimum in ERRATA:
        assert normal_score_minimum(-special.ndtri(risk), n) == pytest.approx(minimum, abs=1e-6), (n, risk, minimum)


def test_nrb_minima_are_at_or_below_the_printed_values():
    n, risk, _ = np.array(ERRATA).T
    # The inputs are printed with three digits; half a unit of the last one is allowed.
    assert (normal_score_minimum(-special.ndtri(risk * (1 - 0.005)), n) <= PRINTED).all()


@pytest.mark.parametrize("seed", range(4))
def test_minima_match_brute_force(seed):
    rng = np.random.default_rng(seed)
    n = np.exp(rng.uniform(np.log(3), np.log(1e6 + 1), 60)).astype(int)
    near_border = np.minimum(12, rng.uniform(0.8, 4, 60) * 3 / np.sqrt(n))
    ratio = np.where(rng.random(60) < 0.6, rng.uniform(0, 12, 60), near_border)
    found = normal_score_minimum(ratio, n)
    expected = np.array([brute_force(r, size) for r, size in zip(ratio, n, strict=True)])
    exists = expected < 0.5
    assert 10 < exists.sum() < 60
    assert (found[~exists] == 1).all()
    assert found[exists] == pytest.approx(expected[exists], rel=1e-9)


@pytest.mark.parametrize(
    ("ratio", "n"), [(12, 10**6), (6, 10**6), (5, 10**6), (1, 10**6), (0.01, 10**6), (12, 30), (12, 3), (3, 400_000)]
)
def test_minima_are_accurate_to_the_tail_by_mpmath(ratio, n):
    with mp.workdps(40):
        found = minimise(ratio, n)
        t = -special.stdtrit(n - 1, float(found.gamma))
        c = 2 * special.gammaincinv((n - 1) / 2, float(found.eta))
        mp.mp.maxterms = 10**7
        exact = float(by_mpmath(ratio, n, t, c))
    assert float(found.value) == pytest.approx(exact, rel=1e-9)


def test_minima_match_a_general_optimiser():
    for ratio, n in ((1.5, 100), (3, 40), (0.5, 300), (8, 12), (4, 5), (2, 10_000)):

        def g(x, ratio=ratio, n=n):
            return float(score_bound(ratio, n, *special.expit(x)))

        starts = [(-2, -2), (-6, -6), (-10, -10)]
        options = {"xatol": 1e-10, "fatol": 1e-16, "maxiter": 4000}
        best = min(optimize.minimize(g, start, method="Nelder-Mead", options=options).fun for start in starts)
        assert normal_score_minimum(ratio, n) == pytest.approx(best, rel=1e-9), (ratio, n)


def test_the_curve_of_stationary_points_falls_then_rises_and_g_crosses_one_half_once():
    for n in (3, 4, 5, 7, 10, 30, 100, 1000, 10**4, 10**5, 10**6):
        u = np.geomspace(1e-8, 37, 20_001)
        k = Constants.of(np.full(u.size, float(n)))
        point = curve(u, k)
        assert np.diff(np.sign(np.diff(point.ratio))).astype(bool).sum() <= 1, n
        gamma, eta = special.stdtr(n - 1, -point.t), special.gammainc((n - 1) / 2, (n - 1) / 2 * np.exp(-point.y))
        g = special.ndtr(-u) + gamma + eta
        below = g < 0.5
        assert (np.diff(below.astype(int)) >= 0).all(), n
        assert g[point.ratio.argmin()] > 0.5, n
        # From there on log R is convex in log u, so Newton's method from above cannot pass the root.
        assert (np.diff(np.log(point.ratio[below]), 2) > 0).all(), n


@settings(deadline=None, max_examples=60)
@given(st.floats(0.001, 12), st.integers(3, 10**6))
def test_both_derivatives_vanish_at_the_minimum(ratio, n):
    found = minimise(ratio, n)
    if found.exists and found.value > 1e-100:
        gradient = score_bound_gradient(ratio, n, found.gamma, found.eta)
        assert abs(float(gradient.gamma)) < 1e-5
        assert abs(float(gradient.eta)) < 1e-5


@settings(deadline=None, max_examples=60)
@given(st.floats(0.001, 12), st.integers(3, 10**6), st.floats(1e-12, 0.49), st.floats(1e-12, 0.49))
def test_no_gamma_and_eta_do_better(ratio, n, gamma, eta):
    assert score_bound(ratio, n, gamma, eta) >= min(float(normal_score_minimum(ratio, n)), 0.5) * (1 - 1e-12)


@settings(deadline=None)
@given(st.floats(0, 11), st.floats(0, 1), st.integers(3, 10**6))
def test_the_bound_falls_in_the_ratio_and_exceeds_the_plain_estimate(ratio, more, n):
    lower, higher = normal_score_minimum([ratio + more, ratio], n)
    assert lower <= higher * (1 + 1e-12)
    assert lower > special.ndtr(-ratio - more)


def test_gradient_is_theorem_2_1_of_nrb():
    n, ratio, gamma, eta = 20, 1.7, 0.03, 0.05
    t, c = -special.stdtrit(n - 1, gamma), special.chdtri(n - 1, 1 - eta)
    lead = -ratio + t / np.sqrt(n)
    nu = lead / np.sqrt((n - 1) / c)
    by_gamma = (
        -1 / np.sqrt(2) * np.exp(-(nu**2) / 2) * np.sqrt(c / n)
        * special.gamma((n - 1) / 2) / special.gamma(n / 2) * (1 + t**2 / (n - 1)) ** (n / 2) + 1
    )  # fmt: skip
    by_eta = (
        1 / np.sqrt(2 * np.pi) * np.exp(-(nu**2) / 2) * 2 ** ((n - 3) / 2) * special.gamma((n - 1) / 2)
        / np.sqrt(n - 1) * c ** (1 - n / 2) * lead * np.exp(c / 2) + 1
    )  # fmt: skip
    gradient = score_bound_gradient(ratio, n, gamma, eta)
    assert gradient.gamma == pytest.approx(by_gamma, rel=1e-10)
    assert gradient.eta == pytest.approx(by_eta, rel=1e-10)


def test_gradient_matches_differences():
    for ratio, n, gamma, eta in ((1.4, 110, 0.01, 0.02), (3, 9, 0.1, 0.2), (5, 10**6, 1e-8, 1e-9)):
        gradient = score_bound_gradient(ratio, n, gamma, eta)
        steps = gamma * 1e-5, eta * 1e-5
        by_gamma = score_bound(ratio, n, [gamma + steps[0], gamma - steps[0]], eta)
        by_eta = score_bound(ratio, n, gamma, [eta + steps[1], eta - steps[1]])
        assert gradient.gamma == pytest.approx(np.diff(by_gamma[::-1])[0] / (2 * steps[0]), rel=1e-4), (ratio, n, gamma)
        assert gradient.eta == pytest.approx(np.diff(by_eta[::-1])[0] / (2 * steps[1]), rel=1e-4), (ratio, n, gamma)


def test_broadcasting_matches_single_calls_in_every_chunk():
    rng = np.random.default_rng(3)
    ratio, n = rng.uniform(-1, 8, (7, 1, 5000)), rng.integers(3, 500, (2, 1))
    together = normal_score_minimum(ratio, n)
    assert together.shape == (7, 2, 5000)
    for i, j, k in zip(rng.integers(7, size=40), rng.integers(2, size=40), rng.integers(5000, size=40), strict=True):
        assert together[i, j, k] == pytest.approx(float(normal_score_minimum(ratio[i, 0, k], n[j, 0])), rel=1e-12)
    assert normal_score_minimum([], 10).shape == (0,)
    assert normal_score_minimum(1.5, 100).shape == ()


def test_a_ratio_that_is_not_positive_has_bound_1():
    found = minimise([0.0, -0.0, -3.0, 1e-300], 1000)
    assert (found.value == 1).all()
    assert not found.exists.any()
    assert np.isnan(found.gamma).all()


def test_a_bound_is_never_zero():
    assert (normal_score_minimum([50, 1e6, 1e200], [10**6, 10**7, 100]) > 0).all()


def test_one_half_separates_bound_from_no_bound():
    ratio = np.linspace(0.2, 0.35, 2001)
    found = normal_score_minimum(ratio, 100)
    first = int(np.flatnonzero(found < 1)[0])
    assert (found[:first] == 1).all()
    assert 0.49 < found[first] < 0.5
    assert brute_force(ratio[first - 1], 100) >= 0.5


def test_bad_input_is_named():
    for ratio, n, message in (
        (np.nan, 10, "ratio must be finite; found nan"),
        ([1, np.inf], 10, "found inf at index 1"),
        (1, 2, "whole numbers of at least 3; found 2"),
        (1, 10.5, "found 10.5"),
        (1, np.nan, "n must be finite"),
        ([1, 2], [3, 4, 5], r"must broadcast; found shapes \(2,\) and \(3,\)"),
        ("a", 3, "ratio must be numbers"),
    ):
        assert re.search(message, refusal(InvalidInput, normal_score_minimum, ratio, n)), message


def test_error_probabilities_lie_strictly_between_0_and_1():
    for gamma, eta in ((0, 0.1), (0.1, 1), (np.nan, 0.1), (0.1, -1)):
        assert re.search(r"gamma|eta", refusal(InvalidInput, score_bound, 1, 10, gamma, eta)), (gamma, eta)


@pytest.mark.parametrize("n", [3, 30, 10**6])
def test_violations_of_extreme_ratios_take_bounded_memory(n):
    ratios = np.linspace(-38, 38, 4096 if n < 10**6 else 200)
    tracemalloc.start()
    found = normal_score_violation(ratios, n)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4e8
    assert ((found >= 0) & (found < 0.03)).all()
    assert found[0] == found[-1] == 0


def test_a_violation_far_out_matches_simulation_free_asymptotics():
    """For N = 3 the spread decides: P(violation) is close to E[(Z + delta)^2] / t^2 (chi with 2 degrees of freedom)."""
    t, delta = np.sqrt(3) * critical_ratio(special.ndtr(-20), 3), np.sqrt(3) * 20
    assert float(normal_score_violation(20, 3)) == pytest.approx(float((1 + delta**2) / t**2), rel=1e-9)


def test_a_risk_below_the_smallest_number_is_never_undercut():
    for ratio in (37.6, 100, 1e300):
        assert normal_score_minimum(ratio, [3, 100, 10**6]).min() >= np.finfo(float).tiny > special.ndtr(-ratio)
        assert normal_score_violation(ratio, [3, 100, 10**6]).tolist() == [0, 0, 0]
    assert normal_score_violation(-1e300, [3, 100]).tolist() == [0, 0]
