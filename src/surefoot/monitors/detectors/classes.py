"""Classes as numbers: which ones there are, and which one each row has."""

from __future__ import annotations

from contextlib import suppress
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput
from surefoot.documents import listed

KINDS = "biuUS"
LARGEST = 2.0**53
"""Floats beyond it no longer tell neighbouring whole numbers apart."""
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


def known(classes: NDArray[Any], *, where: str) -> NDArray[Any]:
    """Classes of a file, if they are as ``numbered`` gives them."""
    plain = classes.ndim == 1 and classes.size and classes.dtype.kind in KINDS
    if not plain or not np.array_equal(np.unique(classes), classes):
        found = f"{classes.dtype} of shape {classes.shape}"
        raise InvalidInput("classes must be whole numbers or text, each once and in order", where=where, found=found)
    return classes


def _plain(values: ArrayLike, rows: int, *, where: str, name: str) -> NDArray[Any]:
    array = _unboxed(np.asarray(values))
    whole = array.dtype.kind == "f" and (np.abs(array) <= LARGEST).all() and (array == np.floor(array)).all()
    array = array.astype(np.int64) if whole else array
    if array.dtype.kind not in KINDS:
        found = f"an array of {array.dtype}"
        raise InvalidInput(f"{name} must be whole numbers or text", where=where, found=found)
    if array.shape != (rows,):
        raise InvalidInput(f"{name} must give one class a row", where=where, found=f"shape {array.shape}, {rows} rows")
    return array


def _unboxed(array: NDArray[Any]) -> NDArray[Any]:
    """Text or whole numbers that came as objects, as pandas gives them."""
    if array.dtype.kind == "O":
        for kind, plain in ((str, np.str_), (Integral, np.int64)):
            if all(isinstance(value, kind) for value in array.flat):
                with suppress(OverflowError):
                    return array.astype(plain)
    return array
