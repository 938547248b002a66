import numpy as np
import pytest

from surefoot.corruptions import corrupt

SENSORS = ("row_fault", "column_fault", "shifted_pixels", "pixel_trap")
LINES = (0.04, 0.08, 0.15, 0.25, 0.4)
SHIFTED = (0.1, 0.2, 0.35, 0.55, 0.8)
TRAPPED = (0.005, 0.015, 0.04, 0.08, 0.15)
# No two rows, columns or neighbours of noise are alike, and none is black or white.
NOISE = np.random.default_rng(2).uniform(0.1, 0.9, (4, 100, 60, 3))


def distance(clean, worse):
    return np.sqrt(((clean - worse) ** 2).mean())


@pytest.mark.parametrize("name", SENSORS)
def test_each_severity_is_further_from_the_clean_images(name):
    for side in (8, 32, 224):
        y, x = np.mgrid[:side, :side] / side
        smooth = np.stack([y, x, y * x], axis=-1)[None] * np.array([0.4, 0.9])[:, None, None, None]
        for clean in (smooth, np.random.default_rng(0).random((2, side, side, 3))):
            found = [distance(clean, corrupt(clean, name, severity)) for severity in range(1, 6)]
            assert found == sorted(found), side
            assert 0 < found[0] < found[4], side


@pytest.mark.parametrize("name", SENSORS)
def test_a_worse_severity_has_all_faults_of_a_better_one(name):
    before = np.zeros(NOISE.shape, bool)
    for severity in range(1, 6):
        fault = corrupt(NOISE, name, severity) != NOISE
        assert (fault >= before).all()
        before = fault


@pytest.mark.parametrize("name", SENSORS)
def test_tiny_and_grey_images_work(name):
    for shape in ((1, 1, 1), (1, 1, 3), (1, 9, 1), (9, 1, 3), (2, 2, 1)):
        image = np.random.default_rng(0).random(shape)
        for severity in (1, 5):
            assert corrupt(image, name, severity).shape == shape, severity


@pytest.mark.parametrize("name", SENSORS)
def test_many_are_corrupted_as_each_alone(name):
    whole = corrupt(NOISE, name, 3, seed=1)
    for i in range(len(NOISE)):
        np.testing.assert_array_equal(corrupt(NOISE[i], name, 3, seed=1, first=i), whole[i])


@pytest.mark.parametrize(("name", "axis"), [("row_fault", 1), ("column_fault", 2)])
def test_the_stated_share_of_lines_is_at_fault(name, axis):
    for severity, share in enumerate(LINES, 1):
        lines = (corrupt(NOISE, name, severity) != NOISE).any(axis=(3 - axis, 3))
        assert (lines.sum(axis=1) == round(share * NOISE.shape[axis])).all(), severity


def test_a_faulty_row_is_another_row_or_black_or_white():
    clean, found = NOISE[0], corrupt(NOISE[0], "row_fault", 5)
    known = [*clean, np.zeros_like(clean[0]), np.ones_like(clean[0])]
    for row in found:
        assert any((row == each).all() for each in known)
    dead = [row.std() == 0 for row, old in zip(found, clean, strict=True) if (row != old).any()]
    assert 2 <= sum(dead) <= 24


def test_column_fault_is_row_fault_of_the_turned_image():
    turned = corrupt(NOISE.swapaxes(1, 2), "row_fault", 3).swapaxes(1, 2)
    np.testing.assert_array_equal(corrupt(NOISE, "column_fault", 3), turned)


@pytest.mark.parametrize("severity", [1, 3, 5])
def test_shifted_rows_keep_their_pixels_and_are_the_stated_share(severity):
    found = corrupt(NOISE, "shifted_pixels", severity)
    moved = (found != NOISE).any(axis=(2, 3))
    assert (moved.sum(axis=1) == round(SHIFTED[severity - 1] * NOISE.shape[1])).all()
    for new, old in zip(found.reshape(-1, 60, 3), NOISE.reshape(-1, 60, 3), strict=True):
        (at,) = np.flatnonzero((new == old[0]).all(axis=1))
        np.testing.assert_array_equal(np.roll(old, at, axis=0), new)
        assert min(at, 60 - at) <= 10


def test_the_stated_share_of_pixels_is_stuck_at_black_or_white():
    for severity, share in enumerate(TRAPPED, 1):
        found = corrupt(NOISE, "pixel_trap", severity)
        changed = found != NOISE
        assert set(np.unique(found[changed])) == {0, 1}, severity
        assert (changed.any(axis=-1).sum(axis=(1, 2)) == round(share * 6000)).all(), severity
        assert set(changed.sum(axis=-1).ravel()) == {0, 1, 3}, severity


def test_kinds_of_stuck_pixels_are_equally_common():
    from scipy.stats import chisquare

    clean = np.full((10, 50, 50, 3), 0.5)
    stuck = corrupt(clean, "pixel_trap", 5).reshape(-1, 3)
    counts = np.unique(stuck[(stuck != 0.5).any(axis=1)], axis=0, return_counts=True)[1]
    assert len(counts) == 8
    assert chisquare(counts).pvalue > 1e-4
