"""Levels at which limits are tabulated."""

from __future__ import annotations

import math

import numpy as np

from surefoot.core.bound import MIN_TAIL_DRAWS
from surefoot.core.validate import FloatArray

USUAL = (0.9, 0.95, 0.975, 0.99, 0.995, 0.999)
HIGHEST = 1 - 1e-9
"""Limits that are computed rather than drawn are tabulated up to this level."""
ROUNDING = 1e-9


def levels_up_to(most: float, level: float | None = None, *, count: int = 64) -> FloatArray:
    """Levels from 0.5 to ``most``, among them the usual ones, ``level``, and that of each side of its interval."""
    stated = () if level is None else (level, 1 - (1 - level) / 2)
    named = [each for each in (*USUAL, *stated) if 1 - each >= (1 - most) * (1 - ROUNDING)]
    return np.unique([*(1 - np.geomspace(0.5, 1 - most, count)), *named])


def draws_for(level: float, usual: int = 0) -> int:
    """As many draws as usual, or as both ends of an interval at the level need."""
    return max(usual, math.ceil(2 * MIN_TAIL_DRAWS / (1 - level) * (1 - ROUNDING)))
