"""Principles of risk acceptance as targets: GALE, substantial equivalence, "x times safer", MEM and ALARP.

MEM and ALARP are stated per year of one person: figures of exposure that convert them are those of the person who is
exposed most.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from surefoot.core import (
    Distribution,
    InvalidInput,
    Kind,
    Scaled,
    Target,
    distribution_after,
    validate,
)
from surefoot.core.target import DEFAULT_KINDS
from surefoot.documents import percent, significant
from surefoot.hazards.targets.exposure import TRIALS, Derivation, Exposure, Reference, Terms
from surefoot.hazards.targets.practicability import INTOLERABLE, R2P2

GALE = "GALE, globally at least equivalent (EN 50126-1 (1999), annex D)"
SE = "SE, substantially equivalent (US FDA, premarket notification 510(k))"
SAFER = "comparison with a reference (Dong et al. 2023, section 3.2)"
MINIMUM_MORTALITY = 2e-4
"""Lowest rate of natural death, of people of 5 to 15 years: 2e-4 a person and year (EN 50126-1 (1999), annex D)."""
TECHNICAL_SHARE = 0.05
"""What one technical system may add to it: 1e-5 deaths a person and year (EN 50126-1 (1999), annex D)."""
HARMS = {"fatality": 1.0, "severe injury": 10.0, "light injury": 100.0}
"""How many of each weigh as much as one fatality: 1e-5, 1e-4, 1e-3 a person and year (EN 50126-1 (1999), annex D)."""
MEM = "MEM, minimum endogenous mortality (EN 50126-1 (1999), annex D)"
ALARP = f"ALARP, limit of tolerability ({R2P2})"


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
