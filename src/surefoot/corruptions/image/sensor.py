"""What a sensor does to an image: noise, faulty lines and pixels, lost parts, and faults of the colours."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import pdtr

from surefoot.core import InvalidInput
from surefoot.corruptions.catalogue import corruption
from surefoot.corruptions.image import BYTE, Generators, Images

DEVIATIONS = (0.08, 0.12, 0.18, 0.26, 0.38)
"""Standard deviation of Gaussian noise; paper SYS (Table 1) has severities 1, 3 and 5."""
PHOTONS = (60, 25, 12, 5, 3)
"""Photons that a pixel of full brightness counts on average."""
STRUCK = (0.03, 0.06, 0.09, 0.17, 0.27)
"""Share of values that impulse noise replaces."""
Draw = Callable[[np.random.Generator, NDArray[np.float32]], Any]


@corruption(domain="image")
def gaussian_noise(images: Images, severity: int, rngs: Generators) -> Images:
    """Each value plus an independent normal number (Hendrycks and Dietterich 2019)."""
    noise = _drawn(images, rngs, lambda rng, out: rng.standard_normal(out=out, dtype=np.float32))
    noise *= DEVIATIONS[severity - 1]
    return images + noise


@corruption(domain="image")
def shot_noise(images: Images, severity: int, rngs: Generators) -> Images:
    """Each value as a count of photons, a Poisson number whose mean is the value (Hendrycks and Dietterich 2019)."""
    photons = PHOTONS[severity - 1]
    seen = [counts(image, photons, rng) for image, rng in zip(images, rngs, strict=True)]
    return np.stack(seen) * images.dtype.type(1 / photons)


@corruption(domain="image")
def impulse_noise(images: Images, severity: int, rngs: Generators) -> Images:
    """Some values, each channel by itself, replaced by 0 or 1 with equal chance (Hendrycks and Dietterich 2019)."""
    chance = _drawn(images, rngs, lambda rng, out: rng.random(out=out, dtype=np.float32))
    half = STRUCK[severity - 1] / 2
    noisy = images.copy()
    np.putmask(noisy, chance < half, 0)
    np.putmask(noisy, chance >= 1 - half, 1)
    return noisy


def _drawn(images: Images, rngs: Generators, draw: Draw) -> NDArray[np.float32]:
    numbers = np.empty(images.shape, np.float32)
    for rng, out in zip(rngs, numbers, strict=True):
        draw(rng, out)
    return numbers


# Poisson numbers for many rates at once, by inversion with a guide table.

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


# Faults of an image sensor: rows and columns that are read wrongly, pixels out of place, pixels that are stuck.
#
# Paper MON (Guerin et al. 2022, sections III-B and III-C) names row add logic, shifted pixels and pixel trap, and
# prints no parameters: the numbers are ours. A worse severity has all faults of a better one, and more.

LINES = (0.04, 0.08, 0.15, 0.25, 0.4)
"""Share of the rows, or columns, that are read wrongly; at least one."""
DEAD = 0.3
"""Share of these that give one value, black or white; the others give what another line shows."""
SHIFTED = (0.1, 0.2, 0.35, 0.55, 0.8)
"""Share of the rows that are out of place; at least one."""
BAND, FARTHEST = 1 / 12, 1 / 6
"""Height of the largest band that moves as one, and how far one moves at most, as shares of the image."""
TRAPPED = (0.005, 0.015, 0.04, 0.08, 0.15)
"""Share of the pixels that are stuck; at least one."""


@corruption(domain="image")
def row_fault(images: Images, severity: int, rngs: Generators) -> Images:
    """Rows whose address is decoded wrongly: they show another row, or are black or white.

    Rows in fault: 0.04, 0.08, 0.15, 0.25, 0.4 of all; three in ten of them are black or white.
    """
    answer = images.copy()
    for image, rng, out in zip(images, rngs, answer, strict=True):
        _break_rows(image, out, severity, rng)
    return answer


@corruption(domain="image")
def column_fault(images: Images, severity: int, rngs: Generators) -> Images:
    """Columns whose address is decoded wrongly; as ``row_fault``."""
    return row_fault(images.swapaxes(1, 2), severity, rngs).swapaxes(1, 2)


@corruption(domain="image")
def shifted_pixels(images: Images, severity: int, rngs: Generators) -> Images:
    """Bands of rows that are read too early or too late, and so lie too far left or right.

    Rows out of place: 0.1, 0.2, 0.35, 0.55, 0.8 of all, in bands of up to a twelfth of the height, moved by up to a
    sixth of the width; what leaves at one side comes in at the other.
    """
    answer = images.copy()
    for image, rng, out in zip(images, rngs, answer, strict=True):
        height, width = image.shape[:2]
        shift = _shifts(height, width, _count(SHIFTED[severity - 1], height), rng)
        columns = (np.arange(width) - shift[:, None]) % width
        out[...] = image[np.arange(height)[:, None], columns]
    return answer


@corruption(domain="image")
def pixel_trap(images: Images, severity: int, rngs: Generators) -> Images:
    """Pixels that are stuck: all colours or one of them at black or white, in equal shares.

    Pixels in fault: 0.005, 0.015, 0.04, 0.08, 0.15 of all.
    """
    answer = images.copy()
    for rng, out in zip(rngs, answer, strict=True):
        pixels = out.reshape(-1, out.shape[-1])
        stuck = rng.permutation(len(pixels))[: _count(TRAPPED[severity - 1], len(pixels))]
        kind = rng.integers(0, 2 * (1 + pixels.shape[1]), len(pixels))[: len(stuck)]
        channel, value = np.divmod(kind, 2)
        hit = (channel[:, None] == 0) | (channel[:, None] == 1 + np.arange(pixels.shape[1]))
        pixels[stuck] = np.where(hit, value[:, None], pixels[stuck])
    return answer


def _count(share: float, among: int) -> int:
    return max(1, round(share * among))


def _break_rows(image: Images, out: Images, severity: int, rng: np.random.Generator) -> None:
    height = len(image)
    rows = rng.permutation(height)[: _count(LINES[severity - 1], height)]
    other = (rows + rng.integers(1, max(2, height), height)[: len(rows)]) % height
    kind = rng.random(height)[: len(rows), None, None]
    level = (kind < DEAD / 2).astype(image.dtype)
    out[rows] = np.where((kind < DEAD) | (other == rows)[:, None, None], level, image[other])


def _shifts(height: int, width: int, rows: int, rng: np.random.Generator) -> NDArray[Any]:
    """How far right each row moves; 0 for all but some of them."""
    bands = np.cumsum(rng.integers(1, max(1, round(height * BAND)) + 1, height))
    band = np.searchsorted(bands, np.arange(height), side="right")
    far = max(1, round(width * FARTHEST))
    shift = rng.integers(1, far + 1, height) * rng.choice([-1, 1], height)
    order = rng.permutation(height)
    moved = np.argsort(order[band], kind="stable")[:rows]
    return np.where(np.isin(np.arange(height), moved), shift[band], 0)


# Parts of an image that are lost: black boxes at random places or on a grid.
#
# Paper MON (Guerin et al. 2022, section III-B) names these threats and prints no parameters: the numbers are ours. A
# worse severity loses all that a better one does, and more.

BOXES = (2, 4, 8, 14, 24)
SMALLEST, LARGEST = 0.08, 0.2
"""Height and width of a box as shares of the image's."""
LOST = (0.2, 0.3, 0.42, 0.55, 0.7)
"""Height and width of a box on the grid as shares of the grid's step."""
FINEST, COARSEST = 1 / 9, 1 / 4
"""Step of the grid as a share of the shorter side."""
LEAST = 4
"""Pixels of the smallest step, so that severities differ on small images too."""


@corruption(domain="image")
def coarse_dropout(images: Images, severity: int, rngs: Generators) -> Images:
    """2, 4, 8, 14, 24 black boxes at random places, each 0.08 to 0.2 of the image high and wide; they may overlap."""
    answer = images.copy()
    height, width = images.shape[1:3]
    for rng, out in zip(rngs, answer, strict=True):
        size = np.maximum(1, np.rint(rng.uniform(SMALLEST, LARGEST, (BOXES[-1], 2)) * (height, width))).astype(int)
        first = rng.integers(0, (height, width) - size, endpoint=True)
        for (top, left), (low, right) in zip(first[: BOXES[severity - 1]], first + size, strict=False):
            out[top:low, left:right] = 0
    return answer


@corruption(domain="image")
def grid_dropout(images: Images, severity: int, rngs: Generators) -> Images:
    """Black boxes on a regular grid; each is 0.2, 0.3, 0.42, 0.55, 0.7 of the grid's step high and wide.

    The step is a ninth to a quarter of the shorter side and at least four pixels, and the grid starts anywhere.
    """
    answer = images.copy()
    height, width = images.shape[1:3]
    for rng, out in zip(rngs, answer, strict=True):
        step = max(LEAST, round(rng.uniform(FINEST, COARSEST) * min(height, width)))
        lost = max(1, round(LOST[severity - 1] * step))
        down, right = rng.integers(0, step, 2)
        rows = (np.arange(height) + down) % step < lost
        columns = (np.arange(width) + right) % step < lost
        out[rows[:, None] & columns] = 0
    return answer


# Faults of the colours: channels that change places, or fade.
#
# Paper MON (Guerin et al. 2022, section III-B) names these threats and prints no parameters: the numbers are ours.
# Images of one channel are refused, for neither fault can show there.

SHARES = (0.2, 0.4, 0.6, 0.8, 1.0)
"""How far each severity goes towards the full fault."""
ORDERS = np.array([(0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
"""All orders of three channels but their own."""


@corruption(domain="image")
def channel_shuffle(images: Images, severity: int, rngs: Generators) -> Images:
    """Red, green and blue change places, in one of the five other orders.

    The image is mixed with the shuffled one in shares of 0.2, 0.4, 0.6, 0.8, 1: cross-talk first, the full exchange at
    severity 5. Grey pixels, whose channels are equal, stay as they are.
    """
    _require_colour(images, "channel_shuffle")
    order = ORDERS[[rng.integers(len(ORDERS)) for rng in rngs]]
    shuffled = np.take_along_axis(images, order[:, None, None, :], axis=-1)
    return images + SHARES[severity - 1] * (shuffled - images)


@corruption(domain="image")
def channel_dropout(images: Images, severity: int, rngs: Generators) -> Images:
    """One of the three channels loses 0.2, 0.4, 0.6, 0.8, 1 of its light: at severity 5 it is black."""
    _require_colour(images, "channel_dropout")
    lost = np.array([rng.integers(images.shape[-1]) for rng in rngs])
    fade = np.where(np.arange(images.shape[-1]) == lost[:, None], 1 - SHARES[severity - 1], 1).astype(images.dtype)
    return images * fade[:, None, None, :]


def _require_colour(images: Images, where: str) -> None:
    if images.shape[-1] == 1:
        raise InvalidInput(
            "images must have colours",
            where=where,
            found="one channel",
            remedy="Give images of 3 channels; grey ones have no colours to change.",
        )
