"""``Derivation``: a target together with the steps that led to it."""

from __future__ import annotations

from dataclasses import dataclass

from surefoot.core import Kind, Table, Target
from surefoot.core.target import DEFAULT_KINDS
from surefoot.documents import percent, significant
from surefoot.hazards.targets.exposure import Exposure
from surefoot.hazards.targets.reference import Reference

COLUMNS = ("step", "figure", "basis")


@dataclass(frozen=True)
class Derivation:
    """A target, the principle and the reference it comes from, and a row for each step on the way."""

    principle: str
    target: Target
    rows: tuple[tuple[str, str, str], ...]
    reference: Reference | None = None

    def table(self) -> Table:
        """The steps as a table: what, how much, on which basis; the last rows are the limit and its strict side."""
        return Table(COLUMNS, (*self.rows, *_limit_rows(self.target)))

    def __str__(self) -> str:
        return str(self.table())


@dataclass(frozen=True)
class Asked:
    """How a target shall be stated: its level, its exposure and the kinds of bounds that may prove it."""

    level: float = 0.95
    per: str | None = None
    exposure: Exposure | None = None
    kinds: tuple[Kind, ...] = DEFAULT_KINDS

    def converted(self, target: Target) -> tuple[Target, list[tuple[str, str, str]]]:
        """The target per what was asked for, and the row that says so."""
        if self.per is None or self.per == target.per:
            return target, []
        exposure = Exposure() if self.exposure is None else self.exposure
        rule = exposure.rule(target.per, self.per)
        result = exposure.target(target, self.per)
        return result, [("conversion", f"per {target.per} to per {self.per}", rule.text)]


def _limit_rows(target: Target) -> list[tuple[str, str, str]]:
    limit = f"{target.relation} {significant(target.limit)} per {target.per}"
    rows = [("limit", limit, "follows from the steps above")]
    if target.uncertainty is None:
        return rows
    cautious = significant(target.cautious_limit(target.alpha), rounding="down" if target.at_most is not None else "up")
    basis = f"the strict side of the reference's own uncertainty at {percent(1 - target.alpha)}: what has to be shown"
    return [*rows, ("cautious limit", f"{target.relation} {cautious} per {target.per}", basis)]
