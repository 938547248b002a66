"""Raw counts of one quantity, pooled: counts are added and bounded once, and what is counted twice counts once.

Two reports of tests of the same thing are not two chances to be right: 2 failures in 1,000 trials and 9 in another
1,000 are 11 in 2,000, with one exact bound (Clopper and Pearson 1934; events in hours: Garwood 1936). Counts are pooled
where quantity, unit and scope agree and the data are not the same; where models are known, they must be one. That the
counts come from one population is an assumption of the pooled number.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from surefoot.case.evaluation import Measured
from surefoot.core import (
    Assumption,
    Beta,
    BoundFamily,
    Diagnostic,
    Estimate,
    Provenance,
    QuantileBound,
    certain,
    union,
)
from surefoot.core.distributions import Gamma
from surefoot.core.estimate import PER_DEMAND
from surefoot.documents import listed

ONE_POPULATION = Assumption("one-population", "All pooled counts come from one population and one operational profile.")
MODEL = "model"
"""Digests of models are told apart from those of data by this word in their names."""
EVENTS, HOURS = ("events", "incidents", "failures"), ("hours", "exposure")


@dataclass(frozen=True)
class Count:
    """So many events in so many trials, or in so much exposure."""

    events: int
    exposure: float
    trials: bool
    """Whether the exposure is a number of trials, each of which fails or not."""

    @classmethod
    def of(cls, estimate: Estimate) -> Count | None:
        """What was counted, where the estimate says that and no more: its bound is the exact one of these counts."""
        upper = next((each for each in estimate.bounds if each.side == "upper" and each.kind == "confidence"), None)
        details = estimate.details
        if not isinstance(upper, QuantileBound):
            return None
        if isinstance(upper.dist, Beta):
            k, n = details.get("failures"), details.get("trials")
            if isinstance(k, int) and isinstance(n, int) and upper.dist == Beta(k + 1, n - k):
                return cls(k, float(n), True)
        if isinstance(upper.dist, Gamma):
            k = next((details[name] for name in EVENTS if isinstance(details.get(name), int)), None)
            hours = next((details[name] for name in HOURS if isinstance(details.get(name), int | float)), None)
            if k is not None and hours and math.isclose(upper.dist.shape, k + 1) and _is_rate(upper.dist, hours):
                return cls(k, float(hours), False)
        return None

    def __add__(self, other: Count) -> Count:
        return Count(self.events + other.events, self.exposure + other.exposure, self.trials)

    def __str__(self) -> str:
        return f"{self.events:,} in {self.exposure:,.10g}"

    def bounds(self) -> tuple[BoundFamily, BoundFamily]:
        """Exact limits of a probability or of a rate."""
        k, n = self.events, self.exposure
        if self.trials:
            upper, lower = Beta(k + 1, round(n) - k), Beta(k, round(n) - k + 1)
            return QuantileBound(upper, "upper", "confidence"), QuantileBound(lower, "lower", "confidence")
        below: BoundFamily = QuantileBound(Gamma(k, 1 / n), "lower", "confidence") if k else certain(0.0, "lower")
        return QuantileBound(Gamma(k + 1, 1 / n), "upper", "confidence"), below

    def estimate(
        self,
        quantity: str,
        unit: str = PER_DEMAND,
        scope: str = "",
        *,
        assumptions: Iterable[Assumption] = (),
        caveats: Iterable[Diagnostic] = (),
        inputs: Sequence[str] = (),
        method: str = "case.pooled",
    ) -> Estimate:
        """The estimate of what was counted."""
        amount = round(self.exposure) if self.trials else self.exposure
        names = ("failures", "trials") if self.trials else ("events", "exposure")
        details = dict(zip(names, (self.events, amount), strict=True))
        return Estimate(
            quantity,
            self.events / self.exposure,
            unit,
            scope,
            bounds=self.bounds(),
            assumptions=tuple(assumptions),
            caveats=tuple(caveats),
            details=details,
            provenance=Provenance(method, details, tuple(inputs)),
        )


def _is_rate(dist: Gamma, hours: float) -> bool:
    return math.isclose(dist.mean, dist.shape / hours, rel_tol=1e-9)


@dataclass(frozen=True, eq=False)
class Pool:
    """Pieces of evidence under one claim that make one statement.

    Two pools are equal that say the same of the same nodes.
    """

    nodes: tuple[str, ...]
    """Ids of evidence, sorted; the first stands for all."""
    estimate: Estimate
    text: str = ""
    """What was pooled, in words."""
    references: tuple[str, ...] = ()
    """The results that were pooled."""
    operated: bool = False
    """Whether operation was pooled with tests."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pool) and (self.nodes, self.estimate.key) == (other.nodes, other.estimate.key)

    def __hash__(self) -> int:
        return hash(self.nodes)


@dataclass(frozen=True)
class _Piece:
    """One result under a claim, with the evidence that names it."""

    reference: str
    estimate: Estimate
    nodes: tuple[str, ...]
    count: Count | None
    source: Provenance

    @property
    def data(self) -> frozenset[str]:
        return frozenset(value for name, value in self.source.data.items() if not name.startswith(MODEL))

    @property
    def population(self) -> tuple[object, ...]:
        """What must agree so that counts may be pooled."""
        assert self.count is not None, "only counts have a population"
        model = next((value for name, value in sorted(self.source.data.items()) if name.startswith(MODEL)), "")
        return self.estimate.quantity, self.estimate.unit, self.estimate.scope, self.count.trials, model

    def repeats(self, other: _Piece) -> bool:
        """Whether it is the same result under another name."""
        return self.estimate.digest == other.estimate.digest and (
            self.source.key == other.source.key or bool(self.data and self.data == other.data)
        )


def pools(
    evidence: Mapping[str, str], measured: Measured, operation: Count | None = None, *, unit: str = ""
) -> Iterator[Pool]:
    """The pools under one claim.

    ``evidence`` has the result of each node that may be pooled; ``operation`` is what was counted in the field, for the
    one quantity of the claim.
    """
    pieces = list(_distinct(_pieces(evidence, measured)))
    groups: dict[tuple[object, ...], list[_Piece]] = defaultdict(list)
    for piece in pieces:
        if piece.count is not None:
            groups[piece.population].append(piece)
    fitting = [key for key in groups if operation is not None and key[1] == unit and key[3] == operation.trials]
    pooled: set[str] = set()
    for key, group in groups.items():
        together = list(_apart(group))
        field = operation if len(fitting) == 1 and key == fitting[0] else None
        if len(together) > 1 or field is not None:
            pooled |= {piece.reference for piece in together}
            yield _pooled(together, field)
    for piece in pieces:
        if piece.reference not in pooled and len(piece.nodes) > 1:
            yield Pool(piece.nodes, piece.estimate, "", (piece.reference,))


def _pieces(evidence: Mapping[str, str], measured: Measured) -> Iterator[_Piece]:
    named: dict[str, list[str]] = defaultdict(list)
    for node, reference in evidence.items():
        named[reference].append(node)
    for reference in sorted(named):
        estimate = measured.estimate(reference)
        if estimate is not None:
            sound = all(each.status != "contradicted" for each in estimate.assumptions)
            source = measured.source(reference) or estimate.provenance
            count = Count.of(estimate) if sound else None
            yield _Piece(reference, estimate, tuple(sorted(named[reference])), count, source)


def _distinct(pieces: Iterable[_Piece]) -> Iterator[_Piece]:
    """What is there under several names, once."""
    found: list[_Piece] = []
    for piece in pieces:
        place = next((number for number, each in enumerate(found) if piece.repeats(each)), None)
        if place is None:
            found.append(piece)
        else:
            found[place] = replace(found[place], nodes=tuple(sorted((*found[place].nodes, *piece.nodes))))
    yield from found


def _apart(group: Sequence[_Piece]) -> Iterator[_Piece]:
    """Counts of data that have nothing in common; of counts of the same data the largest."""
    seen: set[str] = set()
    for piece in sorted(group, key=_largest_first):
        if not piece.data & seen:
            seen |= piece.data
            yield piece


def _largest_first(piece: _Piece) -> tuple[float, int, str]:
    assert piece.count is not None, "only counts are compared"
    return -piece.count.exposure, -piece.count.events, piece.estimate.digest


def _pooled(pieces: Sequence[_Piece], field: Count | None) -> Pool:
    first, counts = pieces[0].estimate, [piece.count for piece in pieces if piece.count is not None]
    total = sum([*counts[1:], *([] if field is None else [field])], counts[0])
    nodes = tuple(sorted(node for piece in pieces for node in piece.nodes))
    said = [f"{piece.count} ({piece.reference})" for piece in sorted(pieces, key=lambda each: each.reference)]
    said += [] if field is None else [f"{field} (operation)"]
    estimate = total.estimate(
        first.quantity,
        first.unit,
        first.scope,
        assumptions=union(*(piece.estimate.assumptions for piece in pieces), (ONE_POPULATION,)),
        caveats=dict.fromkeys(caveat for piece in pieces for caveat in piece.estimate.caveats),
        inputs=sorted(piece.estimate.key for piece in pieces),
    )
    text = f"Pooled: {listed(said)} make {total}"
    return Pool(nodes, estimate, text, tuple(sorted(piece.reference for piece in pieces)), field is not None)
