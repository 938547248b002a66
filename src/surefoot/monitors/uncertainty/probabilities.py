"""Uncertainty in class probabilities: of one pass (inputs x classes) or of several (passes x inputs x classes).

Entropies are in nats.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from surefoot.adapters.outputs import SUM_TOLERANCE
from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray

INPUTS_CLASSES, PASSES_INPUTS_CLASSES = 2, 3
SHAPES = {INPUTS_CLASSES: "inputs x classes", PASSES_INPUTS_CLASSES: "passes x inputs x classes"}


def entropy(probabilities: ArrayLike) -> FloatArray:
    """Shannon entropy of each row of inputs x classes."""
    return _entropy(_checked(probabilities, INPUTS_CLASSES, "entropy"))


def deep_gini(probabilities: ArrayLike) -> FloatArray:
    """1 - sum of squared probabilities (Feng et al. 2020), of inputs x classes."""
    checked = _checked(probabilities, INPUTS_CLASSES, "deep_gini")
    return 1 - np.einsum("ij,ij->i", checked, checked)


def pcs(probabilities: ArrayLike) -> FloatArray:
    """1 - prediction confidence score (Zhang et al. 2020), of inputs x classes.

    The score is the difference of the two highest probabilities; it is taken from 1 so that higher is less certain.
    """
    checked = _checked(probabilities, INPUTS_CLASSES, "pcs")
    if checked.shape[1] == 1:
        raise InvalidInput("needs at least 2 classes", where="pcs", found="1")
    highest = np.partition(checked, -2, axis=1)[:, -2:]
    return 1 - (highest[:, 1] - highest[:, 0])


def predictive_entropy(probabilities: ArrayLike) -> FloatArray:
    """Entropy of the mean over passes, of passes x inputs x classes: the whole uncertainty (Gal 2016)."""
    return _entropy(_checked(probabilities, PASSES_INPUTS_CLASSES, "predictive_entropy").mean(axis=0))


def expected_entropy(probabilities: ArrayLike) -> FloatArray:
    """Mean over passes of the entropy, of passes x inputs x classes: the part that no knowledge of weights removes."""
    return _expected(_checked(probabilities, PASSES_INPUTS_CLASSES, "expected_entropy"))


def mutual_information(probabilities: ArrayLike) -> FloatArray:
    """Predictive entropy - expected entropy, of passes x inputs x classes: how far passes disagree.

    The mutual information of answer and weights (Houlsby et al. 2011; Gal 2016).
    """
    checked = _checked(probabilities, PASSES_INPUTS_CLASSES, "mutual_information")
    return np.maximum(_entropy(checked.mean(axis=0)) - _expected(checked), 0.0)


def _expected(checked: FloatArray) -> FloatArray:
    total = np.zeros(checked.shape[1])
    for one in checked:
        total += _entropy(one)
    return total / len(checked)


def _entropy(checked: FloatArray) -> FloatArray:
    return np.maximum(-xlogy(checked, checked).sum(axis=-1), 0.0)


def _checked(probabilities: ArrayLike, axes: int, where: str) -> FloatArray:
    """Rows that sum to 1: exactly, where they did but for rounding."""
    values = validate.numbers(probabilities, where=where, name="probabilities")
    if values.ndim != axes or 0 in values.shape:
        problem = f"probabilities must have {axes} axes, {SHAPES[axes]}, none empty"
        raise InvalidInput(problem, where=where, found=f"shape {values.shape}")
    with np.errstate(over="ignore"):
        sums = values.sum(axis=-1, keepdims=True)
    bad = (values < 0).any(axis=-1) | (np.abs(sums[..., 0] - 1) > SUM_TOLERANCE)
    if bad.any():
        first = values[tuple(np.argwhere(bad)[0])][:8]
        found = f"{np.array2string(first, precision=4)} ({int(bad.sum())} such rows in all)"
        remedy = "They lie in [0, 1] and sum to 1; take the softmax of logits."
        raise InvalidInput("rows must be probabilities", where=where, found=found, remedy=remedy)
    return values / sums
