"""``Reference``: what was counted on the system that a new one is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from surefoot.core import (
    Assumption,
    CountedRate,
    CountedShare,
    Estimate,
    InvalidInput,
    Provenance,
    QuantileBound,
    validate,
)
from surefoot.documents import counted, significant

TRIALS = ("demand", "mission")
"""Exposures that are counted one by one, so that events are a share of them."""
CONSTANT_RATE = Assumption(
    "reference-constant-rate", "The events of the reference came independently of each other, at a constant rate."
)
INDEPENDENT_TRIALS = Assumption(
    "reference-independent-trials", "The trials of the reference were independent and had one probability of an event."
)


@dataclass(frozen=True)
class Reference:
    """So many events in so much exposure, ``per`` a word such as hour, year, km, demand or mission.

    Per demand and per mission the exposure is a number of trials, and ``events`` counts the trials in which the event
    happened; otherwise it is an amount, and ``events`` counts events.

    >>> Reference(12, 40_000, per="hour", name="divers", source="dive logs 2015-2020").rate
    0.0003
    """

    events: int
    exposure: float
    per: str = "hour"
    name: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        where = f"reference {self.name}".strip()
        for word in ("per", "name", "source"):
            if not isinstance(getattr(self, word), str):
                raise InvalidInput(f"{word} must be text", where=where, found=repr(getattr(self, word)))
        if not self.per.strip():
            raise InvalidInput("needs the word that the exposure is counted in", where=where, remedy='Say per="hour".')
        object.__setattr__(self, "events", validate.count(self.events, where=where, name="events"))
        exposure = validate.positive(self.exposure, where=where, name="exposure")
        if self.per in TRIALS:
            trials = validate.count(self.exposure, where=where, name=f"exposure in {self.per}s", at_least=1)
            exposure = float(trials)
            if self.events > trials:
                remedy = f"Count each {self.per} with an event once."
                found = f"{self.events} in {trials}"
                raise InvalidInput(f"more events than {self.per}s", where=where, found=found, remedy=remedy)
        object.__setattr__(self, "exposure", exposure)

    @property
    def rate(self) -> float:
        """Events per unit of exposure."""
        return self.events / self.exposure

    @cached_property
    def uncertainty(self) -> CountedRate | CountedShare:
        """What the counts say about the true rate, with exact limits on both sides."""
        if self.per in TRIALS:
            return CountedShare(self.events, int(self.exposure))
        return CountedRate(self.events, self.exposure)

    def estimate(self, quantity: str = "reference") -> Estimate:
        """The rate as an estimate with exact bounds on both sides."""
        exact = self.uncertainty
        source = {"events": self.events, "exposure": self.exposure, "per": self.per, "source": self.source}
        return Estimate(
            quantity,
            self.rate,
            f"per {self.per}",
            self.name,
            bounds=(
                QuantileBound(exact.above, "upper", "confidence"),
                QuantileBound(exact.below, "lower", "confidence"),
            ),
            assumptions=(INDEPENDENT_TRIALS if self.per in TRIALS else CONSTANT_RATE,),
            details={"events": self.events, "exposure": self.exposure},
            provenance=Provenance("counted reference", source),
        )

    def __add__(self, other: Reference) -> Reference:
        """Both together, as if one rate held in both."""
        if not isinstance(other, Reference):
            return NotImplemented
        if other.per != self.per:
            raise InvalidInput(
                "references per different exposures cannot be added",
                where="reference",
                found=f"per {self.per} and per {other.per}",
                remedy="Count both in the same exposure.",
            )
        names, sources = (" and ".join(dict.fromkeys(filter(None, w))) for w in self._words_with(other))
        return Reference(self.events + other.events, self.exposure + other.exposure, self.per, names, sources)

    def _words_with(self, other: Reference) -> tuple[tuple[str, str], tuple[str, str]]:
        return (self.name, other.name), (self.source, other.source)

    def __str__(self) -> str:
        name = f"{self.name}: " if self.name else ""
        source = f" ({self.source})" if self.source else ""
        return f"{name}{self.counted}{source}"

    @property
    def counted(self) -> str:
        """Events and exposure in words."""
        events = counted(self.events, "event")
        return f"{events} in {significant(self.exposure)} {self.per}{'' if self.exposure == 1 else 's'}"
