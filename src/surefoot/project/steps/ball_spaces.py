"""In which space the density of inputs is estimated, and what balls weigh and where they lie by it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, Table
from surefoot.profile import (
    VAE,
    Encoder,
    FrameCheck,
    LatentWeights,
    PCAEncoder,
    compare_centres,
    decoded_centres,
    frame_check,
    latent_weights,
)
from surefoot.project.steps.ball_rows import BallRows

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
