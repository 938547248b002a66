"""Inputs of balls: what is taken as it is, and what is refused in words that help."""

import re
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.profile import separation
from surefoot.reliability.balls.inputs import ball_inputs
from surefoot.reliability.balls.radius import radius_against_separation

SHAPES = [(5,), (4, 6), (3, 4, 6), (4, 6, 3)]


def pictures(shape=(4, 6), count=7, dtype=np.float32):
    return np.random.default_rng(1).random((count, *shape)).astype(dtype)


def labels(count=7):
    return np.arange(count) % 3


def test_rows_keep_values_type_and_shape_without_a_copy():
    for dtype in [np.float32, np.float64]:
        for shape in SHAPES:
            X = pictures(shape, dtype=dtype)
            frame = ball_inputs(X, labels(), radius=0.1)
            assert frame.rows.dtype == dtype, (dtype, shape)
            assert np.shares_memory(frame.rows, X), (dtype, shape)
            np.testing.assert_array_equal(frame.inputs(), X, err_msg=repr((dtype, shape)))
            assert (frame.shape, frame.caveats, len(frame)) == (shape, (), 7), (dtype, shape)
            assert frame.balls.shape == shape, (dtype, shape)


@given(arrays(np.uint8, (3, 2, 2), elements=st.integers(0, 255)))
def test_bytes_with_their_range_become_the_same_numbers(X):
    frame = ball_inputs(X, [0, 0, 0], radius=8, input_range=(0, 255))
    assert frame.rows.dtype == np.float32
    np.testing.assert_array_equal(frame.inputs(), X)


def test_wide_whole_numbers_become_double_precision():
    X = np.array([[2**30 + 1], [0]])
    frame = ball_inputs(X, [0, 1], radius=1, input_range=(0, 2**31))
    np.testing.assert_array_equal(frame.rows, X)


def test_bytes_are_not_scaled_in_silence():
    X = (255 * pictures()).astype(np.uint8)
    X[0, 0, 0] = 255
    with pytest.raises(InvalidInput, match=r"\[0, 1\].* to 255.*Divide X by 255, or say input_range=\(0, 255\)"):
        ball_inputs(X, labels(), radius=0.1)


def test_numbers_that_are_not_finite_are_refused_with_their_row():
    for value in [np.nan, np.inf, -np.inf]:
        X = pictures()
        X[5, 3, 2] = value
        with refused(value, InvalidInput, match=re.escape(f"X must be finite; found {value} in row 5")):
            ball_inputs(X, labels(), radius=0.1)


def test_values_outside_the_range_get_a_remedy_that_fits():
    for change, remedy in [
        (lambda X: X * np.float32(1 + 1e-6), r"X\.clip\(0, 1\)"),
        (lambda X: 2 * X - 1, r"input_range=\(-1, 1\)"),
        (lambda X: (X - 0.3) / 0.1, "standardisation"),
        (lambda X: 1000 * X, "standardisation"),
    ]:
        X = pictures()
        X[0, 0, 0], X[3, 0, 1] = 0, 1
        with refused(remedy, InvalidInput, match=remedy):
            ball_inputs(change(X), labels(), radius=0.1)


def test_the_first_value_outside_the_range_is_named():
    X = pictures()
    X[4, 1, 1], X[6, 0, 0] = 1.5, 7
    with pytest.raises(InvalidInput, match=r"to 7, row 4 has 1\.5 first"):
        ball_inputs(X, labels(), radius=0.1)


def test_what_is_no_table_of_numbers_is_refused():
    for X in [
        np.zeros((0, 3)),
        np.zeros((3, 0)),
        np.zeros(3),
        0.5,
        [["a"]],
        [[1], [1, 2]],
        np.zeros((2, 2), complex),
        None,
    ]:
        with refused(X, InvalidInput, match="X must hold numbers"):
            ball_inputs(X, [0, 1, 2], radius=0.1)


def test_masked_entries_are_refused():
    X = np.ma.masked_equal(np.zeros((3, 2)), 0)
    with pytest.raises(InvalidInput, match="masked"):
        ball_inputs(X, [0, 1, 2], radius=0.1)


def test_every_input_needs_one_label():
    for y, match in [
        (None, "true label"),
        (np.arange(6), "same length"),
        (np.zeros((7, 2)), "one label a row"),
        ([0, 1, None, 1, 0, 1, 0], "row 2"),
        ([0, 1, np.nan, 1, 0, 1, 0], "row 2"),
        ([1], r"X\[None\]"),
    ]:
        with refused(match, InvalidInput, match=match):
            ball_inputs(pictures(), y, radius=0.1)


def test_one_input_is_enough():
    assert len(ball_inputs(pictures(count=1), ["cat"], radius=0.1)) == 1


def test_a_radius_that_makes_no_ball_is_refused():
    for radius in [0, -0.1, np.nan, np.inf, 1, 2, "wide", None]:
        with refused(radius, InvalidInput, match="radius"):
            ball_inputs(pictures(), labels(), radius=radius)


def test_a_range_is_two_finite_numbers_in_order():
    for pair in [(1, 0), (0, 0), (0, np.inf), (0, 1, 2), 1, ("a", "b")]:
        with refused(pair, InvalidInput, match="input_range"):
            ball_inputs(pictures(), labels(), radius=0.1, input_range=pair)


def test_equal_inputs_with_different_labels_are_a_caveat():
    X = pictures()
    X[0, 0, 0] = 0
    X[4], X[5], X[6] = X[0], X[0], X[1]
    X[4, 0, 0] = -0.0
    (caveat,) = ball_inputs(X, ["a", "b", "c", "a", "b", "a", "b"], radius=0.1).caveats
    assert caveat.code == "contradictory-labels"
    assert "1 inputs" in caveat.text
    assert "rows 0 and 4 first: 'a' and 'b'" in caveat.text


def test_constant_inputs_with_one_label_are_fine():
    assert not ball_inputs(np.zeros((5, 3)), np.ones(5), radius=0.1).caveats


def test_memory_stays_far_below_a_second_copy():
    X = np.random.default_rng(0).random((20_000, 784), dtype=np.float32)
    tracemalloc.start()
    ball_inputs(X, np.zeros(len(X)), radius=0.1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < X.nbytes / 2


def test_torch_tensors_are_read():
    torch = pytest.importorskip("torch", reason="the torch extra is not installed")
    X = torch.rand(4, 3, 2, 2, requires_grad=True)
    frame = ball_inputs(X, torch.tensor([0, 1, 1, 0]), radius=0.1)
    np.testing.assert_array_equal(frame.inputs(), X.detach().numpy())


def brute_separation(X, y):
    gaps = np.abs(X[:, None] - X[None]).max(axis=2)
    return gaps[y[:, None] != y].min()


def test_a_radius_is_held_against_half_the_smallest_distance():
    X, y = pictures((30,), 40), labels(40)
    gap = brute_separation(X.astype(float), y)
    frame = ball_inputs(X, y, radius=0.499 * gap)
    assert radius_against_separation(frame).status == "supported"
    check = radius_against_separation(frame, 0.501 * gap)
    assert check.status == "contradicted"
    assert check.figures["allowed"] == pytest.approx(gap / 2)
    assert f"radii below {gap / 2:.4g} would do" in check.method
    pair = [check.figures["first"], check.figures["second"]]
    assert np.abs(np.diff(X[pair].astype(float), axis=0)).max() == pytest.approx(gap)


def test_some_of_the_inputs_can_speak_against_a_radius_only():
    X, y = pictures((30,), 40), labels(40)
    frame = ball_inputs(X, y, radius=0.01)
    assert radius_against_separation(frame, most_rows=10).status == "unchecked"
    check = radius_against_separation(frame, 0.9, most_rows=10)
    assert (check.status, check.figures["rows"], check.figures["of_rows"]) == ("contradicted", 10, 40)
    assert check.figures["separation"] >= float(separation(X, y))
    assert radius_against_separation(frame, most_rows=None).status == "supported"


def test_contradictory_labels_leave_no_radius():
    check = radius_against_separation(ball_inputs(np.zeros((2, 3)), [0, 1], radius=0.1))
    assert check.status == "contradicted"
    assert "no radius would do" in check.method


def test_one_label_has_no_separation_to_check():
    assert radius_against_separation(ball_inputs(pictures(), np.zeros(7), radius=0.1)).status == "unchecked"
