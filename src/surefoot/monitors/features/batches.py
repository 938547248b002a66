"""Rows of inputs, some at a time, and tensors as arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate


def batches_of(inputs: ArrayLike, batch: int, *, where: str) -> Iterator[NDArray[Any]]:
    """Inputs, some rows at a time."""
    rows = np.asarray(inputs)
    size = validate.count(batch, where=where, name="batch", at_least=1)
    if rows.ndim == 0 or not len(rows):
        raise InvalidInput("needs at least one input", where=where, found=f"shape {rows.shape}")
    return (rows[start : start + size] for start in range(0, len(rows), size))


def array_of(tensor: Any) -> NDArray[Any]:
    """A tensor, wherever it lies, as an array of its own."""
    detached = tensor.detach().cpu()
    wide = detached.float() if str(detached.dtype) == "torch.bfloat16" else detached
    return np.array(wide.numpy())
