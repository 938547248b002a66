import numpy as np
import pytest

from surefoot.corruptions import corrupt

SCENES = ("smoke", "sun_flare", "rain")


def pictures(number=12, side=32, channels=3):
    """Smooth random pictures: a few waves in each channel."""
    rng = np.random.default_rng(5)
    y, x = np.mgrid[:side, :side] / side
    turn = rng.uniform(0, 6, (number, 1, 1, channels, 4))
    waves = np.sin(turn[..., :2].sum(-1) + turn[..., 2] * y[..., None] + turn[..., 3] * x[..., None])
    return 0.5 + 0.35 * waves


def distance(clean, worse):
    return np.sqrt(((clean - worse) ** 2).mean(axis=(1, 2, 3)))


@pytest.mark.parametrize("name", SCENES)
def test_each_severity_is_further_from_the_clean_images(name):
    for side in (8, 32, 224):
        clean = pictures(number=12 if side < 200 else 2, side=side)
        mean = [distance(clean, corrupt(clean, name, severity)).mean() for severity in range(1, 6)]
        assert mean == sorted(mean), side
        assert mean[0] > 0.01, side
        assert mean[4] > 2 * mean[0], side


@pytest.mark.parametrize("name", SCENES)
def test_any_size_and_grey_images_work(name):
    for shape in ((1, 1, 3), (1, 40, 1), (7, 2, 3), (33, 64, 1)):
        image = np.full((2, *shape), 0.4)
        for severity in (1, 5):
            found = corrupt(image, name, severity)
            assert found.shape == image.shape, severity
            assert ((found >= 0) & (found <= 1)).all(), (shape, severity)


@pytest.mark.parametrize("name", SCENES)
def test_many_are_corrupted_as_each_alone(name):
    clean = pictures(3)
    whole = corrupt(clean, name, 4, seed=9)
    for i in range(3):
        np.testing.assert_array_equal(corrupt(clean[i], name, 4, seed=9, first=i), whole[i])
    assert (whole[0] - clean[0] != whole[1] - clean[1]).any()


@pytest.mark.parametrize("name", ["smoke", "rain"])
def test_grey_weather_keeps_grey_images_grey(name):
    grey = np.repeat(pictures(2, channels=1), 3, axis=-1)
    found = corrupt(grey, name, 5)
    np.testing.assert_allclose(np.ptp(found, axis=-1), 0, atol=1e-12)
    np.testing.assert_allclose(found[..., :1], corrupt(grey[..., :1], name, 5), atol=1e-12)


def test_smoke_spans_its_range_and_is_smooth():
    for side in (32, 224):
        black, white = np.zeros((1, side, side, 1)), np.ones((1, side, side, 1))
        seen = (corrupt(white, "smoke", 5) - corrupt(black, "smoke", 5))[0, ..., 0]
        # From the thinnest of a cloud, a sixth of the way to full thickness, to all of it.
        thinnest = 3 * (1 / 6) ** 2 - 2 * (1 / 6) ** 3
        np.testing.assert_allclose((seen.max(), seen.min()), (1 - 0.95 * thinnest, 0.05), atol=1e-6, err_msg=str(side))
        assert np.corrcoef(seen[:, 1:].ravel(), seen[:, :-1].ravel())[0, 1] > 0.9, side


def test_smoke_hides_contrast_by_its_opacity():
    black, white = np.zeros((4, 32, 32, 3)), np.ones((4, 32, 32, 3))
    for severity, opacity in enumerate((0.55, 0.65, 0.75, 0.85, 0.95), 1):
        seen = corrupt(white, "smoke", severity) - corrupt(black, "smoke", severity)
        assert seen.min() == pytest.approx(1 - opacity, abs=1e-6)


def test_the_sun_is_saturated_and_in_the_upper_part():
    clean = np.full((20, 64, 64, 3), 0.3)
    found = corrupt(clean, "sun_flare", 3)
    assert (found >= clean - 1e-12).all()
    white = (found == 1).all(axis=-1)
    assert white.any(axis=(1, 2)).all()
    height = [np.argwhere(each)[:, 0].mean() for each in white]
    assert max(height) < 32
    assert np.ptp(height) > 5


def test_light_of_the_sun_falls_off():
    light = corrupt(np.zeros((1, 64, 64, 3)), "sun_flare", 4)
    assert light.max() == 1
    assert np.median(light) < 0.3


def wet(shape, number, severity):
    """How wet the pixels of images are: what white and black ones differ by less than behind the haze alone."""
    opacity, haze = (0.55, 0.6, 0.65, 0.7, 0.75)[severity - 1], 0.06 * severity
    black, white = np.zeros((number, *shape, 1)), np.ones((number, *shape, 1))
    seen = (corrupt(white, "rain", severity) - corrupt(black, "rain", severity))[..., 0]
    return (1 - seen / (1 - haze)) / opacity


@pytest.mark.parametrize("shape", [(64, 64), (120, 200)])
def test_streaks_cover_about_their_share(shape):
    for severity, share in enumerate((0.04, 0.07, 0.11, 0.16, 0.22), 1):
        fields = wet(shape, 20, severity)
        # An edge is half a pixel soft on each side, and streaks overlap.
        assert 0.9 * share < (fields > 1e-6).mean() < 2.2 * share, severity
        assert fields.max() <= 1 + 1e-6, severity


def test_edges_are_as_wet_as_the_middle():
    fields = wet((48, 48), 300, 5).mean(axis=0)
    middle = fields[16:32, 16:32].mean()
    for edge in (fields[:4], fields[-4:], fields[:, :4], fields[:, -4:]):
        assert edge.mean() == pytest.approx(middle, rel=0.15)


def test_streaks_are_upright_lines():
    fields = np.concatenate(wet((96, 96), 10, 5))
    down = np.corrcoef(fields[1:].ravel(), fields[:-1].ravel())[0, 1]
    across = np.corrcoef(fields[:, 2:].ravel(), fields[:, :-2].ravel())[0, 1]
    assert down > across + 0.3
