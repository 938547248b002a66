"""What it costs to bring an event to a smaller probability."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.core import validate
from surefoot.core.errors import InvalidInput
from surefoot.core.validate import FloatArray

CostOf = Callable[[float], float]
"""The cost of an event as a function of its probability; it falls as the probability rises."""
STEP = 1e-5


@dataclass(frozen=True, eq=False)
class Costs:
    """One cost an event: a number for each factor of ten below today's value, or a function of the probability."""

    today: FloatArray
    per_ten: FloatArray
    functions: Mapping[int, CostOf]

    @classmethod
    def read(cls, given: Mapping[str, float | CostOf] | None, names: Sequence[str], today: FloatArray) -> Costs:
        """Costs as the caller gave them; 1 for every event where none are given."""
        if given is None:
            return cls(today, np.ones(len(names)), {})
        missing, unknown = [n for n in names if n not in given], [n for n in given if n not in names]
        if missing or unknown:
            raise InvalidInput(
                "costs must be given for exactly the chosen events",
                where="allocate",
                found=f"missing {', '.join(missing) or 'none'}; not chosen {', '.join(unknown) or 'none'}",
            )
        functions = {i: cost for i, n in enumerate(names) if callable(cost := given[n])}
        numbers = [1.0 if i in functions else _positive(given[n], n) for i, n in enumerate(names)]
        return cls(today, np.array(numbers), functions)

    def each(self, x: FloatArray) -> FloatArray:
        """The cost of every event at the probabilities ``x``."""
        with np.errstate(divide="ignore", invalid="ignore"):
            costs = np.where(x == self.today, 0.0, self.per_ten * np.log10(self.today / x))
        for index, function in self.functions.items():
            costs[index] = _value(function, float(x[index]))
        return costs

    def total(self, x: FloatArray) -> float:
        """The cost of all."""
        return float(self.each(x).sum())

    def slope(self, logs: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
        """Derivatives in the logarithms of the probabilities; of functions by differences inside the limits."""
        slope = -self.per_ten / np.log(10)
        for index, function in self.functions.items():
            down, up = (float(np.clip(logs[index] + d, low[index], high[index])) for d in (-STEP, STEP))
            slope[index] = (_value(function, np.exp(up)) - _value(function, np.exp(down))) / (up - down)
        return slope

    def only(self, kept: NDArray[np.bool_]) -> Costs:
        """Those of some events."""
        places = np.flatnonzero(kept).tolist()
        functions = {new: self.functions[old] for new, old in enumerate(places) if old in self.functions}
        return Costs(self.today[kept], self.per_ten[kept], functions)


def _value(function: CostOf, probability: float) -> float:
    """What a function says; a cost beyond all numbers is infinite."""
    try:
        with np.errstate(over="ignore"):
            value = float(function(float(probability)))
    except OverflowError:
        return np.inf
    if np.isnan(value) or value == -np.inf:
        raise InvalidInput("a cost must be a number", where="allocate", found=f"{value} at {probability:g}")
    return value


def _positive(value: object, name: str) -> float:
    return validate.positive(value, where="allocate", name=f"cost of {name!r}")  # type: ignore[arg-type]
