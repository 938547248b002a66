"""Scores of several detectors on one scale, relative to scores that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors.base import Learned
from surefoot.monitors.detectors.magnitudes import bounded, divisor, ratio

Scale = Literal["rank", "standard"]


class Scaling(NamedTuple):
    """What is learned of known scores, detectors x rows, and how it turns others into comparable ones."""

    learned: Callable[[FloatArray], dict[str, NDArray[Any]]]
    scaled: Callable[[FloatArray, Learned], FloatArray]


def _sorted(known: FloatArray) -> dict[str, NDArray[Any]]:
    return {"known": np.sort(known, axis=1)}


def _ranked(scores: FloatArray, learned: Learned) -> FloatArray:
    """The share of known scores below each, and half of those that equal it."""
    known = learned["known"]
    sides = [
        [np.searchsorted(row, given, side=side) for row, given in zip(known, scores, strict=True)]
        for side in ("left", "right")
    ]
    return np.mean(sides, axis=0) / known.shape[1]


def _moments(known: FloatArray) -> dict[str, NDArray[Any]]:
    values = bounded(known)
    return {"centre": values.mean(axis=1), "spread": divisor(values.std(axis=1), np.abs(values).max(axis=1))}


def _standardised(scores: FloatArray, learned: Learned) -> FloatArray:
    return ratio(bounded(scores) - learned["centre"][:, None], learned["spread"][:, None])


SCALES = {"rank": Scaling(_sorted, _ranked), "standard": Scaling(_moments, _standardised)}
