"""How uncertain answers are: how far those of several passes lie apart, and how flat class probabilities are.

Variation ratios take any answers and a distance between two of them (Eqns. (5) and (6) of paper SYS, Wang et al. 2022,
section 3.2); entropies and their like take class probabilities of one pass or of several.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy

from surefoot.adapters.answers import SUM_TOLERANCE
from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.metrics import Distance, as_distance, distances
from surefoot.metrics.distances import Pairwise

Predictions = NDArray[Any] | Sequence[Any]
INPUTS_CLASSES, PASSES_INPUTS_CLASSES = 2, 3
SHAPES = {INPUTS_CLASSES: "inputs x classes", PASSES_INPUTS_CLASSES: "passes x inputs x classes"}


# How far apart the answers of several passes lie.


def variation_ratio(
    predictions: Predictions, distance: str | Pairwise = "label", *, weights: ArrayLike | None = None
) -> Any:
    """Extended variation ratio: the mean distance of each pass to the others, for each input.

    Parameters
    ----------
    predictions
        Passes first and inputs second: an array, or a list of passes that are lists of predictions (text, boxes).
    distance
        A name or a function of two predictions; the values lie in [0, 1] where the distances do.
    weights
        One entry a pass, taken relative to its mean, so that passes that agree give 0.

    Returns
    -------
    numpy.ndarray or float
        One number an input, or one in all where each pass is one prediction.

    References
    ----------
    SYS Eqn. (5).

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.monitors.variation_ratio([["cat", "dog"], ["cat", "fox"], ["cat", "dog"]])
    array([0.        , 0.66666667])

    """
    where = "variation_ratio"
    stack = stacked(predictions, as_distance(distance), at_least=2, where=where)
    return stack.answer(_mean_distance(stack, _weights(weights, len(stack.passes))))


def variation_ratio_original(predictions: Predictions, original: Any, distance: str | Pairwise = "label") -> Any:
    """Extended variation ratio of the original prediction: the mean distance of the passes to it.

    Parameters
    ----------
    predictions
        As in ``variation_ratio``.
    original
        What the model answers without dropout or other changes.
    distance
        A name or a function of two predictions.

    Returns
    -------
    numpy.ndarray or float
        One number an input, or one in all where each pass is one prediction.

    References
    ----------
    SYS Eqn. (6).

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.monitors.variation_ratio_original([["cat", "dog"], ["cat", "fox"]], ["cat", "dog"])
    array([0. , 0.5])

    """
    stack = stacked(predictions, as_distance(distance), at_least=1, where="variation_ratio_original")
    return stack.answer(_total(stack, stack.original(original)) / len(stack.passes))


def mode_variation_ratio(labels: Predictions) -> Any:
    """1 - share of the passes that answer the most frequent label (Freeman 1965), for each input.

    Parameters
    ----------
    labels
        Passes first and inputs second.

    Returns
    -------
    numpy.ndarray or float
        One number an input, or one in all where each pass is one label.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.monitors.mode_variation_ratio([["cat", "dog"], ["cat", "fox"], ["cat", "dog"]]).round(2)
    array([0.  , 0.33])

    """
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


@dataclass(frozen=True, eq=False)
class Stack:
    """Passes of equal length, made ready for a distance, and how far apart two of them lie, input by input."""

    passes: Sequence[Predictions]
    distance: Distance
    single: bool
    """Whether each pass was one prediction rather than many."""

    def between(self, first: Predictions, second: Predictions) -> FloatArray:
        """The distance of two passes at each input."""
        if self.distance.by_row is not None:
            return self.distance.by_row.between(np.asarray(first), np.asarray(second))
        values = [self.distance(a, b) for a, b in zip(first, second, strict=True)]
        return validate.vector(values, where=self.distance.name, name="distances")

    def original(self, prediction: Any) -> Predictions:
        """The original predictions, one for each input."""
        if np.ma.is_masked(prediction):
            raise InvalidInput("the original must not be masked", where="original", found="masked entries")
        original = _as_pass(prediction, self.distance, self.single, "original")
        if len(original) != len(self.passes[0]):
            found = f"{len(original)} for {len(self.passes[0])} inputs"
            raise InvalidInput("original must have one prediction an input", where="original", found=found)
        return original

    def answer(self, values: FloatArray) -> Any:
        """One number where each pass was one prediction."""
        return float(values[0]) if self.single else values


def stacked(predictions: Predictions, distance: Distance, *, at_least: int, where: str) -> Stack:
    """Read passes: an array with passes first, or a list of passes."""
    if isinstance(predictions, str | bytes | Mapping | Set) or not np.iterable(predictions):
        problem, found = "predictions must be an array or a list of passes", repr(predictions)[:60]
        raise InvalidInput(problem, where=where, found=found, remedy="Put passes first and inputs second.")
    listed = list(predictions)
    if np.ma.is_masked(predictions) or any(map(np.ma.is_masked, listed)):
        remedy = "Leave out the inputs that have no answer."
        raise InvalidInput("predictions must not be masked", where=where, found="masked entries", remedy=remedy)
    if len(listed) < at_least:
        found, remedy = f"{len(listed)}", "Give one entry a pass: passes first, inputs second."
        raise InvalidInput(f"needs at least {at_least} passes", where=where, found=found, remedy=remedy)
    single = all(map(distance.is_one, listed))
    passes = [_as_pass(one, distance, single, where) for one in listed]
    lengths = sorted({len(one) for one in passes})
    if len(lengths) > 1 or not lengths[0]:
        found = f"passes of length {', '.join(map(str, lengths))}"
        raise InvalidInput("passes must be of one length, above 0", where=where, found=found)
    return Stack(passes, distance, single)


def _as_pass(one: Any, distance: Distance, single: bool, where: str) -> Predictions:
    if not single and distances.is_plain(one):
        remedy = "Give as many predictions in each pass as there are inputs."
        raise InvalidInput("a pass must be a list of predictions", where=where, found=repr(one)[:60], remedy=remedy)
    many = [one] if single else one
    return many if distance.by_row is None else distance.by_row.ready(_array(many, where))


def _array(predictions: Any, where: str) -> NDArray[Any]:
    try:
        return np.asarray(predictions)
    except ValueError as error:
        raise InvalidInput("predictions must have one shape", where=where, found=repr(predictions)[:60]) from error


# Measures of class probabilities, of one pass or of several; entropies are in nats.


def entropy(probabilities: ArrayLike) -> FloatArray:
    """Shannon entropy of each row, in nats.

    Parameters
    ----------
    probabilities
        Inputs x classes, rows of classes that sum to 1.

    Returns
    -------
    numpy.ndarray
        One number an input.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.monitors.entropy([[0.5, 0.5], [1.0, 0.0]]).round(2)
    array([0.69, 0.  ])

    """
    return _entropy(_checked(probabilities, INPUTS_CLASSES, "entropy"))


def deep_gini(probabilities: ArrayLike) -> FloatArray:
    """1 - sum of squared probabilities (Feng et al. 2020).

    Parameters
    ----------
    probabilities
        Inputs x classes, rows of classes that sum to 1.

    Returns
    -------
    numpy.ndarray
        One number an input.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.monitors.deep_gini([[0.5, 0.5], [1.0, 0.0]]).round(2)
    array([0.5, 0. ])

    """
    checked = _checked(probabilities, INPUTS_CLASSES, "deep_gini")
    return 1 - np.einsum("ij,ij->i", checked, checked)


def pcs(probabilities: ArrayLike) -> FloatArray:
    """1 - prediction confidence score (Zhang et al. 2020).

    The score is the difference of the two highest probabilities; it is taken from 1 so that higher is less certain.

    Parameters
    ----------
    probabilities
        Inputs x classes, rows of classes that sum to 1.

    Returns
    -------
    numpy.ndarray
        One number an input.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.monitors.pcs([[0.5, 0.5], [1.0, 0.0]]).round(2)
    array([1., 0.])

    """
    checked = _checked(probabilities, INPUTS_CLASSES, "pcs")
    if checked.shape[1] == 1:
        raise InvalidInput("needs at least 2 classes", where="pcs", found="1")
    highest = np.partition(checked, -2, axis=1)[:, -2:]
    return 1 - (highest[:, 1] - highest[:, 0])


def predictive_entropy(probabilities: ArrayLike) -> FloatArray:
    """Entropy of the mean over passes: the whole uncertainty (Gal 2016), in nats.

    Parameters
    ----------
    probabilities
        Passes x inputs x classes, rows of classes that sum to 1.

    Returns
    -------
    numpy.ndarray
        One number an input.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.monitors.predictive_entropy([[[0.5, 0.5]], [[1.0, 0.0]]]).round(2)
    array([0.56])

    """
    return _entropy(_checked(probabilities, PASSES_INPUTS_CLASSES, "predictive_entropy").mean(axis=0))


def expected_entropy(probabilities: ArrayLike) -> FloatArray:
    """Mean over passes of the entropy: the part that no knowledge of weights removes, in nats.

    Parameters
    ----------
    probabilities
        Passes x inputs x classes, rows of classes that sum to 1.

    Returns
    -------
    numpy.ndarray
        One number an input.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.monitors.expected_entropy([[[0.5, 0.5]], [[1.0, 0.0]]]).round(2)
    array([0.35])

    """
    return _expected(_checked(probabilities, PASSES_INPUTS_CLASSES, "expected_entropy"))


def mutual_information(probabilities: ArrayLike) -> FloatArray:
    """Predictive entropy - expected entropy: how far passes disagree, in nats.

    The mutual information of answer and weights (Houlsby et al. 2011; Gal 2016).

    Parameters
    ----------
    probabilities
        Passes x inputs x classes, rows of classes that sum to 1.

    Returns
    -------
    numpy.ndarray
        One number an input.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.monitors.mutual_information([[[0.5, 0.5]], [[1.0, 0.0]]]).round(2)
    array([0.22])

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
