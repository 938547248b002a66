"""Digits and photographs as the networks take them: pixels between 0 and 1, colours first; no file is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot import datasets

HALF = 5000
Labelled = tuple[NDArray[np.float32], NDArray[np.int64]]


@dataclass(frozen=True)
class ImageSet:
    """Images, and what paper RAM says and chooses for them."""

    name: str
    train: Callable[[], Labelled]
    test: Callable[[], Labelled]
    radius: float
    latent_dimensions: int
    printed_separation: float
    printed_test_error: float


def mnist_train() -> Labelled:
    """60,000 digits, (n, 28, 28)."""
    data = datasets.mnist()
    return _scaled(data.train_images), data.train_labels


def mnist_test() -> Labelled:
    """10,000 digits that no network of the example was trained on."""
    data = datasets.mnist()
    return _scaled(data.test_images), data.test_labels


def mnist_first_half() -> Labelled:
    """The first 5,000 test digits; their writers are others than those of the last 5,000."""
    inputs, labels = mnist_test()
    return inputs[:HALF], labels[:HALF]


def mnist_second_half() -> Labelled:
    """The last 5,000 test digits."""
    inputs, labels = mnist_test()
    return inputs[HALF:], labels[HALF:]


def cifar10_train() -> Labelled:
    """20,000 photographs, (n, 3, 32, 32)."""
    data = datasets.cifar10()
    return _scaled(_colours_first(data.train_images)), data.train_labels


def cifar10_test() -> Labelled:
    """10,000 photographs that no network of the example was trained on."""
    data = datasets.cifar10()
    return _scaled(_colours_first(data.test_images)), data.test_labels


def _scaled(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    return pixels.astype(np.float32) / 255


def _colours_first(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(pixels.transpose(0, 3, 1, 2))


MNIST = ImageSet("mnist", mnist_train, mnist_test, 0.3, 8, 0.369, 0.0235)
CIFAR10 = ImageSet("cifar10", cifar10_train, cifar10_test, 0.1, 16, 0.106, 0.0853)
SETS = {each.name: each for each in (MNIST, CIFAR10)}
