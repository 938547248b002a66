"""What every bound shares: its registry, what it states beside its limits, what it is given, and the ways out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import (
    Assumption,
    Beta,
    BoundFamily,
    Diagnostic,
    Distribution,
    Estimate,
    InvalidInput,
    Provenance,
    QuantileBound,
    validate,
)
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.registry import Registry

bound: Registry[Callable[..., Estimate]] = Registry("bound", "surefoot.bounds", facts=("step",))
"""Registers a function that bounds something; ``step`` is the step that offers it as a method.

``step="binomial_bound"``: of ``(failures, trials, *, level, scope)``; ``step="loss_bound"``: of ``(losses, *, level,
quantity, scope)``, with ``seed`` where it takes one.
"""


# What a bound assumes.

INDEPENDENT = Assumption("independent-trials", "Trials are independent and each fails with the same probability.")
INDEPENDENT_LOSSES = Assumption("independent-losses", "Losses are independent and follow one distribution.")
SAME_MEAN = Assumption("same-mean", "Losses are independent, or at least each has the same mean given those before it.")
REPRESENTATIVE = Assumption("operational-profile", "The test data follow the operational profile.")
FIXED_SIZE = Assumption("fixed-size", "The number of trials was fixed before their outcomes were seen.")
ORDER_FIRST = Assumption(
    "order-before-outcomes",
    "The order of the trials, or the seed that shuffles them, was chosen before their outcomes.",
)
FAILURE_PROBABILITY = "failure probability"
EXPECTED_LOSS = "expected loss"


@dataclass(frozen=True)
class About:
    """What an estimate is about, in the caller's words."""

    quantity: str
    unit: str = PER_DEMAND
    scope: str = ""


def state(
    about: About,
    value: float,
    bounds: Iterable[BoundFamily],
    *,
    provenance: Provenance,
    assumptions: Iterable[Assumption],
    dist: Distribution | None = None,
    caveats: Iterable[Diagnostic] = (),
    details: Mapping[str, Any],
) -> Estimate:
    """An estimate whose assumptions carry its scope."""
    return Estimate(
        about.quantity,
        value,
        about.unit,
        about.scope,
        tuple(bounds),
        dist,
        tuple(replace(assumption, scope=about.scope) for assumption in assumptions),
        tuple(caveats),
        details,
        provenance,
    )


def approximate(method: str, remedy: str) -> Diagnostic:
    """The caveat of every method whose coverage can fall below its level."""
    return Diagnostic("approximate-coverage", f"{method} reaches its level only approximately.", hint=remedy)


# What goes in: failures out of trials, and labels or rows as arrays.

MOST_TRIALS = 10**15


@dataclass(frozen=True)
class Counts:
    """Failures out of trials.

    Parameters
    ----------
    failures, trials
        What was counted; ``Counts.checked`` refuses counts that cannot be.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.bounds.Counts(1, 200).share
    0.005

    """

    failures: int
    trials: int

    @classmethod
    def checked(cls, failures: object, trials: object, *, where: str) -> Counts:
        """Whole numbers with 0 <= failures <= trials and at least one trial, at most ``MOST_TRIALS``."""
        n = validate.count(trials, where=where, name="trials", at_least=1)
        if n > MOST_TRIALS:
            raise InvalidInput(
                f"more than {MOST_TRIALS:g} trials",
                where=where,
                found=f"about 1e{math.log10(n):.0f}",
                remedy="Check the count: limits this close to 0 have no meaning.",
            )
        k = validate.count(failures, where=where, name="failures")
        if k > n:
            raise InvalidInput("there are more failures than trials", where=where, found=f"{k} of {n}")
        return cls(k, n)

    @property
    def share(self) -> float:
        """Observed share of failures."""
        return self.failures / self.trials

    def exact_bounds(self) -> tuple[BoundFamily, BoundFamily]:
        """Clopper and Pearson (1934): the proportions that a one-sided binomial test does not reject."""
        k, n = self.failures, self.trials
        upper, lower = Beta(k + 1, n - k), Beta(k, n - k + 1)
        return QuantileBound(upper, "upper", "confidence"), QuantileBound(lower, "lower", "confidence")


PLAIN_KINDS = "biufUSMm"
PLAIN_REMEDY = "Convert all entries to text, or all to numbers, and replace missing ones."


def plain_array(values: ArrayLike, *, where: str, name: str) -> NDArray[Any]:
    """A filled array of numbers, of dates or of text, also from lists and arrays of objects.

    NumPy turns a mixture such as ``[1, "1"]`` into text, in which the two are equal; a mixture is refused instead.
    """
    if np.ma.is_masked(values):
        raise InvalidInput(f"{name} must not be masked", where=where, remedy=PLAIN_REMEDY)
    try:
        array = np.asarray(values)
        if array.dtype.kind in "US" and not hasattr(values, "dtype"):
            array = np.asarray(values, dtype=object)
    except ValueError as error:
        raise InvalidInput(f"{name} must have one shape", where=where, found="rows of several lengths") from error
    if array.ndim == 0 or array.size == 0:
        raise InvalidInput(f"{name} must be a non-empty array", where=where, found=f"shape {array.shape}")
    plain = _unmixed(array, where, name) if array.dtype.hasobject else array
    if plain.dtype.kind not in PLAIN_KINDS:
        raise InvalidInput(f"{name} must be numbers or text", where=where, found=f"{array.dtype}", remedy=PLAIN_REMEDY)
    return plain


def _unmixed(array: NDArray[Any], where: str, name: str) -> NDArray[Any]:
    sorts = _sorts(array.flat)
    if len(sorts) > 1 or not sorts <= {"text", "truth values", "whole numbers", "numbers"}:
        found = ", ".join(sorted(sorts))
        raise InvalidInput(f"{name} must be all numbers or all text", where=where, found=found, remedy=PLAIN_REMEDY)
    plain = np.array(array.tolist())
    if sorts == {"whole numbers"} and plain.dtype.kind not in "iu":
        raise InvalidInput(f"{name} has whole numbers beyond 64 bits", where=where, remedy="Convert them to text.")
    return plain


def _sorts(items: Iterable[Any]) -> set[str]:
    """What the entries are; whole numbers among others count as numbers."""
    sorts = {_sort(kind) for kind in set(map(type, items))}
    return sorts - {"whole numbers"} if "numbers" in sorts else sorts


def _sort(kind: type) -> str:
    if issubclass(kind, str):
        return "text"
    if issubclass(kind, bool | np.bool_):
        return "truth values"
    if issubclass(kind, Integral):
        return "whole numbers"
    return "numbers" if issubclass(kind, Real) else kind.__name__


# The way out for each assumption that data can contradict.

COPIES = "Remove the copies, or name what rows share as groups."
GROUPS = (
    "Bound the risk of a row by groups: use with max_group_size, "
    "or take a group for one trial by groups: trial (step binomial_bound)."
)
BURSTS = (
    "Say rows: sequence of the data set, with block: for how many rows a burst can last, so that binomial_bound and "
    "loss_bound allow for it, or name what rows share as groups."
)
SEQUENCE = "Bound the failures of a sequence by binomial_bound or loss_bound, which allow for bursts."
LONGER_BLOCKS = "State a longer block: bursts last longer than this one."
OUTSIDE = "Remove or justify the rows outside, or widen the condition and its argument."
OTHERWISE = "Change the data, or use a bound that does not need it."
BY_ID = {
    "estimates-agree": "Find out which of the estimates rests on something that does not hold.",
    "uniform-inside": "Sign the tests that were counted: balls do not speak of these inputs.",
    "variation-as-in-operation": "Sign the tests that were counted: operation does not vary its inputs so.",
    "single-label-balls": "Use a radius below half the smallest distance between inputs of different classes.",
    "frame-represents-operation": (
        "Take the rows from operation, or weigh them by how often their like comes there (weights: ratio)."
    ),
    "distant-rows-independent": LONGER_BLOCKS,
    "normal-mean": "Look into more balls, or use equal weights, whose limit does not need it.",
    "normal-margins": "Use a bound that does not need it: clopper_pearson (step binomial_bound).",
    "identical-distribution": (
        "Find out what changed, test its sides as data sets of their own (or by: an attribute in binomial_bound), or "
        "sample anew by the operational profile. Shuffling the rows is no remedy."
    ),
}


def remedy(assumption: Assumption) -> str:
    """What to do when the data contradict an assumption, by what its check found."""
    figures = assumption.check.figures if assumption.check else {}
    if assumption.id in BY_ID:
        return BY_ID[assumption.id]
    if any(str(name).startswith("outside ") for name in figures):
        return OUTSIDE
    if "sequence" in figures:
        return SEQUENCE
    if "inflation" in figures:
        return BURSTS
    return GROUPS if "groups" in figures else COPIES if "copies" in figures else OTHERWISE
