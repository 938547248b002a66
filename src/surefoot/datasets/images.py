"""Public sets of pictures: photographs, traffic signs, a recorded drive, handwritten digits, and traces of a network.

Each is described for the catalogue and read by the function of its name.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import MissingData
from surefoot.core.validate import FloatArray
from surefoot.datasets.storage import DataSet, cache_folder, fetch, read_sheets

CIFAR10 = DataSet(
    "cifar10",
    "CIFAR-10: 30,000 of its 60,000 photographs of ten kinds of things at 32 x 32 pixels",
    "none stated (cite Krizhevsky 2009)",
    "https://www.cs.toronto.edu/~kriz/cifar.html",
    remedy="The set has no public home in this form: write the images of https://www.cs.toronto.edu/~kriz/cifar.html "
    "as lossless sheets of 100 pictures a row, train_0.webp, train_1.webp, test_0.webp, 10,000 each, and labels.npz "
    "with arrays y_train, y_test and classes.",
)
TRAIN, TEST = 20_000, 10_000
"""Photographs that the sheets hold: the first of the training images, and all test images."""

GTSRB = DataSet(
    "gtsrb",
    "German Traffic Sign Recognition Benchmark: 25,700 images of 43 signs at 32 x 32 pixels",
    "research use",
    "https://benchmark.ini.rub.de/",
    remedy="The set has no public home in this form: build it from https://benchmark.ini.rub.de/ as docs/data-sets.md "
    "describes.",
)
GTSRB_LABELS = {
    "train_labels": "y_train",
    "train_track": "track_train",
    "train_frame": "frame_train",
    "train_box": "box_train",
    "test_labels": "y_test",
    "test_box": "box_test",
}

DRIVE = "center_160x80_webp.npz"
HEIGHT, WIDTH = 80, 160
COLUMNS = ("steering", "throttle", "brake", "speed")
ARRAYS = ("blob", "offset", "name", *COLUMNS)
STAMP = "center_%Y_%m_%d_%H_%M_%S_%f.jpg"
"""How the simulator names a frame; its last part is milliseconds."""
UDACITY_DRIVING = DataSet(
    "udacity_driving",
    "A drive in Udacity's simulator: 4,053 frames at 160 x 80 pixels, with steering, throttle, brake and speed",
    "none stated",
    "https://github.com/udacity/self-driving-car-sim",
    remedy="The drive has no public home: record one with https://github.com/udacity/self-driving-car-sim, bring its "
    f"centre frames to {WIDTH} x {HEIGHT} pixels and write {DRIVE} with arrays {', '.join(ARRAYS)}: frame i is the "
    "WebP image blob[offset[i]:offset[i + 1]].",
)

URL = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/mnist.npz"
SHA256 = "731c5ac602752760c8e48fbffcf8c3b850d9dc2a2aedcf2cc48468fc17b673d1"
MNIST = DataSet(
    "mnist",
    "MNIST: 70,000 handwritten digits at 28 x 28 pixels",
    "CC BY-SA 3.0",
    "https://yann.lecun.com/exdb/mnist/",
    remedy=f"Call datasets.mnist(download=True), or save {URL} as mnist/mnist.npz.",
)
DIGITS = {"x_train": (60_000, 28, 28), "y_train": (60_000,), "x_test": (10_000, 28, 28), "y_test": (10_000,)}

SURPRISE_MNIST = DataSet(
    "surprise_mnist",
    "Surprise adequacy on MNIST: activation traces of a network, and published LSA and DSA scores",
    "MIT",
    "https://github.com/testingautomated-usi/surprise-adequacy",
    remedy="Copy the .npy files of tests/assets in https://github.com/testingautomated-usi/surprise-adequacy into "
    "surprise_mnist/.",
)
TRACES = {
    "original_mnist_train_activation_3_ats": (60_000, 10),
    "original_mnist_train_pred": (60_000,),
    "mnist_test_activation_3_ats": (10_000, 10),
    "mnist_test_pred": (10_000,),
    "mnist_fgsm_activation_3_ats": (10_000, 10),
    "mnist_fgsm_pred": (10_000,),
    "original_lsa_scores": (10_000,),
    "original_dsa_scores": (10_000,),
}


@dataclass(frozen=True, eq=False)
class Photographs:
    """Images (n, 32, 32, 3) as bytes, class numbers 0 to 9, and what the classes are called.

    See Also
    --------
    cifar10

    """

    train_images: NDArray[np.uint8]
    train_labels: NDArray[np.int64]
    test_images: NDArray[np.uint8]
    test_labels: NDArray[np.int64]
    classes: tuple[str, ...]


def cifar10() -> Photographs:
    """CIFAR-10: the first 20,000 of the 50,000 training images, and all test images.

    Returns
    -------
    Photographs
        Small photographs of ten kinds of things.

    Raises
    ------
    MissingData
        Where the set is not on this machine, with what to do.

    References
    ----------
    Krizhevsky (2009), Learning multiple layers of features from tiny images.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.datasets.cifar10().classes[:3]  # doctest: +SKIP
    ('airplane', 'automobile', 'bird')

    """
    labels = CIFAR10.arrays(CIFAR10.file("labels.npz"), ("y_train", "y_test", "classes"))
    train, test = (labels[name].astype(np.int64) for name in ("y_train", "y_test"))
    classes = tuple(map(str, labels["classes"]))
    if len(train) < TRAIN or len(test) != TEST or not np.isin([*train, *test], np.arange(len(classes))).all():
        found = f"{len(train)} training and {len(test)} test labels of {len(classes)} classes"
        raise CIFAR10.unusable("labels.npz does not fit the sheets", found)
    return Photographs(
        train_images=read_sheets([CIFAR10.file("train_0.webp"), CIFAR10.file("train_1.webp")], TRAIN),
        train_labels=train[:TRAIN],
        test_images=read_sheets([CIFAR10.file("test_0.webp")], TEST),
        test_labels=test,
        classes=classes,
    )


@dataclass(frozen=True, eq=False)
class TrafficSigns:
    """Images (n, 32, 32, 3) as bytes, class numbers 0 to 42, and what is known of each image's origin.

    A physical sign was filmed as a track of 30 frames, near-duplicates of one another. ``train_track`` numbers the
    tracks within a class and ``train_frame`` the frames within a track; the benchmark does not publish the tracks
    of the test images. A box is width, height, x1, y1, x2, y2 in pixels of the original image.

    See Also
    --------
    gtsrb

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
    """German Traffic Sign Recognition Benchmark at 32 x 32 pixels: all test images, every third training frame.

    Returns
    -------
    TrafficSigns
        Images and where each comes from.

    Raises
    ------
    MissingData
        Where the set is not on this machine, with what to do.

    References
    ----------
    Stallkamp, Schlipsing, Salmen and Igel (2012), Neural Networks 32, 323-332.

    Examples
    --------
    >>> import surefoot as sf
    >>> len(sf.datasets.gtsrb().test_images)  # doctest: +SKIP
    12630

    """
    stored = GTSRB.arrays(GTSRB.file("labels.npz"), GTSRB_LABELS.values())
    labels = {ours: stored[theirs].astype(np.int64) for ours, theirs in GTSRB_LABELS.items()}
    train = [GTSRB.file("train_third_0.webp"), GTSRB.file("train_third_1.webp")]
    return TrafficSigns(
        train_images=read_sheets(train, len(labels["train_labels"])),
        test_images=read_sheets([GTSRB.file("test_0.webp")], len(labels["test_labels"])),
        **labels,
    )


@dataclass(frozen=True, eq=False)
class Drive:
    """Frames (n, 80, 160, 3) as bytes, in the order of time, and one number a frame of all else.

    ``steering`` is between -1 (left) and 1, ``throttle`` and ``brake`` between 0 and 1, ``speed`` in miles an hour, and
    ``seconds`` since the first frame. Where ``seconds`` leaps, rows are not neighbours in time.

    See Also
    --------
    udacity_driving

    """

    frames: NDArray[np.uint8]
    steering: FloatArray
    throttle: FloatArray
    brake: FloatArray
    speed: FloatArray
    seconds: FloatArray
    names: tuple[str, ...]


def udacity_driving() -> Drive:
    """A recorded drive of Udacity's self-driving car simulator: frames of the centre camera, and what the driver did.

    4,053 frames, about 14 a second: two laps of one track, a turn, and two laps the other way round. The driver steered
    with keys, in short pulses: steering is exactly 0 in 72% of the frames.

    Returns
    -------
    Drive
        Frames with steering, throttle, brake and speed.

    Raises
    ------
    MissingData
        Where the set is not on this machine, with what to do.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.datasets.udacity_driving().frames.shape  # doctest: +SKIP
    (4053, 80, 160, 3)

    """
    arrays = UDACITY_DRIVING.arrays(UDACITY_DRIVING.file(DRIVE), ARRAYS)
    rows = {name: len(arrays[name]) for name in ("name", *COLUMNS)} | {"offset": len(arrays["offset"]) - 1}
    if len(set(rows.values())) != 1:
        raise UDACITY_DRIVING.unusable("the arrays differ in their number of frames", rows)
    names = tuple(map(str, arrays["name"]))
    columns = {name: arrays[name].astype(np.float64) for name in COLUMNS}
    return Drive(_frames(arrays["blob"], arrays["offset"]), **columns, seconds=_seconds(names), names=names)


def _frames(blob: NDArray[np.uint8], offset: NDArray[np.int64]) -> NDArray[np.uint8]:
    from PIL import Image

    frames = np.empty((len(offset) - 1, HEIGHT, WIDTH, 3), np.uint8)
    for i, (start, stop) in enumerate(pairwise(offset)):
        try:
            with Image.open(BytesIO(blob[start:stop].tobytes())) as image:
                frames[i] = np.asarray(image.convert("RGB"))
        except (OSError, ValueError) as error:
            problem = f"frame {i} is not an image of {WIDTH} x {HEIGHT} pixels"
            raise UDACITY_DRIVING.unusable(problem, error) from error
    return frames


def _seconds(names: tuple[str, ...]) -> FloatArray:
    try:
        times = [datetime.strptime(name, STAMP) for name in names]
    except ValueError as error:
        raise UDACITY_DRIVING.unusable("a frame's name does not hold its time", error) from error
    seconds = np.array([(time - times[0]).total_seconds() for time in times])
    if (np.diff(seconds) <= 0).any():
        late = names[int(np.diff(seconds).argmin()) + 1]
        raise UDACITY_DRIVING.unusable("frames are not in the order of time", late)
    return seconds


@dataclass(frozen=True, eq=False)
class Digits:
    """Images (n, 28, 28) as bytes, 0 for paper and 255 for ink, and the digits that they show.

    See Also
    --------
    mnist

    """

    train_images: NDArray[np.uint8]
    train_labels: NDArray[np.int64]
    test_images: NDArray[np.uint8]
    test_labels: NDArray[np.int64]


def mnist(*, download: bool = False) -> Digits:
    """MNIST: 60,000 handwritten digits for training, and 10,000 for tests.

    Parameters
    ----------
    download
        Whether a missing file is fetched from a public home into the cache, and its checksum verified. A copy that is
        there already may be compressed in another way.

    Returns
    -------
    Digits
        Images and labels.

    Raises
    ------
    MissingData
        Where the set is not on this machine, with what to do.

    References
    ----------
    LeCun, Bottou, Bengio and Haffner (1998), Proceedings of the IEEE 86, 2278-2324.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.datasets.mnist().test_labels[:3].tolist()  # doctest: +SKIP
    [7, 2, 1]

    """
    try:
        path = MNIST.file("mnist.npz")
    except MissingData:
        if not download:
            raise
        path = fetch(URL, cache_folder() / "mnist" / "mnist.npz", sha256=SHA256)
    arrays = MNIST.arrays(path, DIGITS)
    for name, shape in DIGITS.items():
        found = arrays[name]
        if found.shape != shape or found.dtype.kind not in "iu" or (name[0] == "x" and found.dtype != np.uint8):
            problem = f"{name} of shape {found.shape} and type {found.dtype}"
            raise MNIST.unusable("mnist.npz is not MNIST", problem)
        if name[0] == "y" and not np.isin(found, np.arange(10)).all():
            raise MNIST.unusable("mnist.npz is not MNIST", f"{name} with labels other than 0 to 9")
    train, test = (arrays[name].astype(np.int64) for name in ("y_train", "y_test"))
    return Digits(arrays["x_train"], train, arrays["x_test"], test)


@dataclass(frozen=True, eq=False)
class SurpriseTraces:
    """Outputs (n, 10) of the last layer, which sum to 1, and the digits that the network answers.

    ``attacked`` are the test images after an attack by the fast gradient sign method. ``likelihood`` (LSA) and
    ``distance`` (DSA) are the published scores of the test images that were not attacked.

    See Also
    --------
    surprise_mnist

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
    """Activation traces of a network for MNIST, and published scores of their surprise adequacy.

    Returns
    -------
    SurpriseTraces
        Traces, predictions and scores.

    Raises
    ------
    MissingData
        Where the set is not on this machine, with what to do.

    References
    ----------
    Weiss, Chakraborty and Tonella (2021), DeepTest, who keep the scores of the code of Kim, Feldt and Yoo (2019), ICSE.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.datasets.surprise_mnist().test.shape  # doctest: +SKIP
    (10000, 10)

    """
    *traces, likelihood, distance = (_trace(name, shape) for name, shape in TRACES.items())
    scores = (scores.astype(np.float64) for scores in (likelihood, distance))
    return SurpriseTraces(*traces, *scores)


def _trace(name: str, shape: tuple[int, ...]) -> NDArray[Any]:
    file = f"{name}.npy"
    with SURPRISE_MNIST.reading(file):
        array = np.asarray(np.load(SURPRISE_MNIST.file(file), allow_pickle=False))
    kind = "i" if name.endswith("pred") else "f"
    if array.shape != shape or array.dtype.kind != kind or not np.isfinite(array).all():
        found = f"shape {array.shape} and type {array.dtype}"
        raise SURPRISE_MNIST.unusable(f"{file} is not the published array", found)
    return array
