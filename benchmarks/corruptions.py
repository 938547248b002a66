"""The fifteen corruptions of Hendrycks and Dietterich at five severities, against the code they published."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from sklearn.datasets import load_sample_images
from threadpoolctl import threadpool_limits

from benchmarks.harness import Row, best_of
from surefoot.corruptions import corrupt
from surefoot.corruptions.image.weather import PANES, pane

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import cv2
    import imagecorruptions

PEER = "imagecorruptions-imaug"
SEVERITIES = range(1, 6)
CALLS = {32: 8, 224: 3}
"""Images that are corrupted one after the other, for each corruption and severity."""
BATCH = {32: 128, 224: 8}
Pixels = NDArray[np.uint8]


@dataclass(frozen=True)
class Cost:
    """Mean seconds for an image, over the severities of one corruption."""

    one: float
    batch: float
    peer: float


def measure() -> list[Row]:
    """Rows for the mean of all 75, and for each corruption, at each size of image; all on one thread."""
    for number in range(PANES):
        pane(number)
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            costs = {size: _costs(size) for size in CALLS}
    finally:
        cv2.setNumThreads(threads)
    summaries = [row for size in CALLS for row in _summary(size, list(costs[size].values()))]
    return [*summaries, *(_row(name, size, cost) for size in CALLS for name, cost in costs[size].items())]


def _costs(size: int) -> dict[str, Cost]:
    return {name: _cost(name, _photographs(size, BATCH[size])) for name in imagecorruptions.get_corruption_names()}


def _photographs(size: int, number: int) -> Pixels:
    """Random squares of two photographs, in the size asked for."""
    rng = np.random.default_rng(0)
    pictures = load_sample_images().images
    squares = []
    for i in range(number):
        picture = pictures[i % len(pictures)]
        top, left = (int(rng.integers(length - 300)) for length in picture.shape[:2])
        square = Image.fromarray(picture[top : top + 300, left : left + 300])
        squares.append(np.asarray(square.resize((size, size), Image.Resampling.LANCZOS)))
    return np.stack(squares)


def _cost(name: str, images: Pixels) -> Cost:
    one, batch, peer = np.mean([_seconds(name, worse, images) for worse in SEVERITIES], axis=0)
    return Cost(float(one), float(batch), float(peer))


def _seconds(name: str, worse: int, images: Pixels) -> tuple[float, float, float]:
    """One at a time, in a batch, and the peer's; a first call of each has compiled and cached what it may."""
    some = images[: CALLS[images.shape[1]]]

    def each(function: Callable[[int, Pixels], object]) -> Callable[[], object]:
        return lambda: [function(i, image) for i, image in enumerate(some)]

    ours = each(lambda i, image: corrupt(image, name, worse, first=i))
    theirs = each(lambda i, image: imagecorruptions.corrupt(image, corruption_name=name, severity=worse))
    ours(), theirs()
    one, peer = best_of(ours) / len(some), best_of(theirs) / len(some)
    return one, best_of(lambda: corrupt(images, name, worse), 2) / len(images), peer


def _summary(size: int, costs: list[Cost]) -> list[Row]:
    one, batch, peer = (float(np.mean([getattr(cost, part) for cost in costs])) for part in ("one", "batch", "peer"))
    task = f"75 image corruptions, {size} x {size}"
    return [
        Row(f"{task}, one at a time", one, PEER, peer, "mean of an image; one thread"),
        Row(f"{task}, in batches of {BATCH[size]}", batch, PEER, peer, "the peer takes one at a time"),
    ]


def _row(name: str, size: int, cost: Cost) -> Row:
    note = f"mean of five severities; in batches {cost.peer / cost.batch:.1f} times"
    return Row(f"{name}, {size} x {size}", cost.one, PEER, cost.peer, note)


if __name__ == "__main__":
    for row in measure():
        print(f"{row.task:60} {row.seconds * 1e3:8.3f} ms  {row.ratio:6.1f} times {row.peer}  {row.note}")
