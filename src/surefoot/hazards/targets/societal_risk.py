"""Societal risk: how often so many deaths or more happen, the F-N curve, and criteria it has to keep to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from surefoot.core import Estimate, InvalidInput, LevelUnavailable, Side, Table, Target, Verdict, propagate, validate
from surefoot.core.target import Status
from surefoot.core.validate import FloatArray
from surefoot.documents import percent, visible
from surefoot.drawing import BLUE, COLOURS, GREY, new_axes, open_frame
from surefoot.hazards.targets.practicability import R2P2

if TYPE_CHECKING:
    from matplotlib.axes import Axes

R2P2_DEATHS, R2P2_FREQUENCY = 50, 1 / 5000
"""An accident with 50 deaths or more is intolerable above 1 in 5,000 per year (HSE (2001), paragraph 136)."""
SIZE = (6.4, 4.4)
LEFT = 0.8
"""A single death has a place on the axis only if the axis begins before it."""
ROOM = 10.0
"""Space above and below, as a factor."""
LINES = ("--", ":", "-.")
CRITERION_COLOURS = (COLOURS[1], *COLOURS[3:])
COLUMNS = ("deaths or more", "frequency per year", "at least", "at most")
CRITERION_COLUMNS = ("criterion", "allowed per year", "verdict")


@dataclass(frozen=True)
class SocietalRisk:
    """All accidents of a system, and the F-N curve that follows from them.

    Parameters
    ----------
    accidents
        With names that differ.
    level
        Of limits and verdicts.
    mix
        That of ``propagate``.

    Examples
    --------
    >>> risk = SocietalRisk.of([("collision", 2e-5, 3), ("derailment", 1e-6, 40)])
    >>> round(risk.expected_deaths.value, 9)
    0.0001
    >>> risk.frequency(10).value
    1e-06

    """

    accidents: tuple[Accident, ...] = ()
    level: float = 0.95
    mix: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "accidents", tuple(self.accidents))
        object.__setattr__(self, "level", validate.level(self.level, where="SocietalRisk"))
        names = [accident.name for accident in self.accidents]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise InvalidInput("two accidents have the same name", where="SocietalRisk", found=repr(twice))

    @classmethod
    def of(
        cls, accidents: Iterable[tuple[str, float | Estimate, int]], *, level: float = 0.95, mix: bool = False
    ) -> SocietalRisk:
        """From names, frequencies per year and numbers of deaths."""
        return cls(tuple(Accident.of(*accident) for accident in accidents), level, mix)

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """The numbers of deaths that occur, in rising order; between them the curve is flat."""
        return tuple(sorted({accident.deaths for accident in self.accidents}))

    def frequency(self, deaths: int) -> Estimate:
        """F(N): how often per year ``deaths`` or more people die at a time."""
        at_least = validate.count(deaths, where="SocietalRisk", name="deaths", at_least=1)
        return self._curve.get(at_least) or self._frequency(at_least)

    def _frequency(self, deaths: int) -> Estimate:
        weights = {accident: 1.0 for accident in self.accidents if accident.deaths >= deaths}
        return self._total(weights, "frequency", f"{deaths} deaths or more")

    @cached_property
    def expected_deaths(self) -> Estimate:
        """Expected number of deaths per year, also called potential loss of life."""
        return self._total({accident: accident.deaths for accident in self.accidents}, "expected deaths", "")

    @cached_property
    def _curve(self) -> dict[int, Estimate]:
        return {deaths: self._frequency(deaths) for deaths in self.steps}

    def _total(self, weights: Mapping[Accident, float], quantity: str, scope: str) -> Estimate:
        if not weights:
            return Estimate.known(quantity, 0.0, unit="per year", scope=scope, source="no such accident is stated")
        shares = tuple(weights.values())
        inputs = {f"accident_{index}": accident.frequency for index, accident in enumerate(weights)}

        def total(**frequencies: FloatArray) -> FloatArray:
            return np.tensordot(shares, list(frequencies.values()), 1)

        rising = dict.fromkeys(inputs, 1)
        return propagate(
            total, inputs, quantity=quantity, scope=scope, direction=rising, level=self.level, mix=self.mix
        )

    def verdicts(self, criterion: Criterion, *, level: float | None = None) -> dict[int, Verdict]:
        """Whether the criterion is met at each number of deaths where the curve comes closest to it."""
        asked = self.level if level is None else level
        return {
            deaths: self.frequency(deaths).as_if_answered.meets(criterion.target(deaths, level=asked))
            for deaths in criterion.checked_at(self.steps)
        }

    def status(self, criterion: Criterion, *, level: float | None = None) -> Status:
        """``met``, ``violated`` or ``not shown`` for the whole curve, with one probability of error in all.

        Met where every step is: a curve above the line at some step is passed only if the bound of that step misses.
        For violated, one step is enough, so each gets its share of the miss probability.
        """
        asked = validate.level(self.level if level is None else level, where="SocietalRisk")
        if all(self.verdicts(criterion, level=asked).values()):
            return "met"
        shared = 1 - (1 - asked) / max(len(criterion.checked_at(self.steps)), 1)
        one_by_one = self.verdicts(criterion, level=shared).values()
        return "violated" if any(verdict.status == "violated" for verdict in one_by_one) else "not shown"

    def table(self, *criteria: Criterion) -> Table:
        """The curve with its limits at the level and, for each criterion, what is allowed and whether it is met."""
        columns = COLUMNS + CRITERION_COLUMNS if criteria else COLUMNS
        return Table(columns, tuple(self._rows(criteria)))

    def _rows(self, criteria: tuple[Criterion, ...]) -> Iterator[tuple[object, ...]]:
        if not criteria:
            yield from (self._figures(n) for n in self.steps)
        for criterion in criteria:
            for n, verdict in self.verdicts(criterion).items():
                yield (*self._figures(n), criterion.name, criterion.at(n), verdict.status)

    def _figures(self, deaths: int) -> tuple[object, ...]:
        return deaths, self.frequency(deaths).value, self.limit(deaths, "lower"), self.limit(deaths, "upper")

    def limit(self, deaths: int, side: Side) -> float | None:
        """The bound of F(N) at the level, or None where it has none."""
        try:
            return self.frequency(deaths).bound(side, self.level).limit
        except LevelUnavailable:
            return None

    def plot(self, *criteria: Criterion, axes: Axes | None = None) -> Axes:
        """The F-N curve with its limits and the criteria."""
        return draw_curve(self, criteria, axes)


@dataclass(frozen=True)
class Accident:
    """One way in which people die: how often per year, and how many at a time.

    Parameters
    ----------
    name
        What happens.
    frequency
        Per year.
    deaths
        At a time.

    Examples
    --------
    >>> Accident.of("collision", 2e-5, 3).frequency.value
    2e-05

    """

    name: str
    frequency: Estimate
    deaths: int

    @classmethod
    def of(cls, name: str, frequency: float | Estimate, deaths: int) -> Accident:
        """An accident whose frequency is a number or an estimate per year."""
        where = f"accident {name!r}"
        count = validate.count(deaths, where=where, name="deaths", at_least=1)
        return cls(name, _per_year(frequency, name, where), count)


def _per_year(frequency: float | Estimate, name: str, where: str) -> Estimate:
    if not isinstance(frequency, Estimate):
        value = validate.number(frequency, where=where, name="frequency")
        frequency = Estimate.known("frequency", value, unit="per year", scope=name, source="stated")
    if frequency.value < 0:
        raise InvalidInput("frequency must be at least 0", where=where, found=f"{frequency.value:g}")
    if frequency.unit != "per year":
        remedy = "Convert it with Exposure(...).estimate(frequency, 'year')."
        raise InvalidInput("the frequency is stated per year", where=where, found=frequency.unit, remedy=remedy)
    return frequency


@dataclass(frozen=True)
class Criterion:
    """How often so many deaths or more may happen: a point, and a line through it where there is a slope.

    Parameters
    ----------
    deaths, frequency
        The point: so many deaths or more at most so often per year.
    slope
        That of log frequency against log number: -1 allows ten times the deaths a tenth as often. Without one the point
        stands alone.
    name, source
        How figures call it, and where it is stated.

    References
    ----------
    HSE (2001), Reducing Risks, Protecting People, paragraph 136.

    Examples
    --------
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


def draw_curve(risk: SocietalRisk, criteria: Sequence[Criterion], axes: Axes | None = None) -> Axes:
    """The frequency of N or more deaths with its limits at the risk's level, and a line or point for each criterion."""
    axes = open_frame(new_axes(*SIZE) if axes is None else axes)
    axes.set_xscale("log")
    axes.set_yscale("log")
    figures = np.array([_figures(risk, deaths) for deaths in risk.steps]).reshape(-1, 3)
    _set_limits(axes, risk, figures, criteria)
    if np.isfinite(figures).any():
        _draw_steps(axes, risk, figures)
    else:
        axes.text(0.04, 0.05, "no accident with deaths", transform=axes.transAxes, color=GREY)
    for index, criterion in enumerate(criteria):
        _draw_criterion(axes, criterion, index)
    axes.set_xlabel("N, number of deaths")
    axes.set_ylabel("F, accidents with N or more deaths, per year")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    return axes


def _figures(risk: SocietalRisk, deaths: int) -> list[float]:
    """Value and limits; what is not above 0 has no place on a logarithmic scale."""
    found = (risk.frequency(deaths).value, risk.limit(deaths, "lower"), risk.limit(deaths, "upper"))
    return [value if value is not None and 0 < value < np.inf else np.nan for value in found]


def _set_limits(axes: Axes, risk: SocietalRisk, figures: FloatArray, criteria: Sequence[Criterion]) -> None:
    most = max([10, *risk.steps, *(criterion.deaths for criterion in criteria)])
    axes.set_xlim(LEFT, 2 * most)
    shown = [*figures[np.isfinite(figures)], *(criterion.frequency for criterion in criteria)]
    if shown:
        axes.set_ylim(min(shown) / ROOM, max(shown) * ROOM)


def _draw_steps(axes: Axes, risk: SocietalRisk, figures: FloatArray) -> None:
    value, low, high = figures.T
    edges = np.array([LEFT, *risk.steps])
    floor = axes.get_ylim()[0]
    down = np.where(np.isnan(value), floor, value)
    axes.stairs(down, edges, baseline=floor, color=BLUE, linewidth=1.6, label="F-N curve")
    if (low == high).all():
        return
    band = f"limits at {percent(risk.level)}, each side"
    bottom = np.where(np.isnan(low), floor, low)
    axes.stairs(high, edges, baseline=bottom, fill=True, color=BLUE, alpha=0.18, linewidth=0, label=band)


def _draw_criterion(axes: Axes, criterion: Criterion, index: int) -> None:
    colour = CRITERION_COLOURS[index % len(CRITERION_COLOURS)]
    name = visible(criterion.name)
    if criterion.slope is None:
        axes.plot(criterion.deaths, criterion.frequency, "o", color=colour, label=name)
        return
    ends = axes.get_xlim()
    line = LINES[index % len(LINES)]
    axes.plot(ends, [criterion.at(n) for n in ends], line, color=colour, linewidth=1.4, label=name)
