"""The published parameters, each measured in what comes out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from scipy import fft, ndimage, stats

from surefoot.corruptions import LEVELS, corrupt
from surefoot.corruptions.image import blur, digital, light, noise, weather
from surefoot.corruptions.image.glass import sources
from surefoot.corruptions.image.ice import PANES, pane
from surefoot.corruptions.image.kernels import disc, fading, mirrored, smeared, spread
from surefoot.corruptions.image.plasma import clouds
from surefoot.corruptions.image.poisson import counts
from surefoot.corruptions.image.resize import cropped, enlarged

SEVERITIES = range(1, 6)
GREY = np.full((1, 200, 200, 3), 0.5, np.float32)
SMALL = np.random.default_rng(3).random((23, 31, 3)).astype(np.float32)


def rngs(number=1):
    return [np.random.default_rng((9, i)) for i in range(number)]


@pytest.mark.parametrize(
    ("table", "printed"),
    [
        (noise.DEVIATIONS, (0.08, 0.18, 0.38)),
        (blur.MOTIONS, ((10, 3), (15, 8), (20, 15))),
        (
            weather.SNOW,
            (
                (0.1, 0.3, 3, 0.5, 10, 4, 0.8),
                (0.55, 0.3, 4, 0.9, 12, 8, 0.7),
                (0.55, 0.3, 2.5, 0.85, 12, 12, 0.55),
            ),
        ),
        (light.FACTORS, (0.4, 0.2, 0.05)),
        (digital.SHARES, (0.6, 0.4, 0.25)),
    ],
    ids=["gaussian_noise", "motion_blur", "snow", "contrast", "pixelate"],
)
def test_the_three_levels_are_those_of_table_1_of_paper_sys(table, printed):
    assert tuple(table[LEVELS[level] - 1] for level in ("low", "medium", "high")) == printed


@pytest.mark.parametrize(("severity", "deviation"), list(enumerate((0.08, 0.12, 0.18, 0.26, 0.38), 1)))
def test_gaussian_noise_is_normal_with_the_published_deviation(severity, deviation):
    added = (noise.gaussian_noise(GREY, severity, rngs()) - GREY).ravel()
    assert stats.kstest(added, "norm", (0, deviation)).pvalue > 0.01


@pytest.mark.parametrize("photons", noise.PHOTONS)
@pytest.mark.parametrize("value", [1 / 255, 0.2, 0.5237, 1.0])
def test_photons_follow_poissons_law(photons, value):
    seen = counts(np.full((300, 300, 1), value), photons, rngs()[0]).astype(int).ravel()
    law = stats.poisson(value * photons)
    low, high = law.ppf([0.001, 0.999])
    middle = np.arange(low, high)
    expected = seen.size * np.array([law.cdf(low - 1), *law.pmf(middle), law.sf(high - 1)])
    found = [(seen < low).sum(), *((seen == k).sum() for k in middle), (seen >= high).sum()]
    kept = expected > 0
    assert stats.chisquare(np.array(found)[kept], expected[kept]).pvalue > 0.001


def test_black_pixels_see_no_photons():
    assert not noise.shot_noise(np.zeros_like(GREY), 3, rngs()).any()


@pytest.mark.parametrize(("severity", "share"), list(enumerate((0.03, 0.06, 0.09, 0.17, 0.27), 1)))
def test_impulses_strike_the_published_share_half_of_them_white(severity, share):
    noisy = noise.impulse_noise(GREY, severity, rngs())
    white, black = int((noisy == 1).sum()), int((noisy == 0).sum())
    assert stats.binomtest(white + black, noisy.size, share).pvalue > 0.01
    assert stats.binomtest(white, white + black, 0.5).pvalue > 0.01
    assert ((noisy == 0.5) | (noisy == 0) | (noisy == 1)).all()


@pytest.mark.parametrize(("radius", "softness"), blur.DISCS)
def test_discs_add_to_1_and_have_their_radius(radius, softness):
    weights = disc(radius, softness)
    across = np.arange(len(weights)) - len(weights) // 2
    assert weights.sum() == pytest.approx(1)
    # A disc's variance along one axis is a quarter of its squared radius; softening adds its own.
    assert (weights.sum(axis=0) * across**2).sum() == pytest.approx(radius**2 / 4 + softness**2, rel=0.08)


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


@pytest.mark.parametrize(("radius", "deviation"), blur.MOTIONS)
def test_fading_lines_add_to_1_and_leave_almost_nothing_out(radius, deviation):
    weights = fading(radius, deviation)
    whole = stats.norm.pdf(np.arange(2 * radius + 1), scale=deviation)
    assert weights.sum() == pytest.approx(1)
    np.testing.assert_allclose(weights, (whole / whole.sum())[: len(weights)], atol=2e-5)


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


@pytest.mark.parametrize("severity", SEVERITIES)
def test_frost_weighs_image_and_ice_as_published(severity):
    clear, iced = ((1, 0.4), (0.8, 0.6), (0.7, 0.7), (0.65, 0.7), (0.6, 0.75))[severity - 1]
    black, image = (weather.frost(each[None], severity, rngs())[0] for each in (np.zeros_like(SMALL), SMALL))
    np.testing.assert_allclose(image - black, clear * SMALL, atol=1e-6)
    first = weather.frost(np.zeros_like(SMALL)[None], 1, rngs())[0]
    np.testing.assert_allclose(black / iced, first / 0.4, atol=1e-6)


def test_panes_are_different_and_their_crystals_cover_a_part():
    panes = [pane(number).mean(axis=-1) for number in range(PANES)]
    means = [each.mean() / 255 for each in panes]
    assert len(set(means)) == PANES
    assert 0.3 < min(means) < 0.5 < 0.7 < max(means) < 0.9
    for each in panes:
        edges = np.hypot(*np.gradient(each))
        parts = edges[:512, :512].reshape(16, 32, 16, 32).mean(axis=(1, 3))
        assert np.quantile(parts, 0.95) > 3 * np.quantile(parts, 0.05)


@pytest.mark.parametrize("severity", SEVERITIES)
@pytest.mark.parametrize("value", [0.3, 1.0])
def test_fog_has_the_published_thickness(severity, value):
    thickness = (1.5, 2.0, 2.5, 2.5, 3.0)[severity - 1]
    fogged = weather.fog(np.full((1, 64, 64, 1), value), severity, rngs())
    # Clouds go from 0 to 1, so fog goes from the darkest to the brightest it can.
    assert fogged.min() == pytest.approx(value * value / (value + thickness))
    assert fogged.max() == pytest.approx(value)


def test_clouds_wider_than_the_largest_map_repeat_without_a_seam(monkeypatch):
    monkeypatch.setattr("surefoot.corruptions.image.plasma.LARGEST", 64)
    wide = clouds(20, 200, 2, rngs()[0])
    np.testing.assert_array_equal(wide[:, :64], wide[:, 64:128])
    steps = np.abs(np.diff(wide, axis=1))
    assert steps[:, 63].mean() < 2 * steps[:, :63].mean()


@pytest.mark.parametrize("severity", SEVERITIES)
def test_contrast_keeps_means_and_scales_differences(severity):
    factor = (0.4, 0.3, 0.2, 0.1, 0.05)[severity - 1]
    found = light.contrast(SMALL[None].astype(float), severity, rngs())[0]
    np.testing.assert_allclose(found.mean(axis=(0, 1)), SMALL.mean(axis=(0, 1)), rtol=1e-6)
    np.testing.assert_allclose(found.std(axis=(0, 1)), factor * SMALL.std(axis=(0, 1)), rtol=1e-6)


@pytest.mark.parametrize("severity", SEVERITIES)
def test_displacements_have_the_spread_that_smoothing_leaves(severity):
    strength = 250 * (0.05, 0.065, 0.085, 0.1, 0.12)[severity - 1]
    moves = digital._displacements(300, 200, strength, rngs()[0])
    point = np.zeros((300, 200))
    point[150, 100] = 1
    smooth = ndimage.gaussian_filter(point, (3, 2), truncate=3)
    # Uniform numbers in [-a, a] have variance a^2 / 3, weighted sums that times the squared weights.
    exact = strength * 300 * 0.005 / np.sqrt(3) * np.sqrt(np.square(smooth).sum())
    assert moves.std() == pytest.approx(exact, rel=0.05)


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


def coefficients(grey):
    blocks = grey.reshape(8, 8, 8, 8).swapaxes(1, 2).astype(float) - 128
    return fft.dctn(blocks, axes=(2, 3), norm="ortho")


@pytest.mark.parametrize(("severity", "quality"), list(enumerate((25, 18, 15, 10, 7), 1)))
def test_jpeg_is_quantised_by_the_table_of_its_quality(severity, quality, tmp_path):
    grey = ndimage.gaussian_filter(np.random.default_rng(0).uniform(0, 1, (64, 64)), 1)
    image = np.rint(96 + 64 * (grey - grey.min()) / np.ptp(grey)).astype(np.uint8)
    found = coefficients(corrupt(image[..., None], "jpeg_compression", severity)[..., 0])
    Image.fromarray(image).save(tmp_path / "x.jpg", quality=quality)
    with Image.open(tmp_path / "x.jpg") as file:
        table = np.array(file.quantization[0]).reshape(8, 8)
    assert off_steps(found, table) < 0.5 < off_steps(found, table + 1 + table // 10)


def off_steps(found, table):
    """How far coefficients are from whole steps of the table; rounding to bytes alone makes 0.29."""
    return np.sqrt(np.square(found - table * np.rint(found / table)).mean())
