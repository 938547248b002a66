import numpy as np
import pytest

from surefoot import datasets
from surefoot.core import MissingData

FOLDER, LABELS = "cifar10", "labels.npz"
NAMES = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]


@pytest.fixture(scope="module")
def photographs():
    try:
        datasets.locate(FOLDER)
    except MissingData as missing:
        pytest.skip(str(missing))
    return datasets.cifar10()


def test_a_missing_set_says_what_to_do(folder):
    with pytest.raises(MissingData, match=r"lacks labels\.npz.*kriz.*lossless sheets"):
        datasets.cifar10()
    assert datasets.known("cifar10").folder == folder


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        ({"y_train": np.zeros(20_000), "y_test": np.zeros(10_000)}, "classes is not a file"),
        ({"y_train": np.zeros(19_999), "y_test": np.zeros(10_000), "classes": NAMES}, "19999 training"),
        ({"y_train": np.zeros(20_000), "y_test": np.zeros(10), "classes": NAMES}, "10 test labels"),
        ({"y_train": np.zeros(20_000), "y_test": np.full(10_000, 10), "classes": NAMES}, "of 10 classes"),
    ],
    ids=["no names", "few", "few tests", "eleven"],
)
def test_labels_that_do_not_fit_are_refused(folder, labels, found):
    np.savez(folder / LABELS, **labels)
    with pytest.raises(MissingData, match=found):
        datasets.cifar10()


def test_a_sheet_that_is_not_there_is_named(folder):
    np.savez(folder / LABELS, y_train=np.zeros(50_000), y_test=np.zeros(10_000), classes=NAMES)
    with pytest.raises(MissingData, match=r"lacks train_0\.webp"):
        datasets.cifar10()


def test_a_broken_archive_is_refused(folder):
    (folder / LABELS).write_bytes(b"PK\x03\x04 not a zip")
    with pytest.raises(MissingData, match="cannot be read"):
        datasets.cifar10()


def test_cifar_10_has_the_published_counts(photographs):
    assert photographs.train_images.shape == (20_000, 32, 32, 3)
    assert photographs.test_images.shape == (10_000, 32, 32, 3)
    assert np.bincount(photographs.test_labels).tolist() == [1000] * 10
    assert photographs.classes == tuple(NAMES)


def test_colours_have_the_published_means(photographs):
    means = photographs.train_images.mean(axis=(0, 1, 2)) / 255
    assert means == pytest.approx((0.4914, 0.4822, 0.4465), abs=0.002)
