import math

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from surefoot.monitors.thresholds.risk_control import binomial_p, hoeffding_bentkus_p, units_needed


def test_binomial_p_values_equal_those_of_scipy():
    for n in [1, 7, 100, 3_000]:
        for budget in [0.001, 0.05, 0.5, 0.9]:
            losses = np.unique(np.linspace(0, n, 9).astype(int))
            found = binomial_p(losses / n, n, budget)
            expected = [binomtest(int(k), n, budget, alternative="less").pvalue for k in losses]
            np.testing.assert_allclose(found, expected, rtol=1e-9, err_msg=repr((n, budget)))


def test_hoeffding_bentkus_equals_the_printed_formula():
    def printed(mean, n, budget):
        a = min(mean, budget)
        first = a * math.log(a / budget) if a > 0 else 0.0
        second = (1 - a) * math.log((1 - a) / (1 - budget)) if a < 1 else 0.0
        bentkus = math.e * binom.cdf(math.ceil(n * mean), n, budget)
        return min(math.exp(-n * (first + second)), bentkus, 1.0)

    for n in [1, 7, 100, 3_000]:
        for budget in [0.001, 0.05, 0.5, 0.9]:
            means = np.concatenate([[0.0, 1.0, budget], np.random.default_rng(0).random(20) * 2 * min(budget, 0.5)])
            expected = [printed(mean, n, budget) for mean in means]
            np.testing.assert_allclose(
                hoeffding_bentkus_p(means, n, budget), expected, rtol=1e-9, atol=1e-300, err_msg=repr((n, budget))
            )


@pytest.mark.parametrize("shape", [(0.2, 3.8), (5.0, 95.0), (1.0, 19.0)], ids=str)
def test_p_values_of_graded_losses_at_the_budget_are_rarely_small(shape):
    losses = np.random.default_rng(1).beta(*shape, size=(4_000, 60))
    p = hoeffding_bentkus_p(losses.mean(axis=1), 60, 0.05)
    assert all((p <= level).mean() <= level + 3 * math.sqrt(level / 4_000) for level in (0.01, 0.05, 0.1, 0.3))


def test_losses_that_sum_to_a_whole_number_up_to_rounding_count_as_that():
    assert hoeffding_bentkus_p((3 + 1e-13) / 50, 50, 0.3) == pytest.approx(float(hoeffding_bentkus_p(3 / 50, 50, 0.3)))


@pytest.mark.parametrize("two_valued", [True, False])
def test_units_needed_show_the_mean_and_far_fewer_do_not(two_valued):
    def p(n):
        test = binomial_p if two_valued else hoeffding_bentkus_p
        return test(math.ceil(0.02 * n) / n, n, 0.05)

    needed = units_needed(0.02, 0.05, 0.1, two_valued=two_valued)
    assert p(math.ceil(1.05 * needed)) <= 0.1 < p(needed // 2)


def test_no_number_of_units_shows_a_mean_that_is_too_large():
    assert units_needed(0.05, 0.05, 0.1, two_valued=True) is None


def test_without_a_loss_the_units_needed_follow_from_one_power():
    needed = units_needed(0.0, 0.01, 0.05, two_valued=True)
    assert math.ceil(math.log(0.05) / math.log(0.99)) <= needed <= 305
