"""Classes as numbers: which ones there are, and which one each row has."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput
from surefoot.core.wording import listed

KINDS = "biuUS"
MOST_NAMED = 5


def numbered(labels: ArrayLike, rows: int, *, where: str) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The classes in order, and the number of each row's class."""
    known, numbers = np.unique(_plain(labels, rows, where=where, name="labels"), return_inverse=True)
    return known, numbers.astype(np.int64)


def numbers_of(predictions: ArrayLike, classes: NDArray[Any], rows: int, *, where: str) -> NDArray[np.int64]:
    """The number of each row's class among those that are known."""
    given = _plain(predictions, rows, where=where, name="predictions")
    if (given.dtype.kind in "US") != (classes.dtype.kind in "US"):
        found = f"{given.dtype} where labels were {classes.dtype}"
        raise InvalidInput("predictions must be of the kind of the labels it was fitted with", where=where, found=found)
    places = np.minimum(np.searchsorted(classes, given), len(classes) - 1)
    unseen = np.unique(given[classes[places] != given])
    if unseen.size:
        more = f" and {unseen.size - MOST_NAMED} more" if unseen.size > MOST_NAMED else ""
        raise InvalidInput(
            "predictions name classes it was not fitted with",
            where=where,
            found=listed([str(name) for name in unseen[:MOST_NAMED].tolist()]) + more,
            remedy="Fit with rows of every class that the model can answer.",
        )
    return places.astype(np.int64)


def _plain(values: ArrayLike, rows: int, *, where: str, name: str) -> NDArray[Any]:
    array = np.asarray(values)
    whole = array.dtype.kind == "f" and np.isfinite(array).all() and (array == np.floor(array)).all()
    array = array.astype(np.int64) if whole else array
    if array.dtype.kind == "O" and all(isinstance(value, str) for value in array.flat):
        array = array.astype(str)
    if array.dtype.kind not in KINDS:
        found = f"an array of {array.dtype}"
        raise InvalidInput(f"{name} must be whole numbers or text", where=where, found=found)
    if array.shape != (rows,):
        raise InvalidInput(f"{name} must give one class a row", where=where, found=f"shape {array.shape}, {rows} rows")
    return array
