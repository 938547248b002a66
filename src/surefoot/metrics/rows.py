"""Distances of many predictions at once: row by row of two arrays, each checked and made ready once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray


@dataclass(frozen=True)
class RowDistance:
    """How an array of predictions is made ready, and how two such arrays are compared."""

    name: str
    ready: Callable[[NDArray[Any]], NDArray[Any]]
    compare: Callable[[NDArray[Any], NDArray[Any]], FloatArray]

    def between(self, a: NDArray[Any], b: NDArray[Any]) -> FloatArray:
        """Distances of rows that are ready."""
        if a.shape != b.shape:
            found = " and ".join(str(side.shape[1:] or "one value") for side in (a, b))
            raise InvalidInput("predictions must have one shape", where=self.name, found=found)
        return self.compare(a, b)

    def __call__(self, a: Any, b: Any) -> float:
        one, other = (self.ready(np.asarray(side)[None]) for side in (a, b))
        return float(self.between(one, other)[0])


def of_labels() -> RowDistance:
    """0 where labels are equal, 1 elsewhere."""
    ready = partial(_one_a_row, where="label", remedy="Take argmax(axis=-1) of scores.")
    return RowDistance("label", ready, _unequal)


def of_numbers(scale: float | None) -> RowDistance:
    """Absolute differences; in units of a scale, and then 1 at most."""
    return RowDistance("numeric", _numbers, partial(_apart, scale=scale))


def of_directions() -> RowDistance:
    """1 - cosine of the angle between rows."""
    return RowDistance("cosine", _directions, _turned)


def _unequal(a: NDArray[Any], b: NDArray[Any]) -> FloatArray:
    return np.asarray(a != b, dtype=np.float64)


def _numbers(predictions: NDArray[Any]) -> NDArray[Any]:
    remedy = "For vectors use 'cosine', or give a function of two predictions."
    values = validate.numbers(predictions, where="numeric", name="predictions")
    return _one_a_row(values, where="numeric", remedy=remedy)


def _apart(a: FloatArray, b: FloatArray, *, scale: float | None) -> FloatArray:
    with np.errstate(over="ignore"):
        difference = np.abs(a - b)
        return difference if scale is None else np.minimum(difference / scale, 1.0)


def _directions(predictions: NDArray[Any]) -> FloatArray:
    vectors = validate.numbers(predictions, where="cosine", name="predictions")
    if vectors.ndim != 2:
        found, remedy = f"shape {vectors.shape[1:]}", "Flatten each prediction."
        raise InvalidInput("a prediction must be a vector", where="cosine", found=found, remedy=remedy)
    return directions(vectors)


def directions(vectors: FloatArray) -> FloatArray:
    """Rows of length 1; zeros stay zeros. The largest entry is divided out first, so that no square overflows."""
    largest = np.abs(vectors).max(axis=1, initial=0.0, keepdims=True)
    scaled = np.divide(vectors, largest, out=np.zeros_like(vectors), where=largest > 0)
    lengths = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))[:, None]
    return np.divide(scaled, lengths, out=scaled, where=lengths > 0)


def _turned(a: FloatArray, b: FloatArray) -> FloatArray:
    similarity = np.einsum("ij,ij->i", a, b)
    straight = np.flatnonzero(similarity == 0)
    similarity[straight] = ~a[straight].any(axis=1) & ~b[straight].any(axis=1)
    return 1 - np.clip(similarity, -1.0, 1.0)


def _one_a_row(predictions: NDArray[Any], *, where: str, remedy: str) -> NDArray[Any]:
    flat = predictions[:, 0] if predictions.ndim == 2 and predictions.shape[1] == 1 else predictions
    if flat.ndim != 1:
        found = f"shape {predictions.shape[1:]}"
        raise InvalidInput("a prediction must be one value", where=where, found=found, remedy=remedy)
    return flat
