"""Belief and disbelief in "meets the target", against distribution functions and counting."""

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from surefoot.bounds import (
    clopper_pearson,
    empirical_bernstein,
    hoeffding,
    jeffreys,
    normal_score,
    wilson,
)
from surefoot.case import judge
from surefoot.core import (
    Bound,
    Empirical,
    Estimate,
    InvalidInput,
    LogNormal,
    QuantileBound,
    TabulatedBound,
    Target,
    Uniform,
    certain,
)
from surefoot.opinions import Opinion

COUNTS = st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
LIMITS = st.floats(0.0005, 0.9995)


@given(COUNTS, LIMITS)
@settings(max_examples=25, deadline=None)
def test_counts_give_dempsters_lower_and_upper_probability(counted, limit):
    failures, trials = counted
    found = judge(clopper_pearson(failures, trials, level=0.95), Target(at_most=limit))
    binomial = stats.binom(trials, limit)
    assert found.belief == pytest.approx(binomial.sf(failures), abs=1e-9)
    assert found.disbelief == pytest.approx(binomial.cdf(failures - 1), abs=1e-9)
    if 0 < failures < trials:
        assert found.belief == pytest.approx(stats.beta(failures + 1, trials - failures).cdf(limit), abs=1e-9)
        assert found.disbelief == pytest.approx(stats.beta(failures, trials - failures + 1).sf(limit), abs=1e-9)
    assert found.belief + found.disbelief <= 1 + 1e-12


def test_without_failures_belief_is_one_minus_the_chance_of_none():
    for trials, limit in ((1, 0.5), (100, 0.01), (2995, 0.001), (10**6, 1e-6)):
        found = judge(clopper_pearson(0, trials, level=0.95), Target(at_most=limit))
        assert found.belief == pytest.approx(-math.expm1(trials * math.log1p(-limit)), rel=1e-9), trials
        assert found.disbelief == 0.0, trials


@given(COUNTS, LIMITS)
@settings(max_examples=20, deadline=None)
def test_the_direct_way_is_the_highest_level_at_which_a_bound_shows_it(counted, limit):
    estimate = clopper_pearson(*counted, level=0.95)
    found = judge(estimate, Target(at_most=limit))
    for level in (found.belief - 1e-6, found.belief + 1e-6):
        if 1e-6 < level < 1 - 1e-6:
            assert (estimate.upper(level) <= limit) == (level < found.belief)
    for level in (found.disbelief - 1e-6, found.disbelief + 1e-6):
        if 1e-6 < level < 1 - 1e-6:
            assert (estimate.lower(level) > limit) == (level < found.disbelief)


@given(COUNTS, LIMITS)
@settings(max_examples=15, deadline=None)
def test_at_least_is_the_mirror_of_at_most(counted, limit):
    failures, trials = counted
    most = judge(clopper_pearson(failures, trials, level=0.95), Target(at_most=limit))
    least = judge(clopper_pearson(trials - failures, trials, level=0.95), Target(at_least=1 - limit))
    assert (least.belief, least.disbelief) == pytest.approx((most.belief, most.disbelief), abs=1e-9)


def test_every_family_is_found_by_its_verdicts():
    for estimate in (
        hoeffding([0.0] * 90 + [1.0] * 10, level=0.95),
        empirical_bernstein([0.0] * 900 + [1.0] * 100, level=0.95),
        jeffreys(3, 200, level=0.95),
        jeffreys(0, 200, level=0.95),
        clopper_pearson(200, 200, level=0.95),
    ):
        for limit in (0.0, 0.01, 0.05, 0.1, 0.12, 0.3, 1.0):
            found = judge(estimate, Target(at_most=limit))
            assert 0 <= found.belief <= 1, estimate
            assert found.belief + found.disbelief <= 1 + 1e-9, estimate
            for level in (0.1, 0.5, 0.9, 0.99):
                assert (estimate.upper(level) <= limit) == (level <= found.belief + 1e-9), estimate
                assert (estimate.lower(level) > limit) == (level < found.disbelief + 1e-9), estimate


def test_a_posterior_leaves_no_uncertainty():
    found = judge(jeffreys(2, 300, level=0.95), Target(at_most=0.02))
    posterior = stats.beta(2.5, 298.5)
    assert (found.belief, found.disbelief) == pytest.approx((posterior.cdf(0.02), posterior.sf(0.02)))


def test_certain_bounds_decide():
    known = Estimate.known("p", 0.01, source="data sheet")
    assert judge(known, Target(at_most=0.02)).belief == 1
    assert judge(known, Target(at_most=0.005)).disbelief == 1


def test_a_single_bound_is_believed_to_its_level_only():
    single = Estimate("p", 0.01, bounds=(Bound(0.02, "upper", 0.05, "confidence"),))
    assert judge(single, Target(at_most=0.03, level=0.99)).belief == pytest.approx(0.95)
    assert judge(single, Target(at_most=0.03)).remark
    assert judge(single, Target(at_most=0.01)).belief == 0
    beside = Estimate("p", 0.01, bounds=(*single.bounds, certain(0.0, "lower")))
    assert "one level only" in judge(beside, Target(at_most=0.03)).remark
    # Half of the miss probability of an uncertain limit is the limit's own: 1 - 2 * 0.05.
    unsure = Target(at_most=0.03, uncertainty=Uniform(0.028, 0.032))
    assert judge(single, unsure).belief == pytest.approx(0.9)


def test_bounds_on_average_count_with_the_level_of_a_target_that_accepts_them():
    estimate = normal_score([1.0, 2.0, 3.0, 2.5, 1.5] * 20)
    strict = Target(at_most=0.9, level=0.8)
    assert judge(estimate, strict).belief == 0
    assert "no bound of a kind" in judge(estimate, strict).remark
    accepting = judge(estimate, Target(at_most=0.9, level=0.8, kinds=("expectation",)))
    assert accepting.belief == 0.8
    assert "on average" in accepting.remark


def test_kinds_that_the_target_does_not_accept_count_nothing():
    heuristic = wilson(0, 1000, level=0.95)
    assert judge(heuristic, Target(at_most=0.5)).belief == 0
    assert judge(heuristic, Target(at_most=0.5, kinds=("heuristic",))).belief > 0.99


def test_an_uncertain_limit_halves_the_miss_probability():
    target = Target(at_most=0.01, uncertainty=LogNormal.from_error_factor(0.01, 2.0))
    estimate = clopper_pearson(1, 1000, level=0.95)
    found = judge(estimate, target)
    alpha = (1 - found.belief) / 2
    assert estimate.upper(1 - alpha) == pytest.approx(target.cautious_limit(alpha), rel=1e-5)


def test_opinions_as_estimates_are_judged_alike():
    opinion = Opinion.from_counts(2, 998)
    found = judge(opinion.to_estimate(kind="credible"), Target(at_most=0.01))
    assert found.belief == pytest.approx(stats.beta(*map(float, opinion.beta())).cdf(0.01))


def test_tables_are_believed_up_to_their_last_level():
    table = TabulatedBound((0.5, 0.9, 0.99), (0.01, 0.02, 0.04), "upper", "confidence")
    estimate = Estimate("p", 0.01, bounds=(table, certain(0.0, "lower")))
    assert judge(estimate, Target(at_most=0.03)).belief == pytest.approx(0.9)
    assert judge(estimate, Target(at_most=0.05)).belief == pytest.approx(0.99)


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(0.01, 0.99))
@settings(max_examples=25, deadline=None)
def test_crossing_bounds_never_sum_above_one(upper, lower, limit):
    assume(upper != lower)
    bounds = (
        QuantileBound(LogNormal(upper, 0.5), "upper", "heuristic"),
        QuantileBound(LogNormal(lower, 0.5), "lower", "heuristic"),
    )
    found = judge(Estimate("p", 0.1, bounds=bounds), Target(at_most=limit, kinds=("heuristic",)))
    assert found.belief + found.disbelief <= 1 + 1e-12


def test_units_that_differ_are_refused():
    with pytest.raises(InvalidInput, match="per demand, the target per hour"):
        judge(clopper_pearson(0, 300, level=0.95), Target(at_most=0.01, per="hour"))


@given(st.lists(st.integers(0, 50), min_size=40, max_size=60), st.integers(0, 50))
@settings(max_examples=20, deadline=None)
def test_draws_of_one_posterior_do_not_cross(draws, limit):
    dist = Empirical(tuple(draw / 50 for draw in draws))
    bounds = (QuantileBound(dist, "upper", "credible"), QuantileBound(dist, "lower", "credible"))
    found = judge(Estimate("p", 0.1, bounds=bounds), Target(at_most=limit / 50))
    assert found.remark == ""
    assert found.belief + found.disbelief <= 1
    below = sum(draw <= limit for draw in draws) / len(draws)
    # Ten draws must lie beyond a limit that counts.
    highest = 1 - 10 / len(draws)
    assert found.belief == pytest.approx(min(below, highest), abs=1e-6)
    assert found.disbelief == pytest.approx(min(1 - below, highest), abs=1e-6)
