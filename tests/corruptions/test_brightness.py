import colorsys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.refusals import refusal

from surefoot import InvalidInput
from surefoot.corruptions import corrupt, shift_brightness

COLOURS = np.random.default_rng(0).random((40, 4, 4, 3))
STRENGTHS = (-1.0, -0.35, -0.01, 0.0, 0.2, 0.5, 1.0)


def by_matplotlib(images, strength):
    from matplotlib.colors import hsv_to_rgb, rgb_to_hsv

    moved = rgb_to_hsv(images)
    moved[..., 2] = np.clip(moved[..., 2] + strength, 0, 1)
    return hsv_to_rgb(moved)


def test_colours_equal_those_of_matplotlib():
    corners = np.stack(np.meshgrid([0, 0.5, 1], [0, 0.5, 1], [0, 0.5, 1]), axis=-1).reshape(1, 3, 9, 3)
    for strength in STRENGTHS:
        for images in (COLOURS, corners):
            found, exact = shift_brightness(images, strength), by_matplotlib(images, strength)
            np.testing.assert_allclose(found, exact, atol=2e-15, err_msg=str(strength))


@given(st.tuples(*[st.integers(0, 255)] * 3), st.floats(-1, 1))
@settings(max_examples=60, deadline=None)
def test_bytes_equal_those_of_the_standard_library(colour, strength):
    hue, saturation, value = colorsys.rgb_to_hsv(*(part / 255 for part in colour))
    exact = 255 * np.array(colorsys.hsv_to_rgb(hue, saturation, min(max(value + strength, 0), 1)))
    found = shift_brightness(np.array(colour, dtype=np.uint8).reshape(1, 1, 3), strength)[0, 0]
    assert np.abs(found - exact).max() <= 0.5 + 1e-9


@given(arrays(np.uint8, (2, 3, 4, 3)))
@settings(max_examples=15, deadline=None)
def test_strength_0_changes_no_byte(images):
    np.testing.assert_array_equal(shift_brightness(images, 0), images)


@given(arrays(np.uint8, (2, 3, 3)), st.floats(-1, 1), st.floats(-1, 1))
@settings(max_examples=25, deadline=None)
def test_more_strength_is_never_darker(image, one, other):
    low, high = sorted((one, other))
    assert (shift_brightness(image, low) <= shift_brightness(image, high)).all()


def test_ends_are_black_and_full_brightness():
    assert not shift_brightness(COLOURS, -1).any()
    np.testing.assert_allclose(shift_brightness(COLOURS, 1).max(axis=-1), 1)


def test_grey_images_are_moved_by_addition():
    grey = COLOURS[..., :1]
    np.testing.assert_allclose(shift_brightness(grey, 0.3), np.minimum(grey + 0.3, 1), atol=1e-15)


def test_black_and_almost_black_turn_grey_without_a_warning():
    for dtype, least in ((np.float16, 6e-8), (np.float32, 1e-45), (np.float64, 5e-324)):
        for value in (0, least):
            found = shift_brightness(np.full((1, 1, 3), value, dtype), 0.25)
            assert found.dtype == dtype
            np.testing.assert_array_equal(found, np.full((1, 1, 3), 0.25))


def test_shape_and_type_stay():
    for dtype in (np.uint8, np.float16, np.float32, np.float64):
        images = (COLOURS * (255 if dtype is np.uint8 else 1)).astype(dtype)
        for some in (images, images[0], images[:0], images[..., :1]):
            found = corrupt(some, "brightness", 3)
            assert (found.shape, found.dtype) == (some.shape, np.dtype(dtype)), dtype


@pytest.mark.parametrize("shape", [(70, 40, 40, 3), (2, 300, 300, 3)], ids=["some at a time", "one at a time"])
def test_images_of_a_large_batch_come_out_as_each_alone(shape):
    images = np.random.default_rng(1).random(shape)
    whole = shift_brightness(images, 0.3)
    for i, image in enumerate(images):
        np.testing.assert_array_equal(shift_brightness(image, 0.3), whole[i], err_msg=str(i))


def test_the_argument_is_left_as_it_was():
    images = COLOURS.copy()
    shift_brightness(images, 0.4)
    np.testing.assert_array_equal(images, COLOURS)


def test_what_is_no_image_is_refused():
    for images, fact in (
        (np.zeros((2, 8, 8, 5)), "shape (2, 8, 8, 5)"),
        (np.zeros(8), "shape (8,)"),
        (np.zeros((2, 28, 28)), "'none' for many grey images"),
        (np.zeros((2, 3, 32, 32)), "Say where channels are"),
        (np.zeros((2, 0, 8, 3)), "must have pixels"),
        (np.zeros((0, 8, 3)), "must have pixels"),
        ([np.zeros((2, 2, 3)), np.zeros((3, 2, 3))], "one size"),
        (np.full((1, 2, 2, 3), np.nan), "nan at index (0, 0, 0, 0) (12 such"),
        (np.full((2, 2, 3), np.inf), "inf at index"),
        (np.full((2, 2, 3), 128.0), "128.0 at index"),
        (np.full((2, 2, 3), -1e300), "-1e+300 at index"),
        (np.zeros((2, 2, 3), dtype=np.int64), "int64"),
        (np.zeros((2, 2, 3), dtype=bool), "bool"),
        (np.array("bright"), "<U6"),
    ):
        assert fact in refusal(InvalidInput, shift_brightness, images, 0.1), fact


def test_what_is_no_strength_is_refused():
    for strength in (1.01, -2, np.nan, np.inf, "0.5", [0.1, 0.2]):
        assert "strength" in refusal(InvalidInput, shift_brightness, COLOURS, strength), strength
