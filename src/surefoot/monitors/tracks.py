"""Boxes from frame to frame: which earlier box each continues, and how fast it moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.metrics.boxes import overlaps

Names = NDArray[np.object_]


@dataclass(frozen=True, eq=False)
class Frame:
    """Boxes of one frame, their labels, and how far their corners move from frame to frame."""

    boxes: FloatArray
    labels: Names
    speeds: FloatArray


@dataclass(frozen=True, eq=False)
class Link:
    """How boxes overlap with earlier ones, newest frame first."""

    boxes: FloatArray
    labels: Names
    earlier: FloatArray
    ages: FloatArray
    overlap: FloatArray

    @property
    def best(self) -> FloatArray:
        """The best overlap of each box with an earlier one."""
        return self.overlap.max(axis=1, initial=0.0)

    @property
    def continued(self) -> FloatArray:
        """The best overlap of each box of the frame before with a box of this one."""
        return self.overlap[:, self.ages == 1].max(axis=0, initial=0.0)

    def frame(self, least: float) -> Frame:
        """The boxes with their speeds, which are 0 where no earlier box overlaps by ``least``."""
        speeds = np.zeros_like(self.boxes)
        known = np.flatnonzero(self.best >= least)
        if known.size:
            origin = self.overlap[known].argmax(axis=1)
            speeds[known] = (self.boxes[known] - self.earlier[origin]) / self.ages[origin, None]
        return Frame(self.boxes, self.labels, speeds)


def linked(boxes: FloatArray, labels: Names, seen: Sequence[Frame], *, moving: bool) -> Link:
    """Overlaps of boxes with those of frames seen before, the newest last; 0 where labels differ."""
    newest_first = seen[::-1]
    ages = np.repeat(np.arange(1.0, len(seen) + 1), [len(frame.boxes) for frame in newest_first])
    earlier = np.concatenate([np.empty((0, 4)), *(frame.boxes for frame in newest_first)])
    overlap = overlaps(boxes, earlier)
    if moving and overlap.size:
        speeds = np.concatenate([frame.speeds for frame in newest_first])
        overlap = np.maximum(overlap, overlaps(boxes, _moved(earlier, speeds * ages[:, None])))
    if overlap.size:
        names = np.concatenate([frame.labels for frame in newest_first])
        overlap[labels[:, None] != names[None]] = 0.0
    return Link(boxes, labels, earlier, ages, overlap)


def _moved(boxes: FloatArray, by: FloatArray) -> FloatArray:
    """Boxes whose corners have moved; one that shrinks to nothing stays a point."""
    moved = boxes + by
    moved[:, 2:] = np.maximum(moved[:, :2], moved[:, 2:])
    return moved
