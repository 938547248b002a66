"""A total risk split over its parts, and what has been used of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from surefoot.core import (
    Assumption,
    Diagnostic,
    Estimate,
    FrozenDict,
    InvalidInput,
    Kind,
    Table,
    propagate,
    validate,
)
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.validate import FloatArray

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
    whatever their dependence, because the miss probability is shared among them. ``estimate`` is the
    sum, with everything that the parts rest on.
    """

    total: float
    level: float
    estimate: Estimate
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
    def kind(self) -> Kind:
        """The kind of bound that ``used`` is."""
        return self.estimate.bound("upper", self.level).kind

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """Everything that the parts assume."""
        return self.estimate.assumptions

    @property
    def caveats(self) -> tuple[Diagnostic, ...]:
        """Every caveat of the parts, and of combining them."""
        return self.estimate.caveats

    @property
    def contradicted(self) -> tuple[str, ...]:
        """Assumptions that the data speak against."""
        return tuple(dict.fromkeys(a.id for a in self.assumptions if a.status == "contradicted"))

    @property
    def met(self) -> bool:
        """Whether the total is kept, by bounds with a guarantee and without a contradicted assumption.

        One part may use what another leaves.
        """
        return self.used <= self.total and self.kind in GUARANTEED and not self.contradicted

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
        against = f"; contradicted: {', '.join(self.contradicted)}" if self.contradicted else ""
        lines.append(f"The total is {verdict} at level {self.level:g} ({self.kind}){against}.")
        return "\n".join([*lines, *map(str, self.caveats)])


@dataclass(frozen=True)
class Budget:
    """A total risk and its parts, which sum to at most the total."""

    total: float
    parts: Mapping[str, float]

    def __post_init__(self) -> None:
        where = "Budget"
        total = validate.fraction(self.total, where=where, name="total")
        parts = _probabilities(self.parts, where=where, name="part")
        if not parts:
            raise InvalidInput("a budget needs parts", where=where)
        allotted = math.fsum(parts.values())
        if allotted > total * (1 + 1e-12):
            raise InvalidInput("the parts exceed the total", where=where, found=f"{allotted:g} > {total:g}")
        object.__setattr__(self, "total", total)
        object.__setattr__(self, "parts", FrozenDict(parts))

    def spend(self, used: Mapping[str, Estimate | float], *, level: float, mix: bool = False) -> Spending:
        """Compare evidence with the budget: an estimate or a known number for each part.

        Estimates enter with upper bounds whose miss probabilities sum to ``1 - level``, and keep their
        assumptions and caveats; numbers take the unit of the estimates. ``mix=True`` allows
        confidence and credible bounds together; the result is then heuristic.
        """
        level = validate.level(level, where="Budget.spend")
        evidence = self._evidence(used)
        upper = {name: _upper_only(e) for name, e in evidence.items()}
        uncertain = sum(any(f.kind != "certain" for f in e.bounds) for e in upper.values())
        share = 1 - (1 - level) / max(uncertain, 1)
        parts = [Spent(name, allotted, upper[name].upper(share)) for name, allotted in self.parts.items()]
        together = propagate(
            _sum, upper, quantity="total risk", direction=dict.fromkeys(upper, 1), level=level, mix=mix
        )
        return Spending(self.total, level, together, tuple(parts))

    def _evidence(self, used: Mapping[str, Estimate | float]) -> dict[str, Estimate]:
        """One estimate a part, all in one unit."""
        where = "Budget.spend"
        if not isinstance(used, Mapping) or set(used) != set(self.parts):
            raise InvalidInput(
                "needs one entry for each part",
                where=where,
                found=sorted(map(str, set(used) ^ set(self.parts))) if isinstance(used, Mapping) else repr(used),
                remedy=f"The parts are {', '.join(self.parts)}.",
            )
        estimates = {name: e for name, e in used.items() if isinstance(e, Estimate)}
        stated = {name: value for name, value in used.items() if not isinstance(value, Estimate)}
        units = {name: e.unit for name, e in estimates.items()}
        if len(set(units.values())) > 1:
            found = ", ".join(f"{name} {unit}" for name, unit in units.items())
            remedy = "Convert the exposure, so that all parts are per the same thing."
            raise InvalidInput("parts with different units do not add up", where=where, found=found, remedy=remedy)
        unit = next(iter(units.values()), PER_DEMAND)
        numbers = _probabilities(stated, where=where, name="part")
        known = {n: Estimate.known(n, value, source="stated in spend", unit=unit) for n, value in numbers.items()}
        return {name: (estimates | known)[name] for name in self.parts}


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
    total = validate.fraction(total, where=where, name="total")
    fractions = _probabilities(shares, where=where, name="share of")
    if math.fsum(fractions.values()) > 1 + 1e-12:
        raise InvalidInput("shares sum to more than 1", where=where, found=f"{math.fsum(fractions.values()):g}")
    return Budget(total, {name: total * share for name, share in fractions.items()})


def _probabilities(values: Mapping[str, float], *, where: str, name: str) -> dict[str, float]:
    if not isinstance(values, Mapping):
        raise InvalidInput(
            "needs a mapping from names to numbers", where=where, found=repr(values), remedy="Use {'model': 0.8, ...}."
        )
    return {key: validate.probability(value, where=where, name=f"{name} {key!r}") for key, value in values.items()}


def _upper_only(estimate: Estimate) -> Estimate:
    """Without a distribution, so that the sum shares alpha and assumes nothing about dependence."""
    return replace(estimate, bounds=tuple(f for f in estimate.bounds if f.side == "upper"), dist=None)


def _sum(**parts: FloatArray) -> FloatArray:
    return np.sum(list(parts.values()), axis=0)
