"""CIFAR-10: small photographs of ten kinds of things; all test images, and the first 20,000 of the training images.

Krizhevsky, "Learning multiple layers of features from tiny images" (2009).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import MissingData
from surefoot.core.validate import FloatArray
from surefoot.datasets.storage import cache_folder, fetch, locate_file, read_sheets

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


# German Traffic Sign Recognition Benchmark at 32 x 32 pixels: all test images, every third training frame.
#
# Stallkamp, Schlipsing, Salmen & Igel, "Man vs. computer", Neural Networks 32 (2012) 323-332; for research use.

GTSRB_FOLDER = "gtsrb"
GTSRB_REMEDY = "The set has no public home in this form: build it from https://benchmark.ini.rub.de/ as docs/data-sets.md describes."
GTSRB_TEST_SHEETS = ("test_0.webp",)
GTSRB_TRAIN_SHEETS = ("train_third_0.webp", "train_third_1.webp")
ROAD_WORK = 25


@dataclass(frozen=True, eq=False)
class TrafficSigns:
    """Images (n, 32, 32, 3) as bytes, class numbers 0 to 42, and what is known of each image's origin.

    A physical sign was filmed as a track of 30 frames, near-duplicates of one another. ``train_track`` numbers the
    tracks within a class and ``train_frame`` the frames within a track; the benchmark does not publish the tracks
    of the test images. A box is width, height, x1, y1, x2, y2 in pixels of the original image.
    """

    train_images: NDArray[np.uint8]
    train_labels: NDArray[np.int64]
    train_track: NDArray[np.int64]
    train_frame: NDArray[np.int64]
    train_box: NDArray[np.int64]
    test_images: NDArray[np.uint8]
    test_labels: NDArray[np.int64]
    test_box: NDArray[np.int64]


def gtsrb() -> TrafficSigns:
    """Load the benchmark from the folder that ``locate("gtsrb")`` finds."""
    labels = _gtsrb_labels()
    train, test = labels["train_labels"], labels["test_labels"]
    return TrafficSigns(
        train_images=read_sheets(_gtsrb_files(GTSRB_TRAIN_SHEETS), len(train)),
        test_images=read_sheets(_gtsrb_files(GTSRB_TEST_SHEETS), len(test)),
        **labels,
    )


def _gtsrb_labels() -> dict[str, NDArray[np.int64]]:
    names = {
        "train_labels": "y_train",
        "train_track": "track_train",
        "train_frame": "frame_train",
        "train_box": "box_train",
        "test_labels": "y_test",
        "test_box": "box_test",
    }
    path = locate_file(GTSRB_FOLDER, "labels.npz", remedy=GTSRB_REMEDY)
    with np.load(path) as arrays:
        lacking = sorted(set(names.values()) - set(arrays.files))
        if lacking:
            raise MissingData(
                f"{path.name} lacks {', '.join(lacking)}",
                where=GTSRB_FOLDER,
                found=sorted(arrays.files),
                remedy=GTSRB_REMEDY,
            )
        return {ours: arrays[theirs].astype(np.int64) for ours, theirs in names.items()}


def _gtsrb_files(names: tuple[str, ...]) -> list[Path]:
    return [locate_file(GTSRB_FOLDER, name, remedy=GTSRB_REMEDY) for name in names]


# A recorded drive of Udacity's self-driving car simulator: frames of the centre camera, and what the driver did.
#
# 4,053 frames at 160 x 80 pixels, about 14 a second: two laps of one track, a turn, and two laps the other way round.
# The
# driver steered with keys, in short pulses: steering is exactly 0 in 72% of the frames.

UDACITY_DRIVING_FOLDER, FILE = "udacity_driving", "center_160x80_webp.npz"
UDACITY_DRIVING_HOME = "https://github.com/udacity/self-driving-car-sim"
HEIGHT, WIDTH = 80, 160
COLUMNS = ("steering", "throttle", "brake", "speed")
ARRAYS = ("blob", "offset", "name", *COLUMNS)
STAMP = "center_%Y_%m_%d_%H_%M_%S_%f.jpg"
"""How the simulator names a frame; its last part is milliseconds."""
UDACITY_DRIVING_REMEDY = (
    f"The drive has no public home: record one with {UDACITY_DRIVING_HOME}, bring its centre frames to {WIDTH} x {HEIGHT} pixels and "
    f"write {FILE} with arrays {', '.join(ARRAYS)}: frame i is the WebP image blob[offset[i]:offset[i + 1]]."
)


@dataclass(frozen=True, eq=False)
class Drive:
    """Frames (n, 80, 160, 3) as bytes, in the order of time, and one number a frame of all else.

    ``steering`` is between -1 (left) and 1, ``throttle`` and ``brake`` between 0 and 1, ``speed`` in miles an hour, and
    ``seconds`` since the first frame. Where ``seconds`` leaps, rows are not neighbours in time.
    """

    frames: NDArray[np.uint8]
    steering: FloatArray
    throttle: FloatArray
    brake: FloatArray
    speed: FloatArray
    seconds: FloatArray
    names: tuple[str, ...]


def udacity_driving() -> Drive:
    """The drive from the folder that ``locate("udacity_driving")`` finds."""
    arrays = _arrays(locate_file(UDACITY_DRIVING_FOLDER, FILE, remedy=UDACITY_DRIVING_REMEDY))
    names = tuple(map(str, arrays["name"]))
    columns = {name: arrays[name].astype(np.float64) for name in COLUMNS}
    return Drive(_frames(arrays["blob"], arrays["offset"]), **columns, seconds=_seconds(names), names=names)


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    try:
        with path.open("rb") as stream, np.load(stream) as held:
            arrays = {name: held[name] for name in ARRAYS}
    except (KeyError, ValueError, OSError, EOFError, BadZipFile) as error:
        raise _refusal(f"{FILE} cannot be read", error) from error
    rows = {name: len(arrays[name]) for name in ("name", *COLUMNS)} | {"offset": len(arrays["offset"]) - 1}
    if len(set(rows.values())) != 1:
        raise _refusal("the arrays differ in their number of frames", rows)
    return arrays


def _frames(blob: NDArray[np.uint8], offset: NDArray[np.int64]) -> NDArray[np.uint8]:
    from PIL import Image

    frames = np.empty((len(offset) - 1, HEIGHT, WIDTH, 3), np.uint8)
    for i, (start, stop) in enumerate(pairwise(offset)):
        try:
            with Image.open(BytesIO(blob[start:stop].tobytes())) as image:
                frames[i] = np.asarray(image.convert("RGB"))
        except (OSError, ValueError) as error:
            raise _refusal(f"frame {i} is not an image of {WIDTH} x {HEIGHT} pixels", error) from error
    return frames


def _seconds(names: tuple[str, ...]) -> FloatArray:
    try:
        times = [datetime.strptime(name, STAMP) for name in names]
    except ValueError as error:
        raise _refusal("a frame's name does not hold its time", error) from error
    seconds = np.array([(time - times[0]).total_seconds() for time in times])
    if (np.diff(seconds) <= 0).any():
        raise _refusal("frames are not in the order of time", names[int(np.diff(seconds).argmin()) + 1])
    return seconds


def _refusal(problem: str, found: object) -> MissingData:
    return MissingData(problem, where=UDACITY_DRIVING_FOLDER, found=str(found), remedy=UDACITY_DRIVING_REMEDY)


# MNIST: handwritten digits at 28 x 28 pixels.
#
# LeCun, Bottou, Bengio & Haffner, "Gradient-based learning applied to document recognition", Proceedings of the IEEE 86
# (1998) 2278-2324; CC BY-SA 3.0.

MNIST_FOLDER, MNIST_FILE = "mnist", "mnist.npz"
MNIST_HOME = "https://yann.lecun.com/exdb/mnist/"
URL = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/mnist.npz"
SHA256 = "731c5ac602752760c8e48fbffcf8c3b850d9dc2a2aedcf2cc48468fc17b673d1"
MNIST_REMEDY = f"Call datasets.mnist(download=True), or save {URL} as {MNIST_FOLDER}/{MNIST_FILE}."
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
        raise MissingData(
            f"{MNIST_FILE} cannot be read", where=str(path.parent), found=str(error), remedy=MNIST_REMEDY
        ) from error
    problem = _problem(arrays)
    if problem:
        raise MissingData(f"{MNIST_FILE} is not MNIST", where=str(path.parent), found=problem, remedy=MNIST_REMEDY)
    return Digits(
        arrays["x_train"], arrays["y_train"].astype(np.int64), arrays["x_test"], arrays["y_test"].astype(np.int64)
    )


def _file(download: bool) -> Path:
    try:
        return locate_file(MNIST_FOLDER, MNIST_FILE, remedy=MNIST_REMEDY)
    except MissingData:
        if not download:
            raise
        return fetch(URL, cache_folder() / MNIST_FOLDER / MNIST_FILE, sha256=SHA256)


def _problem(arrays: dict[str, NDArray[Any]]) -> str:
    for name, shape in SHAPES.items():
        found = arrays[name]
        if found.shape != shape or found.dtype.kind not in "iu" or (name[0] == "x" and found.dtype != np.uint8):
            return f"{name} of shape {found.shape} and type {found.dtype}"
        if name[0] == "y" and not np.isin(found, np.arange(10)).all():
            return f"{name} with labels other than 0 to 9"
    return ""


# Activation traces of a network for MNIST, and published scores of their surprise adequacy.
#
# Weiss, Chakraborty & Tonella, "A review and refinement of surprise adequacy", DeepTest (2021), keep them to compare
# with
# the scores of the code of Kim, Feldt & Yoo, "Guiding deep learning system testing using surprise adequacy", ICSE
# (2019);
# MIT licence.

SURPRISE_MNIST_FOLDER = "surprise_mnist"
SURPRISE_MNIST_HOME = "https://github.com/testingautomated-usi/surprise-adequacy"
SURPRISE_MNIST_SHAPES = {
    "original_mnist_train_activation_3_ats": (60_000, 10),
    "original_mnist_train_pred": (60_000,),
    "mnist_test_activation_3_ats": (10_000, 10),
    "mnist_test_pred": (10_000,),
    "mnist_fgsm_activation_3_ats": (10_000, 10),
    "mnist_fgsm_pred": (10_000,),
    "original_lsa_scores": (10_000,),
    "original_dsa_scores": (10_000,),
}
SURPRISE_MNIST_REMEDY = f"Copy the .npy files of tests/assets in {SURPRISE_MNIST_HOME} into {SURPRISE_MNIST_FOLDER}/."


@dataclass(frozen=True, eq=False)
class SurpriseTraces:
    """Outputs (n, 10) of the last layer, which sum to 1, and the digits that the network answers.

    ``attacked`` are the test images after an attack by the fast gradient sign method. ``likelihood`` (LSA) and
    ``distance`` (DSA) are the published scores of the test images that were not attacked.
    """

    train: NDArray[np.float32]
    train_predictions: NDArray[np.int64]
    test: NDArray[np.float32]
    test_predictions: NDArray[np.int64]
    attacked: NDArray[np.float32]
    attacked_predictions: NDArray[np.int64]
    likelihood: FloatArray
    distance: FloatArray


def surprise_mnist() -> SurpriseTraces:
    """The traces, predictions and scores from the folder that ``locate("surprise_mnist")`` finds."""
    *traces, likelihood, distance = (_array(name, shape) for name, shape in SURPRISE_MNIST_SHAPES.items())
    scores = (scores.astype(np.float64) for scores in (likelihood, distance))
    return SurpriseTraces(*traces, *scores)


def _array(name: str, shape: tuple[int, ...]) -> NDArray[Any]:
    path = locate_file(SURPRISE_MNIST_FOLDER, f"{name}.npy", remedy=SURPRISE_MNIST_REMEDY)
    array = _read(path)
    kind = "i" if name.endswith("pred") else "f"
    if array.shape != shape or array.dtype.kind != kind or not np.isfinite(array).all():
        found = f"shape {array.shape} and type {array.dtype}"
        raise MissingData(
            f"{path.name} is not the published array",
            where=SURPRISE_MNIST_FOLDER,
            found=found,
            remedy=SURPRISE_MNIST_REMEDY,
        )
    return array


def _read(path: Path) -> NDArray[Any]:
    try:
        return np.asarray(np.load(path, allow_pickle=False))
    except (ValueError, OSError, EOFError) as error:
        raise MissingData(
            f"{path.name} cannot be read", where=SURPRISE_MNIST_FOLDER, found=str(error), remedy=SURPRISE_MNIST_REMEDY
        ) from error
