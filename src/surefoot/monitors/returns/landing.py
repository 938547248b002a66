"""``Landing``: choosing where to land, with a monitor that rejects zones (MON, use case 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.returns.candidates import BoolArray, Candidates, PerCandidate
from surefoot.monitors.returns.stakes import Returns, Stakes
from surefoot.monitors.returns.sweep import Sweep
from surefoot.monitors.returns.zones import WHERE

Average = Literal["image", "unsafe"]
AVERAGES: tuple[Average, ...] = ("image", "unsafe")


@dataclass(frozen=True, eq=False)
class Landing:
    """Candidate zones of each image: their true safety, the model's preference, and what the monitor says of them.

    The system lands on the candidate with the lowest predicted hazard that the monitor does not reject, the first of
    equals, and opens its parachute where there is none. Only safety counts in an emergency: the mission is worth the
    same with the monitor and without.
    """

    zones: PerCandidate
    """True safety score, in [0, 1]; 0 is unsafe (``zone_safety`` with ``kappa`` above 0)."""
    predicted_hazards: PerCandidate
    """What the model chooses by (``zone_hazard``)."""
    scores: PerCandidate | None
    """The monitor's score; it rejects candidates above its threshold."""
    parachute: ArrayLike
    """Safety score of the default action: one number, or one an image."""
    ideal: ArrayLike | None = None
    """Safety of the best action in each image, where it may be a zone that the model did not propose."""
    units: Sequence[Any] | NDArray[Any] | None = None
    """Which images belong together, such as disturbed copies of one; where not stated, each is on its own."""
    weights: ArrayLike | None = None
    """How much of operation each image stands for."""
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
