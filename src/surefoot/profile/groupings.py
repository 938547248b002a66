"""Which rows belong together: those of one class, or of one region of inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import Distribution, InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.profile.rows import as_labels, as_rows

WHERE = "expert_weights"


@dataclass(frozen=True, eq=False)
class Region:
    """A box of inputs, ends included, and what its rows weigh."""

    lower: FloatArray
    upper: FloatArray
    weight: float | Distribution

    def __init__(self, lower: ArrayLike, upper: ArrayLike, weight: float | Distribution) -> None:
        low = np.atleast_1d(validate.numbers(lower, where="Region", name="lower", finite=False))
        high = np.atleast_1d(validate.numbers(upper, where="Region", name="upper", finite=False))
        if low.ndim != 1 or low.shape != high.shape or not (low <= high).all():
            raise InvalidInput(
                "a region needs a lower and an upper end for each feature, lower not above upper",
                where="Region",
                found=f"{low.tolist()} to {high.tolist()}",
                remedy="Use -inf and inf for a feature that does not matter.",
            )
        for name, value in (("lower", low), ("upper", high), ("weight", weight)):
            object.__setattr__(self, name, value)

    def holds(self, points: FloatArray) -> NDArray[np.bool_]:
        """Whether each row lies inside."""
        return np.asarray(((points >= self.lower) & (points <= self.upper)).all(axis=1))


class Grouping(Protocol):
    """Tells the group of each row; the last group is that of all others."""

    def groups(self, points: ArrayLike, labels: ArrayLike | None) -> NDArray[np.int64]: ...


@dataclass(frozen=True)
class ByClass:
    """Groups are labels."""

    classes: tuple[Any, ...]

    def groups(self, points: ArrayLike, labels: ArrayLike | None) -> NDArray[np.int64]:
        """Place of each label among the classes."""
        if labels is None:
            raise InvalidInput("weights of classes need labels", where=WHERE, remedy="Give a label for each row.")
        known = {label: place for place, label in enumerate(self.classes)}
        kinds, at = np.unique(as_labels(labels, where=WHERE, name="labels"), return_inverse=True)
        return np.array([known.get(kind, len(known)) for kind in kinds.tolist()], dtype=np.int64)[at]


@dataclass(frozen=True, eq=False)
class ByRegion:
    """Groups are boxes; the first that holds a row has it."""

    regions: tuple[Region, ...]

    def groups(self, points: ArrayLike, labels: ArrayLike | None) -> NDArray[np.int64]:
        """Place of the first region that holds each row."""
        rows = as_rows(points, where=WHERE, name="points", columns=self.regions[0].lower.size)
        inside = np.stack([region.holds(rows) for region in self.regions] + [np.ones(len(rows), dtype=bool)])
        return inside.argmax(axis=0)
