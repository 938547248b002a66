"""Stacked predictions: several passes over the same inputs, or over one input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.metrics import Distance, kinds

Predictions = NDArray[Any] | Sequence[Any]


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
    listed = list(predictions)
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
    if not single and kinds.is_plain(one):
        remedy = "Give as many predictions in each pass as there are inputs."
        raise InvalidInput("a pass must be a list of predictions", where=where, found=repr(one)[:60], remedy=remedy)
    many = [one] if single else one
    return many if distance.by_row is None else distance.by_row.ready(_array(many, where))


def _array(predictions: Any, where: str) -> NDArray[Any]:
    try:
        return np.asarray(predictions)
    except ValueError as error:
        raise InvalidInput("predictions must have one shape", where=where, found=repr(predictions)[:60]) from error
