"""How far apart the answers of several passes lie."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.metrics import as_distance
from surefoot.metrics.distances import Pairwise
from surefoot.monitors.uncertainty.stacks import Predictions, Stack, stacked


def variation_ratio(
    predictions: Predictions, distance: str | Pairwise = "label", *, weights: ArrayLike | None = None
) -> Any:
    """Extended variation ratio (SYS Eqn. (5)): the mean distance of each pass to the others, for each input.

    ``predictions`` holds passes first and inputs second: an array, or a list of passes that are lists of predictions
    (text, boxes). Where each pass is one prediction, the answer is one number. ``weights`` has one entry a pass and is
    taken relative to its mean, so that passes that agree give 0. ``distance`` is a name or a function of two
    predictions; the values lie in [0, 1] where the distances do.
    """
    where = "variation_ratio"
    stack = stacked(predictions, as_distance(distance), at_least=2, where=where)
    return stack.answer(_mean_distance(stack, _weights(weights, len(stack.passes))))


def variation_ratio_original(predictions: Predictions, original: Any, distance: str | Pairwise = "label") -> Any:
    """Extended variation ratio of the original prediction (SYS Eqn. (6)): the mean distance of the passes to it.

    ``original`` is what the model answers without dropout or other changes; the rest as in ``variation_ratio``.
    """
    stack = stacked(predictions, as_distance(distance), at_least=1, where="variation_ratio_original")
    return stack.answer(_total(stack, stack.original(original)) / len(stack.passes))


def mode_variation_ratio(labels: Predictions) -> Any:
    """1 - share of the passes that answer the most frequent label (Freeman 1965), for each input."""
    stack = stacked(labels, as_distance("label"), at_least=1, where="mode_variation_ratio")
    differing = [_total(stack, one) for one in stack.passes]
    return stack.answer(np.min(differing, axis=0) / len(stack.passes))


def _mean_distance(stack: Stack, weights: FloatArray) -> FloatArray:
    passes, symmetric = stack.passes, stack.distance.symmetric
    total = np.zeros(len(passes[0]))
    for i, j in (combinations if symmetric else permutations)(range(len(passes)), 2):
        weight = weights[i] + weights[j] if symmetric else weights[i]
        total += weight * stack.between(passes[i], passes[j])
    return total / (len(passes) * (len(passes) - 1))


def _total(stack: Stack, reference: Predictions) -> FloatArray:
    """The sum of the distances of all passes to one."""
    total = np.zeros(len(reference))
    for one in stack.passes:
        total += stack.between(one, reference)
    return total


def _weights(weights: ArrayLike | None, passes: int) -> FloatArray:
    """Weights whose mean is 1."""
    if weights is None:
        return np.ones(passes)
    given = validate.vector(weights, where="variation_ratio", name="weights")
    if len(given) != passes or (given < 0).any() or not given.any():
        found = f"{np.array2string(given[:8], precision=4)} for {passes} passes"
        problem = "weights must be one number a pass, none negative and not all 0"
        raise InvalidInput(problem, where="variation_ratio", found=found)
    relative = given / given.max()
    return relative / relative.mean()
