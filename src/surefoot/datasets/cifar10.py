"""CIFAR-10: small photographs of ten kinds of things; all test images, and the first 20,000 of the training images.

Krizhevsky, "Learning multiple layers of features from tiny images" (2009).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import MissingData
from surefoot.datasets.location import locate_file
from surefoot.datasets.sheets import read_sheets

FOLDER, LABELS = "cifar10", "labels.npz"
HOME = "https://www.cs.toronto.edu/~kriz/cifar.html"
TRAIN_SHEETS, TEST_SHEETS = ("train_0.webp", "train_1.webp"), ("test_0.webp",)
TRAIN, TEST = 20_000, 10_000
REMEDY = (
    f"The set has no public home in this form: write the images of {HOME} as lossless sheets of 100 pictures a row, "
    f"{', '.join(TRAIN_SHEETS + TEST_SHEETS)}, 10,000 each, and {LABELS} with arrays y_train, y_test and classes."
)


@dataclass(frozen=True, eq=False)
class Photographs:
    """Images (n, 32, 32, 3) as bytes, class numbers 0 to 9, and what the classes are called."""

    train_images: NDArray[np.uint8]
    train_labels: NDArray[np.int64]
    test_images: NDArray[np.uint8]
    test_labels: NDArray[np.int64]
    classes: tuple[str, ...]


def cifar10() -> Photographs:
    """20,000 of the 50,000 training images and all test images from the folder that ``locate("cifar10")`` finds."""
    train, test, classes = _labels()
    return Photographs(
        read_sheets(_files(TRAIN_SHEETS), TRAIN), train, read_sheets(_files(TEST_SHEETS), TEST), test, classes
    )


def _labels() -> tuple[NDArray[np.int64], NDArray[np.int64], tuple[str, ...]]:
    path = locate_file(FOLDER, LABELS, remedy=REMEDY)
    try:
        with path.open("rb") as stream, np.load(stream) as arrays:
            train, test = (arrays[name].astype(np.int64) for name in ("y_train", "y_test"))
            classes = tuple(map(str, arrays["classes"]))
    except (KeyError, ValueError, OSError, EOFError, BadZipFile) as error:
        raise MissingData(f"{LABELS} cannot be read", where=FOLDER, found=str(error), remedy=REMEDY) from error
    if len(train) < TRAIN or len(test) != TEST or not np.isin([*train, *test], np.arange(len(classes))).all():
        found = f"{len(train)} training and {len(test)} test labels of {len(classes)} classes"
        raise MissingData(f"{LABELS} does not fit the sheets", where=FOLDER, found=found, remedy=REMEDY)
    return train[:TRAIN], test, classes


def _files(names: tuple[str, ...]) -> list[Path]:
    return [locate_file(FOLDER, name, remedy=REMEDY) for name in names]
