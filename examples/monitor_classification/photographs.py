"""CIFAR-10 as the networks take it, with all classes or without one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot import datasets
from surefoot.core import validate

Bytes = NDArray[np.uint8]
Labels = NDArray[np.int64]
Some = tuple[Bytes, Labels]


@dataclass(frozen=True, eq=False)
class Images:
    """Photographs (n, 32, 32, 3) as bytes to learn from and to test with; classes are numbered as in ``names``."""

    train: Some
    test: Some
    names: tuple[str, ...]
    unseen: Bytes
    """Photographs of the class that was left out, none of which was learnt from."""


def load(without: str | None = None) -> Images:
    """20,000 images to learn from and 10,000 to test with; or those of the other nine classes."""
    data = datasets.cifar10()
    train, test = (data.train_images, data.train_labels), (data.test_images, data.test_labels)
    if without is None:
        return Images(train, test, data.classes, data.test_images[:0])
    validate.choice(without, data.classes, where="photographs", name="class")
    left_out = data.classes.index(without)
    unseen = np.concatenate([pixels[labels == left_out] for pixels, labels in (train, test)])
    names = tuple(name for name in data.classes if name != without)
    return Images(_others(*train, left_out), _others(*test, left_out), names, unseen)


def as_input(pixels: Bytes) -> NDArray[np.float32]:
    """Colours first, between 0 and 1."""
    return np.ascontiguousarray(pixels.transpose(0, 3, 1, 2)).astype(np.float32) / 255


def as_bytes(inputs: NDArray[np.float32]) -> Bytes:
    """The reverse of ``as_input``, rounded."""
    return np.rint(inputs.transpose(0, 2, 3, 1) * 255).astype(np.uint8)


def _others(pixels: Bytes, labels: Labels, left_out: int) -> Some:
    kept = labels != left_out
    return pixels[kept], labels[kept] - (labels[kept] > left_out)
