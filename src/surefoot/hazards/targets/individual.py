"""Targets for the risk of one person: MEM and the limit of tolerability of ALARP.

Both are stated per year of one person. Figures of exposure that convert them are those of one exposed person: the
hours, missions or demands in a year to which the most exposed person is exposed.
"""

from __future__ import annotations

from surefoot.core import Kind, Target, validate
from surefoot.core.target import DEFAULT_KINDS
from surefoot.documents import percent, significant
from surefoot.hazards.targets.derivation import Asked, Derivation
from surefoot.hazards.targets.exposure import Exposure

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
    """At most a small share of the lowest natural mortality: a new system shall not add much to it.

    ``harm`` is a fatality, a severe injury or a light injury. ``harm_probability`` is the probability that the event of
    interest does this harm to the exposed person; the limit of the event is higher by that much.

    >>> print(mem(harm="severe injury"))
    at most 0.0001 per year at level 0.95
    >>> print(mem(per="hour", exposure=Exposure(hours_per_year=500)))
    at most 2e-08 per hour at level 0.95
    """
    asked = Asked(level, per, exposure, kinds)
    return derive_mem(harm, share, mortality, harm_probability, asked=asked).target


def alarp(
    *,
    group: str = "public",
    harm_probability: float = 1.0,
    level: float = 0.95,
    per: str | None = None,
    exposure: Exposure | None = None,
    kinds: tuple[Kind, ...] = DEFAULT_KINDS,
) -> Target:
    """At most the risk above which it is intolerable, for a member of the public or a worker.

    Below this limit risk must still be as low as reasonably practicable: see ``Bands`` and ``disproportion``.

    >>> print(alarp(group="worker"))
    at most 0.001 per year at level 0.95
    """
    return derive_alarp(group, harm_probability, asked=Asked(level, per, exposure, kinds)).target


def derive_mem(
    harm: str = "fatality",
    share: float = TECHNICAL_SHARE,
    mortality: float = MINIMUM_MORTALITY,
    harm_probability: float = 1.0,
    *,
    asked: Asked,
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
    return _individual(MEM, limit, harm_probability, rows, source, asked)


def derive_alarp(group: str = "public", harm_probability: float = 1.0, *, asked: Asked) -> Derivation:
    """``alarp`` with its steps."""
    validate.choice(group, INTOLERABLE, where="alarp", name="group")
    limit = INTOLERABLE[group]
    rows = [
        ("principle", "below the limit of tolerability, and as low as reasonably practicable", ALARP),
        ("individual risk", f"{group}: {significant(limit)} deaths a person and year", R2P2),
    ]
    return _individual(ALARP, limit, harm_probability, rows, f"{ALARP}: {group}", asked)


def _individual(
    principle: str, limit: float, harm_probability: float, rows: list[tuple[str, str, str]], source: str, asked: Asked
) -> Derivation:
    given = validate.probability(harm_probability, where="harm", name="harm_probability")
    given = validate.positive(given, where="harm", name="harm_probability")
    if given < 1:
        source = f"{source}; an event does this harm with probability {given:g}"
        rows = [*rows, ("harm of an event", f"with probability {significant(given)}", "stated")]
    stated = Target(at_most=limit / given, level=asked.level, per="year", source=source, kinds=asked.kinds)
    target, conversion = asked.converted(stated)
    return Derivation(principle, target, (*rows, *conversion))


def _default(value: float, usual: float) -> str:
    return "EN 50126-1 (1999), annex D" if value == usual else f"stated; {usual:g} in EN 50126-1 (1999), annex D"
