"""The rows of an assessment in balls, and what balls weigh and where they lie by the density of inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import Data, Tested
from surefoot.core import InvalidInput, Table
from surefoot.profile import (
    VAE,
    Encoder,
    FrameCheck,
    LatentWeights,
    PCAEncoder,
    Separation,
    compare_centres,
    decoded_centres,
    frame_check,
    latent_weights,
    separation,
)
from surefoot.project.steps.test_data import require_inputs, true_classes

PCA = "pca"


@dataclass(frozen=True, eq=False)
class BallSpace:
    """The rows seen through an encoder, or as they are."""

    rows: BallRows
    encoder: Encoder | None
    seed: int

    @classmethod
    def of(
        cls, rows: BallRows, encoder: str | None, *, dimensions: int, picture: tuple[int, ...] | None, seed: int
    ) -> BallSpace:
        """An encoder by its name or file."""
        if encoder is None:
            return cls(rows, None, seed)
        if encoder == PCA:
            return cls(rows, PCAEncoder(dimensions).fit(rows.inputs), seed)
        return cls(rows, Pictured(VAE.load(encoder), rows, picture or rows.shape), seed)

    def weights(self, scheme: str) -> LatentWeights | None:
        """What each row weighs; None for equal weights."""
        if scheme == "equal":
            return None
        if scheme == "ratio" and self.rows.operation is None:
            raise InvalidInput(
                "weights: ratio needs inputs from operation", where="weights", remedy="Name a data set with operation:."
            )
        return latent_weights(
            self.encoder, self.rows.inputs, operational=self.rows.operation, scheme=scheme, seed=self.seed
        )

    def centres(self, which: str) -> NDArray[Any] | None:
        """Centres of the balls; None for the rows themselves."""
        if which == "data":
            return None
        if self.encoder is None:
            raise InvalidInput(
                "centres: decoded needs an encoder", where="centres", remedy="Say encoder: pca, or name a saved VAE."
            )
        return decoded_centres(self.encoder, self.rows.inputs, input_range=(self.rows.low, self.rows.high))

    def centres_table(self, radius: float) -> Table:
        """How far rows lie from their decoded images."""
        ends = self.rows.low, self.rows.high
        return compare_centres(self.encoder, self.rows.inputs, radius=radius, input_range=ends)

    @cached_property
    def frame(self) -> FrameCheck | None:
        """Whether the rows stand for operation, where there are inputs from it."""
        if self.rows.operation is None or min(len(self.rows.operation), len(self.rows.inputs)) < 2:
            return None
        return frame_check(self.rows.inputs, self.rows.operation, self.encoder, seed=self.seed)


@dataclass(frozen=True, eq=False)
class Pictured:
    """An autoencoder of pictures with pixels in [0, 1], for inputs of their own range and shape."""

    vae: VAE
    rows: BallRows
    shape: tuple[int, ...]
    """Of the picture that an input shows."""

    def encode(self, X: NDArray[Any]) -> NDArray[Any]:
        """Places of the inputs."""
        low, high = self.rows.low, self.rows.high
        unit = (np.asarray(X, np.float32) - np.float32(low)) / np.float32(high - low)
        return np.asarray(self.vae.encode(unit.reshape(-1, *self.shape)))

    def decode(self, Z: NDArray[Any]) -> NDArray[Any]:
        """Inputs at these places."""
        low, high = self.rows.low, self.rows.high
        return np.asarray(low + (high - low) * self.vae.decode(Z)).reshape(-1, *self.rows.shape)


def weights_table(weights: LatentWeights) -> Table:
    """How unequal weights are, and how well they are known."""
    largest = np.sort(weights.values)[::-1]
    few = max(1, round(0.01 * len(largest)))
    rows = (
        ("rows", len(weights)),
        ("equally weighted rows worth as much", weights.effective_rows),
        ("largest weight (mean 1)", float(largest[0])),
        ("smallest weight", float(largest[-1])),
        ("share of the heaviest 1% of rows", float(largest[:few].sum() / largest.sum())),
        ("standard deviation of the logarithm, median", float(np.median(weights.log_sd))),
    )
    return Table((f"weights: {weights.scheme}", "value"), rows)


def frame_table(frame: FrameCheck) -> Table:
    """What was found about the frame."""
    lower, upper = frame.limits()
    rows = (
        ("inputs from operation", frame.rows),
        ("of them where the frame has no inputs", frame.uncovered),
        ("their share, lower limit at 97.5%", lower),
        ("their share, upper limit at 97.5%", upper),
        ("a new frame is needed", _needed(frame)),
    )
    return Table(("frame against operation", "value"), rows)


def _needed(frame: FrameCheck) -> str:
    if frame.is_outgrown:
        return "yes: inputs lie elsewhere"
    return "yes: other shares" if frame.rebuild else "no"


# The rows of an assessment in balls, checked under the names that a project file gives them.

AUTOMATIC = 0.8
"""Share of half the separation that ``radius: auto`` takes."""


@dataclass(frozen=True, eq=False)
class BallRows:
    """Labelled inputs that balls are drawn around, inputs from operation, and further labelled ones."""

    inputs: NDArray[Any]
    labels: NDArray[np.str_]
    low: float
    high: float
    operation: NDArray[Any] | None
    further: NDArray[Any] | None
    further_labels: NDArray[np.str_] | None

    @classmethod
    def of(
        cls, tested: Tested, operation: Data | None, labelled: Data | None, input_range: Sequence[float]
    ) -> BallRows:
        """Inputs of one shape inside their range, with labels by the names of their classes."""
        low, high = _range(input_range)
        inputs = _inside(tested.inputs, "on", low, high)
        return cls(
            inputs,
            np.asarray(tested.classes)[tested.labels],
            low,
            high,
            None if operation is None else _inside(operation.inputs, "operation", low, high, inputs.shape[1:]),
            None if labelled is None else _inside(labelled.inputs, "labelled", low, high, inputs.shape[1:]),
            None if labelled is None else true_classes(labelled, name="labelled"),
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one input."""
        return tuple(self.inputs.shape[1:])

    @cached_property
    def separation(self) -> Separation:
        """The smallest distance between inputs of different classes, over all labelled rows."""
        if self.further is None or self.further_labels is None:
            return separation(_flat(self.inputs), self.labels)
        rows = np.concatenate([_flat(self.inputs), _flat(self.further)])
        return separation(rows, np.concatenate([self.labels, self.further_labels]))

    def radius(self, stated: float | str) -> float:
        """The radius as a number; ``auto`` follows from the separation."""
        if stated != "auto":
            return float(stated)
        gap = self.separation
        if not gap > 0:
            raise InvalidInput(
                "equal inputs have different labels, so no radius keeps classes apart",
                where="radius",
                found=f"rows {gap.pair[0]} and {gap.pair[1]}, labelled {gap.labels[0]} and {gap.labels[1]}",
                remedy="Correct the labels, leave these rows out, or state a radius.",
            )
        return AUTOMATIC * float(gap) / 2


def _flat(inputs: NDArray[Any]) -> NDArray[Any]:
    return inputs.reshape(len(inputs), -1)


def _range(given: Sequence[float]) -> tuple[float, float]:
    low, high = (float(end) for end in given)
    if not low < high:
        raise InvalidInput("input_range must be [lowest, highest]", where="input_range", found=repr(list(given)))
    return low, high


def _inside(
    inputs: NDArray[Any] | None, name: str, low: float, high: float, shape: tuple[int, ...] | None = None
) -> NDArray[Any]:
    """Inputs of real numbers in their range, of the given shape."""
    inputs = require_inputs(inputs, name=name)
    if inputs.dtype.kind not in "biuf" or inputs.ndim < 2 or not inputs.size:
        found = f"values of type {inputs.dtype}, shape {inputs.shape}"
        raise InvalidInput("inputs must be rows of features or pictures, as numbers", where=name, found=found)
    if shape is not None and inputs.shape[1:] != shape:
        found = f"{inputs.shape[1:]} and {shape} in on:"
        raise InvalidInput("inputs must have the same shape in all data sets", where=name, found=found)
    least, most = float(inputs.min()), float(inputs.max())
    if least < low or most > high:
        raise InvalidInput(
            f"inputs must lie in the input range [{low:g}, {high:g}]",
            where=name,
            found=f"values from {least:.6g} to {most:.6g}",
            remedy="Scale them, or state the range that the model takes, such as input_range: [0, 255].",
        )
    return inputs
