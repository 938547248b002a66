"""Choosing where to land, with a monitor that rejects zones (MON, use case 3).

``Landing`` holds the candidate zones of many images, some without any; ``zone_safety`` and ``zone_hazard`` say how safe
an area is to land on, by the classes of its pixels (Eqn. 18).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.bounds.statement import plain_array
from surefoot.core import InvalidInput, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.documents import listed
from surefoot.monitors.returns.stakes import Returns, Stakes, Sweep, as_alarms, as_vectors

WHERE = "landing"
Average = Literal["image", "unsafe"]
AVERAGES: tuple[Average, ...] = ("image", "unsafe")
PerCandidate = Sequence[ArrayLike]
"""For each image, a value for each of its candidates."""
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Landing:
    """Candidate zones of each image: their true safety, the model's preference, and what the monitor says of them.

    The system lands on the candidate with the lowest predicted hazard that the monitor does not reject, the first of
    equals, and opens its parachute where there is none. Only safety counts in an emergency: the mission is worth the
    same with the monitor and without.

    Parameters
    ----------
    zones
        True safety score of each candidate of each image, in [0, 1]; 0 is unsafe (``zone_safety`` with ``kappa`` above
        0).
    predicted_hazards
        What the model chooses by (``zone_hazard``).
    scores
        The monitor's score; it rejects candidates above its threshold.
    parachute
        Safety score of the default action: one number, or one an image.
    ideal
        Safety of the best action in each image, where it may be a zone that the model did not propose.
    units
        Which images belong together, such as disturbed copies of one; where not stated, each is on its own.
    weights
        How much of operation each image stands for.
    unit
        What one independent trial is called.

    References
    ----------
    MON, use case 3.

    Examples
    --------
    >>> import surefoot as sf
    >>> landing = sf.monitors.returns.Landing(
    ...     zones=[[0.0, 0.9], [0.8]], predicted_hazards=[[1, 2], [1]], scores=[[7, 1], [2]], parachute=0.5
    ... )
    >>> landing.returns(threshold=5).gains
    array([0.9, 0. ])

    """

    zones: PerCandidate
    predicted_hazards: PerCandidate
    scores: PerCandidate | None
    parachute: ArrayLike
    ideal: ArrayLike | None = None
    units: Sequence[Any] | NDArray[Any] | None = None
    weights: ArrayLike | None = None
    unit: str = "image"

    def __post_init__(self) -> None:
        short = np.flatnonzero(self.best < self._best_known)
        if short.size:
            at = int(short[0])
            found = f"{self.best[at]:g} where a zone or the parachute has {self._best_known[at]:g}, in image {at}"
            raise InvalidInput("ideal must be the best there is", where=WHERE, found=found)
        self._returns(self._none_rejected)

    @cached_property
    def all_candidates(self) -> Candidates:
        """The candidates of all images in a row."""
        return Candidates.of(self.zones, self.predicted_hazards, self.scores)

    @cached_property
    def best(self) -> FloatArray:
        """Safety of the best action in each image."""
        return self._best_known if self.ideal is None else self._of_images(self.ideal, "ideal")

    def returns(self, rejected: PerCandidate | None = None, *, threshold: float | None = None) -> Returns:
        """Safety of what is chosen with the monitor, without it, and ideally (evaluation 2); a row is an image.

        The monitor rejects the candidates stated, or those with a score above the threshold. Rejecting a safe zone can
        cost safety, so gains can be negative.
        """
        if rejected is not None and threshold is None:
            return self._returns(self.all_candidates.flags(rejected))
        if rejected is None and threshold is not None:
            return self._returns(self.all_candidates.above(threshold))
        raise InvalidInput("needs either rejected candidates or a threshold", where=WHERE)

    def candidates(self, average: Average = "image") -> Stakes:
        """What is at stake where the monitor should reject unsafe candidates (evaluation 1, Eqn. 14).

        A row is a candidate, image by image. With "image" the candidates of an image weigh as much as those of any
        other; images without any do not count. With "unsafe" only unsafe candidates are kept, so that gain and hazard
        sum to 1, as in Table III.
        """
        validate.choice(average, AVERAGES, where=WHERE, name="average")
        all_ = self.all_candidates
        unsafe = all_.safety <= 0
        kept = np.ones_like(unsafe) if average == "image" else unsafe
        if not kept.any():
            raise Undefined("there is no candidate to count", where=WHERE, found=f"{unsafe.size}, none of them unsafe")
        image, ones = all_.image[kept], np.ones(int(kept.sum()))
        each = self._image_weights / np.maximum(all_.sizes, 1) if average == "image" else self._image_weights
        return Stakes(
            np.where(unsafe[kept], 0.0, 1.0),
            ones,
            ones,
            ones,
            ones,
            units=self._image_units[image],
            weights=None if average == "unsafe" and self.weights is None else each[image],
            unit=self.unit,
            name="unsafe candidates",
            two_valued=True,
        )

    def sweep(self, thresholds: ArrayLike) -> Sweep:
        """What is chosen at each threshold (evaluation 2). Neither gain nor hazard is monotone in the threshold."""
        if self.weights is not None:
            raise InvalidInput(
                "images with weights are not exchangeable", where=WHERE, remedy="Draw images from operation instead."
            )
        levels = validate.numbers(thresholds, where=WHERE, name="thresholds", finite=False)
        alone = self._returns(self._none_rejected)
        found = [self._chosen(self.all_candidates.above(level)) for level in levels.ravel()]
        chosen = alone.unit_means(np.column_stack(found)) if found else np.empty((0, 0))
        ideal, without = (alone.unit_means(v[:, None]) for v in (alone.safety_ideal, alone.safety_alone))
        return Sweep(levels, chosen - without, ideal - chosen, np.zeros_like(chosen), self.unit, name="landing zones")

    def _returns(self, rejected: BoolArray) -> Returns:
        ones = np.ones(self.all_candidates.images)
        return Returns(
            self._chosen(rejected),
            self._chosen(self._none_rejected),
            self.best,
            ones,
            ones,
            units=None if self.units is None else self._image_units,
            weights=None if self.weights is None else self._image_weights,
            unit=self.unit,
            name="landing zones",
        )

    def _chosen(self, rejected: BoolArray) -> FloatArray:
        return self.all_candidates.chosen(rejected, self._default)

    @property
    def _none_rejected(self) -> BoolArray:
        return np.zeros(self.all_candidates.safety.size, dtype=bool)

    @cached_property
    def _default(self) -> FloatArray:
        return self._of_images(self.parachute, "parachute")

    @cached_property
    def _best_known(self) -> FloatArray:
        return self.all_candidates.best(self._default)

    @cached_property
    def _image_units(self) -> NDArray[Any]:
        return np.arange(self.all_candidates.images) if self.units is None else np.asarray(self.units)

    @cached_property
    def _image_weights(self) -> FloatArray:
        return self._of_images(1.0 if self.weights is None else self.weights, "weights")

    def _of_images(self, values: ArrayLike, name: str) -> FloatArray:
        """One number an image, from one for each or one for all."""
        numbers = validate.numbers(values, where=WHERE, name=name)
        images = self.all_candidates.images
        if numbers.shape not in ((), (images,)):
            found = f"shape {numbers.shape} for {images} images"
            raise InvalidInput(f"{name} must be one number, or one an image", where=WHERE, found=found)
        return np.broadcast_to(numbers, images).copy()


def zone_safety(
    pixels: ArrayLike, *, forbidden: Collection[Any], hazards: Mapping[Any, float], kappa: float = 0.5
) -> float:
    """Safety score of a zone whose pixels have these true classes (MON, Eqn. 18).

    0 where a class is forbidden; else ``kappa`` + (1 - ``kappa``) x mean of 1 - hazard over the pixels.

    Parameters
    ----------
    pixels
        The true class of each pixel.
    forbidden
        Classes on which nothing may land.
    hazards
        Hazard of each other class, in [0, 1].
    kappa
        Sets zones that are forbidden apart from all others.

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> import surefoot as sf
    >>> hazards = {"grass": 0.0, "tree": 0.5}
    >>> sf.monitors.returns.zone_safety(["grass", "tree"], forbidden={"road"}, hazards=hazards, kappa=0.2)
    0.8

    """
    gap = validate.probability(kappa, where=WHERE, name="kappa")
    classes, counts = np.unique(plain_array(pixels, where=WHERE, name="pixels"), return_counts=True)
    if any(known in forbidden for known in classes.tolist()):
        return 0.0
    mean = np.average(_hazards(classes, hazards), weights=counts)
    return float(gap + (1 - gap) * (1 - mean))


def zone_hazard(pixels: ArrayLike, *, hazards: Mapping[Any, float]) -> float:
    """Hazard score of a zone by the classes a model predicts for its pixels: the model lands where it is lowest.

    Parameters
    ----------
    pixels
        The predicted class of each pixel.
    hazards
        Hazard of each class.

    Returns
    -------
    float
        The sum over the pixels.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.monitors.returns.zone_hazard(["grass", "tree", "tree"], hazards={"grass": 0.0, "tree": 0.5})
    1.0

    """
    classes, counts = np.unique(plain_array(pixels, where=WHERE, name="pixels"), return_counts=True)
    return float(_hazards(classes, hazards) @ counts)


def disc(image: ArrayLike, centre: tuple[float, float], radius: float) -> NDArray[Any]:
    """The pixels of an image (rows x columns) within ``radius`` of a ``centre`` (row, column).

    Parameters
    ----------
    image
        A class for each pixel.
    centre, radius
        The zone, which must lie inside the image.

    Returns
    -------
    numpy.ndarray
        The pixels, in no shape.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.monitors.returns.disc([[0, 1, 0], [1, 2, 1], [0, 1, 0]], centre=(1, 1), radius=1)
    array([1, 1, 2, 1, 1])

    """
    pixels = plain_array(image, where=WHERE, name="image")
    if pixels.ndim != 2:
        raise InvalidInput("image must be rows x columns", where=WHERE, found=f"shape {pixels.shape}")
    reach = validate.positive(radius, where=WHERE, name="radius")
    place = validate.vector(centre, where=WHERE, name="centre")
    if place.size != 2:
        raise InvalidInput("centre must be a row and a column", where=WHERE, found=repr(centre))
    row, column = place.tolist()
    if min(row, column) < reach or row + reach > len(pixels) - 1 or column + reach > pixels.shape[1] - 1:
        found = f"centre {row:g}, {column:g} and radius {reach:g} in {pixels.shape[0]} x {pixels.shape[1]} pixels"
        raise InvalidInput("a zone must lie inside the image", where=WHERE, found=found)
    rows, columns = np.ogrid[: len(pixels), : pixels.shape[1]]
    return pixels[(rows - row) ** 2 + (columns - column) ** 2 <= reach**2]


def _hazards(classes: NDArray[Any], hazards: Mapping[Any, float]) -> NDArray[np.float64]:
    known = {name: validate.probability(h, where=WHERE, name=f"hazard of {name}") for name, h in hazards.items()}
    missing = [str(name) for name in classes.tolist() if name not in known]
    if missing:
        raise InvalidInput(
            "every class of a pixel must be forbidden or have a hazard",
            where=WHERE,
            found=f"none for {listed(missing)}",
        )
    return np.array([known[name] for name in classes.tolist()])


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
            np.concatenate(
                [
                    validate.unit_vector(vector, where=WHERE, name=f"zones of image {image}") if vector.size else vector
                    for image, vector in enumerate(safety)
                ]
            ),
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
