"""MNIST: handwritten digits at 28 x 28 pixels.

LeCun, Bottou, Bengio & Haffner, "Gradient-based learning applied to document recognition", Proceedings of the IEEE 86
(1998) 2278-2324; CC BY-SA 3.0.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import MissingData
from surefoot.datasets.location import cache_folder, locate_file
from surefoot.datasets.transfer import fetch

FOLDER, FILE = "mnist", "mnist.npz"
HOME = "https://yann.lecun.com/exdb/mnist/"
URL = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/mnist.npz"
SHA256 = "731c5ac602752760c8e48fbffcf8c3b850d9dc2a2aedcf2cc48468fc17b673d1"
REMEDY = f"Call datasets.mnist(download=True), or save {URL} as {FOLDER}/{FILE}."
SHAPES = {"x_train": (60_000, 28, 28), "y_train": (60_000,), "x_test": (10_000, 28, 28), "y_test": (10_000,)}


@dataclass(frozen=True, eq=False)
class Digits:
    """Images (n, 28, 28) as bytes, 0 for paper and 255 for ink, and the digits that they show."""

    train_images: NDArray[np.uint8]
    train_labels: NDArray[np.int64]
    test_images: NDArray[np.uint8]
    test_labels: NDArray[np.int64]


def mnist(*, download: bool = False) -> Digits:
    """The 60,000 training and 10,000 test digits from the folder that ``locate("mnist")`` finds.

    With ``download=True`` a missing file is fetched from a public home into the cache, and its checksum verified.
    A copy that is there already may be compressed in another way.
    """
    path = _file(download)
    try:
        with path.open("rb") as stream, np.load(stream) as stored:
            arrays = {name: np.asarray(stored[name]) for name in SHAPES}
    except (KeyError, ValueError, OSError, EOFError, BadZipFile) as error:
        raise MissingData(f"{FILE} cannot be read", where=str(path.parent), found=str(error), remedy=REMEDY) from error
    problem = _problem(arrays)
    if problem:
        raise MissingData(f"{FILE} is not MNIST", where=str(path.parent), found=problem, remedy=REMEDY)
    return Digits(
        arrays["x_train"], arrays["y_train"].astype(np.int64), arrays["x_test"], arrays["y_test"].astype(np.int64)
    )


def _file(download: bool) -> Path:
    try:
        return locate_file(FOLDER, FILE, remedy=REMEDY)
    except MissingData:
        if not download:
            raise
        return fetch(URL, cache_folder() / FOLDER / FILE, sha256=SHA256)


def _problem(arrays: dict[str, NDArray[Any]]) -> str:
    for name, shape in SHAPES.items():
        found = arrays[name]
        if found.shape != shape or found.dtype.kind not in "iu" or (name[0] == "x" and found.dtype != np.uint8):
            return f"{name} of shape {found.shape} and type {found.dtype}"
        if name[0] == "y" and not np.isin(found, np.arange(10)).all():
            return f"{name} with labels other than 0 to 9"
    return ""
