"""Exact limits of shares, against scipy's, and the levels at which limits are tabulated."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from surefoot.monitors.evaluation.exact_shares import largest_share, smallest_share
from surefoot.monitors.evaluation.levels import HIGHEST, USUAL, levels_up_to


@pytest.mark.parametrize("trials", [1, 7, 400])
def test_limits_of_many_counts_equal_those_of_scipy(trials):
    counts = np.unique(np.linspace(0, trials, 9).astype(int))
    peers = [stats.binomtest(count, trials).proportion_ci(0.95) for count in counts.tolist()]
    assert largest_share(counts, trials, 0.975) == pytest.approx([peer.high for peer in peers])
    assert smallest_share(counts, trials, 0.975) == pytest.approx([peer.low for peer in peers])


def test_limits_at_many_levels_equal_those_of_scipy():
    levels = [0.5, 0.9, 0.99]
    peers = [stats.binomtest(3, 50, alternative="less").proportion_ci(level).high for level in levels]
    assert largest_share(3, 50, levels) == pytest.approx(peers)


def test_small_shares_keep_their_digits():
    assert smallest_share(1, 10**7, 0.95) == pytest.approx(-np.log(0.95) / 10**7, rel=1e-6)


def test_levels_hold_the_one_asked_for_that_of_its_sides_and_the_usual_ones():
    levels = levels_up_to(HIGHEST, 0.8)
    assert np.isin([0.8, 1 - (1 - 0.8) / 2, *USUAL], levels).all()
    assert levels[0] == 0.5
    assert levels[-1] == pytest.approx(HIGHEST, rel=1e-15)
    assert (np.diff(levels) > 0).all()


def test_levels_end_where_draws_do():
    assert levels_up_to(0.975, 0.99).max() == pytest.approx(0.975)
