"""Covariances that can be inverted: shrunk as far as the rows cannot tell them."""

from __future__ import annotations

import numpy as np

from surefoot.core.validate import FloatArray


def centre_of(rows: FloatArray) -> FloatArray:
    """The mean of the rows, without rounding where a feature is constant."""
    return np.asarray(rows[0] + (rows - rows[0]).mean(axis=0))


def covariance_of(centred: FloatArray) -> FloatArray:
    """The covariance of rows around 0."""
    return np.asarray(centred.T @ centred / len(centred))


def sphere_like(covariance: FloatArray) -> FloatArray:
    """The same variance in all directions, of the same sum."""
    features = len(covariance)
    return np.eye(features) * (np.trace(covariance) / features)


def weight_of(target: FloatArray, covariance: FloatArray, centred: FloatArray) -> float:
    """The weight of a target beside a covariance that brings their mean nearest to the truth, as far as rows can tell.

    Ledoit and Wolf (2004), "A well-conditioned estimator for large-dimensional covariance matrices": the squared error
    of the covariance over its squared distance from the target, which there is ``sphere_like``.
    """
    distance = float(((covariance - target) ** 2).sum())
    fourth = float((np.einsum("ij,ij->i", centred, centred) ** 2).mean())
    error = max((fourth - float((covariance**2).sum())) / len(centred), 0.0)
    return min(error / distance, 1.0) if distance > 0 else 0.0


def mixed(covariance: FloatArray, target: FloatArray, weight: float) -> FloatArray:
    """The mean of two covariances, the target with this weight."""
    return np.asarray((1 - weight) * covariance + weight * target)


def shrunk(centred: FloatArray, shrinkage: float | None = None) -> FloatArray:
    """A covariance shrunk towards a sphere, by a stated weight or by that of Ledoit and Wolf."""
    covariance = covariance_of(centred)
    target = sphere_like(covariance)
    return mixed(covariance, target, weight_of(target, covariance, centred) if shrinkage is None else shrinkage)


def shrunk_class(centred: FloatArray, pooled: FloatArray, shrinkage: float | None = None) -> FloatArray:
    """The covariance of one class shrunk towards that of all classes.

    The pooled covariance has at least the weight of one row, unless a weight is stated and the class has more rows
    than features: a class of one row has the pooled covariance, and none is singular where that is not.
    """
    covariance = covariance_of(centred)
    weight = weight_of(pooled, covariance, centred) if shrinkage is None else shrinkage
    rows, features = centred.shape
    if shrinkage is None or rows <= features:
        weight = max(weight, 1 / rows)
    return mixed(covariance, pooled, weight)
