"""``BoxPlausibility``: boxes that appear out of nowhere, or vanish, are strange."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.metrics.boxes import as_boxes
from surefoot.monitors.detectors.magnitudes import bounded
from surefoot.monitors.tracks import Frame, Link, linked

WHERE = "box_plausibility"
Corners = tuple[float, float, float, float]


@dataclass(eq=False)
class BoxPlausibility:
    """How implausible the boxes of a frame are after those of the frames before it (MON, section III-B).

    A box is implausible by 1 - its best IoU with a box of the same label in the last ``memory`` frames, as it was or
    moved on at its own speed; a frame is as implausible as the worst of its boxes. The first frame of an episode scores
    0, for nothing is known before it, and so do frames without boxes.
    """

    iou: float = 0.3
    """The IoU from which a box is taken for an earlier one that moved, which gives it a speed."""
    memory: int = 3
    border: float = 0.0
    """How close to the edge of the image a box may enter or leave, in pixels; needs ``image``."""
    image: tuple[float, float] | None = None
    """Width and height of the image; without them boxes may enter nowhere."""
    moving: bool = True
    """Whether boxes are also expected where their speed takes them."""
    missing: bool = False
    """Whether a box of the frame before that is not continued counts as one that appears from nowhere."""
    zone: Corners | None = None
    """The corners x1, y1, x2, y2 of the region in which boxes are judged, such as the road ahead; else everywhere."""
    _seen: deque[Frame] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.iou = validate.fraction(self.iou, where=WHERE, name="iou")
        self.memory = validate.count(self.memory, where=WHERE, name="memory", at_least=1)
        self.border = validate.at_least_zero(self.border, where=WHERE, name="border")
        if self.border > 0 and self.image is None:
            raise InvalidInput("border needs the image it is of", where=WHERE, remedy="Give image=(width, height).")
        if self.image is not None:
            self.image = _size(self.image)
        if self.zone is not None:
            self.zone = tuple(as_boxes([self.zone], where=WHERE, name="zone")[0].tolist())
        self.reset()

    def reset(self) -> Self:
        """Forget the frames before, as a new episode begins."""
        self._seen = deque(maxlen=self.memory)
        return self

    def step(self, boxes: ArrayLike, labels: Sequence[Any] | NDArray[Any] | None = None) -> float:
        """The score of the next frame of a stream, of boxes x1, y1, x2, y2."""
        return self._next(self._seen, boxes, labels, WHERE)

    def decision_function(
        self,
        frames: Sequence[ArrayLike],
        labels: Sequence[Sequence[Any] | NDArray[Any]] | None = None,
        *,
        episodes: Sequence[Any] | NDArray[Any] | None = None,
    ) -> FloatArray:
        """A score for each of consecutive frames, apart from the stream; memory is empty where ``episodes`` change."""
        count = len(_listed(frames, "frames", WHERE))
        names = [None] * count if labels is None else _one_each(labels, count, "labels")
        parts = [0] * count if episodes is None else _one_each(episodes, count, "episodes")
        seen: deque[Frame] = deque(maxlen=self.memory)
        scores = np.empty(count)
        for number, (boxes, given) in enumerate(zip(frames, names, strict=True)):
            if number and parts[number] != parts[number - 1]:
                seen.clear()
            scores[number] = self._next(seen, boxes, given, f"{WHERE}, frame {number}")
        return scores

    def _next(self, seen: deque[Frame], boxes: ArrayLike, labels: Any, where: str) -> float:
        corners = bounded(as_boxes(boxes, where=where))
        link = linked(corners, _names(labels, len(corners), where), list(seen), moving=self.moving)
        score = self._worst(link, seen[-1]) if seen else 0.0
        seen.append(link.frame(self.iou))
        return score

    def _worst(self, link: Link, before: Frame) -> float:
        sudden = (1.0 - link.best) * self._judged(link.boxes)
        lost = (1.0 - link.continued) * self._judged(before.boxes) if self.missing else np.empty(0)
        return float(max(sudden.max(initial=0.0), lost.max(initial=0.0)))

    def _judged(self, boxes: FloatArray) -> NDArray[np.bool_]:
        """Which boxes must be continued: those in the zone that do not touch the edge of the image."""
        judged = np.ones(len(boxes), dtype=bool)
        if self.zone is not None:
            low, high = self.zone[:2], self.zone[2:]
            judged &= ((boxes[:, :2] < high) & (boxes[:, 2:] > low)).all(axis=1)
        if self.image is not None:
            near, far = self.border, np.asarray(self.image) - self.border
            judged &= ((boxes[:, :2] > near) & (boxes[:, 2:] < far)).all(axis=1)
        return judged


def _size(image: ArrayLike) -> tuple[float, float]:
    sides = validate.vector(image, where=WHERE, name="image")
    if sides.shape != (2,) or (sides <= 0).any():
        raise InvalidInput(
            "image must be a width and a height", where=WHERE, found=repr(image), remedy="Use (640, 480)."
        )
    return float(sides[0]), float(sides[1])


def _one_each(values: Sequence[Any] | NDArray[Any], count: int, name: str) -> Sequence[Any] | NDArray[Any]:
    if len(_listed(values, name, WHERE)) != count:
        raise InvalidInput(
            f"{name} must have one entry a frame", where=WHERE, found=f"{len(values)} for {count} frames"
        )
    return values


def _listed(values: Any, name: str, where: str) -> Any:
    """Values one after the other: no text, whose letters would count, and nothing that is used up as it is read."""
    if isinstance(values, str | bytes) or not hasattr(values, "__len__") or not hasattr(values, "__getitem__"):
        found = type(values).__name__
        raise InvalidInput(f"{name} must be a list or an array", where=where, found=found, remedy="Use list(...).")
    return values


def _names(labels: Any, count: int, where: str) -> NDArray[np.object_]:
    """A label for each box, the same for all where none are given."""
    names = np.full(count, None, dtype=object)
    if labels is None:
        return names
    if len(_listed(labels, "labels", where)) != count:
        raise InvalidInput("labels must have one entry a box", where=where, found=f"{len(labels)} for {count} boxes")
    names[:] = np.asarray(labels).tolist()
    return names
