"""Rows in units of the largest value that was fitted, so that squares neither overflow nor vanish."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors.magnitudes import ratio


def unit_of(rows: NDArray[Any]) -> float:
    """The power of 2 below the largest value, by which division loses no digit; 1 where all values are 0."""
    largest = float(np.abs(rows).max(initial=0.0))
    return float(np.ldexp(1.0, int(np.frexp(largest)[1]) - 1)) if largest > 0 else 1.0


def in_units(rows: NDArray[Any], unit: float) -> FloatArray:
    """The rows in this unit, bounded."""
    return ratio(rows, unit)
