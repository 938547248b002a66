import numpy as np
import pytest
from PIL import Image
from scipy.stats import median_abs_deviation
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.monitors import Brightness, Contrast, Detector
from surefoot.testing import check_detector

RNG = np.random.default_rng(13)
BYTES = RNG.integers(0, 256, size=(40, 8, 9, 3), dtype=np.uint8)


@pytest.mark.parametrize(("detector", "figure"), [(Contrast(side="high"), np.std), (Brightness(side="high"), np.mean)])
def test_scores_are_the_figure_relative_to_its_median_and_robust_spread(detector, figure):
    weighed = np.array([np.asarray(Image.fromarray(image).convert("F")) for image in BYTES], dtype=float)
    figures = np.array([figure(image) for image in weighed])
    expected = (figures - np.median(figures)) / median_abs_deviation(figures, scale="normal")
    np.testing.assert_allclose(detector.fit(BYTES).decision_function(BYTES), expected, rtol=1e-3, atol=1e-9)


@pytest.mark.parametrize("kind", [Contrast, Brightness])
def test_bytes_floats_and_either_place_of_channels_score_alike(kind):
    expected = kind().fit(BYTES).decision_function(BYTES)
    floats = BYTES / 255
    first = np.moveaxis(BYTES, 3, 1)
    for images in (floats, first):
        np.testing.assert_allclose(kind().fit(images).decision_function(images), expected, atol=1e-9)


def test_grey_images_need_no_channels():
    grey = BYTES[..., 0]
    expected = Contrast().fit(grey).decision_function(grey)
    np.testing.assert_array_equal(Contrast().fit(grey[..., None]).decision_function(grey[..., None]), expected)
    np.testing.assert_array_equal(Contrast().fit(grey[:, None]).decision_function(grey[:, None]), expected)


def test_fog_lowers_contrast_and_darkness_lowers_brightness():
    fog = (BYTES * 0.2 + 150).astype(np.uint8)
    assert (Contrast().fit(BYTES).decision_function(fog) > 3).all()
    assert (Brightness().fit(BYTES).decision_function(BYTES // 4) > 3).all()
    assert (Brightness().fit(BYTES).decision_function(255 - BYTES // 4) > 3).all()


def test_sides_are_low_high_or_both():
    low, high, both = (Contrast(side=side).fit(BYTES).decision_function(BYTES) for side in ("low", "high", "both"))
    np.testing.assert_array_equal(low, -high)
    np.testing.assert_array_equal(both, np.abs(high))


@pytest.mark.parametrize("kind", [Contrast, Brightness])
def test_constant_images_have_scores(kind):
    detector = kind().fit(np.full((5, 4, 4), 7.1))
    assert detector.decision_function(np.full((2, 4, 4), 7.1)) == pytest.approx(0, abs=1e-9)
    assert np.isfinite(detector.decision_function(np.full((1, 4, 4), 1e300))).all()


def test_where_most_images_share_one_figure_the_standard_deviation_is_the_spread():
    images = np.array([5.0, 5, 5, 5, 10])[:, None, None] * np.ones((5, 2, 2))
    detector = Brightness(side="high").fit(images)
    np.testing.assert_allclose(detector.decision_function(images), [0, 0, 0, 0, 5 / 2])


@pytest.mark.parametrize("kind", [Contrast, Brightness])
def test_a_file_holds_it_and_one_image_scores_as_in_a_batch(kind, tmp_path):
    detector = kind().fit(BYTES)
    detector.save(tmp_path / "images.npz")
    scores = detector.decision_function(BYTES)
    np.testing.assert_array_equal(Detector.load(tmp_path / "images.npz").decision_function(BYTES), scores)
    np.testing.assert_allclose([detector.score_one(image) for image in BYTES], scores, atol=1e-9)


def test_many_images_are_weighed_in_parts():
    images = np.random.default_rng(1).uniform(size=(300, 64, 64))
    expected = images.reshape(300, -1).mean(axis=1)
    scores = Brightness(side="high").fit(images).decision_function(images)
    assert np.corrcoef(scores, expected)[0, 1] > 1 - 1e-9


def test_other_shapes_are_refused():
    for shape in [(5, 8, 8, 4), (5, 8, 8, 2), (5, 8), (5, 1, 8, 8, 3)]:
        with refused(shape, InvalidInput, match=r"channels|dimensions"):
            Contrast().fit(np.zeros(shape))


def test_the_side_is_checked():
    with pytest.raises(InvalidInput, match="Did you mean 'both'"):
        Brightness(side="bothe")


@pytest.mark.parametrize("kind", [Contrast, Brightness])
def test_it_is_complete(kind):
    assert check_detector(kind).passed
