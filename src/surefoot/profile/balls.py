"""Integral of (1 - |z|^2)^power over the part of the unit ball in a box, for power 0 or 1."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

from surefoot.core.validate import FloatArray

NODES = 20
"""Gauss-Legendre nodes on each smooth piece: error below 1e-11 (measured against adaptive quadrature)."""
AT_ONCE = 1 << 17
NARROWEST = 1e-14


def ball_mass(factor: FloatArray, lower: FloatArray, upper: FloatArray, *, power: int) -> FloatArray:
    """The integral for boxes given before whitening by the lower triangular factor.

    Slices along the first feature are balls again. The slice's integral has kinks where a face or an edge of the box
    starts or stops to meet the ball: pieces end there and at 0, and the nodes gather at both ends of each piece.
    """
    if len(factor) == 1:
        return _segment(lower[:, 0] / factor[0, 0], upper[:, 0] / factor[0, 0], power)
    low = np.clip(lower[:, 0] / factor[0, 0], -1, 1)
    high = np.clip(upper[:, 0] / factor[0, 0], -1, 1)
    cuts = np.stack([low, np.zeros_like(low), *_kinks(factor, lower, upper), high], axis=1)
    angles = np.arcsin(np.sort(np.clip(cuts, low[:, None], high[:, None]), axis=1))
    box, piece = np.nonzero(np.diff(angles, axis=1) > NARROWEST)
    mass = np.zeros(len(lower))
    for start in range(0, len(box), AT_ONCE // NODES):
        chosen = box[start : start + AT_ONCE // NODES], piece[start : start + AT_ONCE // NODES]
        ends = angles[chosen], angles[chosen[0], chosen[1] + 1]
        np.add.at(mass, chosen[0], _piece(factor, lower[chosen[0]], upper[chosen[0]], ends, power))
    return mass


def _piece(
    factor: FloatArray, lower: FloatArray, upper: FloatArray, ends: tuple[FloatArray, FloatArray], power: int
) -> FloatArray:
    """Integral over one piece, in the angle whose sine is the first coordinate."""
    nodes, shares = np.polynomial.legendre.leggauss(NODES)
    gathered, slowness = np.sin(np.pi / 2 * nodes), np.pi / 2 * np.cos(np.pi / 2 * nodes)
    half = (ends[1] - ends[0])[:, None] / 2
    angle = (ends[0] + ends[1])[:, None] / 2 + half * gathered
    radius = np.cos(angle)
    shift = np.sin(angle)[..., None] * factor[1:, 0]
    rest = len(factor) - 1
    inner_lower = ((lower[:, None, 1:] - shift) / radius[..., None]).reshape(-1, rest)
    inner_upper = ((upper[:, None, 1:] - shift) / radius[..., None]).reshape(-1, rest)
    inner = ball_mass(factor[1:, 1:], inner_lower, inner_upper, power=power).reshape(radius.shape)
    return np.asarray((inner * radius ** (rest + 1 + 2 * power) * half) @ (shares * slowness))


def _segment(low: FloatArray, high: FloatArray, power: int) -> FloatArray:
    low, high = np.clip(low, -1, 1), np.clip(high, -1, 1)
    return (high - low) - power * (high**3 - low**3) / 3


def _kinks(factor: FloatArray, lower: FloatArray, upper: FloatArray) -> list[FloatArray]:
    """First coordinates where each face or edge of the other features is touched by the sphere."""
    others = range(1, len(factor))
    found = []
    for count in others:
        for features in combinations(others, count):
            rows = factor[list(features)]
            inverse = np.linalg.pinv(rows)
            free = np.sqrt(max(1 - float((inverse @ rows)[0, 0]), 0.0))
            for sides in product((lower, upper), repeat=count):
                nearest = np.stack([side[:, k] for side, k in zip(sides, features, strict=True)], axis=1) @ inverse.T
                spread = free * np.sqrt(np.maximum(1 - np.einsum("ij,ij->i", nearest, nearest), 0))
                found += [nearest[:, 0] - spread, nearest[:, 0] + spread]
    return found
