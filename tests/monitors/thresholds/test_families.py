import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from surefoot.core import InvalidInput
from surefoot.monitors.thresholds.families import bonferroni, checked, fixed_sequence, holm


def random_p(seed):
    return np.random.default_rng(seed).random(12) ** 4


@pytest.mark.usefixtures("no_garbage_collection")
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(("ours", "theirs"), [(holm, "holm"), (bonferroni, "bonferroni")])
def test_corrections_equal_those_of_statsmodels(ours, theirs, seed):
    p = random_p(seed)
    np.testing.assert_array_equal(ours(p, 0.1), multipletests(p, alpha=0.1, method=theirs)[0])


@pytest.mark.parametrize("starts", [1, 2, 5, 12])
@pytest.mark.parametrize("seed", range(10))
def test_the_sequence_equals_a_walk_from_each_start(seed, starts):
    p, expected = random_p(seed), set()
    for start in (int(len(p) * k / starts) for k in range(starts)):
        place = start
        while place < len(p) and p[place] <= 0.3 / starts:
            expected.add(place)
            place += 1
    assert set(np.flatnonzero(fixed_sequence(p, 0.3, starts=starts))) == expected


def test_a_first_failure_ends_the_sequence():
    assert not fixed_sequence(np.array([0.2, 0.0, 0.0]), 0.1).any()


@pytest.mark.parametrize(("search", "starts"), [("holm", 2), ("sequence", 4), ("sequence", 0), ("hulm", 1)])
def test_searches_that_mean_nothing_are_refused(search, starts):
    with pytest.raises(InvalidInput):
        checked(search, starts, 3, where="test")
