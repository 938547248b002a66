import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest
from statsmodels.stats.proportion import proportion_confint
from tests.refusals import refusal

import surefoot as sf

CASES = [(0, 1), (1, 1), (0, 20), (3, 20), (20, 20), (7, 400), (399, 400), (18, 1000), (79, 10_000)]
counts = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
levels = st.floats(0.01, 0.9999)


@pytest.mark.parametrize("level", [0.6, 0.95, 0.999])
def test_clopper_pearson_matches_scipy_one_sided(level):
    for k, n in CASES:
        found = sf.bounds.clopper_pearson(k, n, level=level)
        upper = binomtest(k, n, alternative="less").proportion_ci(level, method="exact").high
        lower = binomtest(k, n, alternative="greater").proportion_ci(level, method="exact").low
        assert found.upper(level) == pytest.approx(upper, rel=1e-10), (k, n)
        assert found.lower(level) == pytest.approx(lower, rel=1e-10), (k, n)


@pytest.mark.parametrize(
    ("name", "method"), [("beta", "clopper_pearson"), ("wilson", "wilson"), ("jeffreys", "jeffreys")]
)
def test_intervals_match_statsmodels(name, method):
    for k, n in CASES:
        low, high = proportion_confint(k, n, alpha=0.1, method=name)
        found = getattr(sf.bounds, method)(k, n, level=0.95).interval(0.9)
        if name == "jeffreys":
            low, high = (0.0 if k == 0 else low), (1.0 if k == n else high)
        assert found == pytest.approx((low, high), rel=1e-9, abs=1e-15), (k, n)


def test_wilson_matches_scipy_one_sided():
    for k, n in CASES:
        upper = binomtest(k, n, alternative="less").proportion_ci(0.95, method="wilson").high
        assert sf.bounds.wilson(k, n, level=0.95).upper(0.95) == pytest.approx(upper, rel=1e-10), (k, n)


@given(counts, levels)
@settings(deadline=None)
def test_clopper_pearson_inverts_the_binomial_test(count, level):
    k, n = count
    found = sf.bounds.clopper_pearson(k, n, level=level)
    if k < n:
        assert binom.cdf(k, n, found.upper(level)) == pytest.approx(1 - level, rel=1e-6)
    if k > 0:
        assert binom.sf(k - 1, n, found.lower(level)) == pytest.approx(1 - level, rel=1e-6)


@given(counts, levels)
@settings(deadline=None)
def test_wilson_inverts_the_score_test(count, level):
    k, n = count
    p = sf.bounds.wilson(k, n, level=level).upper(level)
    if 0 < p < 1:
        score = (p - k / n) / math.sqrt(p * (1 - p) / n)
        assert score == pytest.approx(-_z(1 - level), rel=1e-6, abs=1e-6)


def _z(q):
    from scipy.stats import norm

    return norm.ppf(q)


@given(counts, levels, levels)
@settings(deadline=None)
@pytest.mark.parametrize("method", ["clopper_pearson", "jeffreys", "wilson"])
def test_limits_widen_with_the_level_and_mirror(method, count, one, other):
    (k, n), (low, high) = count, sorted((one, other))
    bound = getattr(sf.bounds, method)
    found, mirrored = bound(k, n, level=0.95), bound(n - k, n, level=0.95)
    assert found.upper(high) >= found.upper(low)
    assert found.lower(high) <= found.lower(low)
    assert mirrored.lower(high) == pytest.approx(1 - found.upper(high), abs=1e-12)


def test_errata_ram_lower_bounds_of_test_errors():
    table = [(18, 1000, 0.0107), (16, 200, 0.0464), (79, 10_000, 0.0063)]
    for k, n, printed in table:
        assert round(sf.bounds.clopper_pearson(k, n, level=0.975).lower(0.975), 4) == printed


def test_rule_of_three_at_a_billion_trials():
    n = 3_000_000_000
    exact = -math.expm1(math.log(0.05) / n)
    assert sf.bounds.clopper_pearson(0, n, level=0.95).upper(0.95) == pytest.approx(exact, rel=1e-9)


def test_kinds_and_caveats_say_what_is_guaranteed():
    exact, jeffreys, wilson = (
        getattr(sf.bounds, m)(2, 50, level=0.9) for m in ("clopper_pearson", "jeffreys", "wilson")
    )
    assert [f.kind for f in exact.bounds] == ["confidence", "confidence"]
    assert exact.dist is None
    assert not exact.caveats
    assert jeffreys.dist == sf.Beta(2.5, 48.5)
    assert {f.kind for f in jeffreys.bounds} == {"credible"}
    assert {f.kind for f in wilson.bounds} == {"heuristic"}
    assert [e.caveats[0].code for e in (jeffreys, wilson)] == ["approximate-coverage"] * 2
    assert exact.meets(sf.Target(at_most=0.2))
    assert not wilson.meets(sf.Target(at_most=0.2))


def test_jeffreys_without_failures_never_shows_a_violation():
    assert sf.bounds.jeffreys(0, 400, level=0.95).meets(sf.Target(at_most=1e-9)).status == "not shown"


@pytest.mark.parametrize("method", ["clopper_pearson", "jeffreys", "wilson"])
def test_bad_input_is_refused(method):
    for k, n, level in (
        (-1, 5, 0.9),
        (6, 5, 0.9),
        (1, 0, 0.9),
        (1.5, 5, 0.9),
        (1, 5.5, 0.9),
        (1, 5, 0),
        (1, 5, 1),
        (1, 5, math.nan),
        (math.nan, 5, 0.9),
        (1, math.inf, 0.9),
        ("1", 5, 0.9),
        (True, 5, 0.9),
        (1, 5, 95),
        (1, np.array([5, 6]), 0.9),
    ):
        assert refusal(sf.InvalidInput, getattr(sf.bounds, method), k, n, level=level), (k, n, level)


@pytest.mark.parametrize("method", ["clopper_pearson", "jeffreys", "wilson"])
def test_more_trials_than_can_be_counted_are_refused(method):
    for trials in (10**15 + 1, 10**400, 10**5000, 1e300):
        assert re.search(
            r"more than 1e\+15 trials; found about 1e\d+",
            refusal(sf.InvalidInput, getattr(sf.bounds, method), 0, trials, level=0.9),
        ), trials
        assert 0 < sf.bounds.clopper_pearson(0, 10**15, level=0.9).upper(0.9) < 1e-14, trials
