"""Whether a measure is reasonably practicable: its cost against the deaths it prevents, and gross disproportion.

In Edwards v National Coal Board (1949) a measure may be left out only where its cost is grossly disproportionate to the
risk averted. How gross, and what preventing a death is worth, are stated by the user with their sources.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import expm1, log1p
from typing import Literal

from surefoot.core import Estimate, InvalidInput, LevelUnavailable, Side, Table, Target, propagate, validate
from surefoot.core.validate import FloatArray

Practicable = Literal["reasonably practicable", "grossly disproportionate", "not shown"]
VERDICTS: dict[str, Practicable] = {
    "met": "reasonably practicable",
    "violated": "grossly disproportionate",
    "not shown": "not shown",
}
COLUMNS = (
    "measure",
    "cost",
    "benefit",
    "cost / benefit",
    "at least",
    "at most",
    "factor",
    "verdict",
)


@dataclass(frozen=True)
class Measure:
    """Something that could be done: its cost, and the risk of death of one person per year without and with it.

    The cost is its present value over the ``years`` for which the measure works; ``people`` is how many people's risk
    falls that much.
    """

    name: str
    cost: float
    before: float | Estimate
    after: float | Estimate
    years: float
    people: float = 1.0

    def __post_init__(self) -> None:
        where = f"measure {self.name}"
        for name in ("cost", "years", "people"):
            object.__setattr__(self, name, validate.positive(getattr(self, name), where=where, name=name))
        for name in ("before", "after"):
            object.__setattr__(self, name, _per_year(getattr(self, name), f"{where}, {name}", self.name, name))


@dataclass(frozen=True)
class Valuation:
    """What preventing a fatality is worth, and from which ratio of cost to benefit on a measure is out of proportion.

    ``discount`` is the yearly rate at which later benefits count less; 0 counts all alike.
    """

    per_fatality: float
    factor: float
    source: str
    discount: float = 0.0

    def __post_init__(self) -> None:
        for name in ("per_fatality", "factor"):
            object.__setattr__(self, name, validate.positive(getattr(self, name), where="valuation", name=name))
        if self.factor < 1:
            remedy = "A cost below the benefit is never out of proportion."
            raise InvalidInput("factor must be at least 1", where="valuation", found=f"{self.factor:g}", remedy=remedy)
        if not isinstance(self.source, str) or not self.source.strip():
            raise InvalidInput("needs the source of value and factor", where="valuation", found=repr(self.source))
        discount = validate.probability(self.discount, where="valuation", name="discount")
        object.__setattr__(self, "discount", discount)

    def counted_years(self, years: float) -> float:
        """Years of benefit, later ones discounted: what one a year, at the end of each, is worth now."""
        return years if self.discount == 0 else -expm1(-years * log1p(self.discount)) / self.discount


@dataclass(frozen=True)
class Disproportion:
    """The benefit of a measure against its cost."""

    measure: Measure
    valuation: Valuation
    benefit: Estimate
    level: float

    @property
    def ratio(self) -> float:
        """Cost divided by benefit; infinite where the risk does not fall."""
        return _ratio(self.measure.cost, self.benefit.value)

    @cached_property
    def verdict(self) -> Practicable:
        """Whether the measure is reasonably practicable, or shown not to be, at the level.

        ``not shown`` leaves the duty where it was: take the measure, or learn more.
        """
        worth = Target(at_least=self.measure.cost / self.valuation.factor, level=self.level, per="measure")
        return VERDICTS[self.benefit.meets(worth).status]

    @property
    def limits(self) -> tuple[float, float]:
        """Cost divided by benefit at best and at worst, each at the level."""
        best, worst = self._bound("upper", float("inf")), self._bound("lower", 0.0)
        return _ratio(self.measure.cost, best), _ratio(self.measure.cost, worst)

    def _bound(self, side: Side, missing: float) -> float:
        try:
            return self.benefit.bound(side, self.level).limit
        except LevelUnavailable:
            return missing

    def __str__(self) -> str:
        return f"{self.measure.name}: {self.verdict}, cost / benefit {self.ratio:.3g}, factor {self.valuation.factor:g}"


def disproportion(measure: Measure, valuation: Valuation, *, level: float = 0.95, mix: bool = False) -> Disproportion:
    """Cost against benefit of a measure: deaths prevented, times what preventing one is worth.

    Where the risks are estimates the benefit has their bounds; ``mix`` is that of ``propagate``.

    >>> value = Valuation(2_000_000, factor=3, source="transport appraisal guidance, rounded")
    >>> print(disproportion(Measure("second camera", 9_000, before=2e-4, after=5e-5, years=10, people=5), value))
    second camera: reasonably practicable, cost / benefit 0.6, factor 3
    """
    worth = valuation.per_fatality * measure.people * valuation.counted_years(measure.years)

    def benefit(before: FloatArray, after: FloatArray) -> FloatArray:
        return (before - after) * worth

    before, after = measure.before, measure.after
    assert isinstance(before, Estimate)
    assert isinstance(after, Estimate)
    found = propagate(
        benefit,
        {"before": before, "after": after},
        quantity="benefit",
        scope=measure.name,
        direction={"before": 1, "after": -1},
        level=validate.level(level, where="disproportion"),
        unit="per measure",
        mix=mix,
    )
    return Disproportion(measure, valuation, found, level)


def practicable(measures: Iterable[Measure], valuation: Valuation, *, level: float = 0.95, mix: bool = False) -> Table:
    """Measures with cost, benefit and verdict, the best ratio first."""
    found = [disproportion(measure, valuation, level=level, mix=mix) for measure in measures]
    found.sort(key=lambda item: (item.ratio, item.measure.name))
    return Table(COLUMNS, tuple(_row(item) for item in found))


def _row(item: Disproportion) -> tuple[object, ...]:
    measure = item.measure
    figures = (measure.cost, item.benefit.value, item.ratio, *item.limits, item.valuation.factor)
    return (measure.name, *figures, item.verdict)


def _ratio(cost: float, benefit: float) -> float:
    return cost / benefit if benefit > 0 else float("inf")


def _per_year(risk: float | Estimate, where: str, measure: str, name: str) -> Estimate:
    if not isinstance(risk, Estimate):
        value = validate.probability(risk, where=where, name="risk per year")
        scope = f"{measure}, {name}"
        return Estimate.known("risk of death", value, unit="per year", scope=scope, source="stated")
    if risk.unit != "per year":
        remedy = "Convert it with Exposure(...).estimate(risk, 'year')."
        raise InvalidInput("the risk of a person is stated per year", where=where, found=risk.unit, remedy=remedy)
    return risk
