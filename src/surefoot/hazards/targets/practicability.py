"""ALARP: bands of risk, and whether a measure is reasonably practicable or grossly disproportionate.

In Edwards v National Coal Board (1949) a measure may be left out only where its cost is grossly disproportionate to the
risk averted. How gross, and what preventing a death is worth, are stated by the user with their sources.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import expm1, log1p
from typing import Literal

from surefoot.core import (
    Estimate,
    InvalidInput,
    LevelUnavailable,
    Side,
    Table,
    Target,
    propagate,
    validate,
)
from surefoot.core.validate import FloatArray

R2P2 = "HSE, Reducing Risks, Protecting People (2001)"
INTOLERABLE = {"worker": 1e-3, "public": 1e-4}
"""Individual risk of death per year above which risk is unacceptable (HSE, Reducing Risks, Protecting People, 2001)."""
BROADLY_ACCEPTABLE = 1e-6
"""Individual risk of death per year below which risk is broadly acceptable (HSE, the same)."""
Band = Literal["intolerable", "tolerable if ALARP", "broadly acceptable", "not shown"]
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
class Bands:
    """Where a risk lies between intolerable and broadly acceptable, as far as it is shown; in between ALARP rules.

    Parameters
    ----------
    intolerable
        Above this limit a risk is intolerable.
    broadly_acceptable
        Below this one it is broadly acceptable.
    per
        The exposure of both.
    source
        Where they come from.

    References
    ----------
    HSE (2001), Reducing Risks, Protecting People.

    Examples
    --------
    >>> Bands.of("public").band(Estimate.known("death of a passer-by", 2e-5, unit="per year", source="analysis"))
    'tolerable if ALARP'

    """

    intolerable: float
    broadly_acceptable: float
    per: str = "year"
    source: str = ""

    def __post_init__(self) -> None:
        for name in ("intolerable", "broadly_acceptable"):
            object.__setattr__(self, name, validate.positive(getattr(self, name), where="Bands", name=name))
        if not self.broadly_acceptable < self.intolerable:
            found = f"{self.broadly_acceptable:g} and {self.intolerable:g}"
            raise InvalidInput(
                "what is broadly acceptable must lie below what is intolerable", where="Bands", found=found
            )

    @classmethod
    def of(cls, group: str) -> Bands:
        """The bands of HSE (2001) for the individual risk of death of the ``public`` or a ``worker``."""
        validate.choice(group, INTOLERABLE, where="Bands", name="group")
        return cls(INTOLERABLE[group], BROADLY_ACCEPTABLE, source=f"{R2P2}, {group}")

    def band(self, estimate: Estimate, *, level: float = 0.95) -> Band:
        """The band that is shown at a level.

        A risk whose upper bound lies in the middle band is tolerable if ALARP, though it may be lower; one whose bounds
        lie on both sides of the intolerable limit is not shown to be in any.
        """
        if estimate.as_if_answered.meets(self._at_most(self.broadly_acceptable, level)):
            return "broadly acceptable"
        verdict = estimate.as_if_answered.meets(self._at_most(self.intolerable, level))
        if verdict:
            return "tolerable if ALARP"
        return "intolerable" if verdict.status == "violated" else "not shown"

    def _at_most(self, limit: float, level: float) -> Target:
        return Target(at_most=limit, level=level, per=self.per, source=self.source)


def practicable(measures: Iterable[Measure], valuation: Valuation, *, level: float = 0.95, mix: bool = False) -> Table:
    """Measures with cost, benefit and verdict, the best ratio first.

    Parameters
    ----------
    measures
        What could be done.
    valuation, level, mix
        As for ``disproportion``.

    Returns
    -------
    Table
        A row a measure.

    Examples
    --------
    >>> value = Valuation(2_000_000, factor=3, source="guidance")
    >>> found = practicable([Measure("second camera", 9_000, 2e-4, 5e-5, years=10, people=5)], value)
    >>> found.rows[0][0], found.rows[0][-1]
    ('second camera', 'reasonably practicable')

    """
    found = [disproportion(measure, valuation, level=level, mix=mix) for measure in measures]
    found.sort(key=lambda item: (item.ratio, item.measure.name))
    return Table(COLUMNS, tuple(_row(item) for item in found))


@dataclass(frozen=True)
class Measure:
    """Something that could be done: its cost, and the risk of death of one person per year without and with it.

    Parameters
    ----------
    name
        What is done.
    cost
        Its present value over the years for which it works.
    before, after
        The risks: numbers, or estimates per year.
    years
        How long it works.
    people
        How many people's risk falls that much.

    Examples
    --------
    >>> Measure("second camera", 9_000, before=2e-4, after=5e-5, years=10).before.value
    0.0002

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


def _per_year(risk: float | Estimate, where: str, measure: str, name: str) -> Estimate:
    if not isinstance(risk, Estimate):
        value = validate.probability(risk, where=where, name="risk per year")
        scope = f"{measure}, {name}"
        return Estimate.known("risk of death", value, unit="per year", scope=scope, source="stated")
    if risk.unit != "per year":
        remedy = "Convert it with Exposure(...).estimate(risk, 'year')."
        raise InvalidInput("the risk of a person is stated per year", where=where, found=risk.unit, remedy=remedy)
    return risk


@dataclass(frozen=True)
class Valuation:
    """What preventing a fatality is worth, and from which ratio of cost to benefit on a measure is out of proportion.

    Parameters
    ----------
    per_fatality
        What preventing one is worth, in the currency of the costs.
    factor
        The ratio from which on the cost is grossly disproportionate, at least 1.
    source
        Where both are stated.
    discount
        Yearly rate at which later benefits count less; 0 counts all alike.

    Examples
    --------
    >>> round(Valuation(2_000_000, factor=3, source="guidance", discount=0.03).counted_years(10), 3)
    8.53

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


def disproportion(measure: Measure, valuation: Valuation, *, level: float = 0.95, mix: bool = False) -> Disproportion:
    """Cost against benefit of a measure: whether it is reasonably practicable or grossly disproportionate.

    Parameters
    ----------
    measure
        Its cost, and the risk without and with it; where the risks are estimates the benefit has their bounds.
    valuation
        What preventing a fatality is worth, and the factor of gross disproportion.
    level
        At which the verdict is shown.
    mix
        That of ``propagate``.

    Returns
    -------
    Disproportion
        Ratio, limits and verdict.

    References
    ----------
    Edwards v National Coal Board (1949); HSE (2001), Reducing Risks, Protecting People.

    Examples
    --------
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


@dataclass(frozen=True)
class Disproportion:
    """The benefit of a measure against its cost.

    Parameters
    ----------
    measure, valuation
        What was compared.
    benefit
        Deaths prevented, times what preventing one is worth.
    level
        Of the verdict.

    See Also
    --------
    disproportion

    """

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
        return VERDICTS[self.benefit.as_if_answered.meets(worth).status]

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


def _ratio(cost: float, benefit: float) -> float:
    return cost / benefit if benefit > 0 else float("inf")


def _row(item: Disproportion) -> tuple[object, ...]:
    measure = item.measure
    figures = (measure.cost, item.benefit.value, item.ratio, *item.limits, item.valuation.factor)
    return (measure.name, *figures, item.verdict)
