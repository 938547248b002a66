import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom
from statsmodels.stats.proportion import proportion_confint
from tests.refusals import refusal

import surefoot as sf

SHARES = {"day": 0.7, "night": 0.2, "rain": 0.1}


@given(st.floats(0.003, 0.9), st.floats(0.05, 0.999), st.integers(0, 4))
@settings(deadline=None)
def test_trials_needed_is_the_smallest_by_the_binomial_distribution(target, level, failures):
    n = sf.bounds.trials_needed(target, level=level, failures=failures)
    tolerance = 1e-9
    assert binom.cdf(failures, n, target) <= (1 - level) * (1 + tolerance)
    if n > failures + 1:
        assert binom.cdf(failures, n - 1, target) > (1 - level) * (1 - tolerance)


def test_trials_without_failures_match_many_digits():
    for target, level in ((1e-3, 0.95), (1e-6, 0.99), (1e-9, 0.95), (0.05, 0.95), (1e-9, 1 - 1e-9)):
        mpmath.mp.dps = 60
        exact = mpmath.ceil(mpmath.log(1 - mpmath.mpf(level)) / mpmath.log(1 - mpmath.mpf(target)))
        assert sf.bounds.trials_needed(target, level=level) == int(exact), (target, level)


def test_trials_with_failures_match_many_digits():
    for target, failures in ((1e-4, 3), (1e-6, 10), (1e-9, 1)):
        mpmath.mp.dps = 50
        n = sf.bounds.trials_needed(target, level=0.99, failures=failures)

        def tail(trials, target=target, failures=failures):
            p = mpmath.mpf(target)
            return sum(mpmath.binomial(trials, j) * p**j * (1 - p) ** (trials - j) for j in range(failures + 1))

        alpha = 1 - mpmath.mpf(0.99)
        assert tail(n - 2) > alpha, (target, failures)
        assert tail(n + 2) < alpha, (target, failures)
        assert abs(tail(n) / alpha - 1) < 20 * target * n / max(n, 1) + 1e-7, (target, failures)


def test_rule_of_three_and_agreement_with_the_bound():
    assert sf.bounds.trials_needed(1e-3, level=0.95) == 2995
    for failures in (0, 1, 5):
        n = sf.bounds.trials_needed(0.01, level=0.95, failures=failures)
        assert sf.bounds.clopper_pearson(failures, n, level=0.95).upper(0.95) <= 0.01
        assert sf.bounds.clopper_pearson(failures, n - 1, level=0.95).upper(0.95) > 0.01


def test_a_target_brings_its_level_and_its_uncertainty():
    assert sf.bounds.trials_needed(sf.Target(at_most=1e-3)) == 2995
    assert sf.bounds.trials_needed(sf.Target(at_least=0.999)) in (2994, 2995)
    assert sf.bounds.trials_needed(sf.Target(at_most=1e-3, level=0.5), level=0.95) == 2995
    target = sf.Target(at_most=1e-3, uncertainty=sf.Beta(10, 9990))
    n = sf.bounds.trials_needed(target)
    assert sf.bounds.clopper_pearson(0, n, level=0.95).meets(target)
    assert not sf.bounds.clopper_pearson(0, n - 2, level=0.95).meets(target)


rare = st.floats(0.003, 0.9)
shares = st.floats(0.0, 0.9)


@given(rare, shares, st.sampled_from([0.3, 0.5, 0.8, 0.95]), st.sampled_from([0.6, 0.9, 0.95, 0.99]))
@settings(deadline=None, max_examples=25)
def test_a_demonstration_is_the_smallest_test_with_its_power(target, share, power, level):
    """By all numbers of trials, with the failures that the bound of an independent library allows each."""
    found = sf.bounds.demonstration(target, rate=share * target, power=power, level=level)
    trials = np.arange(1, min(found.trials, 20_000) + 1)
    allowed = binom.ppf(1 - level, trials, target)
    allowed -= binom.cdf(allowed, trials, target) > (1 - level) * (1 + 1e-12)
    enough = trials[binom.cdf(allowed, trials, share * target) >= power * (1 - 1e-12)]
    if found.trials <= 20_000:
        assert enough.tolist() == [found.trials]
        assert found.failures == allowed[-1]
        assert found.power == pytest.approx(binom.cdf(found.failures, found.trials, share * target))
        high = proportion_confint(found.failures, found.trials, alpha=2 * (1 - level), method="beta")[1]
        assert high <= target * (1 + 1e-9)
    else:
        assert enough.size == 0


@pytest.mark.parametrize(
    ("producer", "consumer", "plan"),
    [((0.01, 0.05), (0.05, 0.1), (132, 3, 0.04425251)), ((0.01, 0.02), (0.05, 0.15), (144, 4, 0.01534843))],
)
def test_demonstrations_are_the_sampling_plans_of_an_r_package(producer, consumer, plan):
    """AccSamplingDesign (Truong, Miranda and Kissling 2025), vignette, single plans by attributes."""
    (rate, risk), (target, alpha) = producer, consumer
    found = sf.bounds.demonstration(target, rate=rate, power=1 - risk, level=1 - alpha)
    assert (found.trials, found.failures) == plan[:2]
    assert 1 - found.power == pytest.approx(plan[2], abs=1e-8)


@pytest.mark.parametrize("limit", [0.9, 0.2, 0.01, 1e-4, 1e-6])
def test_a_component_at_the_target_passes_at_most_as_often_as_the_level_says(limit):
    for share in (0.0, 0.5, 0.9):
        for level in (0.8, 0.95, 0.999):
            for power in (0.1, 0.8, 0.99):
                found = sf.bounds.demonstration(limit, rate=share * limit, power=power, level=level)
                assert binom.cdf(found.failures, found.trials, limit) <= (1 - level) * (1 + 1e-9), (share, level)
                assert found.power_at(share * limit) == found.power >= power, (share, level)
                assert found.power_at(limit) == pytest.approx(
                    binom.cdf(found.failures, found.trials, limit), rel=1e-6
                ), (share, level)


def test_rates_close_to_the_target_have_a_plan_with_the_power():
    found = sf.bounds.demonstration(0.05, rate=0.0499, power=0.95, level=0.95)
    assert found.trials > 10**7
    assert binom.cdf(found.failures, found.trials, 0.0499) >= 0.95
    assert binom.cdf(found.failures, found.trials, 0.05) <= 0.05


def test_a_demonstration_of_a_given_size_has_the_failures_that_its_bound_allows():
    found = sf.bounds.demonstration(sf.Target(at_most=0.01), rate=0.005, trials=500)
    assert sf.bounds.clopper_pearson(found.failures, 500, level=0.95).meets(sf.Target(at_most=0.01))
    assert not sf.bounds.clopper_pearson(found.failures + 1, 500, level=0.95).meets(sf.Target(at_most=0.01))
    assert found.power == pytest.approx(binom.cdf(found.failures, 500, 0.005))
    with pytest.raises(sf.Undefined, match=r"even without a failure; found 298 trials\. Plan 299 at least"):
        sf.bounds.demonstration(0.01, rate=0.005, trials=298, level=0.95)


def test_no_test_is_planned_for_a_rate_that_is_not_below_the_target():
    for rate in (0.01, 0.02, 1.0):
        assert "Plan for a smaller rate" in refusal(
            sf.Undefined, sf.bounds.demonstration, 0.01, rate=rate, level=0.95
        ), rate


def test_demonstrations_refuse_what_is_no_probability_or_count():
    for wrong in ({"rate": -0.1}, {"rate": math.nan}, {"power": 0}, {"power": 1}, {"trials": 0}):
        assert refusal(sf.InvalidInput, sf.bounds.demonstration, 0.01, **{"rate": 0.001, "level": 0.95, **wrong}), wrong


@pytest.mark.parametrize(("failures", "operation"), [(0, SHARES), (2, {"day": 0.8, "night": 0.2})])
def test_plan_by_stratum_shows_the_target_and_is_the_smallest(failures, operation):
    plan = sf.bounds.trials_needed_by_stratum(0.06, operation, level=0.95, failures=failures)
    shares, trials = list(operation.values()), list(plan.trials.values())
    for stratum in range(len(shares)):
        failed = [failures if s == stratum else 0 for s in range(len(shares))]
        assert sf.bounds.stratified(failed, trials, shares, level=0.95).upper(0.95) <= 0.06, stratum
    fewer = [math.ceil(0.96 * n) for n in trials]
    worst = [failures, *[0] * (len(shares) - 1)]
    assert sf.bounds.stratified(worst, fewer, shares, level=0.95).upper(0.95) > 0.06
    assert plan.total == sum(trials)


def test_proportional_allocation_beats_equal_allocation():
    plan = sf.bounds.trials_needed_by_stratum(0.06, SHARES, level=0.95)
    equal = [plan.total // 3] * 3
    assert sf.bounds.stratified([0] * 3, equal, list(SHARES.values()), level=0.95).upper(0.95) > 0.06


def test_each_stratum_by_itself_shares_the_miss_probability():
    plan = sf.bounds.trials_needed_by_stratum(1e-2, SHARES, level=0.95, each=True)
    alone = sf.bounds.trials_needed(1e-2, level=1 - 0.05 / 3)
    assert plan.trials == dict.fromkeys(SHARES, alone)
    assert sf.bounds.trials_needed_by_stratum(1e-3, {"all": 1.0}, level=0.95).trials == {"all": 2995}


def test_bad_input_is_refused():
    for target, options in (
        (0, {}),
        (1, {}),
        (-0.001, {}),
        (math.nan, {}),
        (0.001, {"level": 1}),
        (0.001, {"level": None}),
        ("x", {}),
        (0.001, {"failures": -1}),
        (0.001, {"failures": 0.5}),
        (sf.Target(at_most=2.0, per="hour"), {}),
    ):
        assert refusal(sf.InvalidInput, sf.bounds.trials_needed, target, **{"level": 0.95, **options}), target
        assert refusal(
            sf.InvalidInput, sf.bounds.trials_needed_by_stratum, target, SHARES, **{"level": 0.95, **options}
        ), (target, options)


def test_hopeless_targets_and_bad_shares_are_refused():
    with pytest.raises(sf.Undefined):
        sf.bounds.trials_needed(1e-16, level=0.95)
    with pytest.raises(sf.InvalidInput):
        sf.bounds.trials_needed_by_stratum(1e-3, {"a": 0.5, "b": 0.4}, level=0.95)
    with pytest.raises(sf.InvalidInput):
        sf.bounds.trials_needed_by_stratum(1e-3, {}, level=0.95)


def test_shares_map_names_to_numbers():
    for shares in ([0.5, 0.5], (1.0,), 0.5, None, "day", {"day": "all"}, {"day": [1.0]}):
        assert "shares" in refusal(sf.InvalidInput, sf.bounds.trials_needed_by_stratum, 0.1, shares, level=0.9), shares


def test_a_target_must_count_the_bound_that_is_planned_for():
    with pytest.raises(sf.InvalidInput, match="does not count; found kinds credible"):
        sf.bounds.trials_needed(sf.Target(at_most=0.01, kinds=("credible",)))


def test_a_target_is_a_number_or_a_target():
    for target in (None, [1e-3], {"at_most": 1e-3}, sf.bounds.clopper_pearson(0, 9, level=0.9)):
        assert "target must be a number" in refusal(sf.InvalidInput, sf.bounds.trials_needed, target, level=0.9), target


def test_more_failures_than_feasible_trials_have_no_plan():
    for failures in (10**15, 10**400):
        assert "no feasible number" in refusal(
            sf.Undefined, sf.bounds.trials_needed, 0.1, level=0.9, failures=failures
        ), failures
