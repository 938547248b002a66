"""Centres of balls: the data point, or its decoded image (Remark 4 of RAM), and how far apart the two are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, Table, validate
from surefoot.core.validate import FloatArray
from surefoot.profile.encoders import decoded

COLUMNS = ("distance", "mean", "median", "largest")


def decoded_centres(encoder: Any, X: ArrayLike, *, input_range: tuple[float, float] = (0.0, 1.0)) -> NDArray[Any]:
    """Each input encoded and decoded again, cut to the range that inputs can have."""
    low, high = _checked_range(input_range, "decoded_centres")
    return np.clip(decoded(encoder, X, where="decoded_centres"), low, high)


def compare_centres(
    encoder: Any,
    X: ArrayLike,
    *,
    radius: float | None = None,
    input_range: tuple[float, float] = (0.0, 1.0),
) -> Table:
    """How far inputs lie from their decoded images; with a radius, the share whose ball holds the input.

    A ball around a decoded image that does not hold the input says nothing about that input, and the label of the
    input need not be that of the image.
    """
    centres = decoded_centres(encoder, X, input_range=input_range)
    apart = np.abs(centres.astype(float) - np.asarray(X, float)).reshape(len(centres), -1)
    largest, euclidean = apart.max(axis=1), np.sqrt((apart**2).sum(axis=1))
    rows = [("maximum norm", *_summary(largest)), ("Euclidean norm", *_summary(euclidean))]
    if radius is None:
        return Table(COLUMNS, tuple(rows))
    reach = validate.positive(radius, where="compare_centres", name="radius")
    shares = [float((distance <= reach).mean()) for distance in (largest, euclidean)]
    return Table(
        (*COLUMNS, f"share within {reach:g}"), tuple((*row, share) for row, share in zip(rows, shares, strict=True))
    )


def _summary(distances: FloatArray) -> tuple[float, float, float]:
    return float(distances.mean()), float(np.median(distances)), float(distances.max())


def _checked_range(input_range: tuple[float, float], where: str) -> FloatArray:
    ends = validate.vector(input_range, where=where, name="input_range")
    if ends.size != 2 or ends[0] >= ends[1]:
        raise InvalidInput("input_range must be the lowest and the highest value", where=where, found=f"{input_range}")
    return ends
