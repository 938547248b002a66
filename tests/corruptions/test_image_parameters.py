"""The published parameters, each measured in what comes out."""

import numpy as np
import pytest
from PIL import Image
from scipy import fft, ndimage, stats

from surefoot.corruptions import LEVELS, corrupt
from surefoot.corruptions.image import blur, digital, light, noise, weather
from surefoot.corruptions.image.ice import PANES, pane
from surefoot.corruptions.image.kernels import disc, fading
from surefoot.corruptions.image.poisson import counts

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


@pytest.mark.parametrize(("radius", "deviation"), blur.MOTIONS)
def test_fading_lines_add_to_1_and_leave_almost_nothing_out(radius, deviation):
    weights = fading(radius, deviation)
    whole = stats.norm.pdf(np.arange(2 * radius + 1), scale=deviation)
    assert weights.sum() == pytest.approx(1)
    np.testing.assert_allclose(weights, (whole / whole.sum())[: len(weights)], atol=2e-5)


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
