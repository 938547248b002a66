"""What models return is checked and made into one column of scores a class."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.special import softmax

from surefoot.adapters import as_data, as_model, score, scored
from tests.adapters.problems import problem

ROWS = np.arange(8.0).reshape(4, 2)
MOST = 1e6
logits = arrays(
    np.float64, array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=6), elements=st.floats(-MOST, MOST)
)
column = arrays(np.float64, st.integers(1, 20), elements=st.floats(-MOST, MOST))


def answering(value, **options):
    return as_model(lambda x: value, **options)


@given(logits)
@settings(deadline=None)
def test_logits_become_the_softmax_that_scipy_computes(values):
    found = answering(values, output="logit")(np.zeros((len(values), 1)))
    np.testing.assert_allclose(found, softmax(values, axis=1), atol=1e-12)


@given(column)
@settings(deadline=None)
def test_a_single_logit_is_the_logit_of_the_second_class(values):
    found = answering(values, output="logit")(np.zeros((len(values), 1)))
    both = softmax(np.column_stack([np.zeros(len(values)), values]), axis=1)
    np.testing.assert_allclose(found, both, atol=1e-12)


@given(column)
@settings(deadline=None)
def test_a_single_decision_keeps_its_size_and_its_sign(values):
    found = answering(values, output="score")(np.zeros((len(values), 1)))
    np.testing.assert_allclose(found[:, 1] - found[:, 0], values, atol=1e-300)
    assert np.array_equal(found[:, 0], -found[:, 1])


@given(arrays(np.float64, st.integers(1, 20), elements=st.floats(0, 1)))
@settings(deadline=None)
def test_a_single_column_between_0_and_1_is_a_probability(values):
    found = answering(values)(np.zeros((len(values), 1)))
    assert np.array_equal(found, np.column_stack([1 - values, values]))


def test_what_is_returned_is_told_from_the_values():
    for value, output in (
        ([[0.5, 0.5], [1.0, 0.0], [0.25, 0.75], [0.0, 1.0]], "probability"),
        ([[0.5, 0.6], [1.0, 0.0], [0.25, 0.75], [0.0, 1.0]], "score"),
        ([[0.5, 0.5], [2.0, -1.0], [0.25, 0.75], [0.0, 1.0]], "score"),
        ([0.1, 0.2, 0.3, 1.0], "probability"),
        ([0.1, 0.2, 0.3, 1.1], "score"),
        ([[0.1], [0.2], [0.3], [1.0]], "probability"),
        ([0, 1, 1, 0], "label"),
        ([True, False, True, True], "label"),
        (["0", "1", "1", "0"], "label"),
        (np.asarray([0, 1, 1, 0], dtype=object), "probability"),
    ):
        data = as_data((ROWS, [0, 1, 0, 1]))
        assert scored(answering(value), data, batch_size=4).output == output, value


def test_the_kind_is_told_from_all_rows_whatever_the_batch():
    data = as_data((ROWS, [0, 1, 0, 1]))
    model = as_model(lambda x: x[:, 0] / 5)
    for size in (1, 3, 4):
        found = scored(model, data, batch_size=size)
        assert found.output == "score"
        np.testing.assert_allclose(np.diff(found.scores).ravel(), ROWS[:, 0] / 5)


def test_wrong_answers_are_refused():
    for value, match in (
        (None, "NoneType|object"),
        (0.5, r"shape \(\)"),
        (np.zeros((3, 2)), r"shape \(3, 2\) for 4 rows"),
        (np.zeros((4, 2, 2)), r"shape \(4, 2, 2\)"),
        (np.zeros((4, 0)), r"shape \(4, 0\)"),
        ([[0.1, 0.2], [0.1], [0.1, 0.2], [0.1, 0.2]], "no array"),
        (np.full((4, 2), np.nan), "NaN or infinity for 4 of 4 rows"),
        (np.full((4, 2), -1e308), r"beyond 1e\+150"),
        ([[0.1, 0.9], [0.1, np.inf], [0.1, 0.9], [0.1, 0.9]], "first for row 1"),
        (np.zeros((4, 2)) * 1j, "complex"),
        (np.zeros(4, "datetime64[s]"), "datetime"),
        ([{"a": 1}] * 4, "no array"),
        (np.ma.masked_equal(np.arange(4.0), 2), "masked"),
        (np.asarray([["a", "b"]] * 4), "text"),
        ("text", r"shape \(\)"),
        (lambda: None, "no array|object"),
    ):
        with problem("model-output", match):
            answering(value)(ROWS)


@pytest.mark.parametrize(
    ("value", "match"),
    [
        ([[0.5, 0.6]] * 4, "row 0.*output: logit"),
        ([[0.5, 0.5], [0.5, 0.5], [2.0, -1.0], [0.5, 0.5]], "row 2"),
        ([0.5, 0.5, 0.5, 1.5], "row 3"),
    ],
)
def test_what_is_declared_a_probability_must_be_one(value, match):
    with problem("model-output", match):
        answering(value, output="probability")(ROWS)


def test_a_model_whose_answers_change_shape_is_refused():
    model = as_model(lambda x: np.zeros((len(x), 2 if x[0, 0] == 0 else 3)))
    with problem("model-output", "at first"):
        score(model, as_data((ROWS, [0, 1, 0, 1])), batch_size=2)


def test_precision_is_kept():
    for dtype, kept in (("f2", "f4"), ("f4", "f4"), ("f8", "f8"), ("i4", "f8")):
        assert answering(np.eye(4, dtype=dtype), output="score")(ROWS).dtype == kept, dtype
