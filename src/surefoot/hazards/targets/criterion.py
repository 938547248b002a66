"""Criteria for societal risk: how often so many deaths or more may happen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from surefoot.core import Target, validate
from surefoot.hazards.targets.individual import R2P2

R2P2_DEATHS, R2P2_FREQUENCY = 50, 1 / 5000
"""An accident with 50 deaths or more is intolerable above 1 in 5,000 per year (HSE (2001), paragraph 136)."""


@dataclass(frozen=True)
class Criterion:
    """``deaths`` or more at most ``frequency`` times a year, and a line through that point with a ``slope``.

    The slope is that of log frequency against log number: -1 allows ten times the deaths a tenth as often. Without
    a slope the point stands alone.

    >>> Criterion.hse().at(500)
    2e-05
    """

    deaths: int
    frequency: float
    slope: float | None = -1.0
    name: str = "criterion"
    source: str = ""

    def __post_init__(self) -> None:
        where = f"criterion {self.name!r}"
        object.__setattr__(self, "deaths", validate.count(self.deaths, where=where, name="deaths", at_least=1))
        object.__setattr__(self, "frequency", validate.positive(self.frequency, where=where, name="frequency"))
        if self.slope is not None:
            slope = validate.number(self.slope, where=where, name="slope")
            object.__setattr__(self, "slope", -validate.positive(-slope, where=where, name="minus the slope"))

    @classmethod
    def hse(cls, *, slope: float | None = -1.0) -> Criterion:
        """The intolerable point of HSE (2001) for one major industrial activity, by default extended by a line.

        The source states the point alone; a slope of -1 through it is a common extension, not part of it.
        """
        extended = "" if slope is None else f"; slope {slope:g} is an extension that the source does not state"
        return cls(R2P2_DEATHS, R2P2_FREQUENCY, slope, "HSE intolerable", f"{R2P2}, paragraph 136{extended}")

    def at(self, deaths: float) -> float:
        """The highest frequency per year of ``deaths`` or more."""
        return self.frequency * (deaths / self.deaths) ** (self.slope or 0.0)

    def target(self, deaths: int, *, level: float = 0.95) -> Target:
        """The frequency of ``deaths`` or more per year as a target."""
        return Target(at_most=self.at(deaths), level=level, per="year", source=self.source or self.name)

    def checked_at(self, steps: Sequence[int]) -> tuple[int, ...]:
        """The numbers of deaths at which a curve with these steps comes closest to the criterion."""
        return (self.deaths,) if self.slope is None else tuple(steps)
