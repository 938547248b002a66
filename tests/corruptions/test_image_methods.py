"""How corruptions are computed, against scipy, Pillow and brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from scipy import ndimage

from surefoot.corruptions.image import blur, digital
from surefoot.corruptions.image.glass import sources
from surefoot.corruptions.image.kernels import fading, mirrored, smeared, spread
from surefoot.corruptions.image.plasma import clouds
from surefoot.corruptions.image.resize import cropped, enlarged

SEVERITIES = range(1, 6)
SMALL = np.random.default_rng(3).random((23, 31, 3)).astype(np.float32)


def rngs():
    return [np.random.default_rng(9)]


@pytest.mark.parametrize("shape", [(23, 31), (3, 40), (1, 1), (1, 9)])
def test_spreading_equals_scipys_convolution_with_mirrored_edges(shape):
    image = np.random.default_rng(0).random((*shape, 3))
    weights = np.random.default_rng(1).random((13, 13))
    wide = np.pad(image, ((26, 26), (26, 26), (0, 0)), mode="reflect")
    exact = ndimage.convolve(wide, weights[..., None])[26:-26, 26:-26]
    np.testing.assert_allclose(spread(image, weights), exact, rtol=1e-10)


@given(st.integers(1, 9), st.integers(0, 30))
@settings(max_examples=50, deadline=None)
def test_mirrored_places_are_numpys_reflection(size, reach):
    np.testing.assert_array_equal(mirrored(size, reach), np.pad(np.arange(size), reach, mode="reflect"))


@pytest.mark.parametrize("shape", [(9, 11, 3), (1, 1, 1), (50, 2, 3)])
def test_smearing_beyond_the_image_repeats_its_edge(shape):
    image = np.random.default_rng(0).random(shape)
    weights = fading(20, 15)
    exact = np.zeros_like(image)
    for i, weight in enumerate(weights):
        down = np.clip(np.arange(shape[0]) + int(np.ceil(i * np.sin(0.5) - 0.5)), 0, shape[0] - 1)
        right = np.clip(np.arange(shape[1]) + int(np.ceil(i * np.cos(0.5) - 0.5)), 0, shape[1] - 1)
        exact += weight * image[down][:, right]
    np.testing.assert_allclose(smeared(image, 20, 15, np.degrees(0.5)), exact, rtol=1e-12)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_chains_of_copies_end_where_copying_one_by_one_ends(data):
    size = data.draw(st.integers(1, 40))
    visited = np.array(sorted(data.draw(st.sets(st.integers(0, size - 1)))), dtype=np.int64)
    chosen = np.array(data.draw(st.lists(st.integers(0, size - 1), min_size=len(visited), max_size=len(visited))))
    colours = np.arange(size)
    for place, partner in zip(visited[::-1], chosen[::-1], strict=True):
        colours[place] = colours[int(partner)]
    np.testing.assert_array_equal(sources(size, visited, chosen.astype(np.int64)), colours)


@pytest.mark.parametrize("factor", [1.01, 1.3, 2, 2.5, 4.5])
@pytest.mark.parametrize("shape", [(23, 31), (224, 7)])
def test_enlarging_equals_scipys_zoom_of_the_middle(factor, shape):
    image = np.random.default_rng(0).random((*shape, 1))
    (top, height), (left, width) = (cropped(side, factor) for side in shape)
    middle = image[top : top + height, left : left + width]
    exact = ndimage.zoom(middle, (factor, factor, 1), order=1)[: shape[0], : shape[1]]
    np.testing.assert_allclose(enlarged(middle, factor, *shape), exact, atol=1e-12)


@pytest.mark.parametrize("severity", SEVERITIES)
def test_zooming_in_few_rows_at_a_time_changes_nothing(severity, monkeypatch):
    whole = blur.zoom_blur(SMALL[None], severity, rngs())
    monkeypatch.setattr(blur, "AT_ONCE", 4000)
    np.testing.assert_array_equal(blur.zoom_blur(SMALL[None], severity, rngs()), whole)


def test_clouds_wider_than_the_largest_map_repeat_without_a_seam(monkeypatch):
    monkeypatch.setattr("surefoot.corruptions.image.plasma.LARGEST", 64)
    wide = clouds(20, 200, 2, rngs()[0])
    np.testing.assert_array_equal(wide[:, :64], wide[:, 64:128])
    steps = np.abs(np.diff(wide, axis=1))
    assert steps[:, 63].mean() < 2 * steps[:, :63].mean()


@pytest.mark.parametrize("reach", [0.5, 4, 40])
def test_warping_equals_scipys_interpolation_with_reflected_edges(reach):
    moves = np.random.default_rng(0).uniform(-reach, reach, (2, *SMALL.shape[:2])).astype(np.float32)
    at = np.indices(SMALL.shape[:2]) + moves.astype(float)
    exact = np.stack([ndimage.map_coordinates(SMALL[..., c], at, order=1, mode="reflect") for c in range(3)], axis=-1)
    np.testing.assert_allclose(digital._warped(SMALL, moves), exact, atol=2e-6)


@pytest.mark.parametrize("severity", SEVERITIES)
@pytest.mark.parametrize("shape", [(224, 224), (32, 32), (39, 79), (199, 26), (119, 6), (1, 2)])
def test_pixelate_equals_pillows_box_and_nearest_filters_where_no_pixel_lies_between_two(severity, shape):
    share = (0.6, 0.5, 0.4, 0.3, 0.25)[severity - 1]
    image = np.random.default_rng(0).random(shape).astype(np.float32)
    coarse = tuple(max(1, int(side * share)) for side in shape)
    small = Image.fromarray(image).resize(coarse[::-1], Image.Resampling.BOX)
    exact = np.asarray(small.resize(shape[::-1], Image.Resampling.NEAREST))
    np.testing.assert_allclose(digital.pixelate(image[None, ..., None], severity, rngs())[0, ..., 0], exact, atol=1e-6)
