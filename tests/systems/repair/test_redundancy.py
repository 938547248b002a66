"""Which configurations fail together, by counting, and what one answer of several is."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import told

from surefoot import SurefootError
from surefoot.metrics import tasks
from surefoot.systems import CLEAN, Condition, Measurements, MemoryColumns, advise, vote

FOG = Condition("fog", 3)


def measured(by_condition, *, faults=None, units=None):
    """A system whose error of each item is stated."""
    rows = {c: np.column_stack([np.asarray(v, float), np.ones(len(v))]) for c, v in by_condition.items()}
    return Measurements("s", tasks.mae(), tuple(rows), {}, MemoryColumns(rows, {}, faults or {}), units)


def by_name(advice):
    return {frozenset(each.members): each for each in advice.combinations}


@given(st.integers(2, 4), st.integers(3, 30), st.integers(0, 10**6), st.floats(0.05, 0.95))
@settings(max_examples=15, deadline=None)
def test_shares_are_those_of_counting(systems, items, seed, weight):
    rng = np.random.default_rng(seed)
    failed = {c: rng.random((systems, items)) < 0.4 for c in (CLEAN, FOG)}
    given_ = {f"s{i}": measured({c: failed[c][i] for c in failed}) for i in range(systems)}
    weights = {CLEAN: weight, FOG: 1 - weight}
    found = by_name(advise(given_, weights=weights, draws=100))
    assert len(found) == 2**systems - systems - 1
    for count in range(2, systems + 1):
        for some in combinations(range(systems), count):
            each = found[frozenset(f"s{i}" for i in some)]
            together, half, alone = 0.0, 0.0, np.zeros(count)
            for c, share in weights.items():
                rows = failed[c][list(some)]
                together += share * np.mean([all(column) for column in rows.T])
                half += share * np.mean([sum(column) >= count / 2 for column in rows.T])
                alone += share * rows.mean(axis=1)
            assert each.all_fail.value == pytest.approx(together)
            assert each.most_fail.value == pytest.approx(half)
            assert each.best_alone == pytest.approx(alone.min())
            assert each.factor.value == (pytest.approx(together / alone.prod()) if alone.all() else None)


def test_configurations_that_fail_independently_have_a_factor_about_1():
    factors = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        systems = {name: measured({CLEAN: rng.random(600) < 0.3}) for name in "abc"}
        factors += [each.factor for each in advise(systems, draws=300, seed=seed).combinations]
    assert np.mean([factor.value for factor in factors]) == pytest.approx(1, abs=0.02)
    assert np.mean([factor.low <= 1 <= factor.high for factor in factors]) > 0.9


def test_configurations_that_fail_on_the_same_items_gain_nothing():
    failed = np.arange(100) < 20
    (both,) = advise({"a": measured({CLEAN: failed}), "b": measured({CLEAN: failed})}).combinations
    assert both.all_fail.value == both.most_fail.value == both.best_alone == pytest.approx(0.2)
    assert both.factor.value == pytest.approx(5.0)


def test_those_that_fail_together_least_often_come_first():
    rng = np.random.default_rng(1)
    common = rng.random(2000) < 0.2
    systems = {"a": common, "b": common | (rng.random(2000) < 0.02), "c": rng.random(2000) < 0.2}
    advice = advise({name: measured({CLEAN: failed}) for name, failed in systems.items()})
    shares = [each.all_fail.value for each in advice.combinations]
    assert shares == sorted(shares)
    assert advice.combinations[-1].members == ("a", "b")
    assert advice.table.columns[0] == "configurations"
    assert "a + c" in str(advice)


def test_what_raised_and_what_has_no_error_has_failed():
    faults = {CLEAN: np.array([True, False, False, False])}
    first = measured({CLEAN: [0.0, np.nan, 0.4, 0.6]}, faults=faults)
    second = measured({CLEAN: [1.0, 1.0, 1.0, 1.0]})
    assert advise({"a": first, "b": second}, limit=0.5, draws=100).alone["a"].value == 0.75


def test_intervals_hold_the_true_share_with_groups_too():
    held = {True: 0, False: 0}
    for seed in range(60):
        rng = np.random.default_rng(seed)
        for grouped in held:
            hard = rng.random(60)[np.repeat(np.arange(60), 4)] if grouped else rng.random(240)
            a, b = (rng.random((2, 240)) < 0.6 * hard).astype(bool)
            units = np.repeat(np.arange(60), 4) if grouped else None
            systems = {"a": measured({CLEAN: a}, units=units), "b": measured({CLEAN: b}, units=units)}
            share = advise(systems, draws=300, seed=seed).combinations[0].all_fail
            # Both fail with probability 0.36 hard^2, whose mean is 0.12.
            held[grouped] += share.low <= 0.12 <= share.high
    assert min(held.values()) >= 52


A = measured({CLEAN: [0, 1], FOG: [0, 1]})


def test_what_cannot_be_advised_is_told():
    for systems, options, said in [
        ({"a": A}, {}, "2 to 8 configurations; found 1"),
        ({str(i): A for i in range(9)}, {}, "found 9"),
        ({"a": A, "b": A}, {"weights": {CLEAN: -1, FOG: 2}}, "none negative"),
        ({"a": A, "b": A}, {"weights": {CLEAN: 0}}, "not all 0"),
        ({"a": A, "b": A}, {"weights": {}}, "found none"),
        ({"a": A, "b": A}, {"weights": {Condition("snow", 1): 1}}, "measured conditions"),
        ({"a": A, "b": measured({CLEAN: [0, 1]})}, {}, "'b' was not measured in a condition; found fog 3"),
        ({"a": A, "b": measured({CLEAN: [0], FOG: [0]})}, {}, "same items"),
        ({"a": A, "b": A}, {"limit": -1}, "limit"),
    ]:
        with told(systems), pytest.raises(SurefootError, match=said):
            advise(systems, **options)


def test_a_vote_of_numbers_is_their_median():
    answers = {"a": [1.0, 5.0, None, None], "b": [2.0, 7.0, 3.0, None], "c": [9.0, None, 4.0, None]}
    assert vote(answers, "number") == [2.0, 6.0, 3.5, None]


def test_a_vote_of_vectors_is_the_median_of_each_entry():
    found = vote({"a": [np.array([1, 9])], "b": [np.array([2, 8])], "c": [np.array([3, 0])]}, "vector")
    assert found[0].tolist() == [2.0, 8.0]
    with pytest.raises(SurefootError, match="one length"):
        vote({"a": [np.ones(2)], "b": [np.ones(3)]}, "vector")


def test_a_vote_of_texts_is_the_most_frequent_and_ties_go_to_the_most_trusted():
    answers = {
        "a": ["x", "one", "p", None, None],
        "b": ["y", "two", "q", None, "only"],
        "c": ["y", "one", "r", None, None],
        "d": ["x", "two", None, None, None],
    }
    assert vote(answers, "text") == ["x", "one", "p", None, "only"]
    assert vote({"b": ["y", "q"], "a": ["x", "p"]}, "text") == ["y", "q"]


def test_a_vote_tells_large_arrays_apart():
    far = np.zeros(5000)
    far[2500] = 1
    found = vote({"a": [far], "b": [np.zeros(5000)], "c": [np.zeros(5000)]}, "array")
    assert not found[0].any()


def test_a_vote_of_anything_that_prints_is_possible():
    for value in [{"a": [1]}, ("x", 2), [1, 2], 3, True]:
        with told(value):
            assert vote({"a": ["other"], "b": [value], "c": [value]}, "any") == [value]


@pytest.mark.parametrize("answers", [{"a": [1]}, {}, {"a": [1], "b": [1, 2]}])
def test_a_vote_needs_two_with_the_same_items(answers):
    with pytest.raises(SurefootError, match="two or more configurations"):
        vote(answers, "number")


def test_a_vote_of_an_unknown_kind_is_told():
    with pytest.raises(SurefootError, match="Did you mean 'number'"):
        vote({"a": [1], "b": [1]}, "numbr")
