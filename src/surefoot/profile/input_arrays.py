"""Images as arrays, checked once: their shape, the order of their channels, and the range of their pixels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.documents import counted

COLOURS = (1, 3, 4)
"""Numbers of channels that images usually have."""


def as_images(values: ArrayLike, *, where: str, name: str, at_least: int = 1) -> NDArray[Any]:
    """Images as (n, height, width) or (n, channels, height, width), with pixels in [0, 1]."""
    array = np.asarray(values)
    if array.dtype.name not in SMALL_TYPES or np.ma.is_masked(values) or not np.isfinite(array).all():
        array = validate.numbers(values, where=where, name=name)
    _require_axes(array, where, name)
    if len(array) < at_least or not array.size:
        raise InvalidInput(f"{name} needs at least {at_least} images", where=where, found=f"shape {array.shape}")
    _require_unit_range(array, where, name)
    return array


def full_shape(shape: tuple[int, ...]) -> tuple[int, int, int]:
    """Shape of an image with its channels; a grey one has one."""
    channels, height, width = shape if len(shape) == 3 else (1, *shape)
    return channels, height, width


def with_channels(images: NDArray[Any]) -> NDArray[Any]:
    """Images as (n, channels, height, width)."""
    return images.reshape(len(images), *full_shape(images.shape[1:]))


def _require_axes(array: NDArray[Any], where: str, name: str) -> None:
    if array.ndim not in (3, 4):
        raise InvalidInput(
            f"{name} must be images: (n, height, width) or (n, channels, height, width)",
            where=where,
            found=f"shape {array.shape}",
            remedy="Use X.reshape(-1, height, width) for flattened images, X[None] for one image.",
        )
    if array.ndim == 4 and array.shape[3] in COLOURS and array.shape[1] not in COLOURS:
        raise InvalidInput(
            f"the channels of {name} seem to come last",
            where=where,
            found=f"shape {array.shape}",
            remedy="Put them before height and width: np.moveaxis(X, -1, 1).",
        )


def _require_unit_range(array: NDArray[Any], where: str, name: str) -> None:
    low, high = array.min(), array.max()
    if low < 0 or high > 1:
        raise InvalidInput(
            f"pixels of {name} must lie in [0, 1]",
            where=where,
            found=f"{low:g} to {high:g}",
            remedy="Divide by 255." if low >= 0 and 1 < high <= 255 else "Rescale by the range that pixels can have.",
        )


# Rows of features and their labels as arrays, checked once.

SMALL_TYPES = ("bool", "int8", "uint8", "int16", "uint16", "float32")
"""Types that are kept as they are where memory matters."""


def as_rows(values: ArrayLike, *, where: str, name: str, at_least: int = 1, columns: int | None = None) -> FloatArray:
    """Finite numbers with one row a sample; a vector is one feature, further axes are flattened."""
    return _table(validate.numbers(values, where=where, name=name), where, name, at_least, columns)


def as_table(values: ArrayLike, *, where: str, name: str, columns: int | None = None) -> FloatArray:
    """Finite numbers with two axes, one row a point; nothing is guessed about a vector."""
    table = validate.numbers(values, where=where, name=name)
    if table.ndim != 2:
        raise InvalidInput(
            f"{name} must be two-dimensional: it must have rows of features",
            where=where,
            found=f"shape {table.shape}",
            remedy="Use reshape(-1, 1) for one feature, reshape(1, -1) for one point.",
        )
    _require_columns(table, columns, where, name)
    return table


def compact_rows(values: ArrayLike, *, where: str, name: str, columns: int | None = None) -> NDArray[Any]:
    """As ``as_rows``, keeping types of up to four bytes, for example images of whole numbers."""
    array = validate.array(values, where=where, name=name) if not np.ma.is_masked(values) else None
    if array is None or array.dtype.name not in SMALL_TYPES or not np.isfinite(array).all():
        return as_rows(values, where=where, name=name, columns=columns)
    return _table(array, where, name, 1, columns)


def as_labels(values: ArrayLike, *, where: str, name: str = "y") -> NDArray[Any]:
    """One label a row: whole numbers, text or anything that sorts, and none missing."""
    labels = np.asarray(values)
    if labels.ndim != 1:
        raise InvalidInput(f"{name} must hold one label a row", where=where, found=f"shape {labels.shape}")
    missing = (
        [i for i, label in enumerate(labels) if label is None or label != label] if labels.dtype.kind in "Of" else []
    )
    if missing or np.ma.is_masked(values):
        raise InvalidInput(
            f"{name} has missing labels",
            where=where,
            found=f"row {missing[0]} ({len(missing)} in all)" if missing else "masked entries",
            remedy="Leave those rows out and say so in the report.",
        )
    if len({isinstance(label, str) for label in labels.flat if labels.dtype.kind == "O"}) > 1:
        raise InvalidInput(f"{name} mixes text and numbers", where=where, remedy="Use one kind of label.")
    return labels


def _table(array: NDArray[Any], where: str, name: str, at_least: int, columns: int | None) -> NDArray[Any]:
    table = array.reshape(len(array), -1) if array.ndim and array.size else array
    if table.ndim != 2 or len(table) < at_least:
        raise InvalidInput(
            f"{name} needs at least {counted(at_least, 'row')} with one feature or more",
            where=where,
            found=f"shape {array.shape}",
            remedy="Give an array with one row a sample.",
        )
    _require_columns(table, columns, where, name)
    return table


def _require_columns(table: NDArray[Any], columns: int | None, where: str, name: str) -> None:
    if columns is not None and table.shape[1] != columns:
        raise InvalidInput(f"{name} needs {columns} features a row", where=where, found=f"{table.shape[1]}")


# Work in parts of bounded size.


def slices(count: int, size: int) -> Iterator[slice]:
    """Parts of at most ``size`` of ``count`` things."""
    return (slice(start, min(start + size, count)) for start in range(0, count, size))
