"""Normal probability of boxes for a full covariance matrix, one feature after another."""

from __future__ import annotations

import math

import numpy as np

from surefoot.core.validate import FloatArray
from surefoot.profile.kernels import GAUSSIAN_REACH, KERNELS

WIDEST_PANEL = 4.0
ORDERS = ((0.02, 3), (0.1, 4), (0.5, 6), (1.5, 10), (WIDEST_PANEL, 16))
"""Gauss-Legendre nodes for panels up to a width, in standard deviations of the steepest factor: error below 1e-13."""


def gaussian_mass(factor: FloatArray, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Mass of the normal distribution with lower triangular factor in each box (Genz 1992, by Gauss-Legendre)."""
    if len(factor) == 1:
        return KERNELS["gaussian"].between(lower[:, 0] / factor[0, 0], upper[:, 0] / factor[0, 0])
    low = np.clip(lower[:, 0] / factor[0, 0], -GAUSSIAN_REACH, GAUSSIAN_REACH)
    high = np.clip(upper[:, 0] / factor[0, 0], -GAUSSIAN_REACH, GAUSSIAN_REACH)
    slope = np.linalg.solve(factor[1:, 1:], factor[1:, 0])
    steepness = math.sqrt(1 + float(slope @ slope))
    width = float((high - low).max(initial=0)) * steepness
    panels = max(1, math.ceil(width / WIDEST_PANEL))
    mass = np.zeros(len(lower))
    for start, share in _nodes(panels, width / panels):
        place = low + (high - low) * start
        shift = place[:, None] * factor[1:, 0]
        inner = gaussian_mass(factor[1:, 1:], lower[:, 1:] - shift, upper[:, 1:] - shift)
        mass += share * np.exp(-0.5 * place**2) * inner
    return mass * (high - low) / math.sqrt(2 * math.pi)


def _nodes(panels: int, width: float) -> list[tuple[float, float]]:
    """Places in [0, 1] and their shares."""
    order = next(order for widest, order in ORDERS if width <= widest or widest == WIDEST_PANEL)
    nodes, shares = np.polynomial.legendre.leggauss(order)
    return [
        ((panel + 0.5 + 0.5 * node) / panels, 0.5 * share / panels)
        for panel in range(panels)
        for node, share in zip(nodes.tolist(), shares.tolist(), strict=True)
    ]
