"""Inputs of balls: what is taken as it is, and what is refused in words that help."""

import re

import numpy as np
import pytest
from tests.refusals import refused
from tests.reliability.balls.known_truth import Known

from surefoot.core import InvalidInput
from surefoot.reliability import assess_balls

SHAPES = [(5,), (4, 6), (3, 4, 6), (4, 6, 3)]


def pictures(shape=(4, 6), count=7, dtype=np.float32):
    return np.random.default_rng(1).random((count, *shape)).astype(dtype)


def labels(count=7):
    return np.arange(count) % 3


def model(x):
    """Scores of three classes, of inputs of any shape."""
    mean = np.asarray(x).reshape(len(x), -1).mean(axis=1)
    return np.column_stack([mean, 0.9 - mean, 0.1 + 0 * mean])


def assessed(X, y, **options):
    return assess_balls(model, X, y, estimator=Known((0.0,) * len(y)), **({"checks": False} | options))


def refused_inputs(X, y, **options):
    """Inputs that are refused before any model is asked."""
    return assess_balls(None, X, y, **options)


def test_rows_keep_values_type_and_shape_without_a_copy():
    for dtype in (np.float32, np.float64):
        for shape in SHAPES:
            X = pictures(shape, dtype=dtype)
            balls = assessed(X, labels(), radius=0.1).problem.balls
            assert balls.centres.dtype == dtype, (dtype, shape)
            assert np.shares_memory(balls.centres, X), (dtype, shape)
            np.testing.assert_array_equal(balls.as_inputs(balls.centres), X)
            assert (balls.shape, len(balls)) == (shape, 7), (dtype, shape)


def test_whole_numbers_with_their_range_become_the_same_numbers():
    bytes_ = np.random.default_rng(0).integers(0, 256, (3, 2, 2), dtype=np.uint8)
    wide = np.array([[2**30 + 1], [0], [5]])
    for X, high, dtype in ((bytes_, 255, np.float32), (wide, 2**31, np.float64)):
        balls = assessed(X, [0, 1, 1], radius=1, input_range=(0, high)).problem.balls
        assert balls.centres.dtype == dtype
        np.testing.assert_array_equal(balls.as_inputs(balls.centres), X)


def test_bytes_are_not_scaled_in_silence():
    X = (255 * pictures()).astype(np.uint8)
    X[0, 0, 0] = 255
    with pytest.raises(InvalidInput, match=r"\[0, 1\].* to 255.*Divide X by 255, or say input_range=\(0, 255\)"):
        refused_inputs(X, labels(), radius=0.1)


def test_numbers_that_are_not_finite_are_refused_with_their_row():
    for value in [np.nan, np.inf, -np.inf]:
        X = pictures()
        X[5, 3, 2] = value
        with refused(value, InvalidInput, match=re.escape(f"X must be finite; found {value} in row 5")):
            refused_inputs(X, labels(), radius=0.1)


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
            refused_inputs(change(X), labels(), radius=0.1)


def test_the_first_value_outside_the_range_is_named():
    X = pictures()
    X[4, 1, 1], X[6, 0, 0] = 1.5, 7
    with pytest.raises(InvalidInput, match=r"to 7, row 4 has 1\.5 first"):
        refused_inputs(X, labels(), radius=0.1)


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
            refused_inputs(X, [0, 1, 2], radius=0.1)


def test_masked_entries_are_refused():
    X = np.ma.masked_equal(np.zeros((3, 2)), 0)
    with pytest.raises(InvalidInput, match="masked"):
        refused_inputs(X, [0, 1, 2], radius=0.1)


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
            refused_inputs(pictures(), y, radius=0.1)


def test_one_input_is_enough():
    assert len(assessed(pictures(count=1), [0], radius=0.1, classes=("0", "1", "2")).cells) == 1


def test_a_radius_that_makes_no_ball_is_refused():
    for radius in [0, -0.1, np.nan, np.inf, 1, 2, "wide", None]:
        with refused(radius, InvalidInput, match="radius"):
            refused_inputs(pictures(), labels(), radius=radius)


def test_a_range_is_two_finite_numbers_in_order():
    for pair in [(1, 0), (0, 0), (0, np.inf), (0, 1, 2), 1, ("a", "b")]:
        with refused(pair, InvalidInput, match="input_range"):
            refused_inputs(pictures(), labels(), radius=0.1, input_range=pair)


def contradictions(X, y):
    return [c for c in assessed(X, y, radius=0.1).pmi.caveats if c.code == "contradictory-labels"]


def test_equal_inputs_with_different_labels_are_a_caveat():
    X = pictures()
    X[0, 0, 0] = 0
    X[4], X[5], X[6] = X[0], X[0], X[1]
    X[4, 0, 0] = -0.0
    (caveat,) = contradictions(X, [0, 1, 2, 0, 1, 0, 1])
    assert "1 inputs" in caveat.text
    assert "rows 0 and 4 first: 0 and 1" in caveat.text
    assert not contradictions(pictures(), labels())


def test_torch_tensors_are_read():
    torch = pytest.importorskip("torch", reason="the torch extra is not installed")
    X = torch.rand(4, 3, 2, 2, requires_grad=True)
    balls = assessed(X, torch.tensor([0, 1, 1, 0]), radius=0.1).problem.balls
    np.testing.assert_array_equal(balls.as_inputs(balls.centres), X.detach().numpy())


def one_label_check(X, y, radius):
    found = assessed(X, y, radius=radius, checks=True)
    return next(a.check for a in found.assumptions if a.id == "single-label-balls")


def brute_separation(X, y):
    gaps = np.abs(X[:, None] - X[None]).max(axis=2)
    return gaps[y[:, None] != y].min()


def test_a_radius_is_held_against_half_the_smallest_distance():
    X, y = pictures((30,), 40), labels(40)
    gap = brute_separation(X.astype(float), y)
    assert one_label_check(X, y, 0.499 * gap).status == "supported"
    check = one_label_check(X, y, 0.501 * gap)
    assert check.status == "contradicted"
    assert check.figures["allowed"] == pytest.approx(gap / 2)
    assert f"radii below {gap / 2:.4g} would do" in check.method
    pair = [check.figures["first"], check.figures["second"]]
    assert np.abs(np.diff(X[pair].astype(float), axis=0)).max() == pytest.approx(gap)


def test_contradictory_labels_leave_no_radius():
    X = np.concatenate([pictures(count=3), pictures(count=1)])
    check = one_label_check(X, [0, 1, 2, 1], 0.1)
    assert check.status == "contradicted"
    assert "no radius would do" in check.method
