"""Intervals of a share whose trials may come in units."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.core.quantiles import beta_quantile
from surefoot.core.validate import FloatArray
from surefoot.systems.tables.pairs import per_unit


def share_interval(values: FloatArray, units: NDArray[np.int64] | None, *, level: float) -> tuple[float, float]:
    """Interval of the mean of values 0, 1/2 and 1.

    Clopper and Pearson (1934): exact for independent values 0 and 1; halves vary less and make it cautious. With units,
    the same with as many trials as the units are worth (Korn and Graubard 1998, Survey Methodology 24(2)), and no more
    than units where none differs from another.
    """
    share = float(values.mean())
    trials = float(values.size) if units is None else _worth(values, units, level)
    tail, hits = (1 - level) / 2, share * trials
    low = float(beta_quantile(hits, trials - hits + 1, tail)) if share > 0 else 0.0
    high = float(beta_quantile(hits + 1, trials - hits, 1 - tail)) if share < 1 else 1.0
    return low, high


def _worth(values: FloatArray, units: NDArray[np.int64], level: float) -> float:
    """How many independent trials tell as much as these units."""
    share, count = float(values.mean()), int(units.max()) + 1
    sums = per_unit(values - share, units)
    variance = float(sums @ sums) / values.size**2 * count / max(count - 1, 1)
    if count < 2 or not variance > 0:
        return float(count)
    quantile = (1 + level) / 2
    fewer = special.stdtrit(values.size - 1, quantile) / special.stdtrit(count - 1, quantile)
    return float(np.clip(share * (1 - share) / variance * fewer**2, 1.0, values.size))
