"""German Traffic Sign Recognition Benchmark at 32 x 32 pixels: all test images, every third training frame.

Stallkamp, Schlipsing, Salmen & Igel, "Man vs. computer", Neural Networks 32 (2012) 323-332; for research use.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import MissingData
from surefoot.datasets.location import locate_file
from surefoot.datasets.sheets import read_sheets

FOLDER = "gtsrb"
REMEDY = (
    "The set has no public home in this form: build it from https://benchmark.ini.rub.de/ as docs/data-sets.md describes."
)
TEST_SHEETS = ("test_0.webp",)
TRAIN_SHEETS = ("train_third_0.webp", "train_third_1.webp")
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
    labels = _labels()
    train, test = labels["train_labels"], labels["test_labels"]
    return TrafficSigns(
        train_images=read_sheets(_files(TRAIN_SHEETS), len(train)),
        test_images=read_sheets(_files(TEST_SHEETS), len(test)),
        **labels,
    )


def _labels() -> dict[str, NDArray[np.int64]]:
    names = {
        "train_labels": "y_train",
        "train_track": "track_train",
        "train_frame": "frame_train",
        "train_box": "box_train",
        "test_labels": "y_test",
        "test_box": "box_test",
    }
    path = locate_file(FOLDER, "labels.npz", remedy=REMEDY)
    with np.load(path) as arrays:
        lacking = sorted(set(names.values()) - set(arrays.files))
        if lacking:
            raise MissingData(
                f"{path.name} lacks {', '.join(lacking)}", where=FOLDER, found=sorted(arrays.files), remedy=REMEDY
            )
        return {ours: arrays[theirs].astype(np.int64) for ours, theirs in names.items()}


def _files(names: tuple[str, ...]) -> list[Path]:
    return [locate_file(FOLDER, name, remedy=REMEDY) for name in names]
