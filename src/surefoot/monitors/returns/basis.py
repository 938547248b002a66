"""``Basis``: what rows of returns stand for: which belong together, what they weigh, how large a return can be."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from surefoot.core import InvalidInput, validate
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.validate import FloatArray
from surefoot.monitors.returns.sampled import Sampled

WHERE = "returns"
Range = tuple[float, float]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Basis(Sampled):
    """What all rows share; ranges hold every return that can occur, not only those seen."""

    unit: str = "input"
    """What one independent trial is called."""
    safety_range: Range = (0.0, 1.0)
    mission_range: Range = (0.0, 1.0)
    name: str = ""
    """What an alarm should detect, in a word or two."""
    two_valued: bool = False
    """Whether, by definition, every return is at an end of its range and an alarm never lowers safety."""

    def __repr__(self) -> str:
        what = f", {self.name}" if self.name else ""
        return f"{type(self).__name__}({self.rows:,} rows, {self.unit_count:,} independent{what})"

    def basis(self) -> dict[str, Any]:
        """The words of this class, to hand on."""
        return {field.name: getattr(self, field.name) for field in fields(Basis)}

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
        self.check_sample(WHERE)

    def chosen(self, index: Any) -> Self:
        """Some of the rows."""
        return type(self)(**{f.name: _taken(getattr(self, f.name), index, self.rows) for f in fields(self)})


def per(unit: str) -> str:
    """The unit of a figure that is a mean over such trials."""
    return PER_DEMAND if unit == "input" else f"per {unit}"


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
