"""Field feedback: what operation says of a claim, entered later.

Demands are counted as a binomial, hours, missions and the like as a Poisson process; limits are exact (Clopper and
Pearson 1934; Garwood 1936), so that a claim that is true is called contradicted with probability at most 1 - level at
one look. Looking again with every month of data is looking repeatedly, and the level holds for each look alone.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import pairwise

from scipy import special

from surefoot.case.confidence.argument_graph import Count, Heard
from surefoot.case.confidence.judgement import Components, judge
from surefoot.case.evaluation import Measured
from surefoot.case.model import Case
from surefoot.core import (
    Assumption,
    Diagnostic,
    Estimate,
    InvalidInput,
    LevelUnavailable,
    MixedKinds,
    Target,
    validate,
)
from surefoot.documents import counted

EARLIEST, LATEST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
CONSTANT_RATE = Assumption("constant-rate", "Incidents come independently and at a constant rate.")
INDEPENDENT = Assumption("independent-demands", "Demands are independent and each fails with the same probability.")
ALL_REPORTED = Assumption("all-reported", "All incidents of the period were noticed and reported.")


@dataclass(frozen=True)
class Feedback:
    """Incidents in so much operation, as they bear on one claim.

    Parameters
    ----------
    claim
        Its id.
    exposure, per, incidents
        So many incidents in so much of what the claim's number counts: ``demand``, ``hour``, ``mission`` and so on.
    since, until
        Dates as in ISO 8601; a period ends before ``until``.
    source
        Who or what told it.

    Examples
    --------
    >>> from surefoot.case import Feedback
    >>> told = Feedback("C1", 1200, "demand", 0, since="2026-01-01", until="2026-07-01")
    >>> told.overlaps(Feedback("C1", 300, "demand", 1, since="2026-06-01"))
    True

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

    def counted(self, target: Target) -> Count:
        """What the target's quantity counts: incidents, or demands without one where at least so many are asked for."""
        if self.per == "demand":
            good = target.at_least is not None
            return Count(round(self.exposure) - self.incidents if good else self.incidents, self.exposure, True)
        return Count(self.incidents, self.exposure, False)

    def estimate(self, target: Target) -> Estimate:
        """What operation shows of the quantity that the target limits."""
        first = INDEPENDENT if self.per == "demand" else CONSTANT_RATE
        assumed = (first, ALL_REPORTED)
        return self.counted(target).estimate(
            "in operation", f"per {self.per}", assumptions=assumed, method="case.feedback"
        )

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


# Claims in the light of operation: what the field says of each, and what must be raised.


@dataclass(frozen=True)
class Operated:
    """What operation counted for one claim."""

    count: Count
    estimate: Estimate
    text: str


@dataclass
class Field:
    """What operation says of claims, by their ids."""

    records: dict[str, Operated] = field(default_factory=dict)
    opinions: dict[str, Components] = field(default_factory=dict)
    fallen: dict[str, str] = field(default_factory=dict)
    """Claims that operation contradicts, and how."""
    worse: set[str] = field(default_factory=set)
    """Claims of which operation is worse than the tests showed."""
    pooled: set[str] = field(default_factory=set)
    """Claims whose tests and operation are counts of one thing."""
    findings: list[Diagnostic] = field(default_factory=list)


def operate(case: Case, hearing: Mapping[str, Heard], measured: Measured, feedback: Iterable[Feedback]) -> Field:
    """What operation says of claims, and findings; what cannot be counted is said and left out."""
    found = Field()
    entries: dict[str, list[Feedback]] = defaultdict(list)
    for entry in feedback:
        entries[entry.claim].append(entry)
    for claim, told in entries.items():
        problem = _problem(case, claim, told)
        if problem is not None:
            found.findings.append(problem)
            continue
        number = case.nodes[claim].number
        assert number is not None, "a claim without a number is a problem"
        tested = (measured.estimate(reference) for reference in hearing[claim].all.values())
        _weigh(found, claim, Record.of(told), number.target, [each for each in tested if each is not None])
    return found


def _problem(case: Case, claim: str, told: list[Feedback]) -> Diagnostic | None:
    node = case.nodes.get(claim)
    if node is None or node.number is None:
        what = "is not in the case" if node is None else "states no number that operation could speak of"
        return Diagnostic("case-feedback", f"The claim {what}.", "error", claim, "Name a claim with a number.")
    target = node.number.target
    units = sorted({entry.per for entry in told} - {"" if target.unit else target.per})
    if units:
        text = f"Operation is counted per {', '.join(units)}, the claim {target.counted}; it is not counted."
        return Diagnostic("case-feedback", text, "error", claim, "Convert the exposure.")
    if target.at_least is not None and not target.is_share:
        text = f"Incidents {target.counted} say nothing of a quantity that shall be at least {target.limit:g}."
        return Diagnostic("case-feedback", text, "error", claim)
    begins = sorted(told, key=lambda entry: entry.period)
    if any(one.overlaps(other) for one, other in pairwise(begins)):
        text = "Periods of its entries overlap, or are not stated, so that operation might be counted twice."
        return Diagnostic("case-feedback", text, "error", claim, "State since and until, or enter the sum once.")
    return None


def _weigh(found: Field, claim: str, operation: Record, target: Target, tested: Iterable[Estimate]) -> None:
    estimate = operation.estimate(target)
    # Operation is counted, not estimated, so its exact bounds count whatever kinds the target names.
    judged_by = replace(target, kinds=tuple(dict.fromkeys((*target.kinds, "confidence", "certain"))))
    judged = judge(estimate, judged_by)
    unsure = max(1 - judged.belief - judged.disbelief, 0.0)
    found.opinions[claim] = Components(judged.belief, judged.disbelief, unsure, 0.5)
    found.records[claim] = Operated(operation.counted(target), estimate, f"Operation alone counts: {operation}")
    verdict = replace(estimate, assumptions=()).meets(judged_by)
    if verdict.status == "violated":
        found.fallen[claim] = verdict.text
        text = f"Operation contradicts the claim: {operation}; {verdict.text}."
        found.findings.append(Diagnostic("case-operation-contradicts", text, "error", claim, "The claim falls."))
        return
    known = [limit for limit in (_limit(each, target) for each in tested) if limit is not None]
    shown = max(known, default=None)
    chance = 1.0 if shown is None else operation.tail(shown)
    if chance < 1 - target.level:
        text = (
            f"Operation is worse than the tests showed: {operation}, which has probability {chance:.2g} at the "
            f"bound {shown:.3g} that the tests showed."
        )
        found.worse.add(claim)
        hint = "Find out what differs in operation before more is observed."
        found.findings.append(Diagnostic("case-operation-worse", text, "warning", claim, hint))


def _limit(estimate: Estimate, target: Target) -> float | None:
    """The limit of failures that the tests show at the claim's level."""
    if estimate.unit != target.counted:
        return None
    try:
        if target.at_most is not None:
            return estimate.upper(target.level)
        return 1 - estimate.lower(target.level)
    except (LevelUnavailable, MixedKinds):
        return None
