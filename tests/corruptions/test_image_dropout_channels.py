from itertools import permutations

import numpy as np
import pytest

from surefoot import InvalidInput
from surefoot.corruptions import corrupt

DROPOUT = ("coarse_dropout", "grid_dropout")
SHARES = (0.2, 0.4, 0.6, 0.8, 1.0)
ORDERS = [order for order in permutations(range(3)) if order != (0, 1, 2)]
CHANNELS = ("channel_shuffle", "channel_dropout")
NOISE = np.random.default_rng(4).uniform(0.1, 0.9, (6, 40, 64, 3))


@pytest.mark.parametrize("name", DROPOUT + CHANNELS)
def test_each_severity_is_further_from_the_clean_images(name):
    for side in (8, 32, 224):
        clean = np.random.default_rng(0).random((8 if side < 200 else 2, side, side, 3))
        found = [np.sqrt(((clean - corrupt(clean, name, severity)) ** 2).mean()) for severity in range(1, 6)]
        assert found == sorted(found), side
        assert 0 < found[0] < found[2] < found[4], side


@pytest.mark.parametrize("name", DROPOUT + CHANNELS)
def test_many_are_corrupted_as_each_alone(name):
    whole = corrupt(NOISE, name, 3, seed=1)
    for i in range(len(NOISE)):
        np.testing.assert_array_equal(corrupt(NOISE[i], name, 3, seed=1, first=i), whole[i])


@pytest.mark.parametrize("name", DROPOUT)
def test_tiny_and_grey_images_lose_parts_too(name):
    for shape in ((1, 1, 1), (1, 9, 3), (2, 3, 1)):
        for severity in (1, 5):
            found = corrupt(np.ones((40, *shape)), name, severity)
            assert set(np.unique(found)) <= {0, 1}, (shape, severity)
            assert (found == 0).any(), (shape, severity)


@pytest.mark.parametrize("name", DROPOUT)
def test_what_is_lost_is_black_in_all_colours_and_stays_lost(name):
    before = np.zeros(NOISE.shape[:3], bool)
    for severity in range(1, 6):
        found = corrupt(NOISE, name, severity)
        lost = (found == 0).all(axis=-1)
        np.testing.assert_array_equal(found[~lost], NOISE[~lost])
        assert (lost >= before).all()
        before = lost


def test_a_few_boxes_have_the_stated_size():
    from scipy.ndimage import find_objects, label

    found = corrupt(np.ones((200, 100, 100, 1)), "coarse_dropout", 1)[..., 0] == 0
    for lost in found:
        boxes = find_objects(label(lost)[0])
        assert 1 <= len(boxes) <= 2
        if len(boxes) == 2:
            for rows, columns in boxes:
                assert lost[rows, columns].all()
                assert 8 <= rows.stop - rows.start <= 20
                assert 8 <= columns.stop - columns.start <= 20


def test_boxes_fall_everywhere():
    share = (corrupt(np.ones((400, 32, 32, 1)), "coarse_dropout", 5)[..., 0] == 0).mean(axis=0)
    assert share.min() > 0
    assert share[8:24, 8:24].mean() == pytest.approx(share[4:28, 4:28].mean(), rel=0.2)


def test_a_grid_loses_the_square_of_its_side():
    for severity, side in enumerate((0.2, 0.3, 0.42, 0.55, 0.7), 1):
        found = corrupt(np.ones((60, 224, 224, 1)), "grid_dropout", severity)
        assert (found == 0).mean() == pytest.approx(side**2, rel=0.05), severity


def test_a_grid_is_regular():
    lost = corrupt(np.ones((90, 90, 1)), "grid_dropout", 3)[..., 0] == 0
    starts = np.flatnonzero(np.diff(lost.any(axis=1).astype(int)) == 1)
    assert len(set(np.diff(starts))) == 1
    np.testing.assert_array_equal(lost, lost.any(axis=1)[:, None] & lost.any(axis=0))


def test_shuffled_channels_are_mixed_with_their_share():
    for severity, share in enumerate(SHARES, 1):
        for new, old in zip(corrupt(NOISE, "channel_shuffle", severity), NOISE, strict=True):
            mixtures = [(1 - share) * old + share * old[..., list(order)] for order in ORDERS]
            assert sum(np.allclose(new, each) for each in mixtures) == 1, severity


def test_all_orders_of_channels_come_up():
    colours = np.tile(np.array([0.2, 0.5, 0.8]), (60, 1, 1, 1))
    found = {tuple(colour) for colour in corrupt(colours, "channel_shuffle", 5).reshape(-1, 3).round(6)}
    assert len(found) == 5
    assert (0.2, 0.5, 0.8) not in found


def test_shuffling_leaves_grey_images_in_three_channels_as_they_are():
    grey = np.repeat(np.arange(0, 256, 4, dtype=np.uint8).reshape(1, 8, 8, 1), 3, axis=-1)
    for severity in range(1, 6):
        np.testing.assert_array_equal(corrupt(grey, "channel_shuffle", severity), grey)


def test_one_channel_fades_by_its_share():
    for severity, share in enumerate(SHARES, 1):
        left = corrupt(np.ones((60, 2, 2, 3)), "channel_dropout", severity)[:, 0, 0]
        np.testing.assert_allclose(np.sort(left, axis=1), [[1 - share, 1, 1]] * 60, atol=1e-12, err_msg=str(severity))
        assert set(left.argmin(axis=1)) == {0, 1, 2}, severity


@pytest.mark.parametrize("name", CHANNELS)
def test_images_of_one_channel_are_refused(name):
    with pytest.raises(InvalidInput, match=f"{name}.*one channel"):
        corrupt(np.zeros((2, 8, 8, 1)), name, 1)
