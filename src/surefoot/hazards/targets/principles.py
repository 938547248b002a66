"""Principles of risk acceptance as targets: GALE, substantial equivalence, "x times safer", MEM and ALARP.

MEM and ALARP are stated per year of one person: figures of exposure that convert them are those of the person who is
exposed most. Whether a measure is reasonably practicable weighs its cost against the deaths it prevents: in Edwards v
National Coal Board (1949) it may be left out only where its cost is grossly disproportionate to the risk averted. How
gross, and what preventing a death is worth, are stated by the user with their sources.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import expm1, log1p
from typing import Any, Literal

from surefoot.core import (
    Distribution,
    Estimate,
    InvalidInput,
    Kind,
    LevelUnavailable,
    Scaled,
    Side,
    Table,
    Target,
    distribution_after,
    propagate,
    validate,
)
from surefoot.core.target import DEFAULT_KINDS
from surefoot.core.validate import FloatArray
from surefoot.documents import percent, significant
from surefoot.hazards.targets.exposure import TRIALS, Derivation, Exposure, Reference, Terms

GALE = "GALE, globally at least equivalent (EN 50126-1 (1999), annex D)"
SE = "SE, substantially equivalent (US FDA, premarket notification 510(k))"
SAFER = "comparison with a reference (Dong et al. 2023, section 3.2)"
MINIMUM_MORTALITY = 2e-4
"""Lowest rate of natural death, of people of 5 to 15 years: 2e-4 a person and year (EN 50126-1 (1999), annex D)."""
TECHNICAL_SHARE = 0.05
"""What one technical system may add to it: 1e-5 deaths a person and year (EN 50126-1 (1999), annex D)."""
HARMS = {"fatality": 1.0, "severe injury": 10.0, "light injury": 100.0}
"""How many of each weigh as much as one fatality: 1e-5, 1e-4, 1e-3 a person and year (EN 50126-1 (1999), annex D)."""
INTOLERABLE = {"worker": 1e-3, "public": 1e-4}
"""Individual risk of death per year above which risk is unacceptable (HSE, Reducing Risks, Protecting People, 2001)."""
BROADLY_ACCEPTABLE = 1e-6
"""Individual risk of death per year below which risk is broadly acceptable (HSE, the same)."""
MEM = "MEM, minimum endogenous mortality (EN 50126-1 (1999), annex D)"
R2P2 = "HSE, Reducing Risks, Protecting People (2001)"
ALARP = f"ALARP, limit of tolerability ({R2P2})"
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


# Comparison with a reference.


def gale(
    reference: Reference,
    *,
    level: float = 0.95,
    per: str | None = None,
    exposure: Exposure | None = None,
    kinds: tuple[Kind, ...] = DEFAULT_KINDS,
) -> Target:
    """The target GALE: at most the rate of the reference, as a new system shall be globally at least as safe.

    Required by French law for railways, in French GAME or GAMAB.

    Parameters
    ----------
    reference
        What was counted on existing systems.
    level
        At which the target is to be shown.
    per, exposure
        Another exposure to state it in, and the figures that convert.
    kinds
        Kinds of bounds that may show it.

    Returns
    -------
    Target
        Its uncertainty is that of the reference.

    References
    ----------
    EN 50126-1 (1999), annex D.

    Examples
    --------
    >>> gale(Reference(12, 40_000, per="hour", name="divers", source="dive logs 2015-2020")).at_most
    0.0003

    """
    return derive_gale(reference, terms=Terms(level, per, exposure, kinds)).target


def derive_gale(reference: Reference, *, terms: Terms) -> Derivation:
    """``gale`` with its steps."""
    return _compared(GALE, reference, 1.0, "at most the reference", terms)


def _compared(principle: str, reference: Reference, factor: float, said: str, terms: Terms) -> Derivation:
    validate.kind(reference, Reference, where=principle, name="reference", example="Reference(12, 40_000, per='hour')")
    _need_an_event(reference)
    source = f"{principle}: {said}, {reference}"
    stated = Target(
        at_most=_scaled_limit(reference, factor),
        level=terms.level,
        per=reference.per,
        source=source,
        uncertainty=_scaled_spread(reference, factor),
        kinds=terms.kinds,
    )
    target, conversion = terms.converted(stated)
    rows = [("principle", said, principle), *_reference_rows(reference, stated.level), *conversion]
    return Derivation(principle, target, tuple(rows), reference)


def _need_an_event(reference: Reference) -> None:
    if reference.events == 0:
        raise InvalidInput(
            "a reference without a single event gives no limit that could be met",
            where=f"reference {reference.name}".strip(),
            found=str(reference),
            remedy="Take a reference with more exposure, pool several, or compare a less severe event that was seen.",
        )


def _scaled_limit(reference: Reference, factor: float) -> float:
    limit = reference.rate * factor
    if reference.per in TRIALS and limit > 1:
        raise InvalidInput(
            f"a limit per {reference.per} is a probability, at most 1",
            where="se",
            found=f"{limit:g}",
            remedy="Use a smaller margin.",
        )
    return limit


def _scaled_spread(reference: Reference, factor: float) -> Distribution:
    if factor == 1:
        return reference.uncertainty
    return distribution_after(reference.uncertainty, [Scaled(factor, 1.0 if reference.per in TRIALS else float("inf"))])


def _reference_rows(reference: Reference, level: float) -> list[tuple[str, str, str]]:
    named = ": ".join(filter(None, [reference.name, reference.source])) or "no source stated"
    exact = reference.uncertainty
    low, high = exact.ppf([(1 - level) / 2, (1 + level) / 2])
    limits = f"{significant(low, rounding='down')} to {significant(high, rounding='up')} at {percent(level)}"
    author = "Clopper and Pearson 1934" if reference.per in TRIALS else "Garwood 1936"
    rate = f"{significant(reference.rate)} per {reference.per}, {limits}"
    return [("reference", reference.counted, named), ("its rate", rate, f"exact limits ({author})")]


def se(
    reference: Reference,
    *,
    margin: float = 1.0,
    level: float = 0.95,
    per: str | None = None,
    exposure: Exposure | None = None,
    kinds: tuple[Kind, ...] = DEFAULT_KINDS,
) -> Target:
    """The target of substantial equivalence: at most ``margin`` times the rate of the device already on the market.

    Parameters
    ----------
    reference
        What was counted on that device.
    margin
        Above 1 it is one of non-inferiority and has to be argued; the target's source shows it.
    level, per, exposure, kinds
        As for ``gale``.

    Returns
    -------
    Target
        Its uncertainty is that of the reference.

    References
    ----------
    US FDA, premarket notification 510(k).

    Examples
    --------
    >>> se(Reference(12, 40_000, per="hour"), margin=1.5).at_most
    0.00045

    """
    return derive_se(reference, margin, terms=Terms(level, per, exposure, kinds)).target


def derive_se(reference: Reference, margin: float = 1.0, *, terms: Terms) -> Derivation:
    """``se`` with its steps."""
    margin = _at_least_one(margin, "se", "margin", "For a stricter target use safer.")
    said = "at most the reference" if margin == 1 else f"at most {margin:g} times the reference, a margin to be argued"
    return _compared(SE, reference, margin, said, terms)


def _at_least_one(value: float, where: str, name: str, remedy: str) -> float:
    checked = validate.positive(value, where=where, name=name)
    if checked < 1:
        raise InvalidInput(f"{name} must be at least 1", where=where, found=f"{checked:g}", remedy=remedy)
    return checked


def safer(
    reference: Reference,
    factor: float,
    *,
    level: float = 0.95,
    per: str | None = None,
    exposure: Exposure | None = None,
    kinds: tuple[Kind, ...] = DEFAULT_KINDS,
) -> Target:
    """The target "x times safer": at most the rate of the reference divided by ``factor``.

    Parameters
    ----------
    reference
        What was counted, such as accidents of human drivers.
    factor
        How many times safer, at least 1.
    level, per, exposure, kinds
        As for ``gale``.

    Returns
    -------
    Target
        Its uncertainty is that of the reference.

    References
    ----------
    Dong et al. (2023), RAM, section 3.2.

    Examples
    --------
    >>> safer(Reference(12, 40_000, per="hour"), 4).at_most
    7.5e-05

    """
    return derive_safer(reference, factor, terms=Terms(level, per, exposure, kinds)).target


def derive_safer(reference: Reference, factor: float, *, terms: Terms) -> Derivation:
    """``safer`` with its steps."""
    factor = _at_least_one(factor, "safer", "factor", "For a target that allows more than the reference use se.")
    return _compared(SAFER, reference, 1 / factor, f"{factor:g} times safer than the reference", terms)


# The risk of one person.


def mem(
    *,
    harm: str = "fatality",
    share: float = TECHNICAL_SHARE,
    mortality: float = MINIMUM_MORTALITY,
    harm_probability: float = 1.0,
    level: float = 0.95,
    per: str | None = None,
    exposure: Exposure | None = None,
    kinds: tuple[Kind, ...] = DEFAULT_KINDS,
) -> Target:
    """The target MEM: at most a small share of the lowest natural mortality, so that a new system adds little to it.

    Parameters
    ----------
    harm
        A name of ``HARMS``: fatality, severe injury or light injury.
    share
        What one technical system may add.
    mortality
        Lowest rate of natural death, a person and year.
    harm_probability
        Probability that the event of interest does this harm to the exposed person.
    level, per, exposure, kinds
        As for ``gale``.

    Returns
    -------
    Target
        Per year of one person unless ``per`` says otherwise.

    References
    ----------
    EN 50126-1 (1999), annex D.

    Examples
    --------
    >>> print(mem(harm="severe injury"))
    at most 0.0001 per year at level 0.95
    >>> print(mem(per="hour", exposure=Exposure(hours_per_year=500)))
    at most 2e-08 per hour at level 0.95

    """
    terms = Terms(level, per, exposure, kinds)
    return derive_mem(harm, share, mortality, harm_probability, terms=terms).target


def derive_mem(
    harm: str = "fatality",
    share: float = TECHNICAL_SHARE,
    mortality: float = MINIMUM_MORTALITY,
    harm_probability: float = 1.0,
    *,
    terms: Terms,
) -> Derivation:
    """``mem`` with its steps."""
    validate.choice(harm, HARMS, where="mem", name="harm")
    share = validate.probability(validate.positive(share, where="mem", name="share"), where="mem", name="share")
    mortality = validate.positive(mortality, where="mem", name="mortality")
    limit = mortality * share * HARMS[harm]
    rows = [
        ("principle", "no more than a small share of natural mortality", MEM),
        ("mortality", f"{significant(mortality)} deaths a person and year", _default(mortality, MINIMUM_MORTALITY)),
        ("share of one system", percent(share), _default(share, TECHNICAL_SHARE)),
        ("harm", f"{harm}: {significant(limit)} a person and year", f"{HARMS[harm]:g} weigh as much as one fatality"),
    ]
    source = f"{MEM}: {share:g} of {mortality:g} deaths a person and year, {harm}"
    return _individual(MEM, limit, harm_probability, rows, source, terms)


def _default(value: float, usual: float) -> str:
    return "EN 50126-1 (1999), annex D" if value == usual else f"stated; {usual:g} in EN 50126-1 (1999), annex D"


def _individual(
    principle: str, limit: float, harm_probability: float, rows: list[tuple[str, str, str]], source: str, terms: Terms
) -> Derivation:
    given = validate.probability(harm_probability, where="harm", name="harm_probability")
    given = validate.positive(given, where="harm", name="harm_probability")
    if given < 1:
        source = f"{source}; an event does this harm with probability {given:g}"
        rows = [*rows, ("harm of an event", f"with probability {significant(given)}", "stated")]
    stated = Target(at_most=limit / given, level=terms.level, per="year", source=source, kinds=terms.kinds)
    target, conversion = terms.converted(stated)
    return Derivation(principle, target, (*rows, *conversion))


def alarp(
    *,
    group: str = "public",
    harm_probability: float = 1.0,
    level: float = 0.95,
    per: str | None = None,
    exposure: Exposure | None = None,
    kinds: tuple[Kind, ...] = DEFAULT_KINDS,
) -> Target:
    """The limit of tolerability of ALARP: at most the individual risk above which risk is intolerable.

    Below this limit risk must still be as low as reasonably practicable: see ``Bands`` and ``disproportion``.

    Parameters
    ----------
    group
        ``public`` or ``worker``.
    harm_probability
        Probability that the event of interest kills the exposed person.
    level, per, exposure, kinds
        As for ``gale``.

    Returns
    -------
    Target
        Per year of one person unless ``per`` says otherwise.

    References
    ----------
    HSE (2001), Reducing Risks, Protecting People.

    Examples
    --------
    >>> print(alarp(group="worker"))
    at most 0.001 per year at level 0.95

    """
    return derive_alarp(group, harm_probability, terms=Terms(level, per, exposure, kinds)).target


def derive_alarp(group: str = "public", harm_probability: float = 1.0, *, terms: Terms) -> Derivation:
    """``alarp`` with its steps."""
    validate.choice(group, INTOLERABLE, where="alarp", name="group")
    limit = INTOLERABLE[group]
    rows = [
        ("principle", "below the limit of tolerability, and as low as reasonably practicable", ALARP),
        ("individual risk", f"{group}: {significant(limit)} deaths a person and year", R2P2),
    ]
    return _individual(ALARP, limit, harm_probability, rows, f"{ALARP}: {group}", terms)


PRINCIPLES: Mapping[str, Callable[..., Derivation]] = {
    "alarp": derive_alarp,
    "gale": derive_gale,
    "mem": derive_mem,
    "safer": derive_safer,
    "se": derive_se,
}


def derive(
    principle: str,
    *,
    reference: Reference | None = None,
    factor: float | None = None,
    margin: float | None = None,
    exposure: Exposure | None = None,
    per: str | None = None,
    level: float = 0.95,
    kinds: tuple[Kind, ...] = DEFAULT_KINDS,
    **options: Any,
) -> Derivation:
    """The target that a principle of risk acceptance gives, with the steps that led to it.

    Parameters
    ----------
    principle
        A name of ``PRINCIPLES``.
    reference
        For ``gale``, ``se`` and ``safer``.
    factor
        For ``safer``.
    margin
        For ``se``.
    exposure, per, level, kinds
        As for ``gale``.
    **options
        Of ``mem``: harm, share, mortality, harm_probability; of ``alarp``: group, harm_probability.

    Returns
    -------
    Derivation
        The target, and a row for each step.

    Raises
    ------
    InvalidInput
        Where an option is missing, or the principle does not take it.

    References
    ----------
    Dong et al. (2023), RAM, section 3.2.

    Examples
    --------
    >>> divers = Reference(12, 40_000, per="hour", name="divers", source="dive logs 2015-2020")
    >>> round(derive("safer", reference=divers, factor=10).target.limit, 12)
    3e-05

    """
    name = validate.choice(principle, PRINCIPLES, where="derive", name="principle")
    stated = {"reference": reference, "factor": factor, "margin": margin, **options}
    given = {option: value for option, value in stated.items() if value is not None}
    _check_options(name, given)
    return PRINCIPLES[name](**given, terms=Terms(level, per, exposure, kinds))


def _check_options(principle: str, given: Mapping[str, Any]) -> None:
    known = {n: p for n, p in inspect.signature(PRINCIPLES[principle]).parameters.items() if n != "terms"}
    takes = f"{principle} takes {', '.join(known)}."
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise InvalidInput("an option that this principle does not take", where=principle, found=unknown, remedy=takes)
    missing = [n for n, p in known.items() if p.default is p.empty and n not in given]
    if missing:
        raise InvalidInput(f"needs {' and '.join(missing)}", where=principle, found=sorted(given), remedy=takes)


# ALARP: bands of risk, and gross disproportion.


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
        if estimate.meets(self._at_most(self.broadly_acceptable, level)):
            return "broadly acceptable"
        verdict = estimate.meets(self._at_most(self.intolerable, level))
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


def _ratio(cost: float, benefit: float) -> float:
    return cost / benefit if benefit > 0 else float("inf")


def _row(item: Disproportion) -> tuple[object, ...]:
    measure = item.measure
    figures = (measure.cost, item.benefit.value, item.ratio, *item.limits, item.valuation.factor)
    return (measure.name, *figures, item.verdict)
