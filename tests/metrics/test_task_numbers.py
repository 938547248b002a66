"""Errors of numbers, against scikit-learn and direct formulas."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import mean_absolute_error, root_mean_squared_error
from tests.refusals import refusal

from surefoot.core import InvalidInput, Undefined
from surefoot.metrics import metric_named, of

ANGLES = st.lists(st.tuples(*[st.floats(-1e6, 1e6)] * 2), min_size=1, max_size=30)
THEIRS = {"rmse": root_mean_squared_error, "mae": mean_absolute_error}


@pytest.mark.parametrize("name", sorted(THEIRS))
@given(pairs=ANGLES)
@settings(max_examples=25, deadline=None)
def test_errors_equal_those_of_scikit_learn(name, pairs):
    outputs, truths = zip(*pairs, strict=True)
    assert of(outputs, truths, name) == pytest.approx(THEIRS[name](truths, outputs), rel=1e-12)


@pytest.mark.parametrize("name", sorted(THEIRS))
def test_the_error_of_an_item_is_its_distance_from_the_truth(name):
    outputs, truths = np.array([1.0, -2.0, 3.5]), np.array([1.5, -2.0, -3.0])
    metric = metric_named(name)
    np.testing.assert_allclose(metric.error(metric.statistics(outputs, truths)), np.abs(outputs - truths), rtol=1e-15)


def test_several_numbers_an_item_are_taken_together():
    outputs, truths = [[0, 0], [3, 4]], [[0, 0], [0, 0]]
    assert of(outputs, truths, "rmse") == pytest.approx(root_mean_squared_error([0, 0, 0, 0], [0, 0, 3, 4]))
    assert of(outputs, truths, "mae") == 1.75
    metric = metric_named("mae")
    assert metric.error(metric.statistics(outputs, truths)).tolist() == [0, 3.5]


def test_a_column_is_as_good_as_a_row():
    assert of(np.array([[1.0], [2.0]]), [1, 4], "mae") == 1


def test_what_cannot_be_compared_is_refused():
    for outputs, truths, message in (
        ([1, 2], [1], "same length"),
        ([], [], "at least one item"),
        ([np.nan], [1], "finite"),
        ([1], [np.inf], "finite"),
        ([1, None], [1, 2], "numbers"),
        (["1"], [1], "numbers"),
        ([[1, 2]], [[1, 2, 3]], "as many numbers"),
        ([[]], [[]], "a number an item"),
        (3.0, 3.0, "must be a list"),
        (np.array(3.0), [3.0], "must be a list"),
        ("12", "12", "must be a list"),
    ):
        assert re.search(message, refusal(InvalidInput, of, outputs, truths, "rmse")), message


def test_errors_too_large_to_be_squared_are_named():
    with pytest.raises(Undefined, match="larger unit"):
        of([1e200], [0], "rmse")
    assert of([1e200], [0], "mae") == 1e200
