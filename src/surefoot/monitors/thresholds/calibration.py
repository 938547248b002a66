"""What a threshold is chosen on: exchangeable units, and what they are worth at each threshold on average."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.monitors.returns import Stakes, Sweep

Name = Literal["gains", "residuals", "costs"]
NAMES: tuple[Name, ...] = ("gains", "residuals", "costs")


class Figure(NamedTuple):
    """What a budget is about; ``rises`` says whether it should grow with the threshold, as alarms become fewer."""

    name: Name
    words: str
    rises: bool

    def order(self, size: int) -> NDArray[np.intp]:
        """Places of rising thresholds in the order in which the figure should grow: safest first."""
        return np.arange(size) if self.rises else np.arange(size)[::-1]


RESIDUAL = Figure("residuals", "residual hazard", rises=True)
COST = Figure("costs", "availability cost", rises=False)


@dataclass(frozen=True, eq=False)
class Curves:
    """Means over units at each of many thresholds."""

    thresholds: FloatArray
    gains: FloatArray
    residuals: FloatArray
    costs: FloatArray

    def of(self, name: Name) -> FloatArray:
        """One of the three figures."""
        return {"gains": self.gains, "residuals": self.residuals, "costs": self.costs}[name]


class Calibration(ABC):
    """Exchangeable units whose gain, residual hazard and cost are known at thresholds."""

    source: Stakes | Sweep

    @property
    def unit(self) -> str:
        """What one unit is called."""
        return self.source.unit

    def width(self, figure: Figure) -> float:
        """The most a unit can have of a figure."""
        return self.source.safety_width if figure is RESIDUAL else self.source.mission_width

    @property
    @abstractmethod
    def units(self) -> int:
        """How many units there are."""

    @abstractmethod
    def candidates(self) -> FloatArray:
        """Rising thresholds, one for each set of units that can be told apart."""

    @abstractmethod
    def curves(self, thresholds: FloatArray) -> Curves:
        """Means over units at these thresholds."""

    @abstractmethod
    def unit_values(self, threshold: float) -> Sweep:
        """What each unit is worth at one threshold."""

    @abstractmethod
    def steps(self, name: Name) -> tuple[float, float]:
        """The smallest and the largest change of a unit's figure from one threshold to the next higher one."""

    @abstractmethod
    def extremes(self, name: Name) -> tuple[float, float]:
        """The smallest and the largest figure a unit could have at some threshold."""

    @abstractmethod
    def two_valued(self, figure: Figure) -> bool:
        """Whether each unit's figure is 0 or the most it can be, at every threshold."""

    @abstractmethod
    def alarm_share(self, threshold: float) -> float | None:
        """Share of rows that raise an alarm; None where rows are not known."""

    @abstractmethod
    def lengths(self) -> tuple[int, int] | None:
        """Fewest and most rows of a unit; None where they are not known, or a row is a unit."""

    @abstractmethod
    def tied_share(self, thresholds: FloatArray) -> float | None:
        """Share of thresholds that are one of the scores to choose on; None where scores are not known or repeat."""

    @abstractmethod
    def part(self, chosen: NDArray[np.bool_]) -> Calibration:
        """Some of the units."""

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """What the choice depends on."""


def calibration(source: Stakes | Sweep, scores: ArrayLike | None, *, where: str) -> Calibration:
    """Units from stakes and scores of rows, or from a sweep over thresholds."""
    from surefoot.monitors.thresholds.from_rows import RowUnits
    from surefoot.monitors.thresholds.from_sweep import SweepUnits

    if isinstance(source, Stakes) and scores is not None:
        return RowUnits.of(source, scores, where=where)
    if isinstance(source, Sweep) and scores is None:
        return SweepUnits(source)
    given = f"{type(source).__name__} {'without' if scores is None else 'with'} scores"
    raise InvalidInput("needs Stakes with scores, or a Sweep alone", where=where, found=given)
