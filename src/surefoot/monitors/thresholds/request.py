"""What a caller asks of a threshold, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from surefoot.core import InvalidInput, validate
from surefoot.monitors.thresholds.calibration import Calibration, Figure
from surefoot.monitors.thresholds.families import Search, checked

Mode = Literal["sample", "expectation", "probability"]
MODES: tuple[Mode, ...] = ("sample", "expectation", "probability")
ROUNDING = 1e-9
Prefer = Literal["availability", "safety"]
PREFERENCES: tuple[Prefer, ...] = ("availability", "safety")


@dataclass(frozen=True)
class Request:
    """A budget of a figure, and how it is to be kept."""

    where: str
    figure: Figure
    budget: float
    mode: Mode
    delta: float = 0.1
    search: Search = "sequence"
    starts: int = 1
    prefer: Prefer | None = None

    def check(self, calibration: Calibration, thresholds: int) -> None:
        """Refuse words and numbers that mean nothing for these units."""
        validate.choice(self.mode, MODES, where=self.where, name="mode")
        validate.fraction(self.delta, where=self.where, name="delta")
        checked(self.search, self.starts, thresholds, where=self.where)
        if self.prefer is not None:
            validate.choice(self.prefer, PREFERENCES, where=self.where, name="prefer")
        self._check_budget(calibration.width(self.figure))
        if self.mode != "sample":
            self._check_range(calibration)

    def _check_budget(self, width: float) -> None:
        budget = validate.number(self.budget, where=self.where, name="budget")
        if self.mode == "sample" and 0 <= budget <= width:
            return
        if self.mode != "sample" and 0 < budget < width:
            return
        ends = "from 0 to" if self.mode == "sample" else "above 0 and below"
        none = "No sample shows that nothing is left" if budget <= 0 else "Every threshold keeps such a budget"
        raise InvalidInput(
            f"the budget must lie {ends} the most {self.figure.words} there can be, {width:g}",
            where=self.where,
            found=f"{budget:g}",
            remedy=f"{none}. A budget is in the unit of the returns, whose range is stated with them.",
        )

    def _check_range(self, calibration: Calibration) -> None:
        """Returns of stakes are checked when these are made; a sweep may hold anything."""
        low, high = calibration.extremes(self.figure.name)
        width = calibration.width(self.figure)
        if max(-low, high) > width * (1 + ROUNDING):
            raise InvalidInput(
                f"each {self.figure.words} must lie in the stated range, {-width:g} to {width:g}",
                where=self.where,
                found=f"{low:g} to {high:g}",
                remedy="State the range as it can be, not as it was seen.",
            )

    @property
    def asked(self) -> dict[str, Any]:
        """For the record."""
        asked: dict[str, Any] = {"budget": float(self.budget), "of": self.figure.words, "mode": self.mode}
        if self.mode == "probability":
            asked |= {"delta": float(self.delta), "search": self.search, "starts": int(self.starts)}
            asked |= {"prefer": self.prefer} if self.prefer else {}
        return asked


@dataclass(frozen=True)
class Found:
    """Where a threshold was found among the candidates, and how."""

    place: int
    method: str
    details: Mapping[str, Any] = field(default_factory=dict)
