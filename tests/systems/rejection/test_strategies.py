"""The five strategies of paper SYS, section 4.5."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.refusals import told

from surefoot.core import InvalidInput
from surefoot.systems import rejection

most_uncertain, strangest, uncertain_then_strange, strange_then_uncertain, uncertain_and_strange = (
    rejection.STRATEGIES.values()
)

PAIRS = arrays(float, st.tuples(st.just(2), st.integers(1, 9)), elements=st.integers(0, 4).map(float))


def by_hand(strategy, uncertainty, strangeness, count):
    """Each definition word for word, with lists."""
    items = range(len(uncertainty))
    uncertain = sorted(items, key=lambda i: -uncertainty[i])
    strange = sorted(items, key=lambda i: -strangeness[i])
    if strategy == "S1":
        return set(uncertain[:count])
    if strategy == "S2":
        return set(strange[:count])
    if strategy in ("S3", "S4"):
        first, second = (uncertain, strange) if strategy == "S3" else (strange, uncertain)
        rejected = set(first[: (count + 1) // 2])
        return rejected | set([i for i in second if i not in rejected][: count // 2])
    m = next(m for m in range(len(items) + 1) if len(set(uncertain[:m]) & set(strange[:m])) >= count)
    common, sure = (set(uncertain[:k]) & set(strange[:k]) for k in (m, max(m - 1, 0)))
    tied = sorted(common - sure, key=lambda i: (uncertain.index(i) + strange.index(i), i))
    return sure | set(tied[: count - len(sure)]) if count else set()


@settings(max_examples=40, deadline=None)
@given(PAIRS)
@pytest.mark.parametrize("strategy", rejection.STRATEGIES)
def test_each_strategy_follows_its_definition(strategy, pair):
    for count in range(pair.shape[1] + 1):
        mask = rejection.STRATEGIES[strategy](*pair, count)
        assert mask.sum() == count
        assert set(np.flatnonzero(mask)) == by_hand(strategy, *pair, count)


@settings(max_examples=25, deadline=None)
@given(PAIRS, st.randoms(use_true_random=False))
def test_the_first_strategy_ignores_strangeness_and_the_second_uncertainty(pair, random):
    other = random.sample(list(pair[1]), pair.shape[1])
    for count in range(pair.shape[1] + 1):
        assert np.array_equal(most_uncertain(*pair, count), most_uncertain(pair[0], other, count))
        assert np.array_equal(strangest(*pair, count), strangest(other, pair[1], count))


@settings(max_examples=25, deadline=None)
@given(PAIRS)
@pytest.mark.parametrize("strategy", rejection.STRATEGIES)
def test_a_higher_count_rejects_what_a_lower_one_does(strategy, pair):
    masks = [rejection.STRATEGIES[strategy](*pair, count) for count in range(pair.shape[1] + 1)]
    assert all((more >= fewer).all() for fewer, more in pairwise(masks))


@settings(max_examples=25, deadline=None)
@given(PAIRS)
def test_the_fourth_strategy_is_the_third_with_scores_swapped(pair):
    for count in range(pair.shape[1] + 1):
        assert np.array_equal(strange_then_uncertain(*pair, count), uncertain_then_strange(*pair[::-1], count))


def test_the_third_and_fourth_strategy_take_half_of_each_list():
    """In Table 26, configuration 1, S3 equals S2 and S4 equals S1 nearly everywhere; by definition they differ."""
    uncertainty, strangeness = np.arange(100.0), -np.arange(100.0)
    third = uncertain_then_strange(uncertainty, strangeness, 26)
    assert set(np.flatnonzero(third)) == {*range(87, 100), *range(13)}
    assert np.array_equal(third, strange_then_uncertain(uncertainty, strangeness, 26))
    assert not np.array_equal(third, strangest(uncertainty, strangeness, 26))
    assert not np.array_equal(third, most_uncertain(uncertainty, strangeness, 26))


def test_an_odd_item_goes_to_the_list_that_comes_first():
    assert np.flatnonzero(uncertain_then_strange([3, 2, 1], [1, 2, 3], 1)) == [0]
    assert np.flatnonzero(strange_then_uncertain([3, 2, 1], [1, 2, 3], 1)) == [2]


def test_the_second_half_is_taken_from_those_left():
    both = [5.0, 4.0, 3.0, 2.0, 1.0]
    assert list(np.flatnonzero(uncertain_then_strange(both, both, 4))) == [0, 1, 2, 3]


def test_the_fifth_strategy_breaks_a_tie_by_the_sum_of_ranks():
    # Items 2 and 3 enter the two top-4 lists together, with ranks (4, 3) and (2, 4).
    uncertainty, strangeness = [4.0, 2.0, 1.0, 3.0], [3.0, 4.0, 2.0, 1.0]
    assert list(np.flatnonzero(uncertain_and_strange(uncertainty, strangeness, 3))) == [0, 1, 3]


def test_what_has_no_score_is_rejected_first():
    uncertainty, strangeness = [1.0, np.nan, np.inf, 2.0], [0.0, 1.0, np.nan, 5.0]
    assert np.flatnonzero(most_uncertain(uncertainty, strangeness, 1)) == [1]
    assert list(np.flatnonzero(most_uncertain(uncertainty, strangeness, 2))) == [1, 2]
    assert np.flatnonzero(strangest(uncertainty, strangeness, 1)) == [2]


def test_equal_scores_are_rejected_in_the_order_of_items():
    for strategy in rejection.STRATEGIES:
        with told(strategy):
            assert list(np.flatnonzero(rejection.STRATEGIES[strategy](np.zeros(5), np.zeros(5), 3))) == [0, 1, 2]


def test_many_items_are_ordered_once_for_all_counts():
    for strategy in rejection.STRATEGIES:
        with told(strategy):
            pair = np.random.default_rng(0).normal(size=(2, 20_000))
            order = rejection.Lists.of(*pair).order(strategy)
            assert np.array_equal(np.sort(order), np.arange(20_000))
            for count in (1, 777, 19_999):
                assert set(order[:count]) == set(np.flatnonzero(rejection.STRATEGIES[strategy](*pair, count)))


def test_what_cannot_be_rejected_is_refused():
    for arguments, words in [
        (([1.0], [1.0, 2.0], 1), "same length"),
        (([1.0], [2.0], 2), "more items than there are"),
        (([1.0], [2.0], -1), "whole number"),
        (([[1.0]], [2.0], 1), "one number an item"),
        ((["a"], [2.0], 1), "one number an item"),
    ]:
        with told(arguments), pytest.raises(InvalidInput, match=words):
            uncertain_and_strange(*arguments)


def test_of_no_items_none_are_rejected():
    assert uncertain_then_strange(np.empty(0), np.empty(0), 0).size == 0
