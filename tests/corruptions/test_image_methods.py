"""How corruptions are computed, against scipy, Pillow and brute force."""

import math

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage, stats

from surefoot.corruptions import corruption

SEVERITIES = range(1, 6)
SMALL = np.random.default_rng(3).random((23, 31, 3)).astype(np.float32)
MOTIONS = ((10, 3), (15, 5), (15, 8), (15, 12), (20, 15))
SNOW = (
    (0.1, 0.3, 3, 0.5, 10, 4, 0.8),
    (0.2, 0.3, 2, 0.5, 12, 4, 0.7),
    (0.55, 0.3, 4, 0.9, 12, 8, 0.7),
    (0.55, 0.3, 4.5, 0.85, 12, 8, 0.65),
    (0.55, 0.3, 2.5, 0.85, 12, 12, 0.55),
)


def numbers():
    return np.random.default_rng(9)


class Turned:
    """Random numbers that give one direction."""

    def __init__(self, degrees):
        self.degrees = degrees

    def uniform(self, low, high):
        return self.degrees


def applied(name, image, severity, rng=None):
    """One image as a corruption leaves it, before its range is cut off."""
    return corruption.get(name)(image[None], severity, [rng or numbers()])[0]


def smeared(image, radius, deviation, degrees):
    """The mean of an image moved along a line, weighed by one half of a normal density; outside is its edge."""
    weights = stats.norm.pdf(np.arange(2 * radius + 1), scale=deviation)
    exact = np.zeros(image.shape)
    for i, weight in enumerate(weights / weights.sum()):
        down, right = (
            math.ceil(i * part - 0.5) for part in (math.sin(math.radians(degrees)), math.cos(math.radians(degrees)))
        )
        rows = np.clip(np.arange(image.shape[0]) + down, 0, image.shape[0] - 1)
        columns = np.clip(np.arange(image.shape[1]) + right, 0, image.shape[1] - 1)
        exact += weight * image[rows][:, columns]
    return exact


@pytest.mark.parametrize("shape", [(23, 31), (3, 40), (1, 1), (1, 9)])
def test_defocus_is_scipys_convolution_with_a_disc_and_mirrored_edges(shape):
    point = np.zeros((51, 51, 1))
    point[25, 25] = 1
    image = np.random.default_rng(0).random((*shape, 3))
    wide = np.pad(image, ((26, 26), (26, 26), (0, 0)), mode="reflect")
    for severity in SEVERITIES:
        exact = ndimage.convolve(wide, applied("defocus_blur", point, severity)[13:-13, 13:-13])[26:-26, 26:-26]
        np.testing.assert_allclose(applied("defocus_blur", image, severity), exact, rtol=1e-10, err_msg=str(severity))


@pytest.mark.parametrize("shape", [(9, 11, 3), (1, 1, 1), (50, 2, 3)])
def test_motion_beyond_the_image_repeats_its_edge(shape):
    image = np.random.default_rng(0).random(shape)
    for severity, (radius, deviation) in enumerate(MOTIONS, 1):
        found = applied("motion_blur", image, severity, Turned(28.6))
        np.testing.assert_allclose(found, smeared(image, radius, deviation, 28.6), atol=1e-4, err_msg=str(severity))


@pytest.mark.parametrize("severity", SEVERITIES)
def test_glass_copies_pixels_one_by_one_from_the_last_to_the_first(severity):
    deviation, farthest, rounds = ((0.7, 1, 2), (0.9, 2, 1), (1.0, 2, 3), (1.1, 3, 2), (1.5, 4, 2))[severity - 1]
    image, rng = np.random.default_rng(0).random((14, 17, 3)), numbers()
    exact = ndimage.gaussian_filter(image, deviation, axes=(0, 1), mode="nearest")
    rows, columns = (range(farthest + 1, side - farthest + 1) for side in image.shape[:2])
    visited = [(y, x) for y in rows for x in columns]
    for _ in range(rounds):
        steps = rng.integers(-farthest, farthest, (2, len(visited)), dtype=np.int32).T
        for (y, x), (down, right) in zip(visited[::-1], steps[::-1], strict=True):
            exact[y, x] = exact[y + down, x + right]
    exact = ndimage.gaussian_filter(exact, deviation, axes=(0, 1), mode="nearest")
    np.testing.assert_allclose(applied("glass_blur", image, severity), exact, atol=1e-12)


@pytest.mark.parametrize("shape", [(23, 31, 3), (224, 7, 1), (120, 700, 1)], ids=["small", "tall", "in parts"])
def test_zooming_is_the_mean_of_scipys_zooms_of_the_middle(shape):
    image = np.random.default_rng(0).random(shape)
    for severity, (end, step) in enumerate(((1.11, 0.01), (1.16, 0.01), (1.21, 0.02), (1.26, 0.02), (1.31, 0.03)), 1):
        factors = np.arange(1, end, step)
        total = 2 * image
        for factor in factors[1:]:
            lengths = [math.ceil(side / factor) for side in shape[:2]]
            top, left = ((side - length) // 2 for side, length in zip(shape, lengths, strict=False))
            middle = image[top : top + lengths[0], left : left + lengths[1]]
            total += ndimage.zoom(middle, (factor, factor, 1), order=1)[: shape[0], : shape[1]]
        exact = total / (len(factors) + 1)
        np.testing.assert_allclose(applied("zoom_blur", image, severity), exact, atol=1e-6, err_msg=str(severity))


@pytest.mark.parametrize("severity", SEVERITIES)
def test_snow_is_grains_enlarged_cut_and_smeared_twice_over_a_whitened_image(severity):
    mean, deviation, size, threshold, radius, fall, kept = SNOW[severity - 1]
    rng, (height, width) = numbers(), SMALL.shape[:2]
    grains = rng.standard_normal((math.ceil(height / size), math.ceil(width / size)), dtype=np.float32)
    layer = ndimage.zoom(mean + deviation * grains.astype(float), size, order=1)[:height, :width]
    layer = np.where(layer < threshold, 0, np.clip(layer, 0, 1))
    layer = smeared(layer[..., None], radius, fall, rng.uniform(-135, -45))
    white = np.maximum(SMALL, 1.5 * (SMALL @ [0.299, 0.587, 0.114])[..., None] + 0.5)
    exact = kept * SMALL + (1 - kept) * white + layer + layer[::-1, ::-1]
    np.testing.assert_allclose(applied("snow", SMALL, severity), exact, atol=5e-4)


def test_clouds_wider_than_the_largest_map_repeat_without_a_seam():
    wide = applied("fog", np.ones((64, 4_200, 1), np.float32), 1)[..., 0]
    np.testing.assert_array_equal(wide[:, :104], wide[:, 4_096:])
    steps = np.abs(np.diff(wide, axis=1))
    assert steps[:, 4_095].mean() < 2 * steps[:, :4_095].mean()


@pytest.mark.parametrize("shape", [(23, 31, 3), (200, 3, 1), (1, 1, 3)])
def test_elastic_moves_are_smoothed_and_read_by_scipys_interpolation_with_reflected_edges(shape):
    height, width, colours = shape
    image = np.random.default_rng(0).random(shape).astype(np.float32)
    for severity, share in enumerate((0.05, 0.065, 0.085, 0.1, 0.12), 1):
        drawn = 2 * numbers().random((2, height, width), dtype=np.float32) - 1
        smooth = [ndimage.gaussian_filter(each, (0.01 * height, 0.01 * width), truncate=3) for each in drawn]
        at = np.indices((height, width)) + 250 * share * 0.005 * height * np.array(smooth, float)
        exact = [ndimage.map_coordinates(image[..., c], at, order=1, mode="reflect") for c in range(colours)]
        found = applied("elastic_transform", image, severity)
        np.testing.assert_allclose(found, np.stack(exact, axis=-1), atol=1e-5, err_msg=str(severity))


@pytest.mark.parametrize("shape", [(224, 224), (32, 32), (39, 79), (199, 26), (119, 6), (1, 2)])
def test_pixelate_equals_pillows_box_and_nearest_filters_where_no_pixel_lies_between_two(shape):
    image = np.random.default_rng(0).random(shape).astype(np.float32)
    for severity, share in enumerate((0.6, 0.5, 0.4, 0.3, 0.25), 1):
        coarse = tuple(max(1, int(side * share)) for side in shape)
        small = Image.fromarray(image).resize(coarse[::-1], Image.Resampling.BOX)
        exact = np.asarray(small.resize(shape[::-1], Image.Resampling.NEAREST))
        found = applied("pixelate", image[..., None], severity)[..., 0]
        np.testing.assert_allclose(found, exact, atol=1e-6, err_msg=str(severity))
