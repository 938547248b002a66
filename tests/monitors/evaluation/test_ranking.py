"""Rankings, against statsmodels, brute force and worlds in which the order is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from surefoot.core import InvalidInput
from surefoot.monitors import Ranking


def ranked(values, spread=1.0, draws=2000, seed=0, **options):
    values = np.asarray(values, dtype=float)
    drawn = values + spread * np.random.default_rng(seed).normal(size=(draws, values.size))
    return Ranking(tuple("abcdefgh"[: values.size]), values, drawn, **options)


@pytest.mark.usefixtures("no_garbage_collection")
@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(-3, 3), min_size=2, max_size=7))
def test_p_values_of_all_pairs_are_corrected_as_by_statsmodels(values):
    pairs = ranked(values, draws=100).pairs
    expected = multipletests([pair.p_value for pair in pairs], method="holm")[1]
    assert np.allclose([pair.adjusted for pair in pairs], expected)


def test_ranks_share_the_better_place():
    assert ranked([3.0, 5.0, 3.0, 1.0]).ranks.tolist() == [2, 1, 2, 4]


@settings(max_examples=15, deadline=None)
@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=2, max_size=12))
def test_draws_are_ranked_as_scipy_ranks_them(rows):
    drawn = np.array(rows, dtype=float)
    found = Ranking(tuple("abcd"), drawn[0], drawn)
    ranks = np.array([stats.rankdata(-row, method="min") for row in drawn])
    assert found.ranks.tolist() == ranks[0].astype(int).tolist()
    low = np.quantile(ranks, 0.025, axis=0, method="lower")
    high = np.quantile(ranks, 0.975, axis=0, method="higher")
    assert found.intervals.tolist() == np.stack([low, high], axis=1).astype(int).tolist()
    assert found.first.sum() == pytest.approx(1)


def test_a_shared_first_place_is_divided():
    drawn = np.array([[1.0, 1.0, 0.0], [2.0, 1.0, 0.0]])
    assert Ranking(("a", "b", "c"), drawn[0], drawn).first.tolist() == [0.75, 0.25, 0.0]


def test_equal_monitors_are_not_told_apart_and_far_ones_are():
    found = ranked([0.0, 0.1, 30.0])
    assert [(p.first, p.second, p.apart) for p in found.pairs] == [
        ("c", "b", True),
        ("c", "a", True),
        ("b", "a", False),
    ]
    assert found.certain.tolist() == [[2, 3], [2, 3], [1, 1]]
    assert found.beaten_by("c") == ("b", "a")
    assert found.first[2] == 1


def test_p_values_are_those_of_a_normal_test():
    found = ranked([0.0, 2.0], draws=4000)
    pair = found.pairs[0]
    spread = (found.drawn[:, 1] - found.drawn[:, 0]).std(ddof=1)
    assert pair.p_value == pytest.approx(2 * stats.norm.sf(2 / spread))
    assert pair.low < 2 < pair.high


def test_identical_draws_say_nothing_about_equal_values_and_all_about_others():
    drawn = np.tile([1.0, 1.0, 2.0], (50, 1))
    found = Ranking(("a", "b", "c"), drawn[0], drawn)
    assert [p.p_value for p in found.pairs] == [0.0, 0.0, 1.0]


def test_pairs_of_equals_are_told_apart_no_more_often_than_stated():
    rng, rounds, wrong = np.random.default_rng(0), 200, 0
    for _ in range(rounds):
        sample = rng.normal(size=(120, 5))
        drawn = np.array([sample[rng.integers(120, size=120)].mean(axis=0) for _ in range(150)])
        found = Ranking(tuple("abcde"), sample.mean(axis=0), drawn)
        wrong += any(pair.apart for pair in found.pairs)
    assert wrong / rounds < 0.1


def test_the_table_is_in_order():
    rows = ranked([1.0, 9.0, 5.0]).table().rows
    assert [row[0] for row in rows] == ["b", "c", "a"]
    assert [row[1] for row in rows] == [1, 2, 3]


def test_draws_that_are_undefined_are_left_out():
    drawn = np.array([[1.0, np.nan], [1.0, 2.0], [1.0, 2.0]])
    assert len(Ranking(("a", "b"), np.array([1.0, 2.0]), drawn).drawn) == 2


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(InvalidInput, match="a column of draws for each name"):
        Ranking(("a", "b"), np.zeros(2), np.zeros((5, 3)))
