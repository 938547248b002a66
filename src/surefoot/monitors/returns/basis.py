"""What rows of returns stand for: which of them belong together, what they weigh, and how large a return can be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray

WHERE = "returns"
Range = tuple[float, float]
Function = Callable[..., Any]
"""A return function: of predictions, alarms, truths and context, each with a row an input, a number for each row."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Basis:
    """What all rows share.

    ``units`` says which rows belong together, such as the frames of an episode: units are drawn independently, rows
    within one are not. ``weights`` says how often a row stands for operation (an operational profile), in any unit.
    Ranges hold every return that can occur, not only those seen.
    """

    units: NDArray[Any] | None = None
    weights: FloatArray | None = None
    unit: str = "input"
    """What one independent trial is called."""
    safety_range: Range = (0.0, 1.0)
    mission_range: Range = (0.0, 1.0)
    name: str = ""
    """What an alarm should detect, in a word or two."""
    two_valued: bool = False
    """Whether, by definition, every return is at an end of its range and an alarm never lowers safety."""

    def basis(self) -> dict[str, Any]:
        """The words of this class, to hand on."""
        return {field.name: getattr(self, field.name) for field in fields(Basis)}

    @cached_property
    def unit_numbers(self) -> NDArray[np.int64]:
        """The number of each row's unit."""
        if self.units is None:
            return np.arange(self.rows, dtype=np.int64)
        return np.unique(self.units, return_inverse=True)[1].astype(np.int64)

    @property
    def unit_count(self) -> int:
        """How many independent units there are."""
        return int(self.unit_numbers.max()) + 1

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.safety_ideal)  # type: ignore[attr-defined]

    @property
    def safety_width(self) -> float:
        """How far safety returns can lie apart: what a gain is at most."""
        return self.safety_range[1] - self.safety_range[0]

    @property
    def mission_width(self) -> float:
        """How far mission returns can lie apart."""
        return self.mission_range[1] - self.mission_range[0]

    def check(self, **kinds: str) -> None:
        """Check the arrays named, each ``safety`` or ``mission``, and what all rows share."""
        for end in ("safety_range", "mission_range"):
            object.__setattr__(self, end, _range(getattr(self, end), end))
        for name, kind in kinds.items():
            values = validate.vector(getattr(self, name), where=WHERE, name=name)
            _require_inside(values, getattr(self, f"{kind}_range"), name, kind)
            object.__setattr__(self, name, values)
        validate.same_length(WHERE, **{name: getattr(self, name) for name in kinds})
        self._check_rows()

    def _check_rows(self) -> None:
        if self.units is not None:
            units = np.asarray(self.units)
            if units.shape != (self.rows,) or units.dtype.kind not in "biuUS":
                found = f"{units.dtype} of shape {units.shape} for {self.rows} rows"
                raise InvalidInput("units must name one unit a row, by number or text", where=WHERE, found=found)
            object.__setattr__(self, "units", units)
        if self.weights is not None:
            weights = validate.vector(self.weights, where=WHERE, name="weights")
            if weights.size != self.rows or (weights < 0).any() or not weights.sum() > 0:
                found = f"{weights.size} weights for {self.rows} rows, smallest {weights.min():g}"
                raise InvalidInput("weights must be at least 0, one a row, not all 0", where=WHERE, found=found)
            object.__setattr__(self, "weights", weights)

    def chosen(self, index: Any) -> Self:
        """Some of the rows."""
        return type(self)(**{f.name: _taken(getattr(self, f.name), index, self.rows) for f in fields(self)})


def _taken(value: Any, index: Any, rows: int) -> Any:
    return value[index] if isinstance(value, np.ndarray) and len(value) == rows else value


def _range(value: Any, name: str) -> Range:
    ends = validate.vector(value, where=WHERE, name=name, at_least=2)
    if ends.size != 2 or not ends[0] < ends[1]:
        raise InvalidInput(f"{name} must be its smallest and its largest return", where=WHERE, found=repr(value))
    return float(ends[0]), float(ends[1])


def _require_inside(values: FloatArray, range: Range, name: str, kind: str) -> None:
    outside = np.flatnonzero((values < range[0]) | (values > range[1]))
    if outside.size:
        at = int(outside[0])
        raise InvalidInput(
            f"{name} must lie in the stated range {range[0]:g} to {range[1]:g}",
            where=WHERE,
            found=f"{values[at]:g} in row {at} ({outside.size} such in all)",
            remedy=f"State {kind}_range as it can be, not as it was seen, or mend the return function.",
        )
