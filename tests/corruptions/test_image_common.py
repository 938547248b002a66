"""What holds for each of the fifteen corruptions of Hendrycks and Dietterich (2019)."""

import tracemalloc
from itertools import product

import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_sample_image

from surefoot import InvalidInput
from surefoot.corruptions import corrupt, corruption

HOMES = ("noise", "blur", "weather", "light", "digital")
NAMES = [name for name, entry in corruption.entries(domain="image").items() if entry.module.split(".")[-1] in HOMES]
SHAPES = [(1, 1, 1), (1, 1, 3), (2, 1, 3), (7, 300, 3), (40, 5, 1), (32, 32, 3), (3, 9, 8, 1)]
TYPES = [np.uint8, np.float16, np.float32, np.float64]
FALLING = {"glass_blur": {2, 4}, "frost": {4}, "fog": {4}}
"""Severities that the published tables make no worse than the one before."""


def photograph(size):
    return np.asarray(Image.fromarray(load_sample_image("china.jpg")).resize((size, size)))


def random_images(shape, dtype, seed=0):
    pixels = np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)
    return pixels if dtype == np.uint8 else (pixels / 255).astype(dtype)


def test_there_are_fifteen():
    assert len(NAMES) == 15


@pytest.mark.parametrize("name", NAMES)
def test_any_size_and_type_comes_back_as_it_was(name):
    for shape, dtype, severity in product(SHAPES, TYPES, (1, 5)):
        images = random_images(shape, dtype)
        found = corrupt(images, name, severity, seed=1)
        assert (found.shape, found.dtype) == (images.shape, images.dtype), (shape, dtype, severity)
        if dtype != np.uint8:
            assert 0 <= found.min() <= found.max() <= 1, (shape, dtype, severity)


@pytest.mark.parametrize("name", NAMES)
def test_images_are_corrupted_in_a_batch_as_by_themselves(name):
    for dtype in TYPES:
        images = random_images((3, 24, 20, 3), dtype)
        batch = corrupt(images, name, 3, seed=4)
        for i, image in enumerate(images):
            np.testing.assert_array_equal(corrupt(image, name, 3, seed=4, first=i), batch[i], err_msg=str((dtype, i)))


def test_images_of_a_large_batch_draw_the_numbers_of_their_place():
    images = random_images((70, 40, 40, 3), np.uint8)
    batch = corrupt(images, "gaussian_noise", 3, seed=4)
    for i in (0, 53, 54, 55, 69):
        np.testing.assert_array_equal(
            corrupt(images[i], "gaussian_noise", 3, seed=4, first=i), batch[i], err_msg=str(i)
        )


@pytest.mark.parametrize("name", NAMES)
def test_bytes_and_floats_are_corrupted_alike(name):
    image = photograph(48)
    for severity in (1, 3, 5):
        exact = corrupt(image, name, severity)
        for dtype in (np.float32, np.float64):
            found = corrupt((image / 255).astype(dtype), name, severity)
            # A rounded random number may fall on the other side of a threshold, in one value of many.
            assert (np.abs(found * 255 - exact) > 0.51).mean() < 1e-3, (severity, dtype)


@pytest.mark.parametrize("name", NAMES)
def test_a_worse_severity_is_farther_from_the_image_where_the_published_tables_are(name):
    image = photograph(224)
    many = np.stack([image] * 3)
    gaps = [np.sqrt(np.square(corrupt(many, name, s) / 255 - image / 255).mean()) for s in range(1, 6)]
    rising = {s for s in range(2, 6) if gaps[s - 1] > gaps[s - 2]}
    assert rising >= {2, 3, 4, 5} - FALLING.get(name, set())
    assert gaps[0] > 0


def test_seeds_matter_where_there_is_chance_and_only_there():
    image = photograph(32)
    fixed = {"defocus_blur", "zoom_blur", "brightness", "contrast", "pixelate", "jpeg_compression"}
    same = {n for n in NAMES if (corrupt(image, n, 3, seed=0) == corrupt(image, n, 3, seed=1)).all()}
    assert same == fixed


def test_black_and_white_images_stay_finite_and_the_argument_as_it_was():
    for name, value in product(NAMES, (0.0, 1.0)):
        image = np.full((16, 16, 3), value)
        found = corrupt(image, name, 5)
        assert np.isfinite(found).all(), (name, value)
        assert (image == value).all(), (name, value)


def test_no_images_give_no_images_and_what_is_no_image_is_refused():
    for name in NAMES:
        assert corrupt(np.zeros((0, 8, 8, 3), np.float32), name, 2).shape == (0, 8, 8, 3), name
        for shape in ((0, 8, 3), (8, 8, 2), (8, 0)):
            with pytest.raises(InvalidInput, match=rf"{name}: images must.*\({shape[0]}, {shape[1]}"):
                corrupt(np.zeros(shape), name, 1)


@pytest.mark.parametrize("name", NAMES)
def test_every_arrangement_of_channels_holds_the_same_images(name):
    images = random_images((3, 14, 11, 3), np.float32)
    grey = images[..., :1]
    expected, of_grey = corrupt(images, name, 3, seed=2), corrupt(grey, name, 3, seed=2)
    first = corrupt(images.transpose(0, 3, 1, 2), name, 3, seed=2, channels="first")
    np.testing.assert_array_equal(first.transpose(0, 2, 3, 1), expected)
    np.testing.assert_array_equal(
        corrupt(images[1].transpose(2, 0, 1), name, 3, seed=2, first=1, channels="first"),
        expected[1].transpose(2, 0, 1),
    )
    np.testing.assert_array_equal(corrupt(grey[..., 0], name, 3, seed=2, channels="none"), of_grey[..., 0])
    np.testing.assert_array_equal(corrupt(grey[2, ..., 0], name, 3, seed=2, first=2), of_grey[2, ..., 0])
    opaque = np.concatenate([images, random_images((3, 14, 11, 1), np.float32, seed=9)], axis=-1)
    found = corrupt(opaque, name, 3, seed=2)
    np.testing.assert_array_equal(found[..., :3], expected)
    np.testing.assert_array_equal(found[..., 3], opaque[..., 3])


@pytest.mark.parametrize("name", NAMES)
def test_sixteen_bits_are_corrupted_like_the_shares_they_stand_for(name):
    pixels = np.random.default_rng(0).integers(0, 65536, (2, 16, 16, 3), dtype=np.uint16)
    found = corrupt(pixels, name, 2, seed=3)
    exact = corrupt((pixels / np.float32(65535)).astype(np.float32), name, 2, seed=3)
    assert found.dtype == np.uint16
    assert (np.abs(found / 65535 - exact) > 1 / 65535).mean() < 1e-3


def test_tensors_come_back_as_tensors_with_channels_first():
    torch = pytest.importorskip("torch", reason="the torch extra is not installed")
    images = random_images((2, 9, 12, 3), np.float32)
    for kind in (torch.float32, torch.float64, torch.uint8):
        array = images * 255 if kind == torch.uint8 else images
        tensor = torch.tensor(array.transpose(0, 3, 1, 2).copy()).to(kind)
        found = corrupt(tensor, "gaussian_noise", 2, seed=5)
        assert (found.dtype, found.shape) == (kind, tensor.shape)
        expected = corrupt(tensor.permute(0, 2, 3, 1).numpy(), "gaussian_noise", 2, seed=5)
        np.testing.assert_array_equal(found.permute(0, 2, 3, 1).numpy(), expected)
        assert (corrupt(tensor.permute(0, 2, 3, 1), "contrast", 1, channels="last").shape) == (2, 9, 12, 3)


def test_what_no_arrangement_fits_is_refused_with_the_word_to_say():
    for shape, channels in [((5, 3, 8), None), ((5, 8, 8), "first"), ((2, 8, 8, 3), "none"), ((8,), "none")]:
        with pytest.raises(InvalidInput, match="Say where channels are"):
            corrupt(np.zeros(shape), "fog", 1, channels=channels)
    with pytest.raises(InvalidInput, match="channels"):
        corrupt(np.zeros((8, 8)), "fog", 1, channels="frist")
    with pytest.raises(InvalidInput, match="unknown option"):
        corrupt("a text", "digits_to_words", 1, channels="first")


def test_an_image_too_long_for_jpeg_is_refused():
    with pytest.raises(InvalidInput, match="65500 pixels a side"):
        corrupt(np.zeros((1, 65_501, 1), np.uint8), "jpeg_compression", 1)


@pytest.mark.parametrize("name", ["zoom_blur", "fog", "frost", "elastic_transform"])
def test_large_and_long_images_take_bounded_memory(name):
    for shape in ((700, 900, 1), (2, 20_000, 1)):
        tracemalloc.start()
        corrupt(np.zeros(shape, np.uint8), name, 5)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 200e6, shape


def test_a_list_of_pictures_comes_back_as_a_list():
    pictures = [np.full((16, 16, 3), level, np.uint8) for level in (60, 180)]
    found = corrupt(pictures, "gaussian_noise", 2)
    assert isinstance(found, list)
    np.testing.assert_array_equal(np.stack(found), corrupt(np.stack(pictures), "gaussian_noise", 2))
