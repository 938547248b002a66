"""Candidates of many images, some without any, and which one of each image is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.returns.stakes import as_alarms
from surefoot.monitors.returns.timeline import as_vectors
from surefoot.monitors.returns.zones import WHERE

PerCandidate = Sequence[ArrayLike]
"""For each image, a value for each of its candidates."""
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Candidates:
    """Candidates of all images in a row, in the order given."""

    sizes: NDArray[np.int64]
    safety: FloatArray
    hazards: FloatArray
    scores: FloatArray | None

    @classmethod
    def of(cls, zones: PerCandidate, hazards: PerCandidate, scores: PerCandidate | None) -> Self:
        """Candidates with all their figures checked."""
        safety = as_vectors(zones, where=WHERE, name="zones", each="image", at_least=0)
        sizes = np.array([vector.size for vector in safety], dtype=np.int64)
        return cls(
            sizes,
            np.concatenate([_scores_of_zones(vector, image) for image, vector in enumerate(safety)]),
            _flat(hazards, sizes, "predicted_hazards"),
            None if scores is None else _flat(scores, sizes, "scores"),
        )

    @property
    def images(self) -> int:
        """How many images there are."""
        return self.sizes.size

    @cached_property
    def image(self) -> NDArray[np.int64]:
        """The number of each candidate's image."""
        return np.repeat(np.arange(self.images), self.sizes)

    @cached_property
    def by_preference(self) -> NDArray[np.int64]:
        """Candidates by image and, in it, by rising predicted hazard; equals stay in order."""
        return np.lexsort((self.hazards, self.image))

    def above(self, threshold: float) -> BoolArray:
        """Candidates with a score above the threshold."""
        if self.scores is None:
            raise InvalidInput("a threshold needs the monitor's scores", where=WHERE, remedy="State scores.")
        return self.scores > validate.number(threshold, where=WHERE, name="threshold", finite=False)

    def flags(self, rejected: PerCandidate) -> BoolArray:
        """True or false for each candidate."""
        flat = _flat(rejected, self.sizes, "rejected")
        return as_alarms(flat, flat.size, name="rejected")

    def chosen(self, rejected: BoolArray, otherwise: FloatArray) -> FloatArray:
        """Safety of the preferred candidate of each image that is not rejected, ``otherwise`` where there is none."""
        left = self.by_preference[~rejected[self.by_preference]]
        first = left[np.diff(self.image[left], prepend=-1) > 0]
        safety = otherwise.copy()
        safety[self.image[first]] = self.safety[first]
        return safety

    def best(self, otherwise: FloatArray) -> FloatArray:
        """Safety of the safest candidate of each image, or ``otherwise`` where that is safer."""
        safety = otherwise.copy()
        np.maximum.at(safety, self.image, self.safety)
        return safety


def _scores_of_zones(vector: FloatArray, image: int) -> FloatArray:
    return validate.unit_vector(vector, where=WHERE, name=f"zones of image {image}") if vector.size else vector


def _flat(values: PerCandidate, sizes: NDArray[np.int64], name: str) -> FloatArray:
    vectors = as_vectors(values, where=WHERE, name=name, each="image", at_least=0)
    if len(vectors) != sizes.size:
        found = f"{len(vectors)} for {sizes.size} images"
        raise InvalidInput(f"{name} must have one list an image", where=WHERE, found=found)
    for image, (vector, size) in enumerate(zip(vectors, sizes.tolist(), strict=True)):
        if vector.size != size:
            found = f"{vector.size} for {size} candidates in image {image}"
            raise InvalidInput(f"{name} must have one value a candidate", where=WHERE, found=found)
    return np.concatenate(vectors)
