"""Field feedback: what operation says of a claim, entered later.

Demands are counted as a binomial, hours, missions and the like as a Poisson process; limits are exact (Clopper and
Pearson 1934; Garwood 1936), so that a claim that is true is called contradicted with probability at most 1 - level at
one look. Looking again with every month of data is looking repeatedly, and the level holds for each look alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime

from scipy import special

from surefoot.bounds import clopper_pearson
from surefoot.core import (
    Assumption,
    BoundFamily,
    Estimate,
    InvalidInput,
    Provenance,
    QuantileBound,
    Target,
    certain,
    validate,
)
from surefoot.core.spread import Gamma
from surefoot.documents import counted

EARLIEST, LATEST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
CONSTANT_RATE = Assumption("constant-rate", "Incidents come independently and at a constant rate.")
ALL_REPORTED = Assumption("all-reported", "All incidents of the period were noticed and reported.")


@dataclass(frozen=True)
class Feedback:
    """Incidents in so much operation, as they bear on one claim.

    ``per`` is what exposure counts, as in the claim's number: ``demand``, ``hour``, ``mission`` and so on. ``since``
    and ``until`` are dates as in ISO 8601; a period ends before ``until``.
    """

    claim: str
    exposure: float
    per: str
    incidents: int
    since: str = ""
    until: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        where = f"feedback on {self.claim!r}"
        object.__setattr__(self, "exposure", validate.positive(self.exposure, where=where, name="exposure"))
        object.__setattr__(self, "incidents", validate.count(self.incidents, where=where, name="incidents"))
        if self.per == "demand" and (not self.exposure.is_integer() or self.incidents > self.exposure):
            raise InvalidInput(
                "demands are whole numbers, and no more than one incident happens in each",
                where=where,
                found=f"{self.incidents} in {self.exposure:g}",
            )
        begin, end = self.period
        if begin > end:
            raise InvalidInput("the period ends before it begins", where=where, found=f"{self.since} to {self.until}")

    @property
    def period(self) -> tuple[datetime, datetime]:
        """When it was gathered; what is not said is without end."""
        return _moment(self.since, EARLIEST), _moment(self.until, LATEST)

    def overlaps(self, other: Feedback) -> bool:
        """Whether both may tell of the same operation."""
        (begin, end), (other_begin, other_end) = self.period, other.period
        return begin == other_begin or (begin < other_end and other_begin < end)


def _moment(text: str, otherwise: datetime) -> datetime:
    if not text:
        return otherwise
    try:
        moment = datetime.fromisoformat(text)
    except (ValueError, TypeError):
        raise InvalidInput("no such date", where="feedback", found=repr(text), remedy="Write 2026-01-31.") from None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


@dataclass(frozen=True)
class Record:
    """All feedback on one claim, added up."""

    exposure: float
    per: str
    incidents: int

    @classmethod
    def of(cls, entries: list[Feedback]) -> Record:
        """The sum of entries whose periods do not overlap."""
        return cls(math.fsum(e.exposure for e in entries), entries[0].per, sum(e.incidents for e in entries))

    def estimate(self, target: Target) -> Estimate:
        """What operation shows of the quantity that the target limits.

        Where at least so much is asked per demand, the quantity is the share of demands without incident.
        """
        if self.per == "demand":
            demands = round(self.exposure)
            counted = self.incidents if target.at_most is not None else demands - self.incidents
            return clopper_pearson(counted, demands, level=target.level, quantity="in operation")
        return _rate(self.incidents, self.exposure, self.per)

    def tail(self, rate: float) -> float:
        """Probability of so many incidents or more, where the rate, or probability, is at most this."""
        if not self.incidents:
            return 1.0
        if self.per == "demand":
            return float(special.betainc(self.incidents, round(self.exposure) - self.incidents + 1, min(rate, 1.0)))
        return float(special.gammainc(self.incidents, rate * self.exposure))

    def __str__(self) -> str:
        incidents = counted(self.incidents, "incident")
        return f"{incidents} in {self.exposure:,.10g} {self.per}{'' if self.exposure == 1 else 's'}"


def _rate(incidents: int, exposure: float, per: str) -> Estimate:
    lower: BoundFamily = certain(0.0, "lower")
    if incidents:
        lower = QuantileBound(Gamma(incidents, 1 / exposure), "lower", "confidence")
    return Estimate(
        "in operation",
        incidents / exposure,
        f"per {per}",
        bounds=(QuantileBound(Gamma(incidents + 1, 1 / exposure), "upper", "confidence"), lower),
        assumptions=(CONSTANT_RATE, ALL_REPORTED),
        details={"incidents": incidents, "exposure": exposure},
        provenance=Provenance("case.feedback", {"incidents": incidents, "exposure": exposure, "per": per}),
    )
