"""Shares of rows as Estimates: exact where rows are independent and weigh the same, by resampling units otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import bounds
from surefoot.bounds.groups import INDEPENDENT_GROUPS
from surefoot.bounds.statement import FIXED_SIZE, INDEPENDENT, REPRESENTATIVE, approximate
from surefoot.core import BoundFamily, Diagnostic, Estimate, Provenance, Undefined
from surefoot.monitors.evaluation.bootstrap import Resampled
from surefoot.monitors.evaluation.deviation import Deviation
from surefoot.monitors.evaluation.resampling import Statistic, drawn_bounds, resampled
from surefoot.monitors.returns.stakes import Stakes

WHERE = "detection"
UNIT = "share"
RESAMPLED = approximate("Resampling", "Collect more independent units.")
Rows = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Shares:
    """The rows, and how estimates of them are made; ``data`` are digests of all arrays."""

    stakes: Stakes
    level: float
    draws: int
    seed: int
    scope: str
    data: Mapping[str, str]

    def weight(self, rows: Rows) -> float:
        """The share of some rows, each with its weight."""
        return float(np.average(rows, weights=self.stakes.weights))

    def rate(self, quantity: str, counted: Rows, among: Rows, empty: str) -> Estimate:
        """How many rows are counted among some; ``empty`` says why there may be none."""
        if self.weight(among) == 0:
            raise Undefined(f"{quantity} does not exist: {empty}", where=WHERE, found=f"{self.stakes.rows:,} rows")
        both = counted & among
        if not self.stakes.independent:
            return self._ratio(quantity, both, among)
        exact = bounds.clopper_pearson(
            int(both.sum()), int(among.sum()), level=self.level, quantity=quantity, unit=UNIT, scope=self.scope
        )
        return replace(exact, details={**exact.details, "interval": "exact"}, provenance=self._provenance(quantity))

    def resampled(self, quantity: str, statistic: Statistic) -> Estimate:
        """A figure that is computed from weights of rows."""
        drawn = resampled(statistic, self.stakes, draws=self.draws, seed=self.seed)
        found = drawn_bounds(drawn, self.level, where=quantity)
        return self.estimate(
            quantity, float(statistic(self.stakes.row_weights[None])[0]), found, "bootstrap", (RESAMPLED,)
        )

    def estimate(
        self,
        quantity: str,
        value: float,
        found: tuple[BoundFamily, ...],
        method: str,
        caveats: tuple[Diagnostic, ...] = (),
        details: Mapping[str, Any] | None = None,
    ) -> Estimate:
        """A figure with its limits and everything they rest on."""
        assumed = (INDEPENDENT if self.stakes.independent else INDEPENDENT_GROUPS, FIXED_SIZE, REPRESENTATIVE)
        counts = {"rows": self.stakes.rows, "units": self.stakes.unit_count}
        return Estimate(
            quantity,
            value,
            UNIT,
            self.scope,
            found,
            assumptions=tuple(replace(assumption, scope=self.scope) for assumption in assumed),
            caveats=caveats,
            details={"interval": method, "level": self.level, **counts, **(details or {})},
            provenance=self._provenance(quantity),
        )

    def _ratio(self, quantity: str, both: Rows, among: Rows) -> Estimate:
        """A share whose denominator is drawn too."""
        sums = np.column_stack([self.stakes.unit_sums(rows.astype(np.float64)) for rows in (both, among)])
        deviation = Deviation.of(sums[:, 0], sums[:, 1], (0.0, 1.0))
        if deviation.few_move:
            value = float(sums[:, 0].sum() / sums[:, 1].sum())
            return self.estimate(quantity, value, deviation.bounds(), "deviation", (RESAMPLED,))
        means = Resampled(sums, np.ones(len(sums)), self.draws, self.seed).means
        drawn = np.divide(means[:, 0], means[:, 1], out=np.full(len(means), np.nan), where=means[:, 1] > 0)
        part, whole = sums.sum(axis=0)
        found = drawn_bounds(drawn, self.level, where=quantity)
        return self.estimate(quantity, float(part / whole), found, "bootstrap", (RESAMPLED,))

    def _provenance(self, quantity: str) -> Provenance:
        params = {"figure": quantity, "level": self.level, "draws": self.draws}
        return Provenance("monitors.detection", params, data=self.data, seed=self.seed)
