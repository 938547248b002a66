"""What near-duplicate frames are worth: intraclass correlation, design effect, effective counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

TRACK_LENGTH = 30


def intraclass_correlation(wrong: NDArray[np.bool_], track: NDArray[np.int64]) -> float:
    """Share of the variance of errors that lies between tracks, by analysis of variance, at least 0.

    (MSB - MSW) / (MSB + (m - 1) MSW) with m the adjusted mean size of a track (Donner, Int. Stat. Rev. 54, 1986).
    """
    _, index, sizes = np.unique(track, return_inverse=True, return_counts=True)
    groups, total = len(sizes), len(wrong)
    means = np.bincount(index, wrong) / sizes
    between = (sizes * (means - wrong.mean()) ** 2).sum() / (groups - 1)
    within = ((wrong - means[index]) ** 2).sum() / (total - groups)
    size = (total - (sizes**2).sum() / total) / (groups - 1)
    spread = between + (size - 1) * within
    return float(max((between - within) / spread, 0.0)) if spread > 0 else 0.0


def effective_count(images: int, correlation: float, *, track_length: int = TRACK_LENGTH) -> float:
    """Number of independent images worth the same as ``images`` in tracks (Kish's design effect)."""
    return images / (1 + (track_length - 1) * correlation)
