import numpy as np
import pytest

from surefoot import datasets
from surefoot.core import MissingData

FOLDER, FILE = "mnist", "mnist.npz"
SHAPES = {"x_train": (60_000, 28, 28), "y_train": (60_000,), "x_test": (10_000, 28, 28), "y_test": (10_000,)}
SHA256 = "731c5ac602752760c8e48fbffcf8c3b850d9dc2a2aedcf2cc48468fc17b673d1"


@pytest.fixture
def file(folder):
    """Where the file is looked for; not there yet."""
    return folder / FILE


@pytest.fixture
def arrays():
    return {name: np.zeros(shape, np.uint8) for name, shape in SHAPES.items()}


def test_digits_are_read_as_they_were_saved(file, arrays):
    arrays["x_train"][5, 3, 2] = 200
    arrays["y_test"][7] = 9
    np.savez(file, **arrays)
    loaded = datasets.mnist()
    assert np.argwhere(loaded.train_images).tolist() == [[5, 3, 2]]
    assert np.flatnonzero(loaded.test_labels).tolist() == [7]
    assert (loaded.test_images.dtype, loaded.test_labels.dtype) == (np.uint8, np.int64)


def test_a_missing_set_says_what_to_do(file):
    with pytest.raises(MissingData, match=r"lacks mnist\.npz.*download=True.*https://"):
        datasets.mnist()
    assert datasets.known("mnist").folder == file.parent


def test_a_missing_file_is_fetched_where_asked_and_its_checksum_verified(file, arrays, redirect, stands_for):
    home = file.parent.parent / "home.npz"
    np.savez_compressed(home, **arrays)
    redirect(home.as_uri())
    with pytest.raises(MissingData, match="SHA-256"):
        datasets.mnist(download=True)
    stands_for(home.read_bytes(), SHA256)
    assert len(datasets.mnist(download=True).test_labels) == 10_000


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"y_test": None}, "y_test is not a file"),
        ({"x_test": np.zeros((10_000, 784), np.uint8)}, r"x_test of shape \(10000, 784\)"),
        ({"x_test": np.zeros((10_000, 28, 28), np.float32)}, "type float32"),
        ({"y_test": np.full(10_000, 10)}, "labels other than 0 to 9"),
        ({"y_test": np.zeros(10_000)}, "type float64"),
    ],
    ids=["no labels", "flat", "floats", "eleven", "float labels"],
)
def test_another_file_is_refused(file, arrays, change, found):
    np.savez(file, **{name: array for name, array in (arrays | change).items() if array is not None})
    with pytest.raises(MissingData, match=found):
        datasets.mnist()


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not a zip"], ids=["empty", "broken"])
def test_a_broken_file_is_refused(file, content):
    file.write_bytes(content)
    with pytest.raises(MissingData, match="cannot be read"):
        datasets.mnist()


def test_mnist_has_the_published_counts():
    try:
        datasets.locate(FOLDER)
    except MissingData as missing:
        pytest.skip(str(missing))
    loaded = datasets.mnist()
    assert np.bincount(loaded.train_labels).tolist() == [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
    assert np.bincount(loaded.test_labels).tolist() == [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
    assert round(float(loaded.train_images.mean()) / 255, 4) == 0.1307
