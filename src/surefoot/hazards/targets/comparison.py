"""Targets by comparison with a reference: GALE, substantial equivalence, and "x times safer"."""

from __future__ import annotations

from surefoot.core import Distribution, InvalidInput, Kind, Scaled, Target, distribution_after, validate
from surefoot.core.target import DEFAULT_KINDS
from surefoot.documents import percent, significant
from surefoot.hazards.targets.derivation import Asked, Derivation
from surefoot.hazards.targets.exposure import Exposure
from surefoot.hazards.targets.reference import TRIALS, Reference

GALE = "GALE, globally at least equivalent (EN 50126-1 (1999), annex D)"
SE = "SE, substantially equivalent (US FDA, premarket notification 510(k))"
SAFER = "comparison with a reference (Dong et al. 2023, section 3.2)"


def gale(
    reference: Reference,
    *,
    level: float = 0.95,
    per: str | None = None,
    exposure: Exposure | None = None,
    kinds: tuple[Kind, ...] = DEFAULT_KINDS,
) -> Target:
    """At most the rate of the reference: a new system shall be globally at least as safe as existing ones.

    Required by French law for railways (in French GAME or GAMAB); EN 50126-1 (1999), annex D.

    >>> gale(Reference(12, 40_000, per="hour", name="divers", source="dive logs 2015-2020")).at_most
    0.0003
    """
    return derive_gale(reference, asked=Asked(level, per, exposure, kinds)).target


def se(
    reference: Reference,
    *,
    margin: float = 1.0,
    level: float = 0.95,
    per: str | None = None,
    exposure: Exposure | None = None,
    kinds: tuple[Kind, ...] = DEFAULT_KINDS,
) -> Target:
    """At most ``margin`` times the rate of the device already on the market: substantially equivalent.

    A margin above 1 is a margin of non-inferiority and has to be argued; the target's source shows it.
    """
    return derive_se(reference, margin, asked=Asked(level, per, exposure, kinds)).target


def safer(
    reference: Reference,
    factor: float,
    *,
    level: float = 0.95,
    per: str | None = None,
    exposure: Exposure | None = None,
    kinds: tuple[Kind, ...] = DEFAULT_KINDS,
) -> Target:
    """At most the rate of the reference divided by ``factor``.

    Targets from as safe as human drivers to two orders of magnitude safer are studied for self-driving cars (Dong et
    al. 2023, section 3.2).
    """
    return derive_safer(reference, factor, asked=Asked(level, per, exposure, kinds)).target


def derive_gale(reference: Reference, *, asked: Asked) -> Derivation:
    """``gale`` with its steps."""
    return _compared(GALE, reference, 1.0, "at most the reference", asked)


def derive_se(reference: Reference, margin: float = 1.0, *, asked: Asked) -> Derivation:
    """``se`` with its steps."""
    margin = _at_least_one(margin, "se", "margin", "For a stricter target use safer.")
    said = "at most the reference" if margin == 1 else f"at most {margin:g} times the reference, a margin to be argued"
    return _compared(SE, reference, margin, said, asked)


def derive_safer(reference: Reference, factor: float, *, asked: Asked) -> Derivation:
    """``safer`` with its steps."""
    factor = _at_least_one(factor, "safer", "factor", "For a target that allows more than the reference use se.")
    return _compared(SAFER, reference, 1 / factor, f"{factor:g} times safer than the reference", asked)


def _compared(principle: str, reference: Reference, factor: float, said: str, asked: Asked) -> Derivation:
    validate.kind(reference, Reference, where=principle, name="reference", example="Reference(12, 40_000, per='hour')")
    _need_an_event(reference)
    source = f"{principle}: {said}, {reference}"
    stated = Target(
        at_most=_scaled_limit(reference, factor),
        level=asked.level,
        per=reference.per,
        source=source,
        uncertainty=_scaled_spread(reference, factor),
        kinds=asked.kinds,
    )
    target, conversion = asked.converted(stated)
    rows = [("principle", said, principle), *_reference_rows(reference, stated.level), *conversion]
    return Derivation(principle, target, tuple(rows), reference)


def _reference_rows(reference: Reference, level: float) -> list[tuple[str, str, str]]:
    named = ": ".join(filter(None, [reference.name, reference.source])) or "no source stated"
    exact = reference.uncertainty
    low, high = exact.ppf([(1 - level) / 2, (1 + level) / 2])
    limits = f"{significant(low, rounding='down')} to {significant(high, rounding='up')} at {percent(level)}"
    author = "Clopper and Pearson 1934" if reference.per in TRIALS else "Garwood 1936"
    rate = f"{significant(reference.rate)} per {reference.per}, {limits}"
    return [("reference", reference.counted, named), ("its rate", rate, f"exact limits ({author})")]


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


def _need_an_event(reference: Reference) -> None:
    if reference.events == 0:
        raise InvalidInput(
            "a reference without a single event gives no limit that could be met",
            where=f"reference {reference.name}".strip(),
            found=str(reference),
            remedy="Take a reference with more exposure, pool several, or compare a less severe event that was seen.",
        )


def _at_least_one(value: float, where: str, name: str, remedy: str) -> float:
    checked = validate.positive(value, where=where, name=name)
    if checked < 1:
        raise InvalidInput(f"{name} must be at least 1", where=where, found=f"{checked:g}", remedy=remedy)
    return checked
