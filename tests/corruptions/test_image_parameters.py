"""The published parameters, each measured in what comes out."""

import numpy as np
import pytest
from PIL import Image
from scipy import fft, ndimage, stats

from surefoot.corruptions import corrupt, corruption

SEVERITIES = range(1, 6)
GREY = np.full((1, 200, 200, 3), 0.5, np.float32)
SMALL = np.random.default_rng(3).random((23, 31, 3)).astype(np.float32)


def applied(name, images, severity, rng=None):
    """Images as a corruption leaves them, before their range is cut off."""
    return corruption.get(name)(images, severity, [rng or np.random.default_rng((9, 0))])


class Chosen:
    """Random numbers that are known."""

    def __init__(self, *numbers):
        self.numbers = iter(numbers)

    def integers(self, high):
        return next(self.numbers)

    def uniform(self, low, high):
        return next(self.numbers)


@pytest.mark.parametrize(("severity", "deviation"), list(enumerate((0.08, 0.12, 0.18, 0.26, 0.38), 1)))
def test_gaussian_noise_is_normal_with_the_published_deviation(severity, deviation):
    added = (applied("gaussian_noise", GREY, severity) - GREY).ravel()
    assert stats.kstest(added, "norm", (0, deviation)).pvalue > 0.01


@pytest.mark.parametrize(("severity", "photons"), list(enumerate((60, 25, 12, 5, 3), 1)))
def test_photons_follow_poissons_law(severity, photons):
    for value in (1 / 255, 0.2, 0.5237, 1.0):
        seen = np.rint(photons * applied("shot_noise", np.full((1, 300, 300, 1), value), severity)).astype(int).ravel()
        law = stats.poisson(value * photons)
        low, high = law.ppf([0.001, 0.999])
        middle = np.arange(low, high)
        expected = seen.size * np.array([law.cdf(low - 1), *law.pmf(middle), law.sf(high - 1)])
        found = [(seen < low).sum(), *((seen == k).sum() for k in middle), (seen >= high).sum()]
        kept = expected > 0
        assert stats.chisquare(np.array(found)[kept], expected[kept]).pvalue > 0.001, value


def test_black_pixels_see_no_photons():
    assert not applied("shot_noise", np.zeros_like(GREY), 3).any()


@pytest.mark.parametrize(("severity", "share"), list(enumerate((0.03, 0.06, 0.09, 0.17, 0.27), 1)))
def test_impulses_strike_the_published_share_half_of_them_white(severity, share):
    noisy = applied("impulse_noise", GREY, severity)
    white, black = int((noisy == 1).sum()), int((noisy == 0).sum())
    assert stats.binomtest(white + black, noisy.size, share).pvalue > 0.01
    assert stats.binomtest(white, white + black, 0.5).pvalue > 0.01
    assert ((noisy == 0.5) | (noisy == 0) | (noisy == 1)).all()


def test_discs_add_to_1_and_have_their_radius():
    point, across = np.zeros((1, 41, 41, 1)), np.arange(-20, 21)
    point[0, 20, 20] = 1
    for severity, (radius, softness) in enumerate(((3, 0.1), (4, 0.5), (6, 0.5), (8, 0.5), (10, 0.5)), 1):
        weights = applied("defocus_blur", point, severity)[0, ..., 0]
        assert weights.sum() == pytest.approx(1), severity
        # A disc's variance along one axis is a quarter of its squared radius; softening adds its own.
        variance = (weights.sum(axis=0) * across**2).sum()
        assert variance == pytest.approx(radius**2 / 4 + softness**2, rel=0.08), severity


def test_lines_of_motion_fade_add_to_1_and_leave_almost_nothing_out():
    point = np.zeros((1, 1, 100, 1))
    point[..., 80, 0] = 1
    for severity, (radius, deviation) in enumerate(((10, 3), (15, 5), (15, 8), (15, 12), (20, 15)), 1):
        weights = applied("motion_blur", point, severity, Chosen(0))[0, 0, 80::-1, 0]
        whole = stats.norm.pdf(np.arange(2 * radius + 1), scale=deviation)
        assert weights.sum() == pytest.approx(1), severity
        exact = np.pad(whole / whole.sum(), (0, 80 - 2 * radius))
        np.testing.assert_allclose(weights, exact, atol=1e-4, err_msg=str(severity))


def test_frost_weighs_image_and_ice_as_published():
    black = np.zeros_like(SMALL)[None]
    first = applied("frost", black, 1)
    for severity, (clear, iced) in enumerate(((1, 0.4), (0.8, 0.6), (0.7, 0.7), (0.65, 0.7), (0.6, 0.75)), 1):
        ice, image = (applied("frost", each, severity) for each in (black, SMALL[None]))
        np.testing.assert_allclose(image - ice, clear * SMALL[None], atol=1e-6, err_msg=str(severity))
        np.testing.assert_allclose(ice / iced, first / 0.4, atol=1e-6, err_msg=str(severity))


def test_panes_are_different_and_their_crystals_cover_a_part():
    black = np.zeros((1, 465, 465, 3), np.float32)
    panes = [applied("frost", black, 1, Chosen(number, 0, 0))[0].mean(axis=-1) / 0.4 for number in range(6)]
    means = [each.mean() for each in panes]
    assert len(set(means)) == 6
    assert 0.3 < min(means) < 0.5 < 0.7 < max(means) < 0.9
    for number, each in enumerate(panes):
        edges = np.hypot(*np.gradient(each))
        parts = edges[:448, :448].reshape(14, 32, 14, 32).mean(axis=(1, 3))
        assert np.quantile(parts, 0.95) > 3 * np.quantile(parts, 0.05), number


def test_fog_has_the_published_thickness():
    for severity, thickness in enumerate((1.5, 2.0, 2.5, 2.5, 3.0), 1):
        for value in (0.3, 1.0):
            fogged = applied("fog", np.full((1, 64, 64, 1), value), severity)
            # Clouds go from 0 to 1, so fog goes from the darkest to the brightest it can.
            assert fogged.min() == pytest.approx(value * value / (value + thickness)), (severity, value)
            assert fogged.max() == pytest.approx(value), (severity, value)


def test_contrast_keeps_means_and_scales_differences():
    for severity, factor in enumerate((0.4, 0.3, 0.2, 0.1, 0.05), 1):
        found = applied("contrast", SMALL[None].astype(float), severity)[0]
        np.testing.assert_allclose(found.mean(axis=(0, 1)), SMALL.mean(axis=(0, 1)), rtol=1e-6, err_msg=str(severity))
        exact = factor * SMALL.std(axis=(0, 1))
        np.testing.assert_allclose(found.std(axis=(0, 1)), exact, rtol=1e-6, err_msg=str(severity))


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
