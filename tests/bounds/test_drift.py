import numpy as np
import pytest
from scipy import stats

from surefoot.bounds import Counts, outcome_drift

SIGNIFICANCE = 0.01


def compared(first, second, half=1000):
    return outcome_drift(Counts(first, half), Counts(second, half))


def test_the_p_value_is_that_of_fishers_exact_test():
    for first, second in ((0, 8), (3, 11), (20, 45), (5, 5), (700, 900), (1000, 990)):
        expected = stats.fisher_exact([[first, 1000 - first], [second, 1000 - second]])[1]
        assert compared(first, second).figures["p_value"] == pytest.approx(expected), (first, second)


def test_too_few_failures_leave_it_unchecked_however_they_fall():
    for failures in range(8):
        found = compared(failures, 0)
        assert found.status == "unchecked", failures
        assert found.figures["smallest_p_value_possible"] >= SIGNIFICANCE, failures
        assert found.method.endswith("too few for any split to be significant"), failures


def test_enough_failures_can_be_uneven_or_not():
    assert compared(8, 0).status == "contradicted"
    assert compared(5, 3).status == "supported"
    assert compared(5, 3).method == (
        "5 failures in the first half and 3 in the second half of 2,000 rows, compared by Fisher's exact test"
    )


def test_rows_that_mostly_fail_are_compared_by_their_successes():
    assert compared(1000, 985).status == "contradicted"
    assert compared(1000, 985).figures["successes_second_half"] == 15
    assert compared(1000, 998).status == "unchecked"


def test_a_threefold_rate_of_rare_failures_is_seen():
    assert compared(15, 45, half=20_000).status == "contradicted"


def test_among_millions_of_rows_a_negligible_difference_is_significant_but_not_contradicted():
    found = compared(50_000, 51_500, half=5_000_000)
    assert found.figures["p_value"] < 1e-5
    assert found.status == "supported"
    assert compared(50_000, 65_000, half=5_000_000).status == "contradicted"


def test_the_exact_rate_of_false_alarms_keeps_the_significance():
    for failures in (8, 12, 20, 60, 200):
        ways = stats.hypergeom(1000, failures, 500)
        alarms = [k for k in range(failures + 1) if compared(k, failures - k, half=500).status == "contradicted"]
        assert 0 < ways.pmf(alarms).sum() <= SIGNIFICANCE, failures


@pytest.mark.parametrize("rate", [0.005, 0.02, 0.3])
def test_simulated_false_alarms_are_rarer_than_the_significance(rate):
    counts = np.random.default_rng(0).binomial(500, rate, size=(2000, 2))
    alarms = [compared(*pair, half=500).status == "contradicted" for pair in counts.tolist()]
    assert np.mean(alarms) <= SIGNIFICANCE


def test_no_rows_or_one_in_each_half_say_nothing():
    for half in (0, 1):
        assert compared(0, 0, half=half).status == "unchecked", half
