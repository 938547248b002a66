"""Batches in the shape and type that a stored graph asks for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import DiagnosticsError


def fitted(inputs: NDArray[Any], shape: Sequence[int | None], *, where: str) -> NDArray[Any]:
    """Inputs with rows of ``shape``; axes of length 1 are added or removed, nothing else."""
    found = inputs.shape[1:]
    fits = len(found) == len(shape) and all(want in (None, have) for want, have in zip(shape, found, strict=True))
    if fits or not shape:
        return inputs
    if None not in shape and [n for n in shape if n != 1] == [n for n in found if n != 1]:
        return inputs.reshape(len(inputs), *(n for n in shape if n is not None))
    wanted = ", ".join("any" if n is None else str(n) for n in shape)
    text = f"the model takes rows of shape ({wanted}), and the data have rows of shape {found}."
    raise DiagnosticsError.of("data-type", text, where=where)


def cast(inputs: NDArray[Any], dtype: Any, *, where: str) -> NDArray[Any]:
    """Inputs in the model's type; numbers that do not fit are refused."""
    if inputs.dtype.kind not in "biuf":
        raise DiagnosticsError.of("data-type", f"the model takes numbers; found {inputs.dtype}.", where=where)
    with np.errstate(over="ignore", invalid="ignore"):
        changed = inputs.astype(dtype, copy=False)
    if _lost(inputs, changed):
        text = f"the model takes {np.dtype(dtype)}, and some inputs ({inputs.dtype}) do not fit into it."
        raise DiagnosticsError.of("data-type", text, where=where)
    return changed


def in_batches_of(
    size: int | None, function: Callable[[NDArray[Any]], NDArray[Any]]
) -> Callable[[NDArray[Any]], NDArray[Any]]:
    """Run a function that takes ``size`` rows at a time; the last rows are filled up by repetition."""

    def run(inputs: NDArray[Any]) -> NDArray[Any]:
        if size is None:
            return function(inputs)
        count = math.ceil(len(inputs) / size)
        padding = np.repeat(inputs[-1:], count * size - len(inputs), axis=0)
        parts = np.split(np.concatenate([inputs, padding]), count)
        return np.concatenate([function(part) for part in parts])[: len(inputs)]

    return run


def _lost(before: NDArray[Any], after: NDArray[Any]) -> bool:
    if after.dtype.kind == "f":
        return bool(before.dtype.kind == "f" and np.isinf(after).any())
    return bool(after.dtype != before.dtype and (after != before).any())
