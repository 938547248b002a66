"""Plausibility of what a camera gives: images and the boxes in them (MON, section III-B).

``BoxPlausibility``: boxes that appear out of nowhere, or vanish, are strange. ``Contrast`` and ``Brightness``: images
that are flatter, darker or brighter than usual are.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.metrics.tracks import as_boxes, overlaps
from surefoot.monitors.detectors.base import Detector, Learned, bounded, divisor, ratio
from surefoot.profile.input_arrays import slices

WHERE = "box_plausibility"
MOST_FRAMES = 1_000_000
Corners = tuple[float, float, float, float]
Names = NDArray[np.object_]
LUMA = np.array([0.299, 0.587, 0.114])
"""The weights of red, green and blue (Recommendation ITU-R BT.601)."""
SIDES: dict[str, Callable[[FloatArray], FloatArray]] = {"low": np.negative, "high": np.positive, "both": np.abs}
Side = Literal["low", "high", "both"]
NORMAL = 1.4826
"""The standard deviation of a normal distribution in units of its median absolute deviation."""
AT_ONCE = 1 << 20
"""Pixels that are weighed at once."""


@dataclass(eq=False)
class BoxPlausibility:
    """How implausible the boxes of a frame are after those of the frames before it (MON, section III-B).

    A box is implausible by 1 - its best IoU with a box of the same label in the last ``memory`` frames, as it was or
    moved on at its own speed; a frame is as implausible as the worst of its boxes. The first frame of an episode scores
    0, for nothing is known before it, and so do frames without boxes.

    Parameters
    ----------
    iou
        The IoU from which a box is taken for an earlier one that moved, which gives it a speed.
    memory
        How many frames are remembered.
    border
        How close to the edge of the image a box may enter or leave, in pixels; needs ``image``.
    image
        Width and height of the image; without them boxes may enter nowhere.
    moving
        Whether boxes are also expected where their speed takes them.
    missing
        Whether a box of the frame before that is not continued counts as one that appears from nowhere.
    zone
        The corners x1, y1, x2, y2 of the region in which boxes are judged, such as the road ahead; else everywhere.

    Examples
    --------
    >>> import surefoot as sf
    >>> monitor = sf.monitors.BoxPlausibility()
    >>> [monitor.step(boxes) for boxes in ([[0, 0, 9, 9]], [[0, 0, 9, 9]], [[50, 50, 60, 60]])]
    [0.0, 0.0, 1.0]

    """

    iou: float = 0.3
    memory: int = 3
    border: float = 0.0
    image: tuple[float, float] | None = None
    moving: bool = True
    missing: bool = False
    zone: Corners | None = None
    _seen: deque[Frame] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        validate.fields(self)
        self.iou = validate.fraction(self.iou, where=WHERE, name="iou")
        self.memory = validate.count(self.memory, where=WHERE, name="memory", at_least=1)
        self.border = validate.at_least_zero(self.border, where=WHERE, name="border")
        if self.border > 0 and self.image is None:
            raise InvalidInput("border needs the image it is of", where=WHERE, remedy="Give image=(width, height).")
        if self.image is not None:
            self.image = _size(self.image)
        if self.memory > MOST_FRAMES:
            raise InvalidInput(f"memory must be at most {MOST_FRAMES:,} frames", where=WHERE, found=repr(self.memory))
        if self.zone is not None:
            corners = as_boxes([self.zone], where=WHERE, name="zone").ravel()
            self.zone = tuple(validate.vector(corners, where=WHERE, name="zone", at_least=4).tolist())
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


class ImageStatistic(Detector):
    """A figure of each image, relative to the median and the spread of the fitted images.

    The spread is the median absolute deviation, scaled to the standard deviation of a normal distribution; where most
    images share one figure it is the standard deviation, and 1 where all do. Images are grey or RGB, channels first or
    last, bytes or floats, but all of one scale.
    """

    takes = "images"
    side: Side

    def __post_init__(self) -> None:
        validate.choice(self.side, SIDES, where=self.name, name="side")

    def _fit(self, rows: NDArray[Any], classes: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        figures = self._figures(rows)
        centre = np.median(figures)
        size = np.abs(bounded(rows)).max()
        robust = NORMAL * np.median(np.abs(figures - centre))
        return {"centre": np.asarray(centre), "spread": divisor(robust, size, divisor(figures.std(), size))}

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: Learned) -> FloatArray:
        return SIDES[self.side](ratio(self._figures(rows) - ready["centre"], ready["spread"]))

    def _figures(self, images: NDArray[Any]) -> FloatArray:
        size = max(1, AT_ONCE // max(1, images[0].size))
        return np.concatenate([self._figure(bounded(luma(images[part]))) for part in slices(len(images), size)])

    @abstractmethod
    def _figure(self, values: FloatArray) -> FloatArray:
        """The figure of each image, given its luma in a row."""


@dataclass(eq=False)
class Contrast(ImageStatistic, name="contrast"):
    """The contrast of images: the standard deviation of their luma (RMS contrast, Peli 1990).

    Low contrast is strange, as in fog or behind a blurred lens (MON, section III-B).

    Parameters
    ----------
    side
        Which contrast is strange: ``"low"``, ``"high"`` or ``"both"``.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> images = np.random.default_rng(0).uniform(size=(50, 8, 8))
    >>> flat, usual = sf.monitors.Contrast().fit(images).decision_function([np.full((8, 8), 0.5), images[0]])
    >>> bool(flat > usual)
    True

    """

    side: Side = "low"

    def _figure(self, values: FloatArray) -> FloatArray:
        return values.std(axis=1)


@dataclass(eq=False)
class Brightness(ImageStatistic, name="brightness"):
    """The brightness of images: the mean of their luma. Dark and bright are strange, or one ``side`` of them.

    Parameters
    ----------
    side
        Which brightness is strange: ``"low"``, ``"high"`` or ``"both"``.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> images = np.random.default_rng(0).uniform(size=(50, 8, 8))
    >>> dark, usual = sf.monitors.Brightness().fit(images).decision_function([np.zeros((8, 8)), images[0]])
    >>> bool(dark > usual)
    True

    """

    side: Side = "both"

    def _figure(self, values: FloatArray) -> FloatArray:
        return values.mean(axis=1)


def luma(images: FloatArray) -> FloatArray:
    """The weighted sum of red, green and blue of every pixel, in a row for each image."""
    if images.ndim == 3:
        return images.reshape(len(images), -1)
    if images.shape[3] in (1, 3):
        last = images
    elif images.shape[1] in (1, 3):
        last = np.moveaxis(images, 1, 3)
    else:
        found = f"shape {images.shape[1:]}"
        raise InvalidInput("images must have 1 or 3 channels", where="luma", found=found, remedy="Drop the others.")
    grey = last @ LUMA if last.shape[3] == 3 else last[..., 0]
    return grey.reshape(len(images), -1)
