"""Against imagecorruptions-imaug, which holds the code that Hendrycks and Dietterich published."""

import warnings

import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_sample_images

from surefoot.corruptions import corrupt, corruption

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import imagecorruptions as peer
    from imagecorruptions import corruptions as published

SEVERITIES = range(1, 6)
CUT = 0.5
"""The peer cuts fractions of bytes off, we round: half a step on average."""


def photographs(size):
    for picture in load_sample_images().images:
        side = min(picture.shape[:2])
        top, left = ((length - side) // 2 for length in picture.shape[:2])
        square = Image.fromarray(picture[top : top + side, left : left + side])
        yield np.asarray(square.resize((size, size), Image.Resampling.LANCZOS))


def by_peer(image, name, severity, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return peer.corrupt(image, corruption_name=name, severity=severity, **options)


@pytest.mark.parametrize(
    ("name", "most", "mean"),
    [
        ("defocus_blur", 3, 1.4),
        ("zoom_blur", 1, 0.65),
        ("brightness", 1, 0.65),
        ("contrast", 1, 0.65),
        ("pixelate", 1, 0.5),
        ("jpeg_compression", 0, 0),
    ],
)
@pytest.mark.parametrize("size", [32, 224])
def test_corruptions_without_chance_give_the_bytes_of_the_peer(name, most, mean, size):
    image = next(photographs(size))
    for severity in SEVERITIES:
        gap = np.abs(corrupt(image, name, severity).astype(int) - by_peer(image, name, severity))
        assert gap.max() <= most, severity
        assert gap.mean() <= mean, severity


def figures(found, clean):
    """Mean, deviation, distance to the clean image, edges and deviation of large structures, in bytes."""
    edges = np.sqrt(np.mean([np.square(np.diff(found, axis=axis)).mean() for axis in (0, 1)]))
    coarse = found.reshape(len(found) // 4, 4, -1, 4, found.shape[-1]).mean(axis=(1, 3))
    return [found.mean(), found.std(), np.sqrt(np.square(found - clean).mean()), edges, coarse.std()]


def mean_figures(corrupted, images):
    """Mean over images and seeds, a row for each severity."""
    return np.array(
        [np.mean([figures(found, image) for image in images for found in corrupted(image, worse)], axis=0)
         for worse in SEVERITIES]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "size", "times"),
    [
        ("gaussian_noise", 64, 10),
        ("shot_noise", 64, 10),
        ("impulse_noise", 64, 20),
        ("glass_blur", 64, 10),
        ("snow", 64, 25),
        ("elastic_transform", 64, 12),
        ("gaussian_noise", 224, 1),
        ("shot_noise", 224, 1),
        ("impulse_noise", 224, 1),
        ("glass_blur", 224, 1),
        ("elastic_transform", 224, 2),
    ],
)
def test_figures_are_those_of_the_peers_severity_and_not_of_its_neighbours(name, size, times):
    seeded, cuts = name in ("impulse_noise", "glass_blur"), 2 if name == "glass_blur" else 1
    images = list(photographs(size))
    np.random.seed(0)  # noqa: NPY002

    def ours(image, worse):
        return corrupt(np.stack([image] * times), name, worse).astype(float)

    def theirs(image, worse):
        options = [{"seed": number} if seeded else {} for number in range(times)]
        return [by_peer(image, name, worse, **each) + CUT * cuts for each in options]

    gaps = np.abs(mean_figures(ours, images)[:, None] - mean_figures(theirs, images)).max(axis=-1)
    for own in range(5):
        neighbours = [gaps[own, other] for other in (own - 1, own + 1) if 0 <= other < 5]
        assert gaps[own, own] < min(neighbours) / 2, (own + 1, gaps[own])


def test_motion_at_the_same_angle_gives_the_bytes_of_the_peer(monkeypatch):
    image = next(photographs(64))
    for severity in SEVERITIES:
        drawn = np.random.default_rng((0, 0))
        monkeypatch.setattr(np.random, "uniform", drawn.uniform)
        gap = np.abs(corrupt(image, "motion_blur", severity).astype(int) - by_peer(image, "motion_blur", severity))
        assert gap.max() <= 1, severity


def test_discs_are_those_of_the_peer_but_for_what_it_cuts_off():
    point = np.zeros((1, 61, 61, 1))
    point[0, 30, 30] = 1
    for severity, (radius, softness) in enumerate(((3, 0.1), (4, 0.5), (6, 0.5), (8, 0.5), (10, 0.5)), 1):
        ours = corruption.get("defocus_blur")(point, severity, [None])[0, ..., 0]
        theirs = published.disk(radius, softness)[1:-1, 1:-1]
        inner = slice(30 - len(theirs) // 2, 31 + len(theirs) // 2)
        np.testing.assert_allclose(ours[inner, inner], theirs, atol=2e-4 / radius, err_msg=str(severity))


class Turned:
    """Random numbers that give one direction."""

    def __init__(self, degrees):
        self.degrees = degrees

    def uniform(self, low, high):
        return self.degrees


def test_motion_at_any_angle_equals_the_peers():
    image = np.random.default_rng(0).random((60, 70, 3)).astype(np.float32)
    for severity, (radius, deviation) in enumerate(((10, 3), (15, 5), (15, 8), (15, 12), (20, 15)), 1):
        for angle in (-135, -100.5, -45, -17.3, 0, 8, 45):
            found = corruption.get("motion_blur")(image[None], severity, [Turned(angle)])[0]
            exact = published._motion_blur(image, radius, deviation, angle)
            np.testing.assert_allclose(found, exact, atol=5e-4, err_msg=str((severity, angle)))


@pytest.mark.parametrize(("severity", "decay"), [(1, 2), (3, 1.7), (4, 1.5), (5, 1.4)])
def test_clouds_have_the_structure_of_the_peers(severity, decay):
    rng = np.random.default_rng(0)
    np.random.seed(0)  # noqa: NPY002
    fogged = corruption.get("fog")(np.ones((300, 32, 32, 1)), severity, [rng] * 300)[..., 0]
    # Clouds from 0 to 1 are all that differs in a fogged image of one value.
    low, high = fogged.min(axis=(1, 2), keepdims=True), fogged.max(axis=(1, 2), keepdims=True)
    ours = (fogged - low) / (high - low)
    theirs = np.array([published.plasma_fractal(32, decay) for _ in range(300)])
    assert abs(ours.mean() - theirs.mean()) < 0.03
    for apart in (1, 4):
        found, exact = (np.square(np.diff(each[:, ::apart], axis=1)).mean() for each in (ours, theirs))
        assert found == pytest.approx(exact, rel=0.12), apart


def test_frost_is_as_bright_as_that_of_the_peer():
    black = np.zeros((32, 32, 3), np.uint8)
    np.random.seed(0)  # noqa: NPY002
    ours = corrupt(np.stack([black] * 300), "frost", 5).astype(float)
    theirs = np.array([by_peer(black, "frost", 5) for _ in range(60)], dtype=float)
    assert ours.mean() == pytest.approx(theirs.mean(), rel=0.12)
    assert ours.std() == pytest.approx(theirs.std(), rel=0.2)
