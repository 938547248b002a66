"""Exact limits of shares by Clopper and Pearson (1934), of many shares or at many levels at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core.quantiles import beta_quantile
from surefoot.core.validate import FloatArray


def largest_share(counts: ArrayLike, trials: int, level: ArrayLike) -> FloatArray:
    """Upper limit of a share at a one-sided level; 1 where all trials count."""
    seen = np.asarray(counts, dtype=np.float64)
    return np.where(seen < trials, beta_quantile(seen + 1, np.maximum(trials - seen, 1), level), 1.0)


def smallest_share(counts: ArrayLike, trials: int, level: ArrayLike) -> FloatArray:
    """Lower limit of a share at a one-sided level; 0 where no trial counts."""
    seen = np.asarray(counts, dtype=np.float64)
    return np.where(seen > 0, beta_quantile(np.maximum(seen, 1), trials - seen + 1, 1 - np.asarray(level)), 0.0)
