import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.monitors.thresholds.risk_control import bonferroni, checked, fixed_sequence, holm


def random_p(seed):
    return np.random.default_rng(seed).random(12) ** 4


@pytest.mark.usefixtures("no_garbage_collection")
def test_corrections_equal_those_of_statsmodels():
    for seed in range(20):
        for ours, theirs in [(holm, "holm"), (bonferroni, "bonferroni")]:
            p = random_p(seed)
            np.testing.assert_array_equal(
                ours(p, 0.1), multipletests(p, alpha=0.1, method=theirs)[0], err_msg=repr((seed, ours, theirs))
            )


def test_the_sequence_equals_a_walk_from_each_start():
    for starts in [1, 2, 5, 12]:
        for seed in range(10):
            p, expected = random_p(seed), set()
            for start in (int(len(p) * k / starts) for k in range(starts)):
                place = start
                while place < len(p) and p[place] <= 0.3 / starts:
                    expected.add(place)
                    place += 1
            assert set(np.flatnonzero(fixed_sequence(p, 0.3, starts=starts))) == expected, (starts, seed)


def test_a_first_failure_ends_the_sequence():
    assert not fixed_sequence(np.array([0.2, 0.0, 0.0]), 0.1).any()


def test_searches_that_mean_nothing_are_refused():
    for search, starts in [("holm", 2), ("sequence", 4), ("sequence", 0), ("hulm", 1)]:
        with refused(search, InvalidInput):
            checked(search, starts, 3, where="test")
