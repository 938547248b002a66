"""An ODD table read off the images: brightness, contrast, sharpness and size, each in quarters of all images."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

QUARTERS = ("lowest quarter", "second quarter", "third quarter", "highest quarter")
LUMINANCE = np.array([0.299, 0.587, 0.114])


@dataclass(frozen=True)
class ImageDomain:
    """Dimensions with their quartiles, and the pairs of values that no image of the benchmark shows."""

    edges: dict[str, NDArray[np.float64]]
    unseen: tuple[dict[str, str], ...]

    @property
    def table(self) -> dict[str, tuple[str, ...]]:
        """The ODD table: the four quarters of each dimension."""
        return dict.fromkeys(self.edges, QUARTERS)

    def quarters(self, images: NDArray[np.uint8], boxes: NDArray[np.int64]) -> dict[str, NDArray[np.intp]]:
        """The number of the quarter that each image belongs to, for each dimension."""
        return _quarters(properties(images, boxes), self.edges)

    def rows(self, images: NDArray[np.uint8], boxes: NDArray[np.int64]) -> list[dict[str, str]]:
        """The row of the table that each image belongs to."""
        return _rows(self.quarters(images, boxes))


def properties(images: NDArray[np.uint8], boxes: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
    """Four numbers an image: mean and deviation of luminance, mean squared Laplacian, larger side of the sign."""
    grey = images @ LUMINANCE
    middle = grey[:, 1:-1, 1:-1]
    neighbours = grey[:, :-2, 1:-1] + grey[:, 2:, 1:-1] + grey[:, 1:-1, :-2] + grey[:, 1:-1, 2:]
    width, height = boxes[:, 4] - boxes[:, 2], boxes[:, 5] - boxes[:, 3]
    return {
        "brightness": grey.mean(axis=(1, 2)),
        "contrast": grey.std(axis=(1, 2)),
        "sharpness": ((neighbours - 4 * middle) ** 2).mean(axis=(1, 2)),
        "size": np.maximum(width, height).astype(float),
    }


def image_domain(images: NDArray[np.uint8], boxes: NDArray[np.int64]) -> ImageDomain:
    """Quarters of all the benchmark's images; pairs that none of them shows are not asked of a class."""
    measured = properties(images, boxes)
    edges = {name: np.quantile(values, (0.25, 0.5, 0.75)) for name, values in measured.items()}
    rows = _rows(_quarters(measured, edges))
    unseen: list[dict[str, str]] = []
    for first, second in combinations(edges, 2):
        seen = {(row[first], row[second]) for row in rows}
        unseen += [{first: a, second: b} for a, b in product(QUARTERS, repeat=2) if (a, b) not in seen]
    return ImageDomain(edges, tuple(unseen))


def _quarters(
    measured: dict[str, NDArray[np.float64]], edges: dict[str, NDArray[np.float64]]
) -> dict[str, NDArray[np.intp]]:
    return {name: np.searchsorted(edges[name], values, side="right") for name, values in measured.items()}


def _rows(quarters: dict[str, NDArray[np.intp]]) -> list[dict[str, str]]:
    count = len(next(iter(quarters.values())))
    return [{name: QUARTERS[which[i]] for name, which in quarters.items()} for i in range(count)]
