"""Poisson numbers for many rates at once, by inversion with a guide table."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import pdtr

from surefoot.corruptions.image.items import BYTE, Images

GUIDES = 256
SLACK = np.float32(2**-10)
"""Steps of a byte that rounding may take off; what is left above a step is drawn by itself."""


def counts(values: Images, photons: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Poisson numbers of mean ``values`` times ``photons``, for values in [0, 1].

    A rate is split in that of the byte below and the rest, whose independent counts add up. The first is found by
    inversion: a table says where to start for each byte and each 256th of the uniform number (Chen and Asau 1974), and
    few starts are below the answer. The rest is 0 for images of bytes.
    """
    levels = values.astype(np.float32, copy=False) * np.float32(BYTE)
    whole = np.floor(levels + SLACK)
    found = _inverted(whole.astype(np.intp), rng.random(values.shape, dtype=np.float32), photons)
    rest = levels - whole
    if rest.max() > SLACK:
        found += rng.poisson(np.maximum(rest, 0) * np.float32(photons / BYTE))
    return found


def _inverted(level: NDArray[np.intp], chance: NDArray[np.float32], photons: int) -> NDArray[np.float32]:
    cumulative, starts = _tables(photons)
    chances = chance.ravel()
    at = starts.ravel().take(level.ravel() * GUIDES + (chances * GUIDES).astype(np.intp))
    low = np.flatnonzero(chances >= cumulative.ravel().take(at))
    while low.size:
        at[low] += 1
        low = low[chances[low] >= cumulative.ravel().take(at[low])]
    at -= level.ravel() * cumulative.shape[1]
    return at.reshape(level.shape).astype(np.float32)


@lru_cache(maxsize=8)
def _tables(photons: int) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
    """The distribution of each byte's count, and for each part of [0, 1) the place there where a search starts."""
    most = int(photons + 10 * photons**0.5 + 10)
    rates = np.arange(BYTE + 1) * (photons / BYTE)
    cumulative = pdtr(np.arange(most + 1), rates[:, None]).astype(np.float32)
    cumulative[:, -1] = np.inf
    parts = np.arange(GUIDES, dtype=np.float32) / GUIDES
    starts = [np.searchsorted(row, parts, side="right") + i * len(row) for i, row in enumerate(cumulative)]
    return cumulative, np.array(starts)
