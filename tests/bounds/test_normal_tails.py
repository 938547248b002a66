import tracemalloc

import mpmath as mp
import numpy as np
import pytest
from scipy import special, stats

from surefoot.bounds.score_function import (
    _mean_over_spread,
    chi2_lower,
    chi2_upper,
    log_chi2_peak,
    log_t_peak,
    noncentral_t_upper,
    stirling_remainder,
    t_upper,
)


def noncentral_by_mpmath(t, df, delta):
    """The mean of Phi(delta - t s) over the density of log s, by adaptive quadrature in 30 digits."""
    t, df, delta = mp.mpf(t), mp.mpf(df), mp.mpf(delta)
    peak = mp.log(2) + df / 2 * mp.log(df / 2) - df / 2 - mp.loggamma(df / 2)

    def integrand(w):
        return mp.ncdf(delta - t * mp.exp(w)) * mp.exp(peak + df * (w - mp.expm1(2 * w) / 2))

    sd = 1 / mp.sqrt(2 * df)
    points = [k * sd for k in range(-40, 41, 2)] if df > 20 else [-40, -20, -10, -5, -3, -2, -1, 0, 1, 2, 3, 4]
    return mp.quad(integrand, points)


def test_noncentral_t_matches_mpmath_far_out():
    for t, df, delta in (
        (3, 2, -4),
        (-3, 2, -6),
        (5, 9, -3),
        (-5, 9, -12),
        (20, 99, 10),
        (20, 99, 30),
        (2, 99, -5),
        (1200, 9999, 1100),
        (12_000, 999_999, 11_970),
        (20, 2, 15),
        (1000, 99, 880),
        (-1000, 99, -1100),
        (100, 2, 42),
    ):
        with mp.workdps(30):
            assert float(noncentral_t_upper(t, df, delta)) == pytest.approx(
                float(noncentral_by_mpmath(t, df, delta)), rel=1e-12
            ), (t, df, delta)


def test_noncentral_t_matches_scipy_where_scipy_is_accurate():
    t, df, delta = np.meshgrid([-2, 0.5, 3.0, 20.0], [2, 9, 99], [0.0, 1.0, 15.0])
    ours = noncentral_t_upper(t, df, delta)
    assert ours == pytest.approx(stats.nct.sf(t, df, delta), rel=1e-8, abs=1e-12)


def test_noncentral_t_without_noncentrality_is_students_t():
    t = np.array([-4.0, -1.0, 0.0, 1.0, 4.0, 30.0])
    assert noncentral_t_upper(t, 7, 0) == pytest.approx(t_upper(7, t), rel=1e-12)


def test_noncentral_t_matches_simulation():
    rng = np.random.default_rng(5)
    draws = (2 + rng.normal(size=400_000)) / np.sqrt(rng.chisquare(6, 400_000) / 6)
    assert (draws > 4).mean() == pytest.approx(float(noncentral_t_upper(4, 6, 2)), abs=4 * 0.5 / np.sqrt(400_000))


@pytest.mark.parametrize("df", [250_001, 400_001, 999_999])
def test_chi_squared_lower_tail_matches_mpmath_for_many_degrees_of_freedom(df):
    for z in (3, 4.4, 4.6, 5, 6, 8, 12, 30):
        c = df * (1 - 2 / (9 * df) - z * np.sqrt(2 / (9 * df))) ** 3
        with mp.workdps(30):
            exact = float(mp.gammainc(mp.mpf(df) / 2, 0, mp.mpf(c) / 2, regularized=True))
        assert float(chi2_lower(df, c)) == pytest.approx(exact, rel=1e-11), z


def test_chi_squared_lower_tail_is_scipys_elsewhere_and_zero_at_zero():
    c = np.array([0.0, 1.0, 50.0, 99.0])
    assert chi2_lower(99, c).tolist() == special.gammainc(49.5, c / 2).tolist()
    assert chi2_lower(10**6, [0.0, 1.0]).tolist() == [0, 0]


def test_stirling_remainder_matches_mpmath():
    for a in (0.5, 1, 1.5, 7, 19.9, 20.1, 300, 5e5):
        with mp.workdps(30):
            exact = mp.loggamma(a) - (mp.mpf(a) - 0.5) * mp.log(a) + a - mp.log(2 * mp.pi) / 2
            assert float(stirling_remainder(a)) == pytest.approx(float(exact), rel=1e-11), a


def test_peaks_of_densities_match_scipy():
    for df in (2, 3, 10, 99, 10**6):
        assert float(log_t_peak(df)) == pytest.approx(stats.t.logpdf(0, df), abs=1e-8), df
        assert float(log_chi2_peak(df)) == pytest.approx(np.log(2 * df) + stats.chi2.logpdf(df, df), abs=1e-8), df


@pytest.mark.parametrize("df", [1, 2, 5, 30, 1000, 10**6])
def test_both_forms_of_the_noncentral_t_agree_where_both_are_affordable(df):
    """Two different integrals, over the normal and over the chi variable."""
    for sign in (1, -1):
        rng, size = np.random.default_rng(df), 300
        t = sign * np.sqrt(df) * 10 ** rng.uniform(0.7, 1.2, size)
        spread = np.sqrt(1 + t**2 / (2 * df))
        delta = np.where(rng.random(size) < 0.5, t + spread * rng.uniform(-30, 30, size), rng.uniform(-35, 60, size))
        by_spread = _mean_over_spread(t[:, None], np.full((size, 1), float(df)), delta[:, None])
        shown = by_spread > 1e-280
        assert shown.sum() > 50, sign
        assert noncentral_t_upper(t, df, delta)[shown] == pytest.approx(by_spread[shown], rel=1e-10), sign


def test_noncentral_t_far_out_matches_moments_of_the_normal():
    """With 2 degrees of freedom P(S < x) is close to x^2, and the tail to E[(Z + delta)^2; Z > -delta] / t^2."""
    for t in (1e5, 1e9, 1e44):
        for delta in (-3.0, 0.0, 5.0, 39.0, 41.0):
            moment = (1 + delta**2) * stats.norm.cdf(delta) + delta * stats.norm.pdf(delta)
            assert float(noncentral_t_upper(t, 2, delta)) == pytest.approx(moment / t**2, rel=1e-6), (t, delta)


def test_noncentral_t_reflects():
    t, delta = np.meshgrid([0.5, 5.0, 50.0, 1e4, 1e8], [-20.0, -1.0, 0.0, 2.0, 30.0])
    for df in (1, 2, 99):
        total = noncentral_t_upper(t, df, delta) + noncentral_t_upper(-t, df, -delta)
        assert total == pytest.approx(np.ones(t.shape), rel=1e-12)


def test_noncentral_t_takes_bounded_memory():
    """One far point among many near ones once asked for as many nodes everywhere as it needs itself."""
    t = np.linspace(-1, 1, 5000) ** 3 * 1e7
    tracemalloc.start()
    found = noncentral_t_upper(t, 2, 1.0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (np.diff(found) <= 1e-15).all()
    assert peak < 4e8


def test_chi_squared_tails_add_up_to_one():
    for df in (10, 99, 400_001, 10**7):
        for z in (-8, -5, -4.6, -1, 0, 1, 5, 8):
            c = max(df + z * np.sqrt(2 * df), 0.0)
            assert float(chi2_lower(df, c) + chi2_upper(df, c)) == pytest.approx(1, rel=1e-11), (df, z)
