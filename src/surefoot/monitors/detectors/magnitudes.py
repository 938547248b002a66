"""Magnitudes that arithmetic can bear: values without overflow, and spreads that may divide."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray

LARGEST = 1e100
"""Values beyond it count as this large: their squares and the sums of these stay finite."""
LEAST_SHARE = 1e-12
"""A spread below this share of the values' own size is rounding."""


def bounded(values: NDArray[Any]) -> FloatArray:
    """The values, none of them larger than ``LARGEST``."""
    return np.clip(values, -LARGEST, LARGEST)


def ratio(above: FloatArray, below: FloatArray | float) -> FloatArray:
    """A quotient of numbers, of which ``below`` is positive, bounded rather than infinite."""
    with np.errstate(over="ignore", under="ignore"):
        return bounded(above / below)


def divisor(spread: FloatArray, size: FloatArray, otherwise: FloatArray | float = 1.0) -> FloatArray:
    """The spread where there is one, and ``otherwise`` where values of this size are constant but for rounding."""
    return np.where(spread > LEAST_SHARE * np.abs(size), spread, otherwise)
