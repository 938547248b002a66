import time
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special, stats

from surefoot.bounds import assumption_checks, normal_exact, normal_score, normality
from surefoot.bounds.noncentral_t import noncentral_t_upper
from surefoot.bounds.normal_exact import NoncentralTBound, ratio_lower_limit
from surefoot.core import BoundFamily, Estimate, InvalidInput, Target, Undefined

# One-sided tolerance factors k of a normal distribution, content 0.95 at confidence 0.95
# (Natrella, Experimental Statistics, NBS Handbook 91, 1963, table A-7).
FACTORS = [(10, 2.911), (20, 2.396), (50, 2.065), (100, 1.927)]


def critical_ratio(n, side, level, truth):
    return optimize.brentq(lambda k: NoncentralTBound(k, n, side).limit_at(level) - truth, -6, 10)


@pytest.mark.parametrize(("n", "factor"), FACTORS)
def test_matches_published_tolerance_factors(n, factor):
    low, high = (ratio_lower_limit(k, n, 0.95) for k in (factor - 5.1e-4, factor + 5.1e-4))
    assert special.ndtr(-high) <= 0.05 <= special.ndtr(-low)


@pytest.mark.parametrize(("ratio", "n", "level"), [(2, 10, 0.95), (0.3, 50, 0.99), (-1, 20, 0.9), (4, 100, 0.999)])
def test_limit_inverts_scipys_noncentral_t(ratio, n, level):
    limit = ratio_lower_limit(ratio, n, level)
    assert stats.nct.sf(ratio * np.sqrt(n), n - 1, limit * np.sqrt(n)) == pytest.approx(1 - level, rel=1e-6)


@settings(deadline=None, max_examples=60)
@given(st.floats(-12, 12), st.integers(2, 10**6), st.floats(1e-9, 0.999))
def test_limit_solves_its_equation_over_the_whole_range(ratio, n, miss):
    level = 1 - miss
    limit = ratio_lower_limit(ratio, n, level)
    tail = noncentral_t_upper(ratio * np.sqrt(n), n - 1, limit * np.sqrt(n))
    assert float(tail) == pytest.approx(1 - level, rel=1e-6)


@pytest.mark.parametrize(("ratio", "n"), [(1.0, 8), (2.5, 40), (-0.5, 15)])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_coverage_is_exactly_the_level(ratio, n, level):
    """Bounds of simulated margins miss the true risk as often as stated, on both sides."""
    rng, repeats = np.random.default_rng(n), 100_000
    seen = ratio + rng.normal(size=repeats) / np.sqrt(n)
    seen /= np.sqrt(rng.chisquare(n - 1, repeats) / (n - 1))
    # A limit of the risk falls in the observed ratio: find the ratio at which it equals the truth.
    truth = special.ndtr(-ratio)
    critical = {side: critical_ratio(n, side, level, truth) for side in ("upper", "lower")}
    noise = 4 * np.sqrt(0.25 / repeats)
    assert (seen > critical["upper"]).mean() == pytest.approx(1 - level, abs=noise)
    assert (seen < critical["lower"]).mean() == pytest.approx(1 - level, abs=noise)


def test_estimate_carries_both_sides_at_any_level():
    values = np.random.default_rng(0).normal(2, 1, 80)
    found = normal_exact(values, level=0.95)
    limits = [found.lower(0.99), found.lower(0.9), found.value, found.upper(0.9), found.upper(0.95), found.upper(0.999)]
    assert limits == sorted(limits)
    assert found.details["level"] == 0.95
    assert found.meets(Target(at_most=0.1))
    assert Estimate.from_dict(found.to_dict()) == found


def test_mirrored_margins_have_mirrored_bounds():
    values = np.random.default_rng(1).normal(1, 1, 30)
    found, mirrored = normal_exact(values, level=0.9), normal_exact(-values, level=0.9)
    assert found.upper(0.9) == pytest.approx(1 - mirrored.lower(0.9), rel=1e-9)


def test_bound_round_trips_by_tag():
    bound = NoncentralTBound(1.5, 20, "upper")
    assert BoundFamily.from_dict(bound.to_dict()) == bound


def test_median_bound_is_near_the_value_for_many_margins():
    assert NoncentralTBound(3.0, 10**6, "upper").limit_at(0.5) == pytest.approx(special.ndtr(-3), rel=1e-4)


@pytest.mark.parametrize("level", [0, 1, -1, np.nan])
def test_level_lies_strictly_between_0_and_1(level):
    with pytest.raises(InvalidInput, match="level"):
        normal_exact([1, 2, 3], level=level)


@pytest.mark.parametrize(
    ("values", "error"), [([1, 2], InvalidInput), ([1, np.nan, 2], InvalidInput), ([3, 3, 3], Undefined)]
)
def test_bad_margins_are_named(values, error):
    with pytest.raises(error, match="margins"):
        normal_exact(values, level=0.95)


@pytest.mark.parametrize(
    "fields", [(np.nan, 10, "upper"), (1, 1, "upper"), (1, 10, "middle"), (1, 10, "upper", "credible")]
)
def test_a_bound_is_validated(fields):
    with pytest.raises(InvalidInput):
        NoncentralTBound(*fields)


@pytest.mark.parametrize(
    "values", [[0.3] * 999 + [0.1 + 0.2], [0.1 + 0.2, 0.3, 0.3], [1, 1 - 2e-16, 1 + 4e-16], [0.0] * 5]
)
def test_margins_that_differ_by_rounding_alone_are_constant(values):
    for bound in (partial(normal_exact, level=0.999, check=False), partial(normal_score, check=False), normality):
        with pytest.raises(Undefined, match="margins are equal up to rounding"):
            bound(values)


def test_margins_that_differ_by_more_than_rounding_have_a_bound():
    assert normal_exact(1 + 1e-12 * np.arange(5.0), level=0.9, check=False).upper(0.9) < 1e-100


@pytest.mark.parametrize("ratio", [50, 1e5, 1e15, 1e300])
def test_no_limit_is_a_certainty(ratio):
    upper, lower = NoncentralTBound(ratio, 1000, "upper"), NoncentralTBound(-ratio, 1000, "lower")
    assert [upper.limit_at(p) for p in (0.5, 0.999)] == [np.finfo(float).tiny] * 2
    assert [lower.limit_at(p) for p in (0.5, 0.999)] == [np.nextafter(1, 0)] * 2


@pytest.mark.parametrize("n", [2, 3, 1000])
@pytest.mark.parametrize("level", [0.5, 0.95, 1 - 1e-9])
def test_limits_of_huge_ratios_follow_the_chi_distribution(n, level):
    """Where mu/sigma is huge the mean is known: ratio * sqrt(chi2 / (n - 1)) is distributed as mean/sd."""
    for sign, q in ((1, 1 - level), (-1, level)):
        exact = sign * np.sqrt(stats.chi2.ppf(q, n - 1) / (n - 1))
        for size in (1e15, 1e300):
            assert ratio_lower_limit(sign * size, n, level) / size == pytest.approx(exact, rel=1e-6)


def test_huge_ratios_are_fast():
    start = time.perf_counter()
    assert ratio_lower_limit(-1e6, 3, 0.95) == pytest.approx(10 * ratio_lower_limit(-1e5, 3, 0.95), rel=1e-9)
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize(
    "rows",
    [
        np.zeros((3, 2)),
        np.zeros((41, 2)),
        [[1, 2], [3]] * 20,
        np.array([{}] * 40),
        [[1, "a"]] * 40,
        5,
        [],
        np.array([None] * 40),
    ],
)
@pytest.mark.parametrize("check", [True, False])
def test_bad_rows_are_refused(rows, check):
    values = np.random.default_rng(0).normal(2, 1, 40)
    for bound in (partial(normal_exact, level=0.9, check=check), partial(normal_score, check=check), assumption_checks):
        with pytest.raises(InvalidInput, match="rows"):
            bound(values, rows=rows)


def test_rows_may_be_text_also_as_objects():
    values = np.random.default_rng(0).normal(2, 1, 40)
    names = [f"image {k // 2}" for k in range(40)]
    for rows in (names, np.array(names), np.array(names, dtype=object), np.array(names, dtype=object)[:, None]):
        found = normal_exact(values, level=0.9, rows=rows)
        assert {a.id: a.status for a in found.assumptions}["independent-samples"] == "contradicted"
