"""Counts that were not drawn as their bound assumes, against independent computation."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from surefoot.report.sensitivity import Tally
from tests.report import results

COUNTS = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def exact(failures, trials, level=0.95):
    """Clopper and Pearson, by the test that they invert: the largest p that does not make so few failures too rare."""
    if failures == trials:
        return 1.0
    return optimize.brentq(lambda p: stats.binom.cdf(failures, trials, p) - (1 - level), failures / trials, 1 - 1e-12)


def test_the_exact_bound_is_that_of_an_inverted_binomial_test():
    counts = [(0, 10), (3, 200), (6, 106), (9, 10), (5, 5)]
    expected = [exact(*each) for each in counts]
    assert [Tally(*each, 0.95).exact for each in counts] == pytest.approx(expected, rel=1e-6)


@given(COUNTS)
def test_stopping_at_will_costs_something_and_bounds_what_was_counted(counts):
    tally = Tally(*counts, 0.95)
    assert counts[0] / counts[1] <= tally.stopped_at_will <= 1
    assert tally.stopped_at_will >= tally.exact - 1e-12


@given(COUNTS)
def test_at_the_limit_the_averaged_likelihood_is_so_many_times_the_likelihood(counts):
    failures, trials = counts
    limit = Tally(failures, trials, 0.95).stopped_at_will
    if failures < trials:
        averaged = 1 / ((trials + 1) * math.comb(trials, failures))
        assert stats.binom.pmf(failures, trials, limit) / math.comb(trials, failures) == pytest.approx(
            0.05 * averaged, rel=1e-6
        )


def ever_missed(p, limit, most):
    """Exact probability that some time up to ``most`` trials the limit of the counts is below the truth."""
    alive, missed = {0: 1.0}, 0.0
    for trials in range(1, most + 1):
        following = {}
        for failures, chance in alive.items():
            for more, share in ((0, 1 - p), (1, p)):
                following[failures + more] = following.get(failures + more, 0.0) + chance * share
        alive = {}
        for failures, chance in following.items():
            if limit(failures, trials) < p:
                missed += chance
            else:
                alive[failures] = chance
    return missed


def test_who_stops_at_will_misses_no_more_often_than_the_level_says():
    assert ever_missed(0.1, lambda k, n: Tally(k, n, 0.95).stopped_at_will, 70) <= 0.05
    assert ever_missed(0.1, lambda k, n: Tally(k, n, 0.95).exact, 70) > 0.05


def test_rows_from_elsewhere_are_taken_away_as_successes():
    one, five = Tally(3, 200, 0.95).with_foreign_rows()
    assert one.limit == pytest.approx(exact(3, 198), rel=1e-6)
    assert five.limit == pytest.approx(exact(3, 190), rel=1e-6)
    assert "1% of the test rows" in one.when


def test_rows_that_stand_or_fall_together_count_as_one():
    two, five = Tally(3, 200, 0.95).with_rows_together()
    assert two.limit == pytest.approx(exact(2, 100), rel=1e-6)
    assert five.limit == pytest.approx(exact(1, 40), rel=1e-6)


def test_few_rows_leave_nothing_to_suppose():
    assert list(Tally(1, 1, 0.95).with_foreign_rows()) == []
    assert list(Tally(1, 1, 0.95).with_rows_together()) == []


def test_counts_are_taken_only_from_tests_that_follow_operation():
    from dataclasses import replace

    counted = results.counted()
    assert Tally.of(counted, 0.9) == Tally(3, 200, 0.9)
    elsewhere = tuple(each for each in counted.assumptions if each.id != "operational-profile")
    assert Tally.of(replace(counted, assumptions=elsewhere), 0.9) is None
    assert Tally.of(replace(counted, details={}), 0.9) is None
    assert Tally.of(replace(counted, details={"failures": 3, "trials": 2}), 0.9) is None
    assert Tally.of(replace(counted, details={"failures": 0, "trials": 0}), 0.9) is None
