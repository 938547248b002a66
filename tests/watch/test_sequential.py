"""The test of failures: exact by enumeration, by a naive sum over starts, and by simulation."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from surefoot import watch
from surefoot.bounds import betting_sequence
from surefoot.core import InvalidInput
from tests.refusals import told

ROWS = 9


def naive(outcomes, limit):
    """The capital as its definition says: over all starts and all alternatives, plus what has not been bet."""
    odds, chances = 1.5 * limit / (1 - limit), []
    while not chances or chances[-1] < 0.75:
        chances.append(odds / (1 + odds))
        odds *= 2
    total = 1 / math.log(len(outcomes) + math.e)
    for start in range(len(outcomes)):
        share = 1 / math.log(start + math.e) - 1 / math.log(start + 1 + math.e)
        for chance in chances:
            ratios = [chance / limit if failed else (1 - chance) / (1 - limit) for failed in outcomes[start:]]
            total += share / len(chances) * math.prod(ratios)
    return total


def value(outcomes, limit, alpha=1e-6):
    test = watch.FailureTest(limit, alpha=alpha)
    test.update(np.array(outcomes, dtype=bool))
    return test.value


@pytest.mark.parametrize("limit", [0.001, 0.05, 0.4])
def test_the_capital_is_what_its_definition_says(limit):
    outcomes = np.random.default_rng(0).random(40) < 0.3
    assert value(outcomes, limit) == pytest.approx(naive(outcomes, limit), rel=1e-9)


def test_the_mean_capital_over_all_outcomes_is_1_at_the_limit_and_less_below_it():
    for limit, chance in [(0.1, 0.1), (0.1, 0.05), (0.4, 0.4), (0.02, 0.001)]:
        with told(limit):
            mean = 0.0
            for outcomes in itertools.product((False, True), repeat=ROWS):
                weight = math.prod(chance if failed else 1 - chance for failed in outcomes)
                mean += weight * value(outcomes, limit)
            assert mean == pytest.approx(1) if chance == limit else mean < 1


def test_false_alarms_stay_below_alpha_over_whole_streams():
    rng, alarms, streams, alpha = np.random.default_rng(1), 0, 300, 0.1
    for _ in range(streams):
        test = watch.FailureTest(0.1, alpha=alpha)
        alarms += test.update(rng.random(1000) < 0.1) is not None
    assert alarms <= stats.binom.ppf(0.999, streams, alpha)
    assert alarms > 0  # with this much to lose it would be useless if it never went off


def test_it_is_as_quick_as_the_confidence_sequence_that_needs_all_rows():
    losses = (np.random.default_rng(2).random(3000) < 0.15).astype(float)
    test = watch.FailureTest(0.05, alpha=0.01)
    row = test.update(losses > 0)
    refuted = int(np.flatnonzero(betting_sequence(losses, level=0.99).lower > 0.05)[0])
    assert row is not None
    assert row < 1.5 * refuted


def test_a_component_that_degrades_late_is_noticed():
    rng = np.random.default_rng(3)
    test = watch.FailureTest(0.05, alpha=0.005)
    assert test.update(rng.random(100_000) < 0.005) is None
    row = test.update(rng.random(2000) < 0.2)
    assert row is not None
    assert row < 200
    assert test.row == 100_000 + row


def test_a_limit_of_0_is_refuted_by_one_failure():
    assert watch.FailureTest(0.0, alpha=0.01).update([False] * 50 + [True]) == 50


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(1, 400), min_size=1, max_size=5), st.integers(0, 5))
def test_neither_batches_nor_a_restart_matter(sizes, seed):
    failed = np.random.default_rng(seed).random(sum(sizes)) < 0.12
    whole = watch.FailureTest(0.05, alpha=0.01)
    whole.update(failed)
    parts = watch.FailureTest(0.05, alpha=0.01)
    for part in np.split(failed, np.cumsum(sizes)[:-1]):
        resumed = watch.FailureTest(0.05, alpha=0.01)
        resumed.resume(parts.snapshot())
        resumed.update(part)
        parts = resumed
    assert (parts.row, parts.rows) == (whole.row, whole.rows)
    assert parts.value == pytest.approx(whole.value)


@pytest.mark.parametrize("limit", [1.0, -0.1, math.nan])
def test_limits_that_mean_nothing_are_refused(limit):
    with pytest.raises(InvalidInput):
        watch.FailureTest(limit, alpha=0.01)


@pytest.mark.parametrize("damage", [{"log": [1.0]}, {"rows": "many"}, {"log": None}])
def test_damaged_snapshots_are_refused(damage):
    test = watch.FailureTest(0.05, alpha=0.01)
    with pytest.raises(InvalidInput):
        test.resume({**test.snapshot(), **damage})
