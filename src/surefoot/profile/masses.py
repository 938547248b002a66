"""Mass of one kernel in boxes; corners are given relative to the kernel's centre, one box a row."""

from __future__ import annotations

from itertools import product

import numpy as np

from surefoot.core import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.profile.balls import ball_mass
from surefoot.profile.bandwidths import Shape
from surefoot.profile.kernels import KERNELS, Kernel
from surefoot.profile.mixture import gaussian_mixture
from surefoot.profile.quadrature import gaussian_mass
from surefoot.profile.slicing import slices

ROWS = 4096
MOST_FEATURES = 3
"""Nested quadrature takes too long beyond this many features."""


def box_mass(kernel: Kernel, shape: Shape, lower: FloatArray, upper: FloatArray) -> FloatArray:
    """Mass in each box, to 1e-10: closed forms where they exist, quadrature otherwise.

    Gaussian with a scale a feature: products of differences of the normal distribution function; with a matrix:
    conditioning on one feature after another (Genz 1992) by Gauss-Legendre panels. Exponential: a mixture of Gaussians.
    Epanechnikov and tophat: a polynomial inside the ball, quadrature cut at every kink where its surface crosses.
    """
    if shape.dimensions == 1:
        scale = shape.factor[0, 0]
        return kernel.between(lower[:, 0] / scale, upper[:, 0] / scale)
    if kernel.compact:
        return _compact_mass(kernel, shape, lower, upper)
    if kernel.name == "gaussian":
        return _gaussian_mass(shape.factor, lower, upper, diagonal=shape.diagonal)
    return np.concatenate(
        [_exponential_mass(shape, lower[some], upper[some]) for some in slices(len(lower), ROWS)] or [lower[:, 0]]
    )


def _exponential_mass(shape: Shape, lower: FloatArray, upper: FloatArray) -> FloatArray:
    shares, scales = gaussian_mixture(shape.dimensions)
    scaled = [(corner[:, None] / scales[:, None]).reshape(-1, shape.dimensions) for corner in (lower, upper)]
    mass = _gaussian_mass(shape.factor, *scaled, diagonal=shape.diagonal)
    return np.asarray(mass.reshape(len(lower), -1) @ shares)


def _gaussian_mass(factor: FloatArray, lower: FloatArray, upper: FloatArray, *, diagonal: bool) -> FloatArray:
    if not diagonal:
        _require_few(len(factor), "gaussian and exponential kernels with a full matrix")
        return gaussian_mass(factor, lower, upper)
    mass = np.ones(len(lower))
    for k, scale in enumerate(np.diag(factor)):
        mass *= KERNELS["gaussian"].between(lower[:, k] / scale, upper[:, k] / scale)
    return mass


def _compact_mass(kernel: Kernel, shape: Shape, lower: FloatArray, upper: FloatArray) -> FloatArray:
    norm = np.exp(kernel.log_norm(shape.dimensions))
    mass = np.zeros(len(lower))
    centre, half = shape.whiten((lower + upper) / 2), (upper - lower) / 2
    squared = np.einsum("ij,ij->i", centre, centre)
    radius = np.sqrt((half**2).sum(axis=1)) * np.linalg.norm(shape.inverse, 2)
    meets = (np.sqrt(squared) < 1 + radius) & (half > 0).all(axis=1)
    inside = meets & _vertices_inside(shape, lower, upper)
    crossing = meets & ~inside
    volume = np.exp(np.log(2 * half[inside]).sum(axis=1) - shape.log_det)
    if kernel.name == "tophat":
        mass[inside] = norm * volume
    else:
        curvature = (half[inside] ** 2) @ (shape.inverse**2).sum(axis=0) / 3
        mass[inside] = norm * volume * (1 - squared[inside] - curvature)
    if crossing.any():
        _require_few(shape.dimensions, f"the {kernel.name} kernel")
        power = 0 if kernel.name == "tophat" else 1
        mass[crossing] = norm * ball_mass(shape.factor, lower[crossing], upper[crossing], power=power)
    return mass


def _vertices_inside(shape: Shape, lower: FloatArray, upper: FloatArray) -> FloatArray:
    inside = np.ones(len(lower), bool)
    for choice in product((False, True), repeat=shape.dimensions):
        vertex = shape.whiten(np.where(choice, upper, lower))
        inside &= np.einsum("ij,ij->i", vertex, vertex) < 1
    return inside


def _require_few(dimensions: int, what: str) -> None:
    if dimensions > MOST_FEATURES:
        raise InvalidInput(
            f"exact cell masses of {what} are computed for at most {MOST_FEATURES} features",
            where="KDE",
            found=f"{dimensions} features",
            remedy="Use the Gaussian kernel with one scale a feature, or rule='centre' on a grid.",
        )
