from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import optimize, special, stats
from tests.refusals import refusal

from surefoot.bounds import assumption_checks, distant_rows, normal_exact, normal_score, normality
from surefoot.bounds.score_function import noncentral_t_upper
from surefoot.core import BoundFamily, Estimate, InvalidInput, Target, Undefined

# One-sided tolerance factors k of a normal distribution, content 0.95 at confidence 0.95
# (Natrella, Experimental Statistics, NBS Handbook 91, 1963, table A-7).
FACTORS = [(10, 2.911), (20, 2.396), (50, 2.065), (100, 1.927)]


def recorded(ratio, n, side, kind="confidence"):
    """The bound of n margins whose mean is so many standard deviations."""
    return BoundFamily.from_dict({"type": "noncentral-t", "ratio": ratio, "n": n, "side": side, "kind": kind})


def ratio_lower_limit(ratio, n, level):
    """The lower limit of mu/sigma, from the upper limit of the risk."""
    return -special.ndtri(recorded(ratio, n, "upper").limit_at(level))


def critical_ratio(n, side, level, truth):
    return optimize.brentq(lambda k: recorded(k, n, side).limit_at(level) - truth, -6, 10)


def test_matches_published_tolerance_factors():
    for n, factor in FACTORS:
        low, high = (ratio_lower_limit(k, n, 0.95) for k in (factor - 5.1e-4, factor + 5.1e-4))
        assert special.ndtr(-high) <= 0.05 <= special.ndtr(-low), (n, factor)


def test_limit_inverts_scipys_noncentral_t():
    for ratio, n, level in ((2, 10, 0.95), (0.3, 50, 0.99), (-1, 20, 0.9), (4, 100, 0.999)):
        limit = ratio_lower_limit(ratio, n, level)
        assert stats.nct.sf(ratio * np.sqrt(n), n - 1, limit * np.sqrt(n)) == pytest.approx(1 - level, rel=1e-6), ratio


@settings(deadline=None, max_examples=25)
@given(st.floats(-12, 12), st.integers(2, 10**6), st.floats(1e-9, 0.999))
def test_limit_solves_its_equation_over_the_whole_range(ratio, n, miss):
    level = 1 - miss
    limit = ratio_lower_limit(ratio, n, level)
    assume(limit > -4)  # Below, the upper limit of the risk is too close to 1 to tell.
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
    bound = recorded(1.5, 20, "upper")
    assert BoundFamily.from_dict(bound.to_dict()) == bound


def test_median_bound_is_near_the_value_for_many_margins():
    assert recorded(3.0, 10**6, "upper").limit_at(0.5) == pytest.approx(special.ndtr(-3), rel=1e-4)


def test_level_lies_strictly_between_0_and_1():
    for level in (0, 1, -1, np.nan):
        assert "level" in refusal(InvalidInput, normal_exact, [1, 2, 3], level=level), level


def test_bad_margins_are_named():
    for values, error in (([1, 2], InvalidInput), ([1, np.nan, 2], InvalidInput), ([3, 3, 3], Undefined)):
        assert "margins" in refusal(error, normal_exact, values, level=0.95), (values, error)


def test_a_bound_is_validated():
    for fields in ((np.nan, 10, "upper"), (1, 1, "upper"), (1, 10, "middle"), (1, 10, "upper", "credible")):
        assert refusal(InvalidInput, recorded, *fields), fields


def test_margins_that_differ_by_rounding_alone_are_constant():
    for values in ([0.3] * 999 + [0.1 + 0.2], [0.1 + 0.2, 0.3, 0.3], [1, 1 - 2e-16, 1 + 4e-16], [0.0] * 5):
        for bound in (partial(normal_exact, level=0.999, check=False), partial(normal_score, check=False), normality):
            assert "margins are equal up to rounding" in refusal(Undefined, bound, values), values


def test_margins_that_differ_by_more_than_rounding_have_a_bound():
    assert normal_exact(1 + 1e-12 * np.arange(5.0), level=0.9, check=False).upper(0.9) < 1e-100


def test_no_limit_is_a_certainty():
    for ratio in (50, 1e5, 1e15, 1e300):
        upper, lower = recorded(ratio, 1000, "upper"), recorded(-ratio, 1000, "lower")
        assert [upper.limit_at(p) for p in (0.5, 0.999)] == [np.finfo(float).tiny] * 2, ratio
        assert [lower.limit_at(p) for p in (0.5, 0.999)] == [np.nextafter(1, 0)] * 2, ratio


def test_limits_of_large_ratios_follow_the_chi_distribution():
    """Where mu/sigma is large the mean is known: ratio * sqrt(chi2 / (n - 1)) is distributed as mean/sd."""
    for n, level in ((50, 0.5), (1000, 0.95), (10**6, 0.999)):
        exact = 30 * np.sqrt(stats.chi2.ppf(1 - level, n - 1) / (n - 1))
        assert ratio_lower_limit(30, n, level) == pytest.approx(exact, rel=1e-3), (n, level)


def test_bad_rows_are_refused():
    for rows in (
        np.zeros((3, 2)),
        np.zeros((41, 2)),
        [[1, 2], [3]] * 20,
        np.array([{}] * 40),
        [[1, "a"]] * 40,
        5,
        [],
        np.array([None] * 40),
    ):
        for check in (True, False):
            values = np.random.default_rng(0).normal(2, 1, 40)
            for bound in (
                partial(normal_exact, level=0.9, check=check),
                partial(normal_score, check=check),
                assumption_checks,
            ):
                assert "rows" in refusal(InvalidInput, bound, values, rows=rows), (rows, check)


def test_rows_may_be_text_also_as_objects():
    values = np.random.default_rng(0).normal(2, 1, 40)
    names = [f"image {k // 2}" for k in range(40)]
    for rows in (names, np.array(names), np.array(names, dtype=object), np.array(names, dtype=object)[:, None]):
        found = normal_exact(values, level=0.9, rows=rows)
        assert {a.id: a.status for a in found.assumptions}["independent-samples"] == "contradicted"


def test_rows_a_block_apart_keep_the_level_where_bursts_cross_edges():
    """Of one row of each block two may be neighbours."""
    block, ratio, repeats, missed = 10, 2.0, 120, 0
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        common = np.repeat(rng.normal(0, 0.9**0.5, 13), block)[block // 2 : block // 2 + 120]
        margins = ratio + common + rng.normal(0, 0.1**0.5, 120)
        rows = distant_rows(np.arange(120), block=block, seed=seed)
        missed += normal_exact(margins[rows], level=0.8, check=False).upper(0.8) < stats.norm.sf(ratio)
    assert abs(missed / repeats - 0.2) < 4 * (0.2 * 0.8 / repeats) ** 0.5
