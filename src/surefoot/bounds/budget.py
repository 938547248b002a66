"""A total risk split over its parts, and what has been used of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from surefoot.core import Estimate, FrozenDict, InvalidInput, Kind, MixedKinds, Table, validate

GUARANTEED = ("certain", "confidence", "credible")


@dataclass(frozen=True)
class Spent:
    """One part of a budget: what it was allotted and what its evidence uses."""

    part: str
    allotted: float
    used: float

    @property
    def left(self) -> float:
        """Negative when the part is overspent."""
        return self.allotted - self.used


@dataclass(frozen=True)
class Spending:
    """A budget beside what its parts use.

    Each uncertain part is counted at its upper bound; ``level`` holds for all parts together,
    whatever their dependence, because the miss probability is shared among them. ``kind`` is the
    kind of those bounds.
    """

    total: float
    level: float
    kind: Kind
    parts: tuple[Spent, ...]

    @property
    def used(self) -> float:
        """Sum over all parts, an upper bound of the total risk (union bound)."""
        return math.fsum(part.used for part in self.parts)

    @property
    def left(self) -> float:
        """Negative when the total is overspent."""
        return self.total - self.used

    @property
    def met(self) -> bool:
        """Whether the total is kept, by bounds with a guarantee; one part may use what another leaves."""
        return self.used <= self.total and self.kind in GUARANTEED

    @property
    def overspent(self) -> tuple[str, ...]:
        """Parts that use more than they were allotted."""
        return tuple(part.part for part in self.parts if part.left < 0)

    def table(self) -> Table:
        """Allotted, used and left, by part and in total."""
        rows = [(part.part, part.allotted, part.used, part.left) for part in self.parts]
        return Table(("part", "allotted", "used", "left"), (*rows, ("total", self.total, self.used, self.left)))

    def __str__(self) -> str:
        table = self.table()
        width = max(len(row[0]) for row in table.rows)
        lines = [f"{'part':<{width}}  {'allotted':>10}  {'used':>10}  {'left':>10}"]
        lines += [f"{row[0]:<{width}}  " + "  ".join(f"{value:>10.3g}" for value in row[1:]) for row in table.rows]
        verdict = "kept" if self.met else "not shown to be kept"
        return "\n".join([*lines, f"The total is {verdict} at level {self.level:g} ({self.kind})."])


@dataclass(frozen=True)
class Budget:
    """A total risk and its parts, which sum to at most the total."""

    total: float
    parts: Mapping[str, float]

    def __post_init__(self) -> None:
        where = "Budget"
        validate.fraction(self.total, where=where, name="total")
        if not self.parts:
            raise InvalidInput("a budget needs parts", where=where)
        for name, allotted in self.parts.items():
            validate.probability(allotted, where=where, name=f"part {name!r}")
        allotted = math.fsum(self.parts.values())
        if allotted > self.total * (1 + 1e-12):
            raise InvalidInput("the parts exceed the total", where=where, found=f"{allotted:g} > {self.total:g}")
        object.__setattr__(self, "parts", FrozenDict(self.parts))

    @property
    def unallotted(self) -> float:
        """What no part has been given."""
        return max(self.total - math.fsum(self.parts.values()), 0.0)

    def spend(self, used: Mapping[str, Estimate | float], *, level: float, mix: bool = False) -> Spending:
        """Compare evidence with the budget: an estimate or a known number for each part.

        Estimates enter with upper bounds whose miss probabilities sum to ``1 - level``. ``mix=True``
        allows confidence and credible bounds together; the result is then heuristic.
        """
        validate.level(level, where="Budget.spend")
        if set(used) != set(self.parts):
            raise InvalidInput(
                "needs one entry for each part",
                where="Budget.spend",
                found=sorted(set(used) ^ set(self.parts)),
                remedy=f"The parts are {', '.join(self.parts)}.",
            )
        kind = _common_kind([e for e in used.values() if isinstance(e, Estimate)], mix)
        uncertain = sum(isinstance(e, Estimate) and _upper_kinds(e) != {"certain"} for e in used.values())
        share = 1 - (1 - level) / max(uncertain, 1)
        parts = (Spent(name, allotted, _amount(used[name], share, name)) for name, allotted in self.parts.items())
        return Spending(self.total, level, kind, tuple(parts))


def risk_budget(total: float, shares: Mapping[str, float]) -> Budget:
    """Split a total risk over its parts in given shares, which sum to at most 1.

    Braband and Schaebe (2020), "On safety assessment of artificial intelligence", Dependability
    20(4), split the error probability of a safety argument so; what no part gets is kept as a
    reserve.

    >>> budget = risk_budget(1e-3, {"model": 0.8, "labels": 0.2})
    >>> print(budget.spend({"model": 7e-4, "labels": 1e-4}, level=0.95).met)
    True
    """
    where = "risk_budget"
    validate.fraction(total, where=where, name="total")
    fractions = {n: validate.probability(share, where=where, name=f"share of {n}") for n, share in shares.items()}
    if math.fsum(fractions.values()) > 1 + 1e-12:
        raise InvalidInput("shares sum to more than 1", where=where, found=f"{math.fsum(fractions.values()):g}")
    return Budget(total, {name: total * share for name, share in fractions.items()})


def _amount(used: Estimate | float, level: float, name: str) -> float:
    if isinstance(used, Estimate):
        return used.upper(level)
    return validate.probability(used, where="Budget.spend", name=f"part {name!r}")


def _upper_kinds(estimate: Estimate) -> set[Kind]:
    return {family.kind for family in estimate.bounds if family.side == "upper"}


def _common_kind(estimates: list[Estimate], mix: bool) -> Kind:
    kinds = {kind for e in estimates for kind in _upper_kinds(e)} - {"certain"}
    if len(kinds) > 1 and not mix:
        raise MixedKinds(
            "these kinds of bounds do not add up",
            where="Budget.spend",
            found=", ".join(sorted(kinds)),
            remedy="Use estimates of one kind, or pass mix=True and accept a heuristic result.",
        )
    if len(kinds) > 1:
        return "heuristic"
    return kinds.pop() if kinds else "certain"
